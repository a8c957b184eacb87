/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device.c -- finding, opening and asking devices
 */
#include "objects.h"
#include "verbena.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* device_cap_flags_ex of the kernel's uverbs; libibverbs passes them on and gives them no name. */
#define CAP_FLUSH_GLOBAL (1ULL << 38)
#define CAP_FLUSH_PERSISTENT (1ULL << 39)
#define CAP_ATOMIC_WRITE (1ULL << 40)

#define BASE_OPERATIONS                                                                            \
	(IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_SEND |    \
	 IBV_QP_EX_WITH_SEND_WITH_IMM | IBV_QP_EX_WITH_RDMA_READ)
#define ATOMIC_OPERATIONS                                                                          \
	(IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD)
#define WINDOW_OPERATIONS                                                                          \
	(IBV_QP_EX_WITH_BIND_MW | IBV_QP_EX_WITH_LOCAL_INV | IBV_QP_EX_WITH_SEND_WITH_INV)
#define FLUSH_OPERATIONS (IBV_QP_EX_WITH_FLUSH | IBV_QP_EX_WITH_ATOMIC_WRITE)

/* What a queue pair is asked to have, from all to the least. 0 stands for ibv_post_send. */
static const uint64_t wishes[] = {
	BASE_OPERATIONS | ATOMIC_OPERATIONS | WINDOW_OPERATIONS | FLUSH_OPERATIONS,
	BASE_OPERATIONS | ATOMIC_OPERATIONS | WINDOW_OPERATIONS,
	0,
};
static const uint32_t inline_wishes[] = {512, 256, 128, 64, 0};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/*
 * vb_available -- 0, or why there is no device to open, in one line
 */
int vb_available(char *why, size_t room)
{
	const char *problem;
	const struct vb_lib *lib = vb_lib_load(&problem);
	struct rdma_event_channel *events;
	struct ibv_device **list;
	int count = 0;

	if (!lib) {
		snprintf(why, room, "%s", problem);
		return -ENOENT;
	}
	list = lib->ibv_get_device_list(&count);
	if (list)
		lib->ibv_free_device_list(list);
	if (!list || count == 0) {
		snprintf(why, room,
			 "libibverbs sees no RDMA device (%s); a software one is made by 'rdma link "
			 "add rxe0 type rxe netdev DEV'",
			 list ? "the list is empty" : strerror(errno));
		return -ENODEV;
	}
	events = lib->rdma_create_event_channel();
	if (!events) {
		snprintf(why, room,
			 "librdmacm can't be used (%s); is the module rdma_ucm loaded, and may this "
			 "user open /dev/infiniband/rdma_cm?",
			 strerror(errno));
		return -ENODEV;
	}
	lib->rdma_destroy_event_channel(events);
	return 0;
}

static int query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *into)
{
	struct verbs_context *extended = verbs_get_ctx_op(context, query_port);

	memset(into, 0, sizeof(*into));
	if (extended)
		return extended->query_port(context, port, into, sizeof(*into));
	return vb_lib()->ibv_query_port(context, port, (struct _compat_ibv_port_attr *)into);
}

/*
 * find_port -- the first active port, else the first; 0 if there is none
 */
static uint32_t find_port(struct ibv_context *context, uint8_t ports, struct ibv_port_attr *into)
{
	for (uint8_t port = 1; port <= ports; port++)
		if (!query_port(context, port, into) && into->state == IBV_PORT_ACTIVE)
			return port;
	return ports > 0 && !query_port(context, 1, into) ? 1 : 0;
}

/*
 * open_by_name -- the device of that name; of an empty one, the first with an active port
 */
static struct ibv_context *open_by_name(const char *name)
{
	const struct vb_lib *lib = vb_lib();
	struct ibv_device **list = lib->ibv_get_device_list(NULL);
	struct ibv_context *context = NULL;
	struct ibv_device_attr attributes;
	struct ibv_port_attr port;
	int error = ENODEV;

