/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shared.c -- shared receive queues
 */
#include "objects.h"
#include "verbena.h"

#include <errno.h>
#include <stdlib.h>

static int destroy_shared(void *object)
{
	struct vb_shared *shared = object;
	int ret = vb_result(vb_lib()->ibv_destroy_srq(shared->srq));

	if (!ret)
		free(shared);
	return ret;
}

static int64_t create_shared(struct vb_domain *domain, uint32_t depth, uint32_t buffers)
{
	struct ibv_srq_init_attr attributes = {.attr = {.max_wr = depth, .max_sge = buffers}};
	struct vb_shared *shared = calloc(1, sizeof(*shared));
	int64_t handle;

	if (!shared)
		return -ENOMEM;
	shared->object.parents[0] = &domain->object;
	shared->srq = vb_lib()->ibv_create_srq(domain->pd, &attributes);
	if (!shared->srq) {
		handle = vb_failure();
		free(shared);
		return handle;
	}
	handle = vb_handle_new(VB_SHARED_QUEUE, &shared->object);
	if (handle < 0)
		destroy_shared(shared);
	else
		shared->srq->srq_context = VB_CONTEXT(handle);
	return handle;
}

int64_t vb_shared_create(int64_t handle, uint32_t depth, uint32_t buffers)
{
	struct vb_domain *domain = vb_handle_use(handle, VB_DOMAIN);
	int64_t made;

	if (!domain)
		return -EBADF;
	made = create_shared(domain, depth, buffers);
	vb_handle_done(handle);
	return made;
}

int vb_shared_destroy(int64_t shared)
{
	return vb_handle_end(shared, VB_SHARED_QUEUE, destroy_shared);
}

int vb_shared_limit(int64_t handle, uint32_t limit)
{
	struct vb_shared *shared = vb_handle_use(handle, VB_SHARED_QUEUE);
	struct ibv_srq_attr attributes = {.srq_limit = limit};
	int ret;

	if (!shared)
		return -EBADF;
	ret = vb_result(vb_lib()->ibv_modify_srq(shared->srq, &attributes, IBV_SRQ_LIMIT));
	vb_handle_done(handle);
	return ret;
}
