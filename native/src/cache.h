/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache.h -- cache lines, written back to the memory behind them
 */
#ifndef VERBENA_CACHE_H
#define VERBENA_CACHE_H

#include <stdint.h>

/* How a CPU does it. */
struct vb_cache {
	const char *instruction;
	void (*write_back)(void *line);
	uintptr_t line; /* bytes */
};

/*
 * vb_cache -- how this CPU does it; NULL if it can't
 */
const struct vb_cache *vb_cache(void);

/*
 * vb_cache_choose -- the same for a CPU that answers CPUID so; 0, or -ENOTSUP
 */
int vb_cache_choose(uint32_t leaf1_ebx, uint32_t leaf1_edx, uint32_t leaf7_ebx,
		    struct vb_cache *into);

/*
 * vb_cache_write_back -- writes back each line of which a byte is in the range, and waits for it
 */
void vb_cache_write_back(const struct vb_cache *cache, uint64_t address, uint64_t bytes);

#endif
