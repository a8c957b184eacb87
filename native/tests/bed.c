/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bed.c -- the objects that most tests need
 */
#include "check.h"

static const uint32_t limits[4] = {16, 16, 4, 64};

void fake_reset(void)
{
	memset(&fake, 0, sizeof(fake));
	fake.room = 1000;
}

void bed_open(struct bed *bed)
{
	memset(bed, 0, sizeof(*bed));
	CHECK((bed->device = vb_device_open("fake0", &bed->info)) > 0);
	CHECK((bed->domain = vb_domain_create(bed->device)) > 0);
	CHECK((bed->channel = vb_channel_create(bed->device)) > 0);
	CHECK((bed->sends = vb_queue_create(bed->device, 0, 32)) > 0);
	CHECK((bed->receives = vb_queue_create(bed->device, bed->channel, 32)) > 0);
	CHECK((bed->shared = vb_shared_create(bed->domain, 8, 2)) > 0);
	CHECK((bed->pair = vb_queue_pair_create(bed->domain, bed->sends, bed->receives, 0, limits,
						&bed->number)) > 0);
	CHECK((bed->region = vb_region_register(bed->domain, (uint64_t)(uintptr_t)bed->memory,
						sizeof(bed->memory), IBV_ACCESS_LOCAL_WRITE,
						bed->keys)) > 0);
	CHECK((bed->window = vb_window_allocate(bed->domain, &bed->window_key)) > 0);
}

void bed_close(struct bed *bed)
{
	CHECK(vb_window_deallocate(bed->window) == 0);
	CHECK(vb_region_deregister(bed->region) == 0);
	CHECK(vb_queue_pair_destroy(bed->pair) == 0);
	CHECK(vb_shared_destroy(bed->shared) == 0);
	CHECK(vb_queue_destroy(bed->receives) == 0);
	CHECK(vb_queue_destroy(bed->sends) == 0);
	CHECK(vb_channel_destroy(bed->channel) == 0);
	CHECK(vb_domain_destroy(bed->domain) == 0);
	CHECK(vb_device_close(bed->device) == 0);
	CHECK(fake.live == 0 && fake.swept == 0);
}
