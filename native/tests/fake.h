/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake.h -- libraries that stand in for libibverbs and librdmacm in unit tests
 *
 * They keep count of their calls and of the objects that live, fail the call they are told to, and
 * remember what was posted. One thread.
 */
#ifndef VERBENA_FAKE_H
#define VERBENA_FAKE_H

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <stdint.h>

#define FAKE_POSTED 64

/* One request as the device would see it, whichever way it came. */
struct fake_request {
	uint64_t id;
	enum ibv_wr_opcode opcode;
	unsigned int flags;
	uint64_t address;
	uint32_t key;
	uint32_t immediate; /* host order; or the key to invalidate */
	uint64_t first;
	uint64_t second;
	uint32_t buffers;
	struct ibv_sge buffer; /* the last one */
	uint32_t inline_length;
	uint8_t inline_byte; /* the last one */
	uint64_t length;
	unsigned int access;
};

struct fake_state {
	int calls;
	int fail_at; /* number of the call that fails; 0: none */
	int error;
	const char *failed; /* name of the call that did */
	int live;
	int swept; /* objects that were left when their context was closed */
	int without_extended;	/* no ibv_create_qp_ex with operations */
	int without_flush;	/* none of rdma-core 45 */
	int room;		/* requests that a send queue takes */
	int posted_count;
	struct fake_request posted[FAKE_POSTED];
	int doorbells;
	struct ibv_wc completions[FAKE_POSTED];
	int completion_count;
	struct ibv_qp_attr modified; /* the latest */
	int modified_mask;
	uint8_t reads_asked; /* by the peer, each way */
	uint8_t reads_of_peer; /* that a queue pair was told to take at once */
	struct rdma_conn_param connected;
	int rejected;
	struct rdma_cm_id *last_id; /* the latest that was bound */
};

extern struct fake_state fake;

/* Counts a call; nonzero, and sets errno, if it is the one to fail. */
int fake_step(const char *name);

/* Raises events. */
void fake_raise_completion(struct ibv_comp_channel *channel, struct ibv_cq *cq);
void fake_raise_async(struct ibv_context *context, enum ibv_event_type type, void *element);
void fake_raise_cm(struct rdma_cm_id *id, enum rdma_cm_event_type type, int status);

/* A descriptor that is readable as often as it was raised. */
int fake_fd(void);
void fake_ring(int fd);
int fake_take(int fd);

/* A context of the fake device; its second name is fake1. */
struct ibv_context *fake_context(int device);

#endif
