/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake_verbs.c -- a libibverbs.so.1 with two devices, fake0 and fake1
 */
#include "fake.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#undef ibv_query_port
#undef ibv_reg_mr

struct fake_state fake;

static struct ibv_device devices[2] = {
	{.transport_type = IBV_TRANSPORT_IB, .name = "fake0"},
	{.transport_type = IBV_TRANSPORT_IB, .name = "fake1"},
};

int fake_step(const char *name)
{
	if (++fake.calls != fake.fail_at)
		return 0;
	fake.failed = name;
	errno = fake.error;
	return fake.error;
}

int fake_fd(void)
{
	return eventfd(0, EFD_SEMAPHORE | EFD_NONBLOCK);
}

void fake_ring(int fd)
{
	const uint64_t one = 1;

	if (write(fd, &one, sizeof(one)) < 0)
		abort();
}

int fake_take(int fd)
{
	uint64_t one;

	return read(fd, &one, sizeof(one)) == sizeof(one) ? 0 : -1;
}

#define MAX_ALIVE 64

static void *alive[MAX_ALIVE];

static void **place_of(const void *object)
{
	for (int i = 0; i < MAX_ALIVE; i++)
		if (alive[i] == object)
			return &alive[i];
	abort();
}

/* make -- a live object, or NULL if the call fails */
static void *make(const char *name, size_t size)
{
	void *object;

	if (fake_step(name))
		return NULL;
	object = calloc(1, size);
	*place_of(NULL) = object;
	fake.live++;
	return object;
}

static int unmake(const char *name, void *object)
{
	int error = fake_step(name);

	if (error)
		return error;
	*place_of(object) = NULL;
	free(object);
	fake.live--;
	return 0;
}

struct ibv_device **ibv_get_device_list(int *count)
{
	struct ibv_device **list;

	if (fake_step("ibv_get_device_list"))
		return NULL;
	list = calloc(3, sizeof(*list));
	list[0] = &devices[0];
	list[1] = &devices[1];
	if (count)
		*count = 2;
	return list;
}

void ibv_free_device_list(struct ibv_device **list)
{
	free(list);
}

const char *ibv_get_device_name(struct ibv_device *device)
{
	return device->name;
}

static int query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr,
		      size_t size)
{
	(void)context, (void)port, (void)size;
	if (fake_step("query_port"))
		return EIO;
	attr->state = IBV_PORT_ACTIVE;
	attr->max_msg_sz = 1 << 23;
	attr->active_mtu = IBV_MTU_1024;
	return 0;
}

static void fill_device(struct ibv_device_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
	attr->max_qp_wr = 1000;
	attr->max_cqe = 2000;
	attr->max_srq_wr = 500;
	attr->max_sge = 30;
	attr->max_sge_rd = 20;
	attr->max_qp_rd_atom = 16;
	attr->max_qp_init_rd_atom = 8;
	attr->phys_port_cnt = 1;
	attr->atomic_cap = IBV_ATOMIC_HCA;
	attr->device_cap_flags = IBV_DEVICE_MEM_WINDOW_TYPE_2B;
}

int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
	(void)context;
	if (fake_step("ibv_query_device"))
		return EIO;
	fill_device(attr);
	return 0;
}

static int query_device_ex(struct ibv_context *context,
			   const struct ibv_query_device_ex_input *input,
			   struct ibv_device_attr_ex *attr, size_t size)
{
	(void)context, (void)input;
	if (fake_step("query_device_ex"))
		return EOPNOTSUPP;
	memset(attr, 0, size);
	fill_device(&attr->orig_attr);
	attr->device_cap_flags_ex = 7ULL << 38;
	return 0;
}

int ibv_query_port(struct ibv_context *context, uint8_t port, struct _compat_ibv_port_attr *attr)
{
	return query_port(context, port, (struct ibv_port_attr *)attr, 0);
}

int ibv_query_gid(struct ibv_context *context, uint8_t port, int index, union ibv_gid *gid)
{
	(void)context, (void)port;
	if (fake_step("ibv_query_gid"))
		return -1;
	gid->raw[15] = (uint8_t)index;
	return 0;
}

