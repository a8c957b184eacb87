/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lib.c -- loads libibverbs and librdmacm, of which neither need be installed
 */
#define _GNU_SOURCE
#include "lib.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct vb_lib lib;
static char problem[512];

/*
 * find -- the function of that name and version; if it must be there, its absence is told
 */
static void *find(void *library, const char *file, const char *name, const char *version, int must)
{
	void *found = dlvsym(library, name, version);

	if (!found && must && !problem[0])
		snprintf(problem, sizeof(problem), "%s has no %s@%s: it is too old", file, name,
			 version);
	return found;
}

static void *open_library(const char *file, const char *package)
{
	void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		snprintf(problem, sizeof(problem), "no %s (%s); install rdma-core's package %s",
			 file, dlerror(), package);
	return library;
}

static void load(void)
{
	void *verbs = open_library("libibverbs.so.1", "libibverbs1");
	void *cm = verbs ? open_library("librdmacm.so.1", "librdmacm1") : NULL;

	if (!cm)
		return;
	/* POSIX has function pointers in void pointers, ISO C has not. */
#define FIND(library, file, name, version, must)                                                   \
	do {                                                                                       \
		void *found = find(library, file, #name, version, must);                           \
		memcpy(&lib.name, &found, sizeof(found));                                          \
	} while (0);
#define X(name, version) FIND(verbs, "libibverbs.so.1", name, version, 1)
	VB_VERBS(X)
#undef X
#define X(name, version) FIND(cm, "librdmacm.so.1", name, version, 1)
	VB_CM(X)
#undef X
#define X(name, version) FIND(verbs, "libibverbs.so.1", name, version, 0)
	VB_OPTIONAL(X)
#undef X
}

const struct vb_lib *vb_lib_load(const char **why)
{
	pthread_once(&once, load);
	if (why)
		*why = problem;
	return problem[0] ? NULL : &lib;
}

const struct vb_lib *vb_lib(void)
{
	return &lib;
}
