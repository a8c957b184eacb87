/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mapping.c -- memory that is contiguous beyond the 2 GiB of a Java buffer
 */
#define _GNU_SOURCE
#include "objects.h"
#include "verbena.h"

#include <errno.h>
#include <sys/mman.h>

/*
 * vb_map -- maps zeroed anonymous memory; the address
 */
int64_t vb_map(uint64_t bytes)
{
	void *found = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (found == MAP_FAILED)
		return vb_failure();
	/* What is registered must not be shared with a child that a fork makes. */
	if (madvise(found, bytes, MADV_DONTFORK)) {
		int ret = vb_failure();

		munmap(found, bytes);
		return ret;
	}
	return (int64_t)(uintptr_t)found;
}

int vb_unmap(uint64_t address, uint64_t bytes)
{
	return munmap((void *)(uintptr_t)address, bytes) ? vb_failure() : 0;
}
