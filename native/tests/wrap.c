/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrap.c -- calls of the C library that fail on demand, by the linker's --wrap
 */
#include "fake.h"

#include <stdarg.h>
#include <stddef.h>

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
int __real_eventfd(unsigned int value, int flags);
int __wrap_eventfd(unsigned int value, int flags);
int __real_fcntl(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, ...);

void *__wrap_calloc(size_t count, size_t size)
{
	return fake_step("calloc") ? NULL : __real_calloc(count, size);
}

int __wrap_eventfd(unsigned int value, int flags)
{
	return fake_step("eventfd") ? -1 : __real_eventfd(value, flags);
}

int __wrap_fcntl(int fd, int command, ...)
{
	va_list arguments;
	int argument;

	va_start(arguments, command);
	argument = va_arg(arguments, int);
	va_end(arguments);
	return fake_step("fcntl") ? -1 : __real_fcntl(fd, command, argument);
}