int _ibv_query_gid_ex(struct ibv_context *context, uint32_t port, uint32_t index,
		      struct ibv_gid_entry *entry, uint32_t flags, size_t size)
{
	(void)context, (void)port, (void)flags, (void)size;
	if (fake_step("_ibv_query_gid_ex"))
		return EOPNOTSUPP;
	entry->gid_type = IBV_GID_TYPE_ROCE_V2;
	entry->gid.raw[15] = (uint8_t)index;
	return 0;
}

struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
	struct ibv_pd *pd = make("ibv_alloc_pd", sizeof(*pd));

	if (pd)
		pd->context = context;
	return pd;
}

int ibv_dealloc_pd(struct ibv_pd *pd)
{
	return unmake("ibv_dealloc_pd", pd);
}

struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *address, size_t length, int access)
{
	struct ibv_mr *mr = make("ibv_reg_mr", sizeof(*mr));

	(void)access;
	if (mr)
		*mr = (struct ibv_mr){.context = pd->context,
				      .pd = pd,
				      .addr = address,
				      .length = length,
				      .lkey = 11,
				      .rkey = 12};
	return mr;
}

int ibv_dereg_mr(struct ibv_mr *mr)
{
	return unmake("ibv_dereg_mr", mr);
}

static struct ibv_mw *alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type)
{
	struct ibv_mw *mw = make("ibv_alloc_mw", sizeof(*mw));

	if (mw)
		*mw = (struct ibv_mw){.context = pd->context, .pd = pd, .rkey = 0x500, .type = type};
	return mw;
}

static int dealloc_mw(struct ibv_mw *mw)
{
	return unmake("ibv_dealloc_mw", mw);
}

struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context)
{
	struct ibv_comp_channel *channel = make("ibv_create_comp_channel", sizeof(*channel));

	if (channel) {
		channel->context = context;
		channel->fd = fake_fd();
	}
	return channel;
}

int ibv_destroy_comp_channel(struct ibv_comp_channel *channel)
{
	int fd = channel->fd;
	int ret = unmake("ibv_destroy_comp_channel", channel);

	if (!ret)
		close(fd);
	return ret;
}

struct ibv_cq *ibv_create_cq(struct ibv_context *context, int depth, void *cq_context,
			     struct ibv_comp_channel *channel, int vector)
{
	struct ibv_cq *cq = make("ibv_create_cq", sizeof(*cq));

	(void)vector;
	if (cq) {
		cq->context = context;
		cq->cq_context = cq_context;
		cq->channel = channel;
		cq->cqe = depth;
	}
	return cq;
}

int ibv_destroy_cq(struct ibv_cq *cq)
{
	return unmake("ibv_destroy_cq", cq);
}

static struct ibv_cq *fired;

void fake_raise_completion(struct ibv_comp_channel *channel, struct ibv_cq *cq)
{
	fired = cq;
	fake_ring(channel->fd);
}

int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **context)
{
	if (fake_step("ibv_get_cq_event") || fake_take(channel->fd))
		return -1;
	*cq = fired;
	*context = fired->cq_context;
	fake.live++; /* until it is acknowledged */
	return 0;
}

void ibv_ack_cq_events(struct ibv_cq *cq, unsigned int count)
{
	(void)cq;
	fake.live -= (int)count;
}

static int poll_cq(struct ibv_cq *cq, int room, struct ibv_wc *into)
{
	int count = fake.completion_count < room ? fake.completion_count : room;

	(void)cq;
	if (fake_step("ibv_poll_cq"))
		return -1;
	memcpy(into, fake.completions, (size_t)count * sizeof(*into));
	memmove(fake.completions, fake.completions + count,
		(size_t)(fake.completion_count - count) * sizeof(*into));
	fake.completion_count -= count;
	return count;
}

static int req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
	(void)cq, (void)solicited_only;
	return fake_step("ibv_req_notify_cq");
}

