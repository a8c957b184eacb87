/* SPDX-License-Identifier: Apache-2.0 */
/*
 * connect.c -- ids of the connection manager
 *
 * No queue pair is attached to an id: librdmacm would make it on its own context. The states are
 * changed by vb_queue_pair_ready, so a connect is answered with RDMA_CM_EVENT_CONNECT_RESPONSE.
 */
#include "objects.h"
#include "verbena.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

/* How often the kernel sends a request again that the network lost. */
#define RETRIES 7

static int destroy_id(void *object)
{
	struct vb_id *id = object;
	int ret = vb_result(vb_lib()->rdma_destroy_id(id->id));

	if (!ret)
		free(id);
	return ret;
}

static int64_t create_id(struct vb_device *device)
{
	struct vb_id *id = calloc(1, sizeof(*id));
	int64_t handle;

	if (!id)
		return -ENOMEM;
	id->object.parents[0] = &device->object;
	if (vb_lib()->rdma_create_id(device->events, &id->id, NULL, RDMA_PS_TCP)) {
		handle = vb_failure();
		free(id);
		return handle;
	}
	handle = vb_handle_new(VB_ID, &id->object);
	if (handle < 0)
		destroy_id(id);
	else
		id->id->context = VB_CONTEXT(handle);
	return handle;
}

int64_t vb_id_create(int64_t handle)
{
	struct vb_device *device = vb_handle_use(handle, VB_DEVICE);
	int64_t made;

	if (!device)
		return -EBADF;
	made = create_id(device);
	vb_handle_done(handle);
	return made;
}

/*
 * vb_id_destroy -- also ends a connection, and a connect that is not answered yet
 */
int vb_id_destroy(int64_t id)
{
	return vb_handle_end(id, VB_ID, destroy_id);
}

/*
 * to_sockaddr -- false if there is no address in it
 */
static int to_sockaddr(const struct vb_address *from, struct sockaddr_storage *to)
{
	struct sockaddr_in *four = (struct sockaddr_in *)to;
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)to;

	memset(to, 0, sizeof(*to));
	if (from->family == 4) {
		four->sin_family = AF_INET;
		four->sin_port = htons((uint16_t)from->port);
		memcpy(&four->sin_addr, from->bytes, sizeof(four->sin_addr));
	} else if (from->family == 6) {
		six->sin6_family = AF_INET6;
		six->sin6_port = htons((uint16_t)from->port);
		six->sin6_scope_id = from->scope;
		memcpy(&six->sin6_addr, from->bytes, sizeof(six->sin6_addr));
	}
	return from->family != 0;
}

int vb_id_bind(int64_t handle, const struct vb_address *address)
{
	struct vb_id *id = vb_handle_use(handle, VB_ID);
	struct sockaddr_storage storage;
	int ret;

	if (!id)
		return -EBADF;
	to_sockaddr(address, &storage);
	ret = vb_result(vb_lib()->rdma_bind_addr(id->id, (struct sockaddr *)&storage));
	vb_handle_done(handle);
	return ret;
}

int vb_id_listen(int64_t handle, int backlog)
{
	struct vb_id *id = vb_handle_use(handle, VB_ID);
	int ret;

	if (!id)
		return -EBADF;
	ret = vb_result(vb_lib()->rdma_listen(id->id, backlog));
	vb_handle_done(handle);
	return ret;
}

/*
 * vb_id_address -- the local address
 */
int vb_id_address(int64_t handle, struct vb_address *into)
{
	struct vb_id *id = vb_handle_use(handle, VB_ID);

	if (!id)
		return -EBADF;
	vb_tell_address(&id->id->route.addr.src_addr, into);
	vb_handle_done(handle);
	return 0;
}

void vb_tell_address(const struct sockaddr *from, struct vb_address *into)
{
	const struct sockaddr_in *four = (const struct sockaddr_in *)from;
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)from;

	memset(into, 0, sizeof(*into));
	if (from->sa_family == AF_INET) {
		into->family = 4;
		into->port = ntohs(four->sin_port);
		memcpy(into->bytes, &four->sin_addr, sizeof(four->sin_addr));
	} else if (from->sa_family == AF_INET6) {
		into->family = 6;
		into->port = ntohs(six->sin6_port);
		into->scope = six->sin6_scope_id;
		memcpy(into->bytes, &six->sin6_addr, sizeof(six->sin6_addr));
	}
}

