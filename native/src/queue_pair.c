/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue_pair.c -- queue pairs and their states
 */
#include "objects.h"
#include "verbena.h"

#include <errno.h>
#include <stdlib.h>

enum { SEND_DEPTH, RECEIVE_DEPTH, BUFFERS, INLINE };

struct ibv_qp *vb_make_queue_pair(struct vb_device *device, struct ibv_qp_init_attr *attributes,
				  struct ibv_pd *pd)
{
	struct verbs_context *extended;
	struct ibv_qp_init_attr_ex wanted = {
		.send_cq = attributes->send_cq,
		.recv_cq = attributes->recv_cq,
		.srq = attributes->srq,
		.cap = attributes->cap,
		.qp_type = attributes->qp_type,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = pd,
		.send_ops_flags = device->send_operations,
	};
	struct ibv_qp *made;

	if (!device->send_operations)
		return vb_lib()->ibv_create_qp(pd, attributes);
	extended = verbs_get_ctx_op(device->context, create_qp_ex);
	if (!extended || !vb_lib()->ibv_qp_to_qp_ex) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	made = extended->create_qp_ex(device->context, &wanted);
	if (made)
		attributes->cap = wanted.cap;
	return made;
}

unsigned int vb_access_of(const struct vb_device *device)
{
	unsigned int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			      IBV_ACCESS_REMOTE_READ;

	if (device->capabilities & VB_ATOMICS)
		access |= IBV_ACCESS_REMOTE_ATOMIC;
	if (device->capabilities & VB_FLUSH_GLOBAL)
		access |= IBV_ACCESS_FLUSH_GLOBAL;
	if (device->capabilities & VB_FLUSH_PERSISTENT)
		access |= IBV_ACCESS_FLUSH_PERSISTENT;
	return access;
}

/*
 * to_init -- the state from which on RECVs can be posted
 */
static int to_init(struct vb_queue_pair *pair)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.pkey_index = 0,
		.port_num = (uint8_t)pair->device->port,
		.qp_access_flags = vb_access_of(pair->device),
	};

	return vb_result(vb_lib()->ibv_modify_qp(
		pair->qp, &attr,
		IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS));
}

static int destroy_queue_pair(void *object)
{
	struct vb_queue_pair *pair = object;
	int ret = vb_result(vb_lib()->ibv_destroy_qp(pair->qp));

	if (!ret)
		free(pair);
	return ret;
}

static int64_t create_queue_pair(struct vb_domain *domain, struct vb_queue *sends,
				 struct vb_queue *receives, struct vb_shared *shared,
				 const uint32_t limits[4], uint32_t *number)
{
	struct ibv_qp_init_attr attributes = {
		.send_cq = sends->cq,
		.recv_cq = receives->cq,
		.srq = shared ? shared->srq : NULL,
		.cap = {.max_send_wr = limits[SEND_DEPTH],
			.max_recv_wr = shared ? 0 : limits[RECEIVE_DEPTH],
			.max_send_sge = limits[BUFFERS],
			.max_recv_sge = shared ? 0 : limits[BUFFERS],
			.max_inline_data = limits[INLINE]},
		.qp_type = IBV_QPT_RC,
	};
	struct vb_queue_pair *pair = calloc(1, sizeof(*pair));
	int64_t handle;

	if (!pair)
		return -ENOMEM;
	pair->object.parents[0] = &domain->object;
	pair->object.parents[1] = &sends->object;
	pair->object.parents[2] = &receives->object;
	pair->object.parents[3] = shared ? &shared->object : NULL;
	pair->device = domain->device;
	pair->qp = vb_make_queue_pair(domain->device, &attributes, domain->pd);
	if (!pair->qp) {
		handle = vb_failure();
		free(pair);
		return handle;
	}
	if (domain->device->send_operations)
		pair->extended = vb_lib()->ibv_qp_to_qp_ex(pair->qp);
	handle = to_init(pair);
	if (!handle)
		handle = vb_handle_new(VB_QUEUE_PAIR, &pair->object);
	if (handle < 0) {
		destroy_queue_pair(pair);
		return handle;
	}
	*number = pair->qp->qp_num;
	pair->qp->qp_context = VB_CONTEXT(handle);
	return handle;
}

int64_t vb_queue_pair_create(int64_t domain_handle, int64_t sends_handle, int64_t receives_handle,
			     int64_t shared_handle, const uint32_t limits[4], uint32_t *number)
{
	struct vb_domain *domain = vb_handle_use(domain_handle, VB_DOMAIN);
	struct vb_queue *sends = vb_handle_use(sends_handle, VB_COMPLETION_QUEUE);
	struct vb_queue *receives = vb_handle_use(receives_handle, VB_COMPLETION_QUEUE);
	struct vb_shared *shared =
		shared_handle ? vb_handle_use(shared_handle, VB_SHARED_QUEUE) : NULL;
	int64_t made = -EBADF;

	if (domain && sends && receives && (shared || !shared_handle))
		made = create_queue_pair(domain, sends, receives, shared, limits, number);
	if (shared)
		vb_handle_done(shared_handle);
	if (receives)
		vb_handle_done(receives_handle);
	if (sends)
		vb_handle_done(sends_handle);
	if (domain)
		vb_handle_done(domain_handle);
	return made;
}

int vb_queue_pair_destroy(int64_t queue_pair)
{
	return vb_handle_end(queue_pair, VB_QUEUE_PAIR, destroy_queue_pair);
}

