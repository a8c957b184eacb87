/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake_dax.h -- a DAX device that lies in a file, by the linker's --wrap
 *
 * Calls on FAKE_DAX, and on what sysfs tells of it, are answered here; each of them is a step that
 * may fail. All other names are the kernel's.
 */
#ifndef VERBENA_FAKE_DAX_H
#define VERBENA_FAKE_DAX_H

#include <sys/types.h>

#define FAKE_DAX "/dev/dax252.7"
#define FAKE_DAX_MAJOR 252
#define FAKE_DAX_MINOR 7

struct fake_dax {
	int file;		 /* its memory */
	mode_t mode;		 /* S_IFCHR, else another kind of file */
	dev_t opened;		 /* what is found once it is open */
	const char *subsystem;	 /* where sysfs points; NULL: there is no such device there */
	const char *size;	 /* NULL: sysfs does not tell */
	const char *align;
	int mapped;		 /* mappings that there are */
	int map_flags;		 /* of the latest */
};

extern struct fake_dax fake_dax;

#endif