int vb_id_resolve_address(int64_t handle, const struct vb_address *source,
			  const struct vb_address *target, int timeout_ms)
{
	struct vb_id *id = vb_handle_use(handle, VB_ID);
	struct sockaddr_storage from;
	struct sockaddr_storage to;
	int has_source;
	int ret;

	if (!id)
		return -EBADF;
	has_source = to_sockaddr(source, &from);
	to_sockaddr(target, &to);
	ret = vb_result(vb_lib()->rdma_resolve_addr(id->id,
						    has_source ? (struct sockaddr *)&from : NULL,
						    (struct sockaddr *)&to, timeout_ms));
	vb_handle_done(handle);
	return ret;
}

int vb_id_resolve_route(int64_t handle, int timeout_ms)
{
	struct vb_id *id = vb_handle_use(handle, VB_ID);
	int ret;

	if (!id)
		return -EBADF;
	ret = vb_result(vb_lib()->rdma_resolve_route(id->id, timeout_ms));
	vb_handle_done(handle);
	return ret;
}

int vb_is_on(const struct rdma_cm_id *id, const struct vb_device *device)
{
	const struct vb_lib *lib = vb_lib();

	return id->verbs && strcmp(lib->ibv_get_device_name(id->verbs->device),
				   lib->ibv_get_device_name(device->context->device)) == 0;
}

/*
 * vb_id_is_on -- whether the address of the id belongs to the device, and its port
 */
int vb_id_is_on(int64_t id_handle, int64_t device_handle)
{
	struct vb_id *id = vb_handle_use(id_handle, VB_ID);
	struct vb_device *device = vb_handle_use(device_handle, VB_DEVICE);
	int ret = -EBADF;

	if (id && device)
		ret = vb_is_on(id->id, device) && id->id->port_num == device->port;
	if (device)
		vb_handle_done(device_handle);
	if (id)
		vb_handle_done(id_handle);
	return ret;
}

static struct rdma_conn_param parameters(const struct vb_queue_pair *pair, const void *data,
					 int length)
{
	return (struct rdma_conn_param){
		.private_data = length > 0 ? data : NULL,
		.private_data_len = (uint8_t)length,
		.flow_control = 1,
		.retry_count = RETRIES,
		.srq = pair->qp->srq != NULL,
		.qp_num = pair->qp->qp_num,
	};
}

int vb_id_connect(int64_t id_handle, int64_t pair_handle, uint32_t reads, uint32_t rnr_retries,
		  const void *data, int length)
{
	struct vb_id *id = vb_handle_use(id_handle, VB_ID);
	struct vb_queue_pair *pair = vb_handle_use(pair_handle, VB_QUEUE_PAIR);
	int ret = -EBADF;

	if (id && pair) {
		struct rdma_conn_param param = parameters(pair, data, length);

		param.responder_resources = (uint8_t)reads;
		param.initiator_depth = (uint8_t)reads;
		param.rnr_retry_count = (uint8_t)rnr_retries;
		ret = vb_result(vb_lib()->rdma_connect(id->id, &param));
	}
	if (pair)
		vb_handle_done(pair_handle);
	if (id)
		vb_handle_done(id_handle);
	return ret;
}

int vb_id_accept(int64_t id_handle, int64_t pair_handle, uint32_t reads_of_peer, uint32_t reads,
		 uint32_t rnr_retries, const void *data, int length)
{
	struct vb_id *id = vb_handle_use(id_handle, VB_ID);
	struct vb_queue_pair *pair = vb_handle_use(pair_handle, VB_QUEUE_PAIR);
	int ret = -EBADF;

	if (id && pair) {
		struct rdma_conn_param param = parameters(pair, data, length);

		param.responder_resources = (uint8_t)reads_of_peer;
		param.initiator_depth = (uint8_t)reads;
		param.rnr_retry_count = (uint8_t)rnr_retries;
		ret = vb_result(vb_lib()->rdma_accept(id->id, &param));
	}
	if (pair)
		vb_handle_done(pair_handle);
	if (id)
		vb_handle_done(id_handle);
	return ret;
}

int vb_id_establish(int64_t handle)
{
	struct vb_id *id = vb_handle_use(handle, VB_ID);
	int ret;

	if (!id)
		return -EBADF;
	ret = vb_result(vb_lib()->rdma_establish(id->id));
	vb_handle_done(handle);
	return ret;
}

int vb_id_reject(int64_t handle, const void *data, int length)
{
	struct vb_id *id = vb_handle_use(handle, VB_ID);
	int ret;

	if (!id)
		return -EBADF;
	ret = vb_result(vb_lib()->rdma_reject(id->id, data, (uint8_t)length));
	vb_handle_done(handle);
	return ret;
}

int vb_id_disconnect(int64_t handle)
{
	struct vb_id *id = vb_handle_use(handle, VB_ID);
	int ret;

	if (!id)
		return -EBADF;
	ret = vb_result(vb_lib()->rdma_disconnect(id->id));
	vb_handle_done(handle);
	return ret;
}
