/* SPDX-License-Identifier: Apache-2.0 */
/*
 * post.c -- posting to send queues: a batch, one doorbell
 *
 * There are two ways: the ibv_wr_* functions, which alone know FLUSH and ATOMIC_WRITE, and
 * ibv_post_send, for devices without them and for lists of buffers (see is_list).
 */
#include "objects.h"
#include "verbena.h"

#include <endian.h>
#include <errno.h>

/* Requests that are given to ibv_post_send at once, on the stack. */
#define BATCH 16

static unsigned int flags_of(const struct vb_send *request)
{
	unsigned int flags = 0;

	if (request->flags & VB_SIGNALED)
		flags |= IBV_SEND_SIGNALED;
	if (request->flags & VB_FENCED)
		flags |= IBV_SEND_FENCE;
	if (request->flags & VB_SOLICITED)
		flags |= IBV_SEND_SOLICITED;
	if (request->flags & VB_INLINE)
		flags |= IBV_SEND_INLINE;
	return flags;
}

static const void *behind(const struct vb_send *request)
{
	return request + 1;
}

static const struct vb_send *next(const struct vb_send *request)
{
	size_t bytes = request->flags & VB_INLINE
			       ? ((size_t)request->count + 7) & ~(size_t)7
			       : request->count * sizeof(struct vb_buffer);

	return (const struct vb_send *)((const char *)behind(request) + bytes);
}

/* The handles of a bind, used until it is posted. */
struct bind {
	struct vb_window *window;
	struct vb_region *region;
	struct ibv_mw_bind_info info;
};

static int begin_bind(const struct vb_send *request, struct bind *bind)
{
	bind->window = vb_handle_use((int64_t)request->window, VB_WINDOW);
	bind->region = vb_handle_use((int64_t)request->region, VB_REGION);
	if (bind->window && bind->region) {
		bind->info = (struct ibv_mw_bind_info){
			.mr = bind->region->mr,
			.addr = request->remote_address,
			.length = request->operand,
			.mw_access_flags = (unsigned int)request->second_operand,
		};
		return 0;
	}
	if (bind->region)
		vb_handle_done((int64_t)request->region);
	if (bind->window)
		vb_handle_done((int64_t)request->window);
	return -EBADF;
}

static void end_bind(const struct vb_send *request)
{
	vb_handle_done((int64_t)request->region);
	vb_handle_done((int64_t)request->window);
}

/*
 * settle_binds -- the windows of a batch know the keys of the binds that were posted
 *
 * Who posts binds keeps ibv_mw.rkey: soft-RoCE refuses one that does not name the latest key.
 */
static void settle_binds(const struct vb_send *request, int count, int posted)
{
	for (int i = 0; i < count; i++, request = next(request)) {
		struct vb_window *window;

		if (request->operation != VB_BIND_WINDOW)
			continue;
		window = vb_handle_use((int64_t)request->window, VB_WINDOW);
		if (!window)
			continue;
		if (i < posted)
			window->key = request->key;
		window->mw->rkey = window->key;
		vb_handle_done((int64_t)request->window);
	}
}

/*
 * add_extended -- tells the operation of one request
 */
static int add_extended(struct ibv_qp_ex *qp, const struct vb_send *request)
{
	const uint32_t key = request->key;
	const uint64_t address = request->remote_address;
	struct bind bind;

	switch (request->operation) {
	case VB_SEND:
		ibv_wr_send(qp);
		return 0;
	case VB_SEND_WITH_IMMEDIATE:
		ibv_wr_send_imm(qp, htobe32(request->immediate));
		return 0;
	case VB_SEND_WITH_INVALIDATE:
		ibv_wr_send_inv(qp, key);
		return 0;
	case VB_WRITE:
		ibv_wr_rdma_write(qp, key, address);
		return 0;
	case VB_WRITE_WITH_IMMEDIATE:
		ibv_wr_rdma_write_imm(qp, key, address, htobe32(request->immediate));
		return 0;
	case VB_READ:
		ibv_wr_rdma_read(qp, key, address);
		return 0;
	case VB_COMPARE_AND_SWAP:
		ibv_wr_atomic_cmp_swp(qp, key, address, request->operand,
				      request->second_operand);
		return 0;
	case VB_FETCH_AND_ADD:
		ibv_wr_atomic_fetch_add(qp, key, address, request->operand);
		return 0;
	case VB_FLUSH:
		ibv_wr_flush(qp, key, address, request->operand, request->flush_type,
			     request->flush_level);
		return 0;
	case VB_ATOMIC_WRITE:
		ibv_wr_atomic_write(qp, key, address, &request->second_operand);
		return 0;
	case VB_LOCAL_INVALIDATE:
		ibv_wr_local_inv(qp, key);
		return 0;
	case VB_BIND_WINDOW:
		if (begin_bind(request, &bind))
			return -EBADF;
		ibv_wr_bind_mw(qp, bind.window->mw, key, &bind.info);
		bind.window->mw->rkey = key;
		end_bind(request);
		return 0;
	default:
		return -EINVAL;
	}
}

