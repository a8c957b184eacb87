/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrap_dax.c -- the calls that dax.c makes of the C library
 */
#define _GNU_SOURCE
#include "fake.h"
#include "fake_dax.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define SYSFS "/sys/dev/char/252:7/"

struct fake_dax fake_dax;

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
int __real_stat(const char *path, struct stat *into);
int __wrap_stat(const char *path, struct stat *into);
int __real_fstat(int fd, struct stat *into);
int __wrap_fstat(int fd, struct stat *into);
ssize_t __real_readlink(const char *path, char *into, size_t room);
ssize_t __wrap_readlink(const char *path, char *into, size_t room);
int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
ssize_t __real_read(int fd, void *into, size_t bytes);
ssize_t __wrap_read(int fd, void *into, size_t bytes);
int __real_flock(int fd, int operation);
int __wrap_flock(int fd, int operation);
void *__real_mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t from);
void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t from);
int __real_munmap(void *at, size_t bytes);
int __wrap_munmap(void *at, size_t bytes);

static int absent(void)
{
	errno = ENOENT;
	return -1;
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fake_step("calloc") ? NULL : __real_calloc(count, size);
}

int __wrap_stat(const char *path, struct stat *into)
{
	if (strcmp(path, FAKE_DAX) != 0)
		return __real_stat(path, into);
	if (fake_step("stat"))
		return -1;
	memset(into, 0, sizeof(*into));
	into->st_mode = fake_dax.mode;
	into->st_rdev = makedev(FAKE_DAX_MAJOR, FAKE_DAX_MINOR);
	return 0;
}

int __wrap_fstat(int fd, struct stat *into)
{
	if (fake_step("fstat") || __real_fstat(fd, into))
		return -1;
	into->st_mode = fake_dax.mode;
	into->st_rdev = fake_dax.opened;
	return 0;
}

ssize_t __wrap_readlink(const char *path, char *into, size_t room)
{
	if (strcmp(path, SYSFS "subsystem") != 0)
		return __real_readlink(path, into, room);
	if (fake_step("readlink"))
		return -1;
	if (!fake_dax.subsystem)
		return absent();
	memcpy(into, fake_dax.subsystem, strlen(fake_dax.subsystem));
	return (ssize_t)strlen(fake_dax.subsystem);
}

static int open_text(const char *text)
{
	int fd = memfd_create("sysfs", MFD_CLOEXEC);

	if (fd >= 0 && (write(fd, text, strlen(text)) < 0 || lseek(fd, 0, SEEK_SET) != 0))
		return -1;
	return fd;
}

int __wrap_open(const char *path, int flags, ...)
{
	char name[64];
	const char *text;

	if (strcmp(path, FAKE_DAX) != 0 && strncmp(path, SYSFS, strlen(SYSFS)) != 0)
		return __real_open(path, flags);
	if (fake_step("open"))
		return -1;
	if (strcmp(path, FAKE_DAX) == 0) {
		/* Each time another open file, as flock(2) tells them apart. */
		snprintf(name, sizeof(name), "/proc/self/fd/%d", fake_dax.file);
		return __real_open(name, flags);
	}
	text = strcmp(path, SYSFS "size") == 0 ? fake_dax.size : fake_dax.align;
	return text ? open_text(text) : absent();
}

ssize_t __wrap_read(int fd, void *into, size_t bytes)
{
	return fake_step("read") ? -1 : __real_read(fd, into, bytes);
}

int __wrap_flock(int fd, int operation)
{
	return fake_step("flock") ? -1 : __real_flock(fd, operation);
}

/* What lies in a file can't be mapped with MAP_SYNC. */
void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t from)
{
	void *found;

	if (fake_step("mmap"))
		return MAP_FAILED;
	found = __real_mmap(at, bytes, protection, MAP_SHARED, fd, from);
	if (found != MAP_FAILED)
		fake_dax.mapped++;
	fake_dax.map_flags = flags;
	return found;
}

int __wrap_munmap(void *at, size_t bytes)
{
	if (fake_step("munmap") || __real_munmap(at, bytes))
		return -1;
	fake_dax.mapped--;
	return 0;
}
