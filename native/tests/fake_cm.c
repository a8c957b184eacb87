/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake_cm.c -- a librdmacm.so.1 whose every address is reached by fake0, at once
 */
#include "fake.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_PENDING 16

static struct rdma_cm_event *pending[MAX_PENDING];
static int pending_count;
static const char private_data[] = "private";

struct rdma_event_channel *rdma_create_event_channel(void)
{
	struct rdma_event_channel *channel;

	if (fake_step("rdma_create_event_channel"))
		return NULL;
	channel = calloc(1, sizeof(*channel));
	channel->fd = fake_fd();
	fake.live++;
	return channel;
}

void rdma_destroy_event_channel(struct rdma_event_channel *channel)
{
	close(channel->fd);
	free(channel);
	fake.live--;
}

static struct rdma_cm_id *new_id(struct rdma_event_channel *channel, void *context)
{
	struct rdma_cm_id *id = calloc(1, sizeof(*id));

	id->channel = channel;
	id->context = context;
	fake.live++;
	return id;
}

int rdma_create_id(struct rdma_event_channel *channel, struct rdma_cm_id **id, void *context,
		   enum rdma_port_space space)
{
	(void)space;
	if (fake_step("rdma_create_id"))
		return -1;
	*id = new_id(channel, context);
	return 0;
}

static void reach(struct rdma_cm_id *id)
{
	if (!id->verbs)
		id->verbs = fake_context(0);
	id->port_num = 1;
}

static struct rdma_cm_event *take_pending(int i)
{
	struct rdma_cm_event *event = pending[i];

	memmove(&pending[i], &pending[i + 1],
		(size_t)(--pending_count - i) * sizeof(struct rdma_cm_event *));
	return event;
}

int rdma_destroy_id(struct rdma_cm_id *id)
{
	if (fake_step("rdma_destroy_id"))
		return -1;
	/* Its events go with it, as in the kernel. */
	for (int i = pending_count - 1; i >= 0; i--)
		if (pending[i]->id == id) {
			fake_take(id->channel->fd);
			free(take_pending(i));
		}
	if (id->verbs) {
		close(id->verbs->async_fd);
		free(verbs_get_ctx(id->verbs));
	}
	free(id);
	fake.live--;
	return 0;
}

void fake_raise_cm(struct rdma_cm_id *id, enum rdma_cm_event_type type, int status)
{
	struct rdma_cm_event *event = calloc(1, sizeof(*event));

	event->id = id;
	event->event = type;
	event->status = status;
	event->param.conn.private_data = private_data;
	event->param.conn.private_data_len = sizeof(private_data);
	event->param.conn.responder_resources = 3;
	event->param.conn.initiator_depth = 4;
	event->param.conn.qp_num = 99;
	if (type == RDMA_CM_EVENT_CONNECT_REQUEST) {
		event->listen_id = id;
		event->id = new_id(id->channel, id->context);
		event->id->route.addr.dst_sin.sin_family = AF_INET;
		event->id->route.addr.dst_sin.sin_port = htobe16(4711);
		reach(event->id);
	}
	pending[pending_count++] = event;
	fake_ring(id->channel->fd);
}

int rdma_get_cm_event(struct rdma_event_channel *channel, struct rdma_cm_event **event)
{
	if (fake_step("rdma_get_cm_event") || fake_take(channel->fd))
		return -1;
	*event = take_pending(0);
	fake.live++;
	return 0;
}

int rdma_ack_cm_event(struct rdma_cm_event *event)
{
	free(event);
	fake.live--;
	return 0;
}

int rdma_bind_addr(struct rdma_cm_id *id, struct sockaddr *address)
{
	if (fake_step("rdma_bind_addr"))
		return -1;
	memcpy(&id->route.addr.src_addr, address, sizeof(struct sockaddr_in));
	reach(id);
	fake.last_id = id;
	return 0;
}

int rdma_resolve_addr(struct rdma_cm_id *id, struct sockaddr *source, struct sockaddr *target,
		      int timeout)
{
	(void)target, (void)timeout;
	if (fake_step("rdma_resolve_addr"))
		return -1;
	if (source)
		memcpy(&id->route.addr.src_addr, source, sizeof(struct sockaddr_in));
	reach(id);
	fake_raise_cm(id, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
	return 0;
}

int rdma_resolve_route(struct rdma_cm_id *id, int timeout)
{
	(void)timeout;
	if (fake_step("rdma_resolve_route"))
		return -1;
	fake_raise_cm(id, RDMA_CM_EVENT_ROUTE_RESOLVED, 0);
	return 0;
}

int rdma_connect(struct rdma_cm_id *id, struct rdma_conn_param *param)
{
	if (fake_step("rdma_connect"))
		return -1;
	fake.connected = *param;
	fake_raise_cm(id, RDMA_CM_EVENT_CONNECT_RESPONSE, 0);
	return 0;
}

int rdma_accept(struct rdma_cm_id *id, struct rdma_conn_param *param)
{
	(void)id;
	if (fake_step("rdma_accept"))
		return -1;
	fake.connected = *param;
	return 0;
}

int rdma_listen(struct rdma_cm_id *id, int backlog)
{
	(void)id, (void)backlog;
	return fake_step("rdma_listen") ? -1 : 0;
}

int rdma_reject(struct rdma_cm_id *id, const void *data, uint8_t length)
{
	(void)id, (void)data, (void)length;
	if (fake_step("rdma_reject"))
		return -1;
	fake.rejected++;
	return 0;
}

int rdma_establish(struct rdma_cm_id *id)
{
	(void)id;
	return fake_step("rdma_establish") ? -1 : 0;
}

int rdma_disconnect(struct rdma_cm_id *id)
{
	(void)id;
	return fake_step("rdma_disconnect") ? -1 : 0;
}

int rdma_init_qp_attr(struct rdma_cm_id *id, struct ibv_qp_attr *attr, int *mask)
{
	(void)id;
	if (fake_step("rdma_init_qp_attr"))
		return -1;
	*mask = IBV_QP_STATE;
	if (attr->qp_state == IBV_QPS_RTR) {
		*mask |= IBV_QP_PATH_MTU | IBV_QP_AV | IBV_QP_MAX_DEST_RD_ATOMIC;
		attr->max_dest_rd_atomic = fake.reads_asked;
		attr->path_mtu = IBV_MTU_2048;
		attr->ah_attr.is_global = 1;
		attr->ah_attr.grh.sgid_index = 5;
	} else if (attr->qp_state == IBV_QPS_RTS) {
		*mask |= IBV_QP_MAX_QP_RD_ATOMIC;
		attr->max_rd_atomic = fake.reads_asked;
	}
	return 0;
}
