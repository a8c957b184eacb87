/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wait.c -- sleeping on descriptors, and ending such a sleep
 */
#define _GNU_SOURCE
#include "objects.h"
#include "verbena.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

_Static_assert(VB_NUDGED == -ECANCELED, "VB_NUDGED is -ECANCELED");

#define MAX_FDS 3

int vb_failure(void)
{
	return errno > 0 ? -errno : -EIO;
}

int vb_result(int ret)
{
	if (ret == 0)
		return 0;
	return ret == -1 ? vb_failure() : ret > 0 ? -ret : ret;
}

/*
 * vb_nudge_create -- a counter of nudges, each of which one reader takes
 */
int vb_nudge_create(void)
{
	int fd = eventfd(0, EFD_SEMAPHORE | EFD_NONBLOCK | EFD_CLOEXEC);

	return fd < 0 ? vb_failure() : fd;
}

int vb_nudge_write(int nudge)
{
	const uint64_t one = 1;

	return write(nudge, &one, sizeof(one)) == sizeof(one) ? 0 : vb_failure();
}

/*
 * vb_nudge_read -- takes one nudge; -EAGAIN if there is none
 */
int vb_nudge_read(int nudge)
{
	uint64_t one;

	return read(nudge, &one, sizeof(one)) == sizeof(one) ? 0 : vb_failure();
}

int vb_set_nonblocking(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return vb_failure();
	return 0;
}

int64_t vb_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

int vb_await(const int *fds, int count, int64_t end_ms)
{
	struct pollfd polled[MAX_FDS];
	int64_t left = end_ms - vb_now_ms();
	int ret;

	if (left < 0)
		left = 0;
	for (int i = 0; i < count; i++)
		polled[i] = (struct pollfd){.fd = fds[i], .events = POLLIN};
	ret = poll(polled, (nfds_t)count, left > INT32_MAX ? INT32_MAX : (int)left);
	if (ret < 0)
		return errno == EINTR ? 1 : vb_failure();
	if (ret == 0)
		return 0;
	for (int i = 0; i < count - 1; i++)
		if (polled[i].revents)
			return 1;
	return VB_NUDGED;
}
