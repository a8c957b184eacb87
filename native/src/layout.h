/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout.h -- the structures that Java and C both read and write
 *
 * Each has a descriptor class in dev.verbena.verbs.rdmacore with its picture. vb_layout() tells the
 * offsets below, and the loader refuses a library whose numbers differ from the descriptors'.
 * All fields are in host byte order and naturally aligned.
 */
#ifndef VERBENA_LAYOUT_H
#define VERBENA_LAYOUT_H

#include <stdint.h>

/* Changes with any function, field or meaning that Java sees. */
#define VB_VERSION 2

enum vb_operation {
	VB_SEND,
	VB_SEND_WITH_IMMEDIATE,
	VB_WRITE,
	VB_WRITE_WITH_IMMEDIATE,
	VB_READ,
	VB_COMPARE_AND_SWAP,
	VB_FETCH_AND_ADD,
	VB_FLUSH,
	VB_ATOMIC_WRITE,
	VB_SEND_WITH_INVALIDATE,
	VB_BIND_WINDOW,
	VB_LOCAL_INVALIDATE,
	VB_OPERATIONS
};

enum vb_send_flag {
	VB_SIGNALED = 1 << 0,
	VB_FENCED = 1 << 1,
	VB_SOLICITED = 1 << 2,
	VB_INLINE = 1 << 3,
};

/* One request of a send queue; its buffers or its inline data stand behind it. */
struct vb_send {
	uint64_t id;
	uint64_t remote_address; /* of a bind: within the region */
	uint64_t operand;	 /* compare or add; bytes of a FLUSH or of a bind */
	uint64_t second_operand; /* swap; value of an ATOMIC_WRITE; access flags of a bind */
	uint64_t window;	 /* handle, of a bind */
	uint64_t region;	 /* handle, of a bind */
	uint32_t key;		 /* remote key; of a bind the new one; the one to invalidate */
	uint32_t immediate;
	uint8_t operation;
	uint8_t flags;
	uint8_t flush_type;
	uint8_t flush_level;
	uint32_t count; /* buffers behind it, or bytes of inline data, padded to 8 */
};

struct vb_receive {
	uint64_t id;
	uint32_t count; /* buffers behind it */
	uint32_t reserved;
};

/* Must be struct ibv_sge, which vb_layout() checks too. */
struct vb_buffer {
	uint64_t address;
	uint32_t length;
	uint32_t key;
};

enum vb_completion_flag {
	VB_HAS_IMMEDIATE = 1 << 0,
	VB_HAS_INVALIDATED_KEY = 1 << 1,
};

struct vb_completion {
	uint64_t id;
	uint32_t status; /* enum ibv_wc_status */
	uint32_t opcode; /* enum ibv_wc_opcode; of successes only */
	uint32_t byte_length;
	uint32_t queue_pair;
	uint32_t immediate; /* or the key that was invalidated */
	uint32_t flags;
	uint32_t vendor_error;
	uint32_t reserved;
};

enum vb_capability {
	VB_ATOMICS = 1 << 0,
	VB_FLUSH_GLOBAL = 1 << 1,
	VB_FLUSH_PERSISTENT = 1 << 2,
	VB_ATOMIC_WRITES = 1 << 3,
	VB_MEMORY_WINDOW_TYPE_2B = 1 << 4,
	VB_ON_DEMAND_PAGING = 1 << 5,
};

#define VB_NAME_BYTES 64

struct vb_device_info {
	uint64_t max_message;
	uint32_t capabilities;
	uint32_t max_depth;
	uint32_t max_completions;
	uint32_t max_shared_depth;
	uint32_t max_buffers;
	uint32_t max_inline;
	uint32_t port;
	uint32_t mtu;		/* enum ibv_mtu of the port, active */
	uint32_t max_reads;	/* READs and atomics in flight to one queue pair */
	uint32_t is_infiniband; /* transport: not iWARP */
	char name[VB_NAME_BYTES];
};

#define VB_PRIVATE_BYTES 256
#define VB_ADDRESS_BYTES 32

/* An address: of IPv4 the first four bytes. */
struct vb_address {
	uint32_t family; /* 4, 6, or 0 for none */
	uint32_t port;
	uint32_t scope;
	uint32_t reserved;
	uint8_t bytes[16];
};

enum vb_event_source {
	VB_FROM_CONNECTION_MANAGER = 1,
	VB_FROM_DEVICE = 2,
};

struct vb_event {
	uint64_t object; /* handle of the one concerned; 0 if it is the device */
	uint64_t id;	 /* handle of the new id, of a connect request */
	uint32_t source;
	uint32_t type;	 /* enum rdma_cm_event_type or enum ibv_event_type */
	int32_t status;
	uint32_t queue_pair; /* the peer's number */
	uint32_t private_length;
	uint32_t reads_of_peer; /* that it asks this end to take at once */
	uint32_t reads;		/* that this end may have going at once */
	uint32_t same_device; /* of a connect request: it came in on this device */
	struct vb_address remote;
	uint8_t private_data[VB_PRIVATE_BYTES];
};

/* How a queue pair becomes ready, and what was found. */
struct vb_path {
	uint32_t mtu; /* in: the most that both ends take; out: in use */
	uint32_t rnr_timer;
	uint32_t rnr_retries;
	uint32_t timeout;
	uint32_t retries;
	uint32_t gid_index;	/* out */
	uint32_t gid_type;	/* out: enum ibv_gid_type; ~0 if it can't be told */
	uint32_t is_routed;		/* out: it has a GID, as on Ethernet always */
	uint8_t gid[16];	/* out */
};

/*
 * vb_layout -- writes sizes and offsets in the order of layout.c; returns how many
 */
int vb_layout(uint32_t *into, int room);

#endif