	if (!list)
		return NULL;
	for (int i = 0; list[i] && !context; i++) {
		if (name[0] && strcmp(name, lib->ibv_get_device_name(list[i])) != 0)
			continue;
		context = lib->ibv_open_device(list[i]);
		if (!context) {
			error = errno;
		} else if (!name[0] && (lib->ibv_query_device(context, &attributes) ||
					!find_port(context, attributes.phys_port_cnt, &port) ||
					port.state != IBV_PORT_ACTIVE)) {
			lib->ibv_close_device(context);
			context = NULL;
		}
	}
	lib->ibv_free_device_list(list);
	errno = error;
	return context;
}

/*
 * probe -- makes a queue pair to see which operations and how much inline data it can have
 *
 * If it fails the device is not opened, and what was made here goes with its context.
 */
static int probe(struct vb_device *device, uint32_t *max_inline)
{
	const struct vb_lib *lib = vb_lib();
	struct ibv_pd *pd = lib->ibv_alloc_pd(device->context);
	struct ibv_cq *cq = pd ? lib->ibv_create_cq(device->context, 8, NULL, NULL, 0) : NULL;
	int ret = cq ? -EOPNOTSUPP : vb_failure();

	for (size_t i = 0; cq && ret && i < COUNT(wishes); i++) {
		device->send_operations = wishes[i];
		for (size_t j = 0; ret && j < COUNT(inline_wishes); j++) {
			struct ibv_qp_init_attr attributes = {
				.send_cq = cq,
				.recv_cq = cq,
				.cap = {.max_send_wr = 4,
					.max_recv_wr = 4,
					.max_send_sge = 1,
					.max_recv_sge = 1,
					.max_inline_data = inline_wishes[j]},
				.qp_type = IBV_QPT_RC,
			};
			struct ibv_qp *qp = vb_make_queue_pair(device, &attributes, pd);

			if (!qp) {
				ret = vb_failure();
				continue;
			}
			*max_inline = attributes.cap.max_inline_data;
			ret = vb_result(lib->ibv_destroy_qp(qp));
			if (ret)
				return ret;
		}
	}
	if (cq && !ret)
		ret = vb_result(lib->ibv_destroy_cq(cq));
	if (pd && !ret)
		ret = vb_result(lib->ibv_dealloc_pd(pd));
	return ret;
}

