/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.c -- protection domains, regions and windows
 */
#include "objects.h"
#include "verbena.h"

#include <errno.h>
#include <stdlib.h>

static int destroy_domain(void *object)
{
	struct vb_domain *domain = object;
	int ret = vb_result(vb_lib()->ibv_dealloc_pd(domain->pd));

	if (!ret)
		free(domain);
	return ret;
}

static int64_t create_domain(struct vb_device *device)
{
	struct vb_domain *domain = calloc(1, sizeof(*domain));
	int64_t handle;

	if (!domain)
		return -ENOMEM;
	domain->object.parents[0] = &device->object;
	domain->device = device;
	domain->pd = vb_lib()->ibv_alloc_pd(device->context);
	if (!domain->pd) {
		handle = vb_failure();
		free(domain);
		return handle;
	}
	handle = vb_handle_new(VB_DOMAIN, &domain->object);
	if (handle < 0)
		destroy_domain(domain);
	return handle;
}

int64_t vb_domain_create(int64_t handle)
{
	struct vb_device *device = vb_handle_use(handle, VB_DEVICE);
	int64_t made;

	if (!device)
		return -EBADF;
	made = create_domain(device);
	vb_handle_done(handle);
	return made;
}

int vb_domain_destroy(int64_t domain)
{
	return vb_handle_end(domain, VB_DOMAIN, destroy_domain);
}

static int deregister(void *object)
{
	struct vb_region *region = object;
	int ret = vb_result(vb_lib()->ibv_dereg_mr(region->mr));

	if (!ret)
		free(region);
	return ret;
}

/*
 * register_region -- registers; by paging on demand if the memory can't be pinned
 *
 * Memory of a file system with DAX can't: EOPNOTSUPP.
 */
static int64_t register_region(struct vb_domain *domain, uint64_t address, uint64_t length,
			       uint32_t access, uint32_t keys[2])
{
	const struct vb_lib *lib = vb_lib();
	struct vb_region *region = calloc(1, sizeof(*region));
	void *start = (void *)(uintptr_t)address;
	int64_t handle;

	if (!region)
		return -ENOMEM;
	region->object.parents[0] = &domain->object;
	region->mr = lib->ibv_reg_mr(domain->pd, start, length, (int)access);
	if (!region->mr && errno == EOPNOTSUPP &&
	    (domain->device->capabilities & VB_ON_DEMAND_PAGING))
		region->mr = lib->ibv_reg_mr(domain->pd, start, length,
					     (int)(access | IBV_ACCESS_ON_DEMAND));
	if (!region->mr) {
		handle = vb_failure();
		free(region);
		return handle;
	}
	keys[0] = region->mr->lkey;
	keys[1] = region->mr->rkey;
	handle = vb_handle_new(VB_REGION, &region->object);
	if (handle < 0)
		deregister(region);
	return handle;
}

int64_t vb_region_register(int64_t handle, uint64_t address, uint64_t length, uint32_t access,
			   uint32_t keys[2])
{
	struct vb_domain *domain = vb_handle_use(handle, VB_DOMAIN);
	int64_t made;

	if (!domain)
		return -EBADF;
	made = register_region(domain, address, length, access, keys);
	vb_handle_done(handle);
	return made;
}

int vb_region_deregister(int64_t region)
{
	return vb_handle_end(region, VB_REGION, deregister);
}

static int deallocate(void *object)
{
	struct vb_window *window = object;
	/* Through the operations of the context: ibv_dealloc_mw is inline. */
	int ret = vb_result(window->mw->context->ops.dealloc_mw(window->mw));

	if (!ret)
		free(window);
	return ret;
}

static int64_t allocate_window(struct vb_domain *domain, uint32_t *key)
{
	struct vb_window *window;
	int64_t handle;

	if (!domain->pd->context->ops.alloc_mw)
		return -EOPNOTSUPP;
	window = calloc(1, sizeof(*window));
	if (!window)
		return -ENOMEM;
	window->object.parents[0] = &domain->object;
	window->mw = domain->pd->context->ops.alloc_mw(domain->pd, IBV_MW_TYPE_2);
	if (!window->mw) {
		handle = vb_failure();
		free(window);
		return handle;
	}
	*key = window->key = window->mw->rkey;
	handle = vb_handle_new(VB_WINDOW, &window->object);
	if (handle < 0)
		deallocate(window);
	return handle;
}

int64_t vb_window_allocate(int64_t handle, uint32_t *key)
{
	struct vb_domain *domain = vb_handle_use(handle, VB_DOMAIN);
	int64_t made;

	if (!domain)
		return -EBADF;
	made = allocate_window(domain, key);
	vb_handle_done(handle);
	return made;
}

int vb_window_deallocate(int64_t window)
{
	return vb_handle_end(window, VB_WINDOW, deallocate);
}
