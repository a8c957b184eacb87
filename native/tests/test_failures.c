/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_failures.c -- each call that the library makes fails in turn
 *
 * A story that calls everything is told once to count the calls, and then once for each of them.
 * The failure must be reported, unless it is listed, and nothing may be left behind.
 */
#include "check.h"

#include <errno.h>

/* Failures that have a second way. */
static const char *const made_up_for[] = {
	"query_device_ex",   /* ibv_query_device */
	"query_port",	     /* the port counts as not active */
	"create_qp_ex",	     /* fewer operations, when probing */
	"_ibv_query_gid_ex", /* ibv_query_gid */
};

static int errors;
static int opened;

static int64_t note(int64_t result)
{
	if (result < 0)
		errors++;
	return result;
}

static void end(int (*how)(int64_t), int64_t handle)
{
	/* What failed to end is still there, and ends the second time. */
	if (handle > 0 && note(how(handle)) < 0)
		CHECK(how(handle) == 0);
}

static void expect_event(int64_t device, uint32_t type)
{
	struct vb_event event;

	/* If it could not be taken it is still there. */
	if (note(vb_device_wait(device, &event, 1000)) != 1)
		CHECK(vb_device_wait(device, &event, 1000) == 1);
	CHECK(event.type == type);
}

static void talk(int64_t device, int64_t pair)
{
	const struct vb_address address = {.family = 4, .port = 4711};
	struct vb_path path = {.mtu = IBV_MTU_1024};
	struct vb_address found;
	struct vb_event request = {0};
	int64_t id = note(vb_id_create(device));
	int64_t listener = note(vb_id_create(device));

	if (listener > 0 && note(vb_id_bind(listener, &address)) == 0 &&
	    note(vb_id_listen(listener, 4)) == 0) {
		CHECK(vb_id_address(listener, &found) == 0 && found.port == 4711);
		fake_raise_cm(fake.last_id, RDMA_CM_EVENT_CONNECT_REQUEST, 0);
		if (note(vb_device_wait(device, &request, 100)) != 1)
			/* It is still there; or there was no memory for it, and the peer was told. */
			vb_device_wait(device, &request, 0);
		errors += fake.rejected;
		if (request.id) {
			if (note(vb_queue_pair_ready(pair, (int64_t)request.id, &path)) == 0)
				note(vb_id_accept((int64_t)request.id, pair, 3, 4, 7, "x", 1));
			note(vb_id_reject((int64_t)request.id, "y", 1));
		}
	}
	if (id > 0 && note(vb_id_resolve_address(id, &address, &address, 100)) == 0) {
		expect_event(device, RDMA_CM_EVENT_ADDR_RESOLVED);
		CHECK(vb_id_is_on(id, device) == 1);
		if (note(vb_id_resolve_route(id, 100)) == 0) {
			expect_event(device, RDMA_CM_EVENT_ROUTE_RESOLVED);
			if (note(vb_id_connect(id, pair, 4, 7, "z", 1)) == 0)
				expect_event(device, RDMA_CM_EVENT_CONNECT_RESPONSE);
		}
		note(vb_id_establish(id));
		note(vb_id_disconnect(id));
	}
	if (request.id)
		end(vb_id_destroy, (int64_t)request.id);
	end(vb_id_destroy, listener);
	end(vb_id_destroy, id);
	/* Events that a failed wait left. */
	while (note(vb_device_wait(device, &request, 0)) == 1)
		;
}

static void use(int64_t device, int64_t channel, int64_t queue, int64_t shared, int64_t pair)
{
	struct vb_send send = {.id = 1, .operation = VB_SEND, .flags = VB_SIGNALED};
	struct vb_receive receive = {.id = 2};
	struct vb_completion completion;
	struct vb_event event;

	note(vb_post_receive(pair, &receive));
	note(vb_shared_post(shared, &receive));
	note(vb_shared_limit(shared, 1));
	note(vb_post_send(pair, &send, 1));
	note(vb_queue_arm(queue, 0));
	note(vb_queue_poll(queue, &completion, 1));
	note(vb_channel_nudge(channel));
	if (note(vb_channel_wait(channel, 0)) == VB_NUDGED)
		errors--;
	note(vb_channel_calm(channel));
	note(vb_device_nudge(device));
	if (note(vb_device_wait(device, &event, 0)) == VB_NUDGED)
		errors--;
	note(vb_device_calm(device));
	note(vb_queue_pair_hold(pair, 1));
	note(vb_queue_pair_hold(pair, 0));
	note(vb_queue_pair_state(pair));
	note(vb_queue_pair_break(pair));
}

static void story(void)
{
	static const uint32_t limits[4] = {16, 16, 4, 64};
	static char memory[64];
	int64_t channel = 0, sends = 0, receives = 0, shared = 0, pair = 0, region = 0, window = 0;
	struct vb_device_info info;
	uint32_t number;
	uint32_t keys[2];
	char why[512] = "";
	int64_t device;
	int64_t domain;

	if (note(vb_available(why, sizeof(why))) < 0)
		CHECK(why[0] && !strchr(why, '\n'));
	device = note(vb_device_open("fake0", &info));
	opened = device > 0;
	if (!opened)
		return;
	domain = note(vb_domain_create(device));
	channel = note(vb_channel_create(device));
	sends = note(vb_queue_create(device, 0, 8));
	if (channel > 0)
		receives = note(vb_queue_create(device, channel, 8));
	if (domain > 0) {
		shared = note(vb_shared_create(domain, 8, 1));
		region = note(vb_region_register(domain, (uint64_t)(uintptr_t)memory,
						 sizeof(memory), 0, keys));
		window = note(vb_window_allocate(domain, &number));
		if (sends > 0 && receives > 0)
			pair = note(vb_queue_pair_create(domain, sends, receives, 0, limits,
							 &number));
	}
	if (pair > 0) {
		talk(device, pair);
		if (shared > 0)
			use(device, channel, receives, shared, pair);
	}
	end(vb_queue_pair_destroy, pair);
	end(vb_window_deallocate, window);
	end(vb_region_deregister, region);
	end(vb_shared_destroy, shared);
	end(vb_queue_destroy, receives);
	end(vb_queue_destroy, sends);
	end(vb_channel_destroy, channel);
	end(vb_domain_destroy, domain);
	end(vb_device_close, device);
}

static int is_made_up_for(const char *name)
{
	for (size_t i = 0; i < sizeof(made_up_for) / sizeof(made_up_for[0]); i++)
		if (strcmp(made_up_for[i], name) == 0)
			return 1;
	return 0;
}

static int tell(int fail_at)
{
	fake_reset();
	fake.fail_at = fail_at;
	fake.error = ENOMEM;
	errors = 0;
	story();
	return fake.calls;
}

int main(void)
{
	int calls;

	tell(0); /* the table of handles grows */
	calls = tell(0);
	CHECK(errors == 0);
	CHECK(fake.live == 0 && fake.swept == 0);
	for (int i = 1; i <= calls; i++) {
		tell(i);
		CHECK(fake.failed);
		if (fake.live != 0 || (opened && fake.swept != 0) ||
		    (errors == 0 && !is_made_up_for(fake.failed))) {
			fprintf(stderr, "call %d, %s: %d errors told, %d objects left\n", i,
				fake.failed, errors, fake.live);
			return 1;
		}
	}
	printf("%d calls failed one by one\n", calls);
	return 0;
}
