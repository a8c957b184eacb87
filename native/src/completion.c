/* SPDX-License-Identifier: Apache-2.0 */
/*
 * completion.c -- completion channels and completion queues
 */
#include "objects.h"
#include "verbena.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* Completions taken from the device at once, on the stack. */
#define BATCH 32

static int destroy_channel(void *object)
{
	struct vb_channel *channel = object;
	int ret = 0;

	if (channel->channel)
		ret = vb_result(vb_lib()->ibv_destroy_comp_channel(channel->channel));
	if (ret)
		return ret;
	if (channel->nudge >= 0)
		close(channel->nudge);
	free(channel);
	return 0;
}

static int64_t create_channel(struct vb_device *device)
{
	struct vb_channel *channel = calloc(1, sizeof(*channel));
	int64_t handle;

	if (!channel)
		return -ENOMEM;
	channel->object.parents[0] = &device->object;
	channel->nudge = vb_nudge_create();
	handle = channel->nudge < 0 ? channel->nudge : 0;
	if (!handle) {
		channel->channel = vb_lib()->ibv_create_comp_channel(device->context);
		handle = channel->channel ? vb_set_nonblocking(channel->channel->fd) : vb_failure();
	}
	if (!handle)
		handle = vb_handle_new(VB_CHANNEL, &channel->object);
	if (handle < 0)
		destroy_channel(channel);
	return handle;
}

int64_t vb_channel_create(int64_t handle)
{
	struct vb_device *device = vb_handle_use(handle, VB_DEVICE);
	int64_t made;

	if (!device)
		return -EBADF;
	made = create_channel(device);
	vb_handle_done(handle);
	return made;
}

int vb_channel_destroy(int64_t channel)
{
	return vb_handle_end(channel, VB_CHANNEL, destroy_channel);
}

/*
 * take_event -- the handle of a queue that fired, acknowledged; 0 if none did
 */
static int64_t take_event(struct vb_channel *channel)
{
	struct ibv_cq *cq;
	void *context;

	if (vb_lib()->ibv_get_cq_event(channel->channel, &cq, &context))
		return errno == EAGAIN || errno == EINTR ? 0 : vb_failure();
	/* At once, since destroying the queue waits for it. */
	vb_lib()->ibv_ack_cq_events(cq, 1);
	return (int64_t)(uintptr_t)context;
}

/*
 * vb_channel_wait -- the handle of a queue that fired; 0 if the time is over, VB_NUDGED
 *
 * A nudge stays until vb_channel_calm takes it.
 */
int64_t vb_channel_wait(int64_t handle, int timeout_ms)
{
	struct vb_channel *channel = vb_handle_use(handle, VB_CHANNEL);
	int64_t end = vb_now_ms() + timeout_ms;
	int64_t ret;

	if (!channel)
		return -EBADF;
	do {
		const int fds[] = {channel->channel->fd, channel->nudge};

		ret = take_event(channel);
		if (ret != 0)
			break;
		ret = vb_await(fds, 2, end);
		/* Readable, unless another thread was faster: the next round tells. */
	} while (ret == 1);
	vb_handle_done(handle);
	return ret;
}

int vb_channel_nudge(int64_t handle)
{
	struct vb_channel *channel = vb_handle_use(handle, VB_CHANNEL);
	int ret;

	if (!channel)
		return -EBADF;
	ret = vb_nudge_write(channel->nudge);
	vb_handle_done(handle);
	return ret;
}

int vb_channel_calm(int64_t handle)
{
	struct vb_channel *channel = vb_handle_use(handle, VB_CHANNEL);
	int ret;

	if (!channel)
		return -EBADF;
	ret = vb_nudge_read(channel->nudge);
	vb_handle_done(handle);
	return ret;
}

static int destroy_queue(void *object)
{
	struct vb_queue *queue = object;
	int ret = vb_result(vb_lib()->ibv_destroy_cq(queue->cq));

	if (!ret)
		free(queue);
	return ret;
}

static int64_t create_queue(struct vb_device *device, struct vb_channel *channel, uint32_t depth)
{
	struct vb_queue *queue = calloc(1, sizeof(*queue));
	int64_t handle;

	if (!queue)
		return -ENOMEM;
	queue->object.parents[0] = &device->object;
	queue->object.parents[1] = channel ? &channel->object : NULL;
	queue->cq = vb_lib()->ibv_create_cq(device->context, (int)depth, NULL,
					    channel ? channel->channel : NULL, 0);
	if (!queue->cq) {
		handle = vb_failure();
		free(queue);
		return handle;
	}
	handle = vb_handle_new(VB_COMPLETION_QUEUE, &queue->object);
	if (handle < 0)
		destroy_queue(queue);
	else
		queue->cq->cq_context = VB_CONTEXT(handle);
	return handle;
}

int64_t vb_queue_create(int64_t device_handle, int64_t channel_handle, uint32_t depth)
{
	struct vb_device *device = vb_handle_use(device_handle, VB_DEVICE);
	struct vb_channel *channel =
		channel_handle ? vb_handle_use(channel_handle, VB_CHANNEL) : NULL;
	int64_t made = -EBADF;

	if (device && (channel || !channel_handle))
		made = create_queue(device, channel, depth);
	if (channel)
		vb_handle_done(channel_handle);
	if (device)
		vb_handle_done(device_handle);
	return made;
}

int vb_queue_destroy(int64_t queue)
{
	return vb_handle_end(queue, VB_COMPLETION_QUEUE, destroy_queue);
}

int vb_queue_arm(int64_t handle, int solicited_only)
{
	struct vb_queue *queue = vb_handle_use(handle, VB_COMPLETION_QUEUE);
	int ret;

	if (!queue)
		return -EBADF;
	ret = vb_result(ibv_req_notify_cq(queue->cq, solicited_only));
	vb_handle_done(handle);
	return ret;
}

/*
 * What soft-RoCE sets for IBV_WC_WITH_INV: the kernel's number of that flag (kernel 6.12). It says
 * nothing else of a reliable connection.
 */
#define WITH_INV_OF_KERNEL IBV_WC_IP_CSUM_OK

static void translate(const struct ibv_wc *from, struct vb_completion *to)
{
	to->id = from->wr_id;
	to->status = from->status;
	to->opcode = from->opcode;
	to->byte_length = from->byte_len;
	to->queue_pair = from->qp_num;
	to->vendor_error = from->vendor_err;
	to->flags = 0;
	to->immediate = 0;
	if (from->wc_flags & IBV_WC_WITH_IMM) {
		to->flags = VB_HAS_IMMEDIATE;
		to->immediate = be32toh(from->imm_data);
	} else if (from->wc_flags & (IBV_WC_WITH_INV | WITH_INV_OF_KERNEL)) {
		to->flags = VB_HAS_INVALIDATED_KEY;
		to->immediate = from->invalidated_rkey;
	}
}

int vb_queue_poll(int64_t handle, struct vb_completion *into, int room)
{
	struct vb_queue *queue = vb_handle_use(handle, VB_COMPLETION_QUEUE);
	struct ibv_wc batch[BATCH];
	int count = 0;
	int taken;

	if (!queue)
		return -EBADF;
	do {
		int wanted = room - count < BATCH ? room - count : BATCH;

		taken = ibv_poll_cq(queue->cq, wanted, batch);
		for (int i = 0; i < taken; i++)
			translate(&batch[i], &into[count + i]);
		count += taken > 0 ? taken : 0;
	} while (taken == BATCH && count < room);
	vb_handle_done(handle);
	/* What was taken before a failure is not lost: the next call fails again. */
	return taken < 0 && count == 0 ? -EIO : count;
}
