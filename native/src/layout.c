/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout.c -- tells the offsets of the shared structures
 */
#include "layout.h"

#include <infiniband/verbs.h>
#include <stddef.h>

_Static_assert(sizeof(struct vb_buffer) == sizeof(struct ibv_sge), "a buffer is an ibv_sge");
_Static_assert(offsetof(struct vb_buffer, address) == offsetof(struct ibv_sge, addr), "addr");
_Static_assert(offsetof(struct vb_buffer, length) == offsetof(struct ibv_sge, length), "length");
_Static_assert(offsetof(struct vb_buffer, key) == offsetof(struct ibv_sge, lkey), "lkey");
_Static_assert(sizeof(struct vb_address) == VB_ADDRESS_BYTES, "address");

#define AT(type, field) (uint32_t) offsetof(struct type, field)

/* The order is that of ExpectedStructures.java. */
static const uint32_t numbers[] = {
	sizeof(struct vb_send),
	AT(vb_send, id),
	AT(vb_send, remote_address),
	AT(vb_send, operand),
	AT(vb_send, second_operand),
	AT(vb_send, window),
	AT(vb_send, region),
	AT(vb_send, key),
	AT(vb_send, immediate),
	AT(vb_send, operation),
	AT(vb_send, flags),
	AT(vb_send, flush_type),
	AT(vb_send, flush_level),
	AT(vb_send, count),

	sizeof(struct vb_receive),
	AT(vb_receive, id),
	AT(vb_receive, count),

	sizeof(struct vb_buffer),
	AT(vb_buffer, address),
	AT(vb_buffer, length),
	AT(vb_buffer, key),

	sizeof(struct vb_completion),
	AT(vb_completion, id),
	AT(vb_completion, status),
	AT(vb_completion, opcode),
	AT(vb_completion, byte_length),
	AT(vb_completion, queue_pair),
	AT(vb_completion, immediate),
	AT(vb_completion, flags),
	AT(vb_completion, vendor_error),

	sizeof(struct vb_device_info),
	AT(vb_device_info, max_message),
	AT(vb_device_info, capabilities),
	AT(vb_device_info, max_depth),
	AT(vb_device_info, max_completions),
	AT(vb_device_info, max_shared_depth),
	AT(vb_device_info, max_buffers),
	AT(vb_device_info, max_inline),
	AT(vb_device_info, port),
	AT(vb_device_info, mtu),
	AT(vb_device_info, max_reads),
	AT(vb_device_info, is_infiniband),
	AT(vb_device_info, name),

	sizeof(struct vb_address),
	AT(vb_address, family),
	AT(vb_address, port),
	AT(vb_address, scope),
	AT(vb_address, bytes),

	sizeof(struct vb_event),
	AT(vb_event, object),
	AT(vb_event, id),
	AT(vb_event, source),
	AT(vb_event, type),
	AT(vb_event, status),
	AT(vb_event, queue_pair),
	AT(vb_event, private_length),
	AT(vb_event, reads_of_peer),
	AT(vb_event, reads),
	AT(vb_event, same_device),
	AT(vb_event, remote),
	AT(vb_event, private_data),

	sizeof(struct vb_path),
	AT(vb_path, mtu),
	AT(vb_path, rnr_timer),
	AT(vb_path, rnr_retries),
	AT(vb_path, timeout),
	AT(vb_path, retries),
	AT(vb_path, gid_index),
	AT(vb_path, gid_type),
	AT(vb_path, is_routed),
	AT(vb_path, gid),
};

int vb_layout(uint32_t *into, int room)
{
	int count = (int)(sizeof(numbers) / sizeof(numbers[0]));

	for (int i = 0; i < count && i < room; i++)
		into[i] = numbers[i];
	return count;
}
