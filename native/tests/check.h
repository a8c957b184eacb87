/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.h -- what the unit tests have in common
 */
#ifndef VERBENA_CHECK_H
#define VERBENA_CHECK_H

#include "../src/verbena.h"
#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                           \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: %s: not so: %s\n", __FILE__, __LINE__, __func__,   \
				#condition);                                                       \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

/* A device with a domain, a channel, two queues, a queue pair, a region and a window. */
struct bed {
	int64_t device;
	int64_t domain;
	int64_t channel;
	int64_t sends;
	int64_t receives;
	int64_t shared;
	int64_t pair;
	int64_t region;
	int64_t window;
	struct vb_device_info info;
	uint32_t keys[2];
	uint32_t window_key;
	uint32_t number;
	char memory[4096];
};

void bed_open(struct bed *bed);
void bed_close(struct bed *bed);

/* Begins again: nothing counted, no failure, room for 1000 requests. */
void fake_reset(void);

#endif
