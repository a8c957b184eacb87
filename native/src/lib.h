/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lib.h -- the functions of libibverbs and librdmacm, found at run time
 */
#ifndef VERBENA_LIB_H
#define VERBENA_LIB_H

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

/* Macros of the headers that would end in functions which are not linked. */
#undef ibv_query_port
#undef ibv_reg_mr

/* Each with the version that its declaration in the headers means. */
#define VB_VERBS(X)                                                                                \
	X(ibv_get_device_list, "IBVERBS_1.1")                                                      \
	X(ibv_free_device_list, "IBVERBS_1.1")                                                     \
	X(ibv_get_device_name, "IBVERBS_1.1")                                                      \
	X(ibv_open_device, "IBVERBS_1.1")                                                          \
	X(ibv_close_device, "IBVERBS_1.1")                                                         \
	X(ibv_get_async_event, "IBVERBS_1.1")                                                      \
	X(ibv_ack_async_event, "IBVERBS_1.1")                                                      \
	X(ibv_query_device, "IBVERBS_1.1")                                                         \
	X(ibv_query_port, "IBVERBS_1.1")                                                           \
	X(ibv_query_gid, "IBVERBS_1.1")                                                            \
	X(ibv_alloc_pd, "IBVERBS_1.1")                                                             \
	X(ibv_dealloc_pd, "IBVERBS_1.1")                                                           \
	X(ibv_reg_mr, "IBVERBS_1.1")                                                               \
	X(ibv_dereg_mr, "IBVERBS_1.1")                                                             \
	X(ibv_create_comp_channel, "IBVERBS_1.0")                                                  \
	X(ibv_destroy_comp_channel, "IBVERBS_1.0")                                                 \
	X(ibv_create_cq, "IBVERBS_1.1")                                                            \
	X(ibv_destroy_cq, "IBVERBS_1.1")                                                           \
	X(ibv_get_cq_event, "IBVERBS_1.1")                                                         \
	X(ibv_ack_cq_events, "IBVERBS_1.1")                                                        \
	X(ibv_create_srq, "IBVERBS_1.1")                                                           \
	X(ibv_modify_srq, "IBVERBS_1.1")                                                           \
	X(ibv_destroy_srq, "IBVERBS_1.1")                                                          \
	X(ibv_create_qp, "IBVERBS_1.1")                                                            \
	X(ibv_modify_qp, "IBVERBS_1.1")                                                            \
	X(ibv_query_qp, "IBVERBS_1.1")                                                             \
	X(ibv_destroy_qp, "IBVERBS_1.1")

#define VB_CM(X)                                                                                   \
	X(rdma_create_event_channel, "RDMACM_1.0")                                                 \
	X(rdma_destroy_event_channel, "RDMACM_1.0")                                                \
	X(rdma_create_id, "RDMACM_1.0")                                                            \
	X(rdma_destroy_id, "RDMACM_1.0")                                                           \
	X(rdma_bind_addr, "RDMACM_1.0")                                                            \
	X(rdma_resolve_addr, "RDMACM_1.0")                                                         \
	X(rdma_resolve_route, "RDMACM_1.0")                                                        \
	X(rdma_connect, "RDMACM_1.0")                                                              \
	X(rdma_listen, "RDMACM_1.0")                                                               \
	X(rdma_accept, "RDMACM_1.0")                                                               \
	X(rdma_reject, "RDMACM_1.0")                                                               \
	X(rdma_disconnect, "RDMACM_1.0")                                                           \
	X(rdma_get_cm_event, "RDMACM_1.0")                                                         \
	X(rdma_ack_cm_event, "RDMACM_1.0")                                                         \
	X(rdma_init_qp_attr, "RDMACM_1.2")                                                         \
	X(rdma_establish, "RDMACM_1.2")

/* What older libraries lack, and is done without then. */
#define VB_OPTIONAL(X)                                                                             \
	X(ibv_qp_to_qp_ex, "IBVERBS_1.6")                                                          \
	X(_ibv_query_gid_ex, "IBVERBS_1.11")

struct vb_lib {
#define X(name, version) __typeof__(&name) name;
	VB_VERBS(X)
	VB_CM(X)
	VB_OPTIONAL(X)
#undef X
};

/*
 * vb_lib_load -- loads both libraries, once
 *
 * Returns NULL and says in one line why, if they can't be had; the text lasts.
 */
const struct vb_lib *vb_lib_load(const char **why);

/*
 * vb_lib -- what vb_lib_load found; only where it is known to have succeeded
 */
const struct vb_lib *vb_lib(void);

#endif