struct ibv_srq *ibv_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr)
{
	struct ibv_srq *srq = make("ibv_create_srq", sizeof(*srq));

	(void)attr;
	if (srq)
		srq->context = pd->context;
	return srq;
}

int ibv_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr, int mask)
{
	(void)srq, (void)attr, (void)mask;
	return fake_step("ibv_modify_srq");
}

int ibv_destroy_srq(struct ibv_srq *srq)
{
	return unmake("ibv_destroy_srq", srq);
}

static int post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	(void)srq, (void)wr, (void)bad;
	return fake_step("ibv_post_srq_recv");
}

static struct fake_request *remember(uint64_t id, enum ibv_wr_opcode opcode, unsigned int flags)
{
	struct fake_request *request = &fake.posted[fake.posted_count++ % FAKE_POSTED];

	*request = (struct fake_request){.id = id, .opcode = opcode, .flags = flags};
	return request;
}

static void remember_plain(const struct ibv_send_wr *wr)
{
	struct fake_request *request = remember(wr->wr_id, wr->opcode, wr->send_flags);

	request->address = wr->wr.rdma.remote_addr;
	request->key = wr->wr.rdma.rkey;
	request->immediate = wr->opcode == IBV_WR_SEND_WITH_INV || wr->opcode == IBV_WR_LOCAL_INV
				     ? wr->invalidate_rkey
				     : be32toh(wr->imm_data);
	if (wr->opcode == IBV_WR_ATOMIC_CMP_AND_SWP || wr->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		request->address = wr->wr.atomic.remote_addr;
		request->key = wr->wr.atomic.rkey;
		request->first = wr->wr.atomic.compare_add;
		request->second = wr->wr.atomic.swap;
	}
	if (wr->opcode == IBV_WR_BIND_MW) {
		request->key = wr->bind_mw.rkey;
		request->address = wr->bind_mw.bind_info.addr;
		request->length = wr->bind_mw.bind_info.length;
		request->access = wr->bind_mw.bind_info.mw_access_flags;
	}
	if (wr->send_flags & IBV_SEND_INLINE) {
		request->inline_length = wr->sg_list[0].length;
		request->inline_byte = ((uint8_t *)(uintptr_t)wr->sg_list[0].addr)
			[request->inline_length - 1];
	} else if (wr->num_sge > 0) {
		request->buffers = (uint32_t)wr->num_sge;
		request->buffer = wr->sg_list[wr->num_sge - 1];
	}
}

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	(void)qp;
	if (fake_step("ibv_post_send")) {
		*bad = wr;
		return fake.error;
	}
	fake.doorbells++;
	for (; wr; wr = wr->next) {
		if (fake.room == 0) {
			*bad = wr;
			return ENOMEM;
		}
		fake.room--;
		remember_plain(wr);
	}
	return 0;
}

static int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct fake_request *request;

	(void)qp, (void)bad;
	if (fake_step("ibv_post_recv"))
		return fake.error;
	request = remember(wr->wr_id, IBV_WR_SEND, 0);
	request->buffers = (uint32_t)wr->num_sge;
	if (wr->num_sge > 0)
		request->buffer = wr->sg_list[wr->num_sge - 1];
	return 0;
}

/* The ibv_wr_* functions. */

static int batch_begin;

static struct fake_request *latest(void)
{
	return &fake.posted[(fake.posted_count - 1) % FAKE_POSTED];
}

static struct fake_request *add(struct ibv_qp_ex *qp, enum ibv_wr_opcode opcode, uint32_t key,
				uint64_t address)
{
	struct fake_request *request = remember(qp->wr_id, opcode, qp->wr_flags);

	request->key = key;
	request->address = address;
	return request;
}

static void wr_cmp_swp(struct ibv_qp_ex *qp, uint32_t key, uint64_t address, uint64_t compare,
		       uint64_t swap)
{
	struct fake_request *request = add(qp, IBV_WR_ATOMIC_CMP_AND_SWP, key, address);

	request->first = compare;
	request->second = swap;
}

