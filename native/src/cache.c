/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache.c -- writes cache lines back by the best instruction that the CPU has
 *
 * Intel's manual (SDM), volume 2: CLWB keeps the line, CLFLUSHOPT drops it, and both are waited for
 * by SFENCE; CLFLUSH drops it and lets nothing pass.
 */
#include "cache.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>

#ifdef __x86_64__

#include <cpuid.h>
#include <immintrin.h>

#define LEAF1_EDX_CLFLUSH (1U << 19)
#define LEAF7_EBX_CLFLUSHOPT (1U << 23)
#define LEAF7_EBX_CLWB (1U << 24)
#define LINE_OF(leaf1_ebx) (((leaf1_ebx) >> 8 & 0xff) * 8)

__attribute__((target("clwb"))) static void by_clwb(void *line)
{
	_mm_clwb(line);
}

__attribute__((target("clflushopt"))) static void by_clflushopt(void *line)
{
	_mm_clflushopt(line);
}

static void by_clflush(void *line)
{
	_mm_clflush(line);
}

static void await_lines(void)
{
	_mm_sfence();
}

int vb_cache_choose(uint32_t leaf1_ebx, uint32_t leaf1_edx, uint32_t leaf7_ebx,
		    struct vb_cache *into)
{
	into->line = LINE_OF(leaf1_ebx);
	if (!(leaf1_edx & LEAF1_EDX_CLFLUSH) || into->line == 0 || into->line & (into->line - 1))
		return -ENOTSUP; /* the others come with it, and it tells the line's length */
	if (leaf7_ebx & LEAF7_EBX_CLWB) {
		into->instruction = "clwb";
		into->write_back = by_clwb;
	} else if (leaf7_ebx & LEAF7_EBX_CLFLUSHOPT) {
		into->instruction = "clflushopt";
		into->write_back = by_clflushopt;
	} else {
		into->instruction = "clflush";
		into->write_back = by_clflush;
	}
	return 0;
}

static int ask_cpu(struct vb_cache *into)
{
	uint32_t eax, ebx1, ecx, edx1;
	uint32_t ebx7 = 0, edx;

	if (!__get_cpuid(1, &eax, &ebx1, &ecx, &edx1))
		return -ENOTSUP;
	if (!__get_cpuid_count(7, 0, &eax, &ebx7, &ecx, &edx))
		ebx7 = 0;
	return vb_cache_choose(ebx1, edx1, ebx7, into);
}

#else

static void await_lines(void)
{
}

int vb_cache_choose(uint32_t leaf1_ebx, uint32_t leaf1_edx, uint32_t leaf7_ebx,
		    struct vb_cache *into)
{
	(void)leaf1_ebx, (void)leaf1_edx, (void)leaf7_ebx, (void)into;
	return -ENOTSUP;
}

static int ask_cpu(struct vb_cache *into)
{
	return vb_cache_choose(0, 0, 0, into);
}

#endif

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct vb_cache chosen;
static const struct vb_cache *found;

static void choose(void)
{
	found = ask_cpu(&chosen) ? NULL : &chosen;
}

const struct vb_cache *vb_cache(void)
{
	pthread_once(&once, choose);
	return found;
}

void vb_cache_write_back(const struct vb_cache *cache, uint64_t address, uint64_t bytes)
{
	uintptr_t end = (uintptr_t)(address + bytes);

	for (uintptr_t line = (uintptr_t)address & ~(cache->line - 1); line < end;
	     line += cache->line)
		cache->write_back((void *)line);
	await_lines();
}
