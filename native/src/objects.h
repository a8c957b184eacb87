/* SPDX-License-Identifier: Apache-2.0 */
/*
 * objects.h -- what stands behind handles; and the descriptors that end a wait
 */
#ifndef VERBENA_OBJECTS_H
#define VERBENA_OBJECTS_H

#include "handle.h"
#include "layout.h"
#include "lib.h"

struct vb_device {
	struct vb_object object;
	struct ibv_context *context;
	struct rdma_event_channel *events;
	int nudge;
	uint32_t port;
	uint32_t capabilities;
	uint32_t max_reads;
	uint64_t send_operations; /* for ibv_create_qp_ex; 0 if the device knows ibv_post_send only */
};

struct vb_domain {
	struct vb_object object;
	struct vb_device *device;
	struct ibv_pd *pd;
};

struct vb_region {
	struct vb_object object;
	struct ibv_mr *mr;
};

struct vb_window {
	struct vb_object object;
	struct ibv_mw *mw;
	/* Of the last bind that was posted: a device may want it told with the next one. */
	uint32_t key;
};

struct vb_channel {
	struct vb_object object;
	struct ibv_comp_channel *channel;
	int nudge;
};

struct vb_queue {
	struct vb_object object;
	struct ibv_cq *cq;
};

struct vb_shared {
	struct vb_object object;
	struct ibv_srq *srq;
};

struct vb_queue_pair {
	struct vb_object object;
	struct vb_device *device;
	struct ibv_qp *qp;
	struct ibv_qp_ex *extended; /* NULL if the device knows ibv_post_send only */
};

struct vb_id {
	struct vb_object object;
	struct rdma_cm_id *id;
};

struct vb_dax {
	struct vb_object object;
	int fd;
	uint64_t size;
	uint64_t alignment;
};

struct vb_mapping {
	struct vb_object object;
	void *base;
	uint64_t bytes;
};

/* A handle in the context pointer of a verbs object, by which its events name it. */
#define VB_CONTEXT(handle) ((void *)(uintptr_t)(handle))

/* errno of the call that failed just now, negative; never 0. */
int vb_failure(void);

/* The same for verbs that return the error, or -1 and set errno. */
int vb_result(int ret);

/* wait.c */
int vb_nudge_create(void);
int vb_nudge_write(int nudge);
int vb_nudge_read(int nudge);
int vb_set_nonblocking(int fd);
int64_t vb_now_ms(void);
/* Polls until one of the descriptors is readable: 1; VB_NUDGED if it is the last only; 0 late. */
int vb_await(const int *fds, int count, int64_t end_ms);

/* event.c: takes one event of either source, without waiting; 0 if there is none. */
int vb_take_cm_event(struct vb_device *device, struct vb_event *into);
int vb_take_async_event(struct vb_device *device, struct vb_event *into);

/* connect.c */
struct sockaddr;
void vb_tell_address(const struct sockaddr *from, struct vb_address *into);
int vb_is_on(const struct rdma_cm_id *id, const struct vb_device *device);

/* post.c */
int vb_ring(int64_t queue_pair);

/* queue_pair.c: also the probe of device.c. Returns NULL and sets errno. */
struct ibv_qp *vb_make_queue_pair(struct vb_device *device, struct ibv_qp_init_attr *attributes,
				  struct ibv_pd *pd);
/* queue_pair.c: access flags of a queue pair that allow all that the device can. */
unsigned int vb_access_of(const struct vb_device *device);

#endif