/*
 * tell_gid -- which entry of the GID table the path uses
 */
static void tell_gid(const struct vb_queue_pair *pair, const struct ibv_qp_attr *attr,
		     struct vb_path *path)
{
	const struct vb_lib *lib = vb_lib();
	struct ibv_context *context = pair->device->context;
	struct ibv_gid_entry entry = {0};
	union ibv_gid gid = {0};

	path->is_routed = attr->ah_attr.is_global;
	path->gid_index = attr->ah_attr.grh.sgid_index;
	path->gid_type = UINT32_MAX;
	if (lib->_ibv_query_gid_ex && !lib->_ibv_query_gid_ex(context, pair->device->port,
							      path->gid_index, &entry, 0,
							      sizeof(entry))) {
		path->gid_type = entry.gid_type;
		gid = entry.gid;
	} else {
		lib->ibv_query_gid(context, (uint8_t)pair->device->port, (int)path->gid_index,
				   &gid);
	}
	for (int i = 0; i < 16; i++)
		path->gid[i] = gid.raw[i];
}

static uint8_t at_most(uint8_t asked, uint32_t most)
{
	return asked < most ? asked : (uint8_t)most;
}

/*
 * to_ready -- through the states, with what the connection manager found and the path wants
 */
static int to_ready(struct vb_queue_pair *pair, struct rdma_cm_id *id, struct vb_path *path)
{
	const struct vb_lib *lib = vb_lib();
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT};
	int mask = 0;
	int ret;

	ret = vb_result(lib->rdma_init_qp_attr(id, &attr, &mask));
	if (ret)
		return ret;
	/* More than the manager allows: it knows nothing of FLUSH. */
	attr.qp_access_flags |= vb_access_of(pair->device);
	ret = vb_result(lib->ibv_modify_qp(pair->qp, &attr, mask));
	if (ret)
		return ret;

	attr = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTR};
	ret = vb_result(lib->rdma_init_qp_attr(id, &attr, &mask));
	if (ret)
		return ret;
	if (path->mtu && path->mtu < attr.path_mtu)
		attr.path_mtu = (enum ibv_mtu)path->mtu;
	path->mtu = attr.path_mtu;
	attr.min_rnr_timer = (uint8_t)path->rnr_timer;
	/* A peer whose device has more asks for more. */
	attr.max_dest_rd_atomic = at_most(attr.max_dest_rd_atomic, pair->device->max_reads);
	tell_gid(pair, &attr, path);
	ret = vb_result(lib->ibv_modify_qp(pair->qp, &attr, mask | IBV_QP_MIN_RNR_TIMER));
	if (ret)
		return ret;

	attr = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTS};
	ret = vb_result(lib->rdma_init_qp_attr(id, &attr, &mask));
	if (ret)
		return ret;
	attr.max_rd_atomic = at_most(attr.max_rd_atomic, pair->device->max_reads);
	attr.rnr_retry = (uint8_t)path->rnr_retries;
	attr.timeout = (uint8_t)path->timeout;
	attr.retry_cnt = (uint8_t)path->retries;
	return vb_result(lib->ibv_modify_qp(
		pair->qp, &attr, mask | IBV_QP_RNR_RETRY | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT));
}

int vb_queue_pair_ready(int64_t pair_handle, int64_t id_handle, struct vb_path *path)
{
	struct vb_queue_pair *pair = vb_handle_use(pair_handle, VB_QUEUE_PAIR);
	struct vb_id *id = vb_handle_use(id_handle, VB_ID);
	int ret = -EBADF;

	if (pair && id)
		ret = to_ready(pair, id->id, path);
	if (id)
		vb_handle_done(id_handle);
	if (pair)
		vb_handle_done(pair_handle);
	return ret;
}

static int modify(int64_t handle, struct ibv_qp_attr *attr, int mask)
{
	struct vb_queue_pair *pair = vb_handle_use(handle, VB_QUEUE_PAIR);
	int ret;

	if (!pair)
		return -EBADF;
	ret = vb_result(vb_lib()->ibv_modify_qp(pair->qp, attr, mask));
	vb_handle_done(handle);
	return ret;
}

/*
 * vb_queue_pair_hold -- keeps further requests from beginning, or lets them
 *
 * Holding asks for the event that tells when those that began are done.
 */
int vb_queue_pair_hold(int64_t handle, int hold)
{
	struct ibv_qp_attr attr = {
		.qp_state = hold ? IBV_QPS_SQD : IBV_QPS_RTS,
		.en_sqd_async_notify = 1,
	};
	int ret = modify(handle, &attr,
			 IBV_QP_STATE | (hold ? IBV_QP_EN_SQD_ASYNC_NOTIFY : 0));

	/* Soft-RoCE looks at what was posted meanwhile only when the doorbell rings. */
	return ret || hold ? ret : vb_ring(handle);
}

int vb_queue_pair_break(int64_t handle)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_ERR};

	return modify(handle, &attr, IBV_QP_STATE);
}

/*
 * vb_queue_pair_state -- enum ibv_qp_state; a system call
 */
int vb_queue_pair_state(int64_t handle)
{
	struct vb_queue_pair *pair = vb_handle_use(handle, VB_QUEUE_PAIR);
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr = {0};
	int ret;

	if (!pair)
		return -EBADF;
	ret = vb_result(vb_lib()->ibv_query_qp(pair->qp, &attr, IBV_QP_STATE, &init));
	vb_handle_done(handle);
	return ret ? ret : (int)attr.qp_state;
}
