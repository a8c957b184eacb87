/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dax.c -- device-DAX: persistent memory without a file system, /dev/daxX.Y
 *
 * Needs neither libibverbs nor librdmacm. A device has no read(2) and no write(2): what is there
 * is seen by mapping it, in multiples of its alignment.
 */
#define _GNU_SOURCE
#include "cache.h"
#include "objects.h"
#include "verbena.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define NAME_ROOM 64

static void sysfs_name(char name[NAME_ROOM], dev_t device, const char *attribute)
{
	snprintf(name, NAME_ROOM, "/sys/dev/char/%u:%u/%s", major(device), minor(device),
		 attribute);
}

/*
 * identify -- 0 if it is a device of subsystem "dax"
 */
static int identify(const struct stat *found)
{
	char name[NAME_ROOM];
	char target[PATH_MAX];
	const char *subsystem;
	ssize_t length;

	if (!S_ISCHR(found->st_mode))
		return -ENODEV;
	sysfs_name(name, found->st_rdev, "subsystem");
	length = readlink(name, target, sizeof(target) - 1);
	if (length < 0)
		return errno == ENOENT ? -ENXIO : vb_failure();
	target[length] = '\0';
	subsystem = strrchr(target, '/');
	return subsystem && strcmp(subsystem, "/dax") == 0 ? 0 : -ENODEV;
}

/*
 * ask -- a number that sysfs tells of a device, which is never 0
 */
static int ask(dev_t device, const char *attribute, uint64_t *into)
{
	char name[NAME_ROOM];
	char text[32];
	ssize_t length;
	int ret = 0;
	int fd;

	sysfs_name(name, device, attribute);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ENXIO : vb_failure();
	length = read(fd, text, sizeof(text));
	if (length < 0)
		ret = vb_failure();
	close(fd);
	*into = 0;
	for (ssize_t i = 0; i < length && text[i] >= '0' && text[i] <= '9'; i++)
		*into = *into * 10 + (uint64_t)(text[i] - '0');
	return ret || *into ? ret : -ENXIO;
}

/*
 * take -- asks an open device for what is to be known, and locks it
 *
 * flock(2) belongs to the open file: no other close(2) of this process ends it, as one would end a
 * POSIX lock. PMDK's pools take the same.
 */
static int take(struct vb_dax *dax, dev_t device)
{
	struct stat found;
	int ret;

	if (fstat(dax->fd, &found))
		return vb_failure();
	if (!S_ISCHR(found.st_mode) || found.st_rdev != device)
		return -ENODEV; /* it was another one when it was asked for */
	ret = ask(device, "size", &dax->size);
	if (!ret)
		ret = ask(device, "align", &dax->alignment);
	if (!ret && flock(dax->fd, LOCK_EX | LOCK_NB))
		ret = vb_failure();
	return ret;
}

static int destroy_dax(void *object)
{
	struct vb_dax *dax = object;

	/* A mapping keeps the open file, and would keep its lock. */
	if (flock(dax->fd, LOCK_UN))
		return vb_failure();
	close(dax->fd);
	free(dax);
	return 0;
}

static int64_t open_identified(const char *path, dev_t device, uint64_t facts[2])
{
	struct vb_dax *dax = calloc(1, sizeof(*dax));
	int64_t ret;

	if (!dax)
		return -ENOMEM;
	dax->fd = open(path, O_RDWR | O_CLOEXEC);
	if (dax->fd < 0) {
		ret = vb_failure();
		free(dax);
		return ret;
	}
	ret = take(dax, device);
	if (!ret) {
		facts[0] = dax->size;
		facts[1] = dax->alignment;
		ret = vb_handle_new(VB_DAX, &dax->object);
	}
	if (ret < 0) {
		close(dax->fd);
		free(dax);
	}
	return ret;
}

/*
 * vb_dax_open -- opens and locks a device, and tells its size and alignment in bytes
 *
 * -ENODEV if it is no DAX device, -ENXIO if the kernel does not tell of it, -EAGAIN if another has
 * it, -ENOTSUP if the CPU can't write cache lines back.
 */
int64_t vb_dax_open(const char *path, uint64_t facts[2])
{
	struct stat found;
	int ret;

	if (!vb_cache())
		return -ENOTSUP;
	/* Before it is opened, which does something to some devices. */
	if (stat(path, &found))
		return vb_failure();
	ret = identify(&found);
	return ret ? ret : open_identified(path, found.st_rdev, facts);
}

/*
 * vb_dax_close -- unlocks and closes a device; its mappings stay
 */
int vb_dax_close(int64_t dax)
{
	return vb_handle_end(dax, VB_DAX, destroy_dax);
}

static int destroy_mapping(void *object)
{
	struct vb_mapping *mapping = object;

	if (munmap(mapping->base, mapping->bytes))
		return vb_failure();
	free(mapping);
	return 0;
}

static int64_t map(const struct vb_dax *dax, uint64_t bytes, uint64_t *address)
{
	struct vb_mapping *mapping;
	int64_t handle;

	if (bytes == 0 || bytes > dax->size || bytes % dax->alignment != 0)
		return -EINVAL;
	mapping = calloc(1, sizeof(*mapping));
	if (!mapping)
		return -ENOMEM;
	mapping->bytes = bytes;
	mapping->base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED_VALIDATE | MAP_SYNC,
			     dax->fd, 0);
	if (mapping->base == MAP_FAILED) {
		handle = vb_failure();
		free(mapping);
		return handle;
	}
	*address = (uint64_t)(uintptr_t)mapping->base;
	handle = vb_handle_new(VB_MAPPING, &mapping->object);
	if (handle < 0)
		destroy_mapping(mapping);
	return handle;
}

/*
 * vb_dax_map -- maps a device from its beginning on; -EINVAL if that is not what it can map
 */
int64_t vb_dax_map(int64_t handle, uint64_t bytes, uint64_t *address)
{
	struct vb_dax *dax = vb_handle_use(handle, VB_DAX);
	int64_t made;

	if (!dax)
		return -EBADF;
	made = map(dax, bytes, address);
	vb_handle_done(handle);
	return made;
}

int vb_dax_unmap(int64_t mapping)
{
	return vb_handle_end(mapping, VB_MAPPING, destroy_mapping);
}

/*
 * vb_dax_write_back -- makes a range of a mapping durable
 */
int vb_dax_write_back(int64_t handle, uint64_t offset, uint64_t bytes)
{
	struct vb_mapping *mapping = vb_handle_use(handle, VB_MAPPING);
	int ret = 0;

	if (!mapping)
		return -EBADF;
	if (offset > mapping->bytes || bytes > mapping->bytes - offset)
		ret = -EINVAL;
	else
		vb_cache_write_back(vb_cache(), (uint64_t)(uintptr_t)mapping->base + offset, bytes);
	vb_handle_done(handle);
	return ret;
}
