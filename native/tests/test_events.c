/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_events.c -- events name their objects; waits end by events, nudges and time
 */
#include "../src/objects.h"
#include "check.h"

#include <errno.h>

static void a_queue_that_fires_is_named(struct bed *bed)
{
	struct vb_channel *channel = vb_handle_use(bed->channel, VB_CHANNEL);
	struct vb_queue *queue = vb_handle_use(bed->receives, VB_COMPLETION_QUEUE);

	CHECK(vb_channel_wait(bed->channel, 0) == 0);
	fake_raise_completion(channel->channel, queue->cq);
	CHECK(vb_channel_wait(bed->channel, 1000) == bed->receives);
	vb_handle_done(bed->receives);
	vb_handle_done(bed->channel);
}

static void a_nudge_ends_waits_until_it_is_taken(struct bed *bed)
{
	CHECK(vb_channel_nudge(bed->channel) == 0);
	CHECK(vb_channel_wait(bed->channel, 60000) == VB_NUDGED);
	CHECK(vb_channel_wait(bed->channel, 60000) == VB_NUDGED);
	CHECK(vb_channel_calm(bed->channel) == 0);
	CHECK(vb_channel_calm(bed->channel) == -EAGAIN);
	CHECK(vb_channel_wait(bed->channel, 0) == 0);
}

static void an_event_comes_before_a_nudge(struct bed *bed)
{
	struct vb_channel *channel = vb_handle_use(bed->channel, VB_CHANNEL);
	struct vb_queue *queue = vb_handle_use(bed->receives, VB_COMPLETION_QUEUE);

	CHECK(vb_channel_nudge(bed->channel) == 0);
	fake_raise_completion(channel->channel, queue->cq);
	CHECK(vb_channel_wait(bed->channel, 60000) == bed->receives);
	CHECK(vb_channel_calm(bed->channel) == 0);
	vb_handle_done(bed->receives);
	vb_handle_done(bed->channel);
}

static void expect_async(struct bed *bed, enum ibv_event_type type, void *element, int64_t object)
{
	struct vb_device *device = vb_handle_use(bed->device, VB_DEVICE);
	struct vb_event event;

	fake_raise_async(device->context, type, element);
	CHECK(vb_device_wait(bed->device, &event, 1000) == 1);
	CHECK(event.source == VB_FROM_DEVICE && event.type == (uint32_t)type);
	CHECK(event.object == (uint64_t)object);
	vb_handle_done(bed->device);
}

static void asynchronous_events_name_their_objects(struct bed *bed)
{
	struct vb_queue *queue = vb_handle_use(bed->sends, VB_COMPLETION_QUEUE);
	struct vb_shared *shared = vb_handle_use(bed->shared, VB_SHARED_QUEUE);
	struct vb_queue_pair *pair = vb_handle_use(bed->pair, VB_QUEUE_PAIR);

	expect_async(bed, IBV_EVENT_CQ_ERR, queue->cq, bed->sends);
	expect_async(bed, IBV_EVENT_SRQ_LIMIT_REACHED, shared->srq, bed->shared);
	expect_async(bed, IBV_EVENT_QP_ACCESS_ERR, pair->qp, bed->pair);
	expect_async(bed, IBV_EVENT_SQ_DRAINED, pair->qp, bed->pair);
	expect_async(bed, IBV_EVENT_PORT_ERR, (void *)1, 0);
	vb_handle_done(bed->pair);
	vb_handle_done(bed->shared);
	vb_handle_done(bed->sends);
}

static void the_path_is_the_least_of_both_ends(struct bed *bed)
{
	int64_t id = vb_id_create(bed->device);
	struct vb_path path = {
		.mtu = IBV_MTU_512, .rnr_timer = 12, .rnr_retries = 6, .timeout = 20, .retries = 7};

	CHECK(vb_queue_pair_ready(bed->pair, id, &path) == 0);
	CHECK(path.mtu == IBV_MTU_512 && path.gid_index == 5 && path.gid[15] == 5);
	CHECK(path.gid_type == IBV_GID_TYPE_ROCE_V2);
	CHECK(fake.modified.qp_state == IBV_QPS_RTS && fake.modified.timeout == 20);
	CHECK(fake.modified.rnr_retry == 6 && fake.modified.retry_cnt == 7);
	CHECK(fake.modified_mask & IBV_QP_RNR_RETRY);
	CHECK(vb_queue_pair_state(bed->pair) == IBV_QPS_RTS);
	path.mtu = IBV_MTU_4096;
	CHECK(vb_queue_pair_ready(bed->pair, id, &path) == 0);
	CHECK(path.mtu == IBV_MTU_2048);
	CHECK(vb_id_destroy(id) == 0);
}

static void a_peer_gets_no_more_reads_than_the_device_has(struct bed *bed)
{
	int64_t id = vb_id_create(bed->device);
	struct vb_path path = {.mtu = IBV_MTU_512};

	CHECK(bed->info.max_reads == 8);
	fake.reads_asked = 200;
	CHECK(vb_queue_pair_ready(bed->pair, id, &path) == 0);
	CHECK(fake.reads_of_peer == 8 && fake.modified.max_rd_atomic == 8);
	fake.reads_asked = 3;
	CHECK(vb_queue_pair_ready(bed->pair, id, &path) == 0);
	CHECK(fake.reads_of_peer == 3 && fake.modified.max_rd_atomic == 3);
	CHECK(vb_id_destroy(id) == 0);
}

static void a_connect_request_brings_its_id(struct bed *bed)
{
	const struct vb_address address = {.family = 4, .port = 1};
	int64_t listener = vb_id_create(bed->device);
	struct vb_event event;

	CHECK(vb_id_bind(listener, &address) == 0);
	fake_raise_cm(fake.last_id, RDMA_CM_EVENT_CONNECT_REQUEST, 0);
	CHECK(vb_device_wait(bed->device, &event, 1000) == 1);
	CHECK(event.object == (uint64_t)listener && event.id != 0 && event.same_device);
	CHECK(event.private_length == 8 && memcmp(event.private_data, "private", 8) == 0);
	CHECK(event.reads_of_peer == 3 && event.reads == 4);
	CHECK(event.remote.family == 4 && event.remote.port == 4711);
	CHECK(vb_id_accept((int64_t)event.id, bed->pair, 3, 4, 7, "ab", 2) == 0);
	CHECK(fake.connected.qp_num == bed->number && fake.connected.private_data_len == 2);
	CHECK(vb_id_destroy((int64_t)event.id) == 0);
	CHECK(vb_id_destroy(listener) == 0);
}

int main(void)
{
	struct bed bed;

	fake_reset();
	CHECK(vb_available((char[512]){0}, 512) == 0);
	bed_open(&bed);
	a_queue_that_fires_is_named(&bed);
	a_nudge_ends_waits_until_it_is_taken(&bed);
	an_event_comes_before_a_nudge(&bed);
	asynchronous_events_name_their_objects(&bed);
	the_path_is_the_least_of_both_ends(&bed);
	a_peer_gets_no_more_reads_than_the_device_has(&bed);
	a_connect_request_brings_its_id(&bed);
	bed_close(&bed);
	return 0;
}
