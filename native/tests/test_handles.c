/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_handles.c -- handles that are stale, of another kind, in use or needed by others
 */
#include "../src/handle.h"
#include "check.h"

#include <errno.h>
#include <pthread.h>

static void stale_handles_are_errors(void)
{
	struct bed bed;
	int64_t old;

	bed_open(&bed);
	CHECK((old = vb_domain_create(bed.device)) > 0);
	CHECK(vb_domain_destroy(old) == 0);
	CHECK(vb_domain_destroy(old) == -EBADF);
	/* The next one takes the same slot, under another name. */
	int64_t fresh = vb_domain_create(bed.device);

	CHECK((uint32_t)fresh == (uint32_t)old && fresh != old);
	CHECK(vb_domain_destroy(old) == -EBADF);
	CHECK(vb_region_register(old, 0, 1, 0, bed.keys) == -EBADF);
	CHECK(vb_domain_destroy(fresh) == 0);
	bed_close(&bed);
}

static void handles_of_another_kind_are_errors(void)
{
	struct bed bed;

	bed_open(&bed);
	CHECK(vb_domain_destroy(bed.device) == -EBADF);
	CHECK(vb_queue_poll(bed.channel, NULL, 0) == -EBADF);
	CHECK(vb_post_send(bed.sends, NULL, 0) == -EBADF);
	CHECK(vb_post_receive(0, NULL) == -EBADF);
	CHECK(vb_id_destroy(-1) == -EBADF);
	CHECK(vb_device_close(INT64_MAX) == -EBADF);
	CHECK(vb_queue_create(bed.device, bed.domain, 1) == -EBADF);
	bed_close(&bed);
}

static void what_others_need_cannot_be_ended(void)
{
	struct bed bed;

	bed_open(&bed);
	CHECK(vb_device_close(bed.device) == -EBUSY);
	CHECK(vb_domain_destroy(bed.domain) == -EBUSY);
	CHECK(vb_channel_destroy(bed.channel) == -EBUSY);
	CHECK(vb_queue_destroy(bed.sends) == -EBUSY);
	bed_close(&bed);
}

static int destroy(void *object)
{
	*(int *)((char *)object + sizeof(struct vb_object)) = 1;
	return 0;
}

struct counted {
	struct vb_object object;
	int destroyed;
};

static struct counted counted;
static _Atomic int64_t shared_handle;

static void *use_on(void *unused)
{
	long uses = 0;

	(void)unused;
	for (;;) {
		struct counted *found = vb_handle_use(shared_handle, VB_DOMAIN);

		if (!found)
			break;
		CHECK(!found->destroyed);
		vb_handle_done(shared_handle);
		uses++;
	}
	return (void *)uses;
}

/* No thread sees an object that is destroyed, however the end falls among the uses. */
static void an_end_waits_for_the_uses(void)
{
	for (int round = 0; round < 200; round++) {
		pthread_t threads[2];

		memset(&counted, 0, sizeof(counted));
		shared_handle = vb_handle_new(VB_DOMAIN, &counted.object);
		for (int i = 0; i < 2; i++)
			CHECK(pthread_create(&threads[i], NULL, use_on, NULL) == 0);
		CHECK(vb_handle_end(shared_handle, VB_DOMAIN, destroy) == 0);
		CHECK(vb_handle_use(shared_handle, VB_DOMAIN) == NULL);
		for (int i = 0; i < 2; i++)
			CHECK(pthread_join(threads[i], NULL) == 0);
		CHECK(counted.destroyed);
	}
}

static int refuse(void *object)
{
	(void)object;
	return -EBUSY;
}

static void an_end_that_is_refused_leaves_the_handle(void)
{
	memset(&counted, 0, sizeof(counted));
	int64_t handle = vb_handle_new(VB_DOMAIN, &counted.object);

	CHECK(vb_handle_end(handle, VB_DOMAIN, refuse) == -EBUSY);
	CHECK(vb_handle_use(handle, VB_DOMAIN) == &counted);
	vb_handle_done(handle);
	CHECK(vb_handle_end(handle, VB_DOMAIN, destroy) == 0);
}

static void many_handles_are_told_apart(void)
{
	enum { MANY = 5000 };
	static struct counted all[MANY];
	static int64_t handles[MANY];

	for (int i = 0; i < MANY; i++)
		CHECK((handles[i] = vb_handle_new(VB_REGION, &all[i].object)) > 0);
	for (int i = 0; i < MANY; i++) {
		CHECK(vb_handle_use(handles[i], VB_REGION) == &all[i]);
		vb_handle_done(handles[i]);
		CHECK(vb_handle_end(handles[i], VB_REGION, destroy) == 0);
	}
}

int main(void)
{
	fake_reset();
	CHECK(vb_available((char[512]){0}, 512) == 0);
	stale_handles_are_errors();
	handles_of_another_kind_are_errors();
	what_others_need_cannot_be_ended();
	an_end_waits_for_the_uses();
	an_end_that_is_refused_leaves_the_handle();
	many_handles_are_told_apart();
	return 0;
}
