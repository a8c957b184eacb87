/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event.c -- taking events of the connection manager and of the device
 *
 * An event is copied and acknowledged at once, since destroying its object waits for that.
 */
#include "objects.h"
#include "verbena.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint64_t handle_in(const void *context)
{
	return (uint64_t)(uintptr_t)context;
}

/*
 * adopt -- gives the id of a connect request its handle
 */
static int adopt(struct vb_device *device, struct rdma_cm_id *fresh, struct vb_event *into)
{
	struct vb_id *id = calloc(1, sizeof(*id));
	int64_t handle;

	if (!id)
		return -ENOMEM;
	id->object.parents[0] = &device->object;
	id->id = fresh;
	handle = vb_handle_new(VB_ID, &id->object);
	if (handle < 0) {
		free(id);
		return (int)handle;
	}
	fresh->context = VB_CONTEXT(handle);
	into->id = (uint64_t)handle;
	into->same_device = (uint32_t)vb_is_on(fresh, device);
	vb_tell_address(&fresh->route.addr.dst_addr, &into->remote);
	return 0;
}

static int carries_data(enum rdma_cm_event_type type)
{
	switch (type) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
	case RDMA_CM_EVENT_CONNECT_RESPONSE:
	case RDMA_CM_EVENT_ESTABLISHED:
	case RDMA_CM_EVENT_REJECTED:
		return 1;
	default:
		return 0;
	}
}

/*
 * vb_take_cm_event -- 1 if one was taken, 0 if there is none
 */
int vb_take_cm_event(struct vb_device *device, struct vb_event *into)
{
	const struct vb_lib *lib = vb_lib();
	struct rdma_cm_event *event;
	struct rdma_cm_id *unwanted = NULL;

	if (lib->rdma_get_cm_event(device->events, &event))
		return errno == EAGAIN || errno == EINTR ? 0 : vb_failure();
	memset(into, 0, sizeof(*into));
	into->source = VB_FROM_CONNECTION_MANAGER;
	into->type = event->event;
	into->status = event->status;
	into->object = handle_in(event->id->context);
	if (carries_data(event->event)) {
		const struct rdma_conn_param *conn = &event->param.conn;

		into->queue_pair = conn->qp_num;
		into->reads_of_peer = conn->responder_resources;
		into->reads = conn->initiator_depth;
		into->private_length = conn->private_data ? conn->private_data_len : 0;
		if (into->private_length)
			memcpy(into->private_data, conn->private_data, into->private_length);
	}
	if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST) {
		into->object = handle_in(event->listen_id->context);
		if (adopt(device, event->id, into))
			unwanted = event->id;
	}
	lib->rdma_ack_cm_event(event);
	if (unwanted) {
		/* No memory for it: whoever connects is told, and this end goes on. */
		lib->rdma_reject(unwanted, NULL, 0);
		lib->rdma_destroy_id(unwanted);
		return 0;
	}
	return 1;
}

/*
 * vb_take_async_event -- 1 if one was taken, 0 if there is none
 */
int vb_take_async_event(struct vb_device *device, struct vb_event *into)
{
	const struct vb_lib *lib = vb_lib();
	struct ibv_async_event event;

	if (lib->ibv_get_async_event(device->context, &event))
		return errno == EAGAIN || errno == EINTR ? 0 : vb_failure();
	memset(into, 0, sizeof(*into));
	into->source = VB_FROM_DEVICE;
	into->type = event.event_type;
	switch (event.event_type) {
	case IBV_EVENT_CQ_ERR:
		into->object = handle_in(event.element.cq->cq_context);
		break;
	case IBV_EVENT_QP_FATAL:
	case IBV_EVENT_QP_REQ_ERR:
	case IBV_EVENT_QP_ACCESS_ERR:
	case IBV_EVENT_COMM_EST:
	case IBV_EVENT_SQ_DRAINED:
	case IBV_EVENT_PATH_MIG:
	case IBV_EVENT_PATH_MIG_ERR:
	case IBV_EVENT_QP_LAST_WQE_REACHED:
		into->object = handle_in(event.element.qp->qp_context);
		break;
	case IBV_EVENT_SRQ_ERR:
	case IBV_EVENT_SRQ_LIMIT_REACHED:
		into->object = handle_in(event.element.srq->srq_context);
		break;
	default:
		into->status = event.element.port_num;
		break;
	}
	lib->ibv_ack_async_event(&event);
	return 1;
}
