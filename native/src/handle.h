/* SPDX-License-Identifier: Apache-2.0 */
/*
 * handle.h -- how Java names native objects
 *
 * A handle has a generation, so that one kept too long is an error and never a crash:
 *
 *	 62          40 39   32 31           0
 *	+--------------+-------+--------------+
 *	|  generation  | type  |     slot     |
 *	+--------------+-------+--------------+
 */
#ifndef VERBENA_HANDLE_H
#define VERBENA_HANDLE_H

#include <stdatomic.h>
#include <stdint.h>

enum vb_type {
	VB_DEVICE = 1,
	VB_DOMAIN,
	VB_REGION,
	VB_WINDOW,
	VB_CHANNEL,
	VB_COMPLETION_QUEUE,
	VB_SHARED_QUEUE,
	VB_QUEUE_PAIR,
	VB_ID,
	VB_DAX,
	VB_MAPPING,
};

#define VB_PARENTS 4

/* First in each object: who may not go before it. */
struct vb_object {
	struct vb_object *parents[VB_PARENTS];
	atomic_int children;
};

/*
 * vb_handle_new -- makes a handle for an object, whose parents get one child more
 *
 * Returns the handle, or -ENOMEM; the object then is the caller's still.
 */
int64_t vb_handle_new(enum vb_type type, struct vb_object *object);

/*
 * vb_handle_use -- the object, which stays until vb_handle_done; NULL if the handle is not valid
 */
void *vb_handle_use(int64_t handle, enum vb_type type);

/*
 * vb_handle_done -- ends a use
 */
void vb_handle_done(int64_t handle);

/*
 * vb_handle_end -- waits for the uses, ends the object by destroy and then the handle
 *
 * destroy frees the object unless it fails, and returns a negative errno then. Returns 0; -EBADF for
 * a handle that is not valid; -EBUSY if the object has children or is used for longer than some
 * seconds; what destroy returns: then the handle stays valid.
 */
int vb_handle_end(int64_t handle, enum vb_type type, int (*destroy)(void *));

#endif