static void wr_fetch_add(struct ibv_qp_ex *qp, uint32_t key, uint64_t address, uint64_t value)
{
	add(qp, IBV_WR_ATOMIC_FETCH_AND_ADD, key, address)->first = value;
}

static void wr_bind_mw(struct ibv_qp_ex *qp, struct ibv_mw *mw, uint32_t key,
		       const struct ibv_mw_bind_info *info)
{
	struct fake_request *request = add(qp, IBV_WR_BIND_MW, key, info->addr);

	(void)mw;
	request->length = info->length;
	request->access = info->mw_access_flags;
}

static void wr_local_inv(struct ibv_qp_ex *qp, uint32_t key)
{
	add(qp, IBV_WR_LOCAL_INV, 0, 0)->immediate = key;
}

static void wr_read(struct ibv_qp_ex *qp, uint32_t key, uint64_t address)
{
	add(qp, IBV_WR_RDMA_READ, key, address);
}

static void wr_write(struct ibv_qp_ex *qp, uint32_t key, uint64_t address)
{
	add(qp, IBV_WR_RDMA_WRITE, key, address);
}

static void wr_write_imm(struct ibv_qp_ex *qp, uint32_t key, uint64_t address, __be32 immediate)
{
	add(qp, IBV_WR_RDMA_WRITE_WITH_IMM, key, address)->immediate = be32toh(immediate);
}

static void wr_send(struct ibv_qp_ex *qp)
{
	add(qp, IBV_WR_SEND, 0, 0);
}

static void wr_send_imm(struct ibv_qp_ex *qp, __be32 immediate)
{
	add(qp, IBV_WR_SEND_WITH_IMM, 0, 0)->immediate = be32toh(immediate);
}

static void wr_send_inv(struct ibv_qp_ex *qp, uint32_t key)
{
	add(qp, IBV_WR_SEND_WITH_INV, 0, 0)->immediate = key;
}

static void wr_atomic_write(struct ibv_qp_ex *qp, uint32_t key, uint64_t address, const void *value)
{
	memcpy(&add(qp, IBV_WR_ATOMIC_WRITE, key, address)->first, value, sizeof(uint64_t));
}

static void wr_flush(struct ibv_qp_ex *qp, uint32_t key, uint64_t address, size_t length,
		     uint8_t type, uint8_t level)
{
	struct fake_request *request = add(qp, IBV_WR_FLUSH, key, address);

	request->length = length;
	request->first = type;
	request->second = level;
}

static void wr_set_inline_data(struct ibv_qp_ex *qp, void *data, size_t length)
{
	(void)qp;
	latest()->inline_length = (uint32_t)length;
	latest()->inline_byte = ((uint8_t *)data)[length - 1];
}

static void wr_set_sge_list(struct ibv_qp_ex *qp, size_t count, const struct ibv_sge *list)
{
	(void)qp;
	latest()->buffers = (uint32_t)count;
	if (count)
		latest()->buffer = list[count - 1];
}

static void wr_start(struct ibv_qp_ex *qp)
{
	(void)qp;
	batch_begin = fake.posted_count;
}

static int wr_complete(struct ibv_qp_ex *qp)
{
	int error = fake_step("ibv_wr_complete");

	(void)qp;
	if (!error && fake.posted_count - batch_begin > fake.room)
		error = ENOMEM;
	if (error) {
		fake.posted_count = batch_begin;
		return error;
	}
	fake.room -= fake.posted_count - batch_begin;
	fake.doorbells++;
	return 0;
}

static void wr_abort(struct ibv_qp_ex *qp)
{
	(void)qp;
	fake.posted_count = batch_begin;
}

static struct ibv_qp *make_qp(const char *name, struct ibv_context *context)
{
	struct ibv_qp_ex *qp = make(name, sizeof(*qp));