static int takes_data(const struct vb_send *request)
{
	switch (request->operation) {
	case VB_FLUSH:
	case VB_ATOMIC_WRITE:
	case VB_LOCAL_INVALIDATE:
	case VB_BIND_WINDOW:
		return 0;
	default:
		return 1;
	}
}

static int post_extended(struct ibv_qp_ex *qp, const struct vb_send *request, int count)
{
	const struct vb_send *first = request;
	int binds = 0;
	int ret = 0;

	ibv_wr_start(qp);
	for (int i = 0; i < count; i++, request = next(request)) {
		binds |= request->operation == VB_BIND_WINDOW;
		qp->wr_id = request->id;
		qp->wr_flags = flags_of(request);
		ret = add_extended(qp, request);
		if (ret)
			break;
		if (!takes_data(request))
			continue;
		if (request->flags & VB_INLINE)
			ibv_wr_set_inline_data(qp, (void *)(uintptr_t)behind(request),
					       request->count);
		else
			ibv_wr_set_sge_list(qp, request->count, behind(request));
	}
	if (ret)
		ibv_wr_abort(qp);
	else
		ret = vb_result(ibv_wr_complete(qp));
	if (binds)
		settle_binds(first, count, ret ? 0 : count);
	return ret;
}

static const enum ibv_wr_opcode plain_opcodes[VB_OPERATIONS] = {
	[VB_SEND] = IBV_WR_SEND,
	[VB_SEND_WITH_IMMEDIATE] = IBV_WR_SEND_WITH_IMM,
	[VB_WRITE] = IBV_WR_RDMA_WRITE,
	[VB_WRITE_WITH_IMMEDIATE] = IBV_WR_RDMA_WRITE_WITH_IMM,
	[VB_READ] = IBV_WR_RDMA_READ,
	[VB_COMPARE_AND_SWAP] = IBV_WR_ATOMIC_CMP_AND_SWP,
	[VB_FETCH_AND_ADD] = IBV_WR_ATOMIC_FETCH_AND_ADD,
	[VB_SEND_WITH_INVALIDATE] = IBV_WR_SEND_WITH_INV,
	[VB_BIND_WINDOW] = IBV_WR_BIND_MW,
	[VB_LOCAL_INVALIDATE] = IBV_WR_LOCAL_INV,
};

/*
 * fill_plain -- one request for ibv_post_send; a bind uses its handles from then on
 */
static int fill_plain(const struct vb_send *request, struct ibv_send_wr *wr, struct ibv_sge *line)
{
	struct bind bind;

	if (request->operation >= VB_OPERATIONS || request->operation == VB_FLUSH ||
	    request->operation == VB_ATOMIC_WRITE)
		return -EOPNOTSUPP;
	*wr = (struct ibv_send_wr){
		.wr_id = request->id,
		.opcode = plain_opcodes[request->operation],
		.send_flags = flags_of(request),
		.sg_list = (struct ibv_sge *)(uintptr_t)behind(request),
		.num_sge = (int)request->count,
	};
	if (request->flags & VB_INLINE) {
		*line = (struct ibv_sge){.addr = (uintptr_t)behind(request),
					 .length = request->count};
		wr->sg_list = line;
		wr->num_sge = 1;
	}
	switch (request->operation) {
	case VB_SEND_WITH_IMMEDIATE:
	case VB_WRITE_WITH_IMMEDIATE:
		wr->imm_data = htobe32(request->immediate);
		break;
	case VB_SEND_WITH_INVALIDATE:
	case VB_LOCAL_INVALIDATE:
		wr->invalidate_rkey = request->key;
		break;
	case VB_BIND_WINDOW:
		if (begin_bind(request, &bind))
			return -EBADF;
		wr->bind_mw.mw = bind.window->mw;
		wr->bind_mw.rkey = request->key;
		wr->bind_mw.bind_info = bind.info;
		break;
	default:
		break;
	}
	if (request->operation == VB_COMPARE_AND_SWAP || request->operation == VB_FETCH_AND_ADD) {
		wr->wr.atomic.remote_addr = request->remote_address;
		wr->wr.atomic.rkey = request->key;
		wr->wr.atomic.compare_add = request->operand;
		wr->wr.atomic.swap = request->second_operand;
	} else {
		wr->wr.rdma.remote_addr = request->remote_address;
		wr->wr.rdma.rkey = request->key;
	}
	return 0;
}

/*
 * post_some -- at most BATCH requests; how many were posted
 */
