/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_library.c -- prints why there are no verbs; linked with neither library
 */
#include "../src/verbena.h"

#include <errno.h>
#include <stdio.h>

int main(void)
{
	char why[512] = "there are";
	struct vb_device_info info;
	uint64_t facts[2];
	int ret = vb_available(why, sizeof(why));

	puts(why);
	/* A second question gets the same answer, and an open fails as a call does. */
	if (ret >= 0 || vb_available(why, sizeof(why)) != ret || vb_device_open("", &info) >= 0)
		return 1;
	/* Persistent memory needs neither. */
	return vb_dax_open("/dev/null", facts) == -ENODEV ? 0 : 1;
}