	if (!qp)
		return NULL;
	qp->qp_base.context = context;
	qp->qp_base.qp_num = 77;
	qp->wr_atomic_cmp_swp = wr_cmp_swp;
	qp->wr_atomic_fetch_add = wr_fetch_add;
	qp->wr_bind_mw = wr_bind_mw;
	qp->wr_local_inv = wr_local_inv;
	qp->wr_rdma_read = wr_read;
	qp->wr_rdma_write = wr_write;
	qp->wr_rdma_write_imm = wr_write_imm;
	qp->wr_send = wr_send;
	qp->wr_send_imm = wr_send_imm;
	qp->wr_send_inv = wr_send_inv;
	qp->wr_set_inline_data = wr_set_inline_data;
	qp->wr_set_sge_list = wr_set_sge_list;
	qp->wr_start = wr_start;
	qp->wr_complete = wr_complete;
	qp->wr_abort = wr_abort;
	qp->wr_atomic_write = wr_atomic_write;
	qp->wr_flush = wr_flush;
	return &qp->qp_base;
}

static struct ibv_qp *create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr)
{
	if (fake.without_extended ||
	    (fake.without_flush && (attr->send_ops_flags & IBV_QP_EX_WITH_FLUSH))) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	return make_qp("create_qp_ex", context);
}

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	(void)attr;
	return make_qp("ibv_create_qp", pd->context);
}

struct ibv_qp_ex *ibv_qp_to_qp_ex(struct ibv_qp *qp)
{
	return (struct ibv_qp_ex *)qp;
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	if (fake_step("ibv_modify_qp"))
		return fake.error;
	fake.modified = *attr;
	fake.modified_mask = mask;
	if (mask & IBV_QP_MAX_DEST_RD_ATOMIC)
		fake.reads_of_peer = attr->max_dest_rd_atomic;
	qp->state = attr->qp_state;
	return 0;
}

int ibv_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask,
		 struct ibv_qp_init_attr *init)
{
	(void)mask, (void)init;
	if (fake_step("ibv_query_qp"))
		return fake.error;
	attr->qp_state = qp->state;
	return 0;
}

int ibv_destroy_qp(struct ibv_qp *qp)
{
	return unmake("ibv_destroy_qp", qp);
}

static struct ibv_async_event raised;

void fake_raise_async(struct ibv_context *context, enum ibv_event_type type, void *element)
{
	raised.event_type = type;
	raised.element.qp = element;
	fake_ring(context->async_fd);
}

int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event)
{
	if (fake_step("ibv_get_async_event") || fake_take(context->async_fd))
		return -1;
	*event = raised;
	fake.live++;
	return 0;
}

void ibv_ack_async_event(struct ibv_async_event *event)
{
	(void)event;
	fake.live--;
}

struct ibv_context *fake_context(int device)
{
	struct verbs_context *extended = calloc(1, sizeof(*extended));
	struct ibv_context *context = &extended->context;

	extended->sz = sizeof(*extended);
	extended->query_port = query_port;
	extended->query_device_ex = query_device_ex;
	extended->create_qp_ex = create_qp_ex;
	context->device = &devices[device];
	context->abi_compat = __VERBS_ABI_IS_EXTENDED;
	context->async_fd = fake_fd();
	context->ops.poll_cq = poll_cq;
	context->ops.req_notify_cq = req_notify_cq;
	context->ops.post_srq_recv = post_srq_recv;
	context->ops.post_send = post_send;
	context->ops.post_recv = post_recv;
	context->ops.alloc_mw = alloc_mw;
	context->ops.dealloc_mw = dealloc_mw;
	return context;
}

struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	if (fake_step("ibv_open_device"))
		return NULL;
	fake.live++;
	return fake_context((int)(device - devices));
}

int ibv_close_device(struct ibv_context *context)
{
	/* As the kernel does. */
	for (int i = 0; i < MAX_ALIVE; i++)
		if (alive[i]) {
			free(alive[i]);
			alive[i] = NULL;
			fake.live--;
			fake.swept++;
		}
	close(context->async_fd);
	free(verbs_get_ctx(context));
	fake.live--;
	return 0;
}