static int post_some(struct ibv_qp *qp, const struct vb_send *request, int count)
{
	const struct vb_send *const first = request;
	const struct vb_send *used = request;
	struct ibv_send_wr list[BATCH];
	struct ibv_sge lines[BATCH];
	struct ibv_send_wr *bad = NULL;
	int filled = 0;
	int binds = 0;
	int ret = 0;

	for (; filled < count; filled++, request = next(request)) {
		ret = fill_plain(request, &list[filled], &lines[filled]);
		if (ret)
			break;
		list[filled].next = NULL;
		if (filled > 0)
			list[filled - 1].next = &list[filled];
	}
	if (!ret)
		ret = vb_result(ibv_post_send(qp, list, &bad));
	for (int i = 0; i < filled; i++, used = next(used))
		if (used->operation == VB_BIND_WINDOW) {
			end_bind(used);
			binds = 1;
		}
	if (!ret || bad > list)
		ret = ret ? (int)(bad - list) : filled;
	if (binds)
		settle_binds(first, filled, ret);
	return ret;
}

static int post_plain(struct ibv_qp *qp, const struct vb_send *request, int count)
{
	int posted = 0;

	while (posted < count) {
		int wanted = count - posted < BATCH ? count - posted : BATCH;
		int ret = post_some(qp, request, wanted);

		if (ret < 0)
			return posted > 0 ? posted : ret;
		posted += ret;
		if (ret < wanted)
			break;
		for (int i = 0; i < ret; i++)
			request = next(request);
	}
	return posted;
}

/*
 * is_list -- whether a request has several buffers
 *
 * ibv_wr_set_sge_list of soft-RoCE adds up the first one's length as often as there are buffers
 * (rdma-core 56; mended upstream in 2026), so that a longer message is cut short without an error.
 */
static int is_list(const struct vb_send *request)
{
	return !(request->flags & VB_INLINE) && request->count > 1;
}

/*
 * post_in_runs -- each run of requests that go the same way at once; how many were taken
 */
static int post_in_runs(struct vb_queue_pair *pair, const struct vb_send *request, int count)
{
	int posted = 0;

	while (posted < count) {
		const struct vb_send *end = request;
		int plain = is_list(request);
		int run = 0;
		int ret;

		for (; posted + run < count && is_list(end) == plain; end = next(end))
			run++;
		ret = plain ? post_plain(pair->qp, request, run)
			    : post_extended(pair->extended, request, run);
		if (ret < 0)
			return posted > 0 ? posted : ret;
		posted += plain ? ret : run;
		if (plain && ret < run)
			break;
		request = end;
	}
	return posted;
}

/*
 * vb_post_send -- posts requests that lie behind each other; how many were taken
 */
int vb_post_send(int64_t handle, const void *requests, int count)
{
	struct vb_queue_pair *pair = vb_handle_use(handle, VB_QUEUE_PAIR);
	int ret;

	if (!pair)
		return -EBADF;
	ret = pair->extended ? post_in_runs(pair, requests, count)
			     : post_plain(pair->qp, requests, count);
	vb_handle_done(handle);
	return ret;
}

/*
 * vb_ring -- rings the doorbell of a send queue for what is in it already
 */
int vb_ring(int64_t handle)
{
	struct vb_queue_pair *pair = vb_handle_use(handle, VB_QUEUE_PAIR);
	int ret = 0;

	if (!pair)
		return -EBADF;
	if (pair->extended)
		ret = post_extended(pair->extended, NULL, 0);
	vb_handle_done(handle);
	return ret;
}

static struct ibv_recv_wr receive_of(const struct vb_receive *request)
{
	return (struct ibv_recv_wr){
		.wr_id = request->id,
		.sg_list = (struct ibv_sge *)(uintptr_t)(request + 1),
		.num_sge = (int)request->count,
	};
}

int vb_post_receive(int64_t handle, const void *request)
{
	struct vb_queue_pair *pair = vb_handle_use(handle, VB_QUEUE_PAIR);
	struct ibv_recv_wr wr;
	struct ibv_recv_wr *bad;
	int ret;

	if (!pair)
		return -EBADF;
	wr = receive_of(request);
	ret = vb_result(ibv_post_recv(pair->qp, &wr, &bad));
	vb_handle_done(handle);
	return ret;
}

int vb_shared_post(int64_t handle, const void *request)
{
	struct vb_shared *shared = vb_handle_use(handle, VB_SHARED_QUEUE);
	struct ibv_recv_wr wr;
	struct ibv_recv_wr *bad;
	int ret;

	if (!shared)
		return -EBADF;
	wr = receive_of(request);
	ret = vb_result(ibv_post_srq_recv(shared->srq, &wr, &bad));
	vb_handle_done(handle);
	return ret;
}
