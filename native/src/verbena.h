/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verbena.h -- what Java calls, by way of jni.c
 *
 * Functions return what they were asked for, or a negative errno: -EBADF for a handle that is not
 * valid. Each is thread-safe, except that one queue pair is posted to, and one completion queue is
 * polled, by one thread at a time.
 */
#ifndef VERBENA_H
#define VERBENA_H

#include "layout.h"

#include <stddef.h>
#include <stdint.h>

/* What a wait returns if vb_*_nudge ended it. */
#define VB_NUDGED (-125)

/* Devices (device.c). */
int vb_available(char *why, size_t room);
int64_t vb_device_open(const char *name, struct vb_device_info *info);
int vb_device_close(int64_t device);
int vb_device_wait(int64_t device, struct vb_event *into, int timeout_ms);
int vb_device_nudge(int64_t device);
int vb_device_calm(int64_t device);

/* Memory (memory.c, mapping.c). */
int64_t vb_domain_create(int64_t device);
int vb_domain_destroy(int64_t domain);
int64_t vb_region_register(int64_t domain, uint64_t address, uint64_t length, uint32_t access,
			   uint32_t keys[2]);
int vb_region_deregister(int64_t region);
int64_t vb_window_allocate(int64_t domain, uint32_t *key);
int vb_window_deallocate(int64_t window);
int64_t vb_map(uint64_t bytes);
int vb_unmap(uint64_t address, uint64_t bytes);

/* Persistent memory (dax.c), also without libibverbs and librdmacm. */
int64_t vb_dax_open(const char *path, uint64_t facts[2]);
int vb_dax_close(int64_t dax);
int64_t vb_dax_map(int64_t dax, uint64_t bytes, uint64_t *address);
int vb_dax_unmap(int64_t mapping);
int vb_dax_write_back(int64_t mapping, uint64_t offset, uint64_t bytes);

/* Completions (completion.c). */
int64_t vb_channel_create(int64_t device);
int vb_channel_destroy(int64_t channel);
int64_t vb_channel_wait(int64_t channel, int timeout_ms);
int vb_channel_nudge(int64_t channel);
int vb_channel_calm(int64_t channel);
int64_t vb_queue_create(int64_t device, int64_t channel, uint32_t depth);
int vb_queue_destroy(int64_t queue);
int vb_queue_arm(int64_t queue, int solicited_only);
int vb_queue_poll(int64_t queue, struct vb_completion *into, int room);

/* Queue pairs (queue_pair.c, post.c, receive.c). */
int64_t vb_queue_pair_create(int64_t domain, int64_t sends, int64_t receives, int64_t shared,
			     const uint32_t limits[4], uint32_t *number);
int vb_queue_pair_destroy(int64_t queue_pair);
int vb_queue_pair_ready(int64_t queue_pair, int64_t id, struct vb_path *path);
int vb_queue_pair_hold(int64_t queue_pair, int hold);
int vb_queue_pair_break(int64_t queue_pair);
int vb_queue_pair_state(int64_t queue_pair);
int vb_post_send(int64_t queue_pair, const void *requests, int count);
int vb_post_receive(int64_t queue_pair, const void *request);
int64_t vb_shared_create(int64_t domain, uint32_t depth, uint32_t buffers);
int vb_shared_destroy(int64_t shared);
int vb_shared_post(int64_t shared, const void *request);
int vb_shared_limit(int64_t shared, uint32_t limit);

/* The connection manager (connect.c, event.c). */
int64_t vb_id_create(int64_t device);
int vb_id_destroy(int64_t id);
int vb_id_bind(int64_t id, const struct vb_address *address);
int vb_id_listen(int64_t id, int backlog);
int vb_id_address(int64_t id, struct vb_address *into);
int vb_id_resolve_address(int64_t id, const struct vb_address *source,
			  const struct vb_address *target, int timeout_ms);
int vb_id_resolve_route(int64_t id, int timeout_ms);
int vb_id_is_on(int64_t id, int64_t device);
int vb_id_connect(int64_t id, int64_t queue_pair, uint32_t reads, uint32_t rnr_retries,
		  const void *data, int length);
int vb_id_accept(int64_t id, int64_t queue_pair, uint32_t reads_of_peer, uint32_t reads,
		 uint32_t rnr_retries, const void *data, int length);
int vb_id_establish(int64_t id);
int vb_id_reject(int64_t id, const void *data, int length);
int vb_id_disconnect(int64_t id);

#endif