static uint32_t capabilities(const struct vb_device *device, const struct ibv_device_attr_ex *attr)
{
	const uint64_t flags = attr->device_cap_flags_ex;
	const int flushes = (device->send_operations & IBV_QP_EX_WITH_FLUSH) != 0;
	uint32_t found = 0;

	if (attr->orig_attr.atomic_cap != IBV_ATOMIC_NONE)
		found |= VB_ATOMICS;
	if (attr->orig_attr.device_cap_flags & IBV_DEVICE_MEM_WINDOW_TYPE_2B)
		found |= VB_MEMORY_WINDOW_TYPE_2B;
	if (flushes && (flags & CAP_FLUSH_GLOBAL))
		found |= VB_FLUSH_GLOBAL;
	if (flushes && (flags & CAP_FLUSH_PERSISTENT))
		found |= VB_FLUSH_PERSISTENT;
	if (flushes && (flags & CAP_ATOMIC_WRITE))
		found |= VB_ATOMIC_WRITES;
	if ((attr->odp_caps.general_caps & IBV_ODP_SUPPORT) &&
	    (attr->odp_caps.per_transport_caps.rc_odp_caps & IBV_ODP_SUPPORT_WRITE))
		found |= VB_ON_DEMAND_PAGING;
	return found;
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/*
 * ask -- fills in what the device and its port can do
 */
static int ask(struct vb_device *device, struct vb_device_info *info)
{
	const struct vb_lib *lib = vb_lib();
	struct ibv_device_attr_ex attr = {0};
	struct ibv_device_attr *base = &attr.orig_attr;
	struct verbs_context *extended = verbs_get_ctx_op(device->context, query_device_ex);
	struct ibv_port_attr port;
	int ret = 0;

	/* Not ibv_query_device_ex: it is inline, and would want ibv_query_device linked. */
	if (!extended || extended->query_device_ex(device->context, NULL, &attr, sizeof(attr)))
		ret = vb_result(lib->ibv_query_device(device->context, base));
	if (ret)
		return ret;
	device->port = find_port(device->context, base->phys_port_cnt, &port);
	if (!device->port)
		return -ENODEV;
	ret = probe(device, &info->max_inline);
	if (ret)
		return ret;
	device->capabilities = capabilities(device, &attr);
	info->capabilities = device->capabilities;
	info->max_message = port.max_msg_sz;
	info->max_depth = (uint32_t)base->max_qp_wr;
	info->max_completions = (uint32_t)base->max_cqe;
	info->max_shared_depth = (uint32_t)base->max_srq_wr;
	info->max_buffers = least((uint32_t)base->max_sge, (uint32_t)base->max_sge_rd);
	info->port = device->port;
	info->mtu = port.active_mtu;
	info->max_reads = least((uint32_t)base->max_qp_rd_atom, (uint32_t)base->max_qp_init_rd_atom);
	device->max_reads = info->max_reads;
	info->is_infiniband = device->context->device->transport_type == IBV_TRANSPORT_IB;
	snprintf(info->name, sizeof(info->name), "%s",
		 lib->ibv_get_device_name(device->context->device));
	return 0;
}

static int close_device(void *object)
{
	struct vb_device *device = object;
	const struct vb_lib *lib = vb_lib();

	if (device->events)
		lib->rdma_destroy_event_channel(device->events);
	if (device->nudge >= 0)
		close(device->nudge);
	if (device->context)
		lib->ibv_close_device(device->context);
	free(device);
	return 0;
}

int64_t vb_device_open(const char *name, struct vb_device_info *info)
{
	const struct vb_lib *lib = vb_lib_load(NULL);
	struct vb_device *device;
	int64_t handle;
	int ret;

	if (!lib)
		return -ENOENT;
	device = calloc(1, sizeof(*device));
	if (!device)
		return -ENOMEM;
	memset(info, 0, sizeof(*info));
	device->nudge = -1;
	device->context = open_by_name(name);
	ret = device->context ? ask(device, info) : vb_failure();
	if (!ret) {
		device->events = lib->rdma_create_event_channel();
		ret = device->events ? 0 : vb_failure();
	}
	if (!ret)
		ret = vb_set_nonblocking(device->events->fd);
	if (!ret)
		ret = vb_set_nonblocking(device->context->async_fd);
	if (!ret) {
		device->nudge = vb_nudge_create();
		ret = device->nudge < 0 ? device->nudge : 0;
	}
	handle = ret ? ret : vb_handle_new(VB_DEVICE, &device->object);
	if (handle < 0)
		close_device(device);
	return handle;
}

int vb_device_close(int64_t device)
{
	return vb_handle_end(device, VB_DEVICE, close_device);
}

/*
 * vb_device_wait -- takes one event of the device or its connection manager
 *
 * Returns 1 if there is one, 0 if the time is over, VB_NUDGED. For one thread.
 */
int vb_device_wait(int64_t handle, struct vb_event *into, int timeout_ms)
{
	struct vb_device *device = vb_handle_use(handle, VB_DEVICE);
	int64_t end = vb_now_ms() + timeout_ms;
	int ret;

	if (!device)
		return -EBADF;
	do {
		const int fds[] = {device->events->fd, device->context->async_fd, device->nudge};

		ret = vb_take_cm_event(device, into);
		if (ret == 0)
			ret = vb_take_async_event(device, into);
		if (ret != 0)
			break;
		ret = vb_await(fds, COUNT(fds), end);
		/* Readable: what it is, the next round takes. */
	} while (ret == 1);
	vb_handle_done(handle);
	return ret;
}

int vb_device_nudge(int64_t handle)
{
	struct vb_device *device = vb_handle_use(handle, VB_DEVICE);
	int ret;

	if (!device)
		return -EBADF;
	ret = vb_nudge_write(device->nudge);
	vb_handle_done(handle);
	return ret;
}

int vb_device_calm(int64_t handle)
{
	struct vb_device *device = vb_handle_use(handle, VB_DEVICE);
	int ret;

	if (!device)
		return -EBADF;
	ret = vb_nudge_read(device->nudge);
	vb_handle_done(handle);
	return ret;
}
