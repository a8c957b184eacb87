/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_post.c -- what the device is given for each operation, whichever way it is posted
 */
#include "check.h"
#include "../src/objects.h"

#include <errno.h>

/* Requests as Java writes them. */
static _Alignas(8) char batch[8192];
static char *end_of_batch;
static int in_batch;

static void begin(void)
{
	memset(batch, 0xee, sizeof(batch));
	end_of_batch = batch;
	in_batch = 0;
	fake.posted_count = 0;
	fake.doorbells = 0;
}

static struct vb_send *add(enum vb_operation operation, uint8_t flags)
{
	struct vb_send *request = (struct vb_send *)end_of_batch;

	*request = (struct vb_send){
		.id = 100 + (uint64_t)in_batch++,
		.remote_address = 0x1000,
		.operand = 21,
		.second_operand = 22,
		.key = 33,
		.immediate = 0x01020304,
		.operation = (uint8_t)operation,
		.flags = flags,
	};
	end_of_batch += sizeof(*request);
	return request;
}

static void buffers(struct vb_send *request, uint32_t count)
{
	request->count = count;
	for (uint32_t i = 0; i < count; i++) {
		struct vb_buffer buffer = {.address = 0x2000 + i, .length = 10 + i, .key = 50 + i};

		memcpy(end_of_batch, &buffer, sizeof(buffer));
		end_of_batch += sizeof(buffer);
	}
}

static void inline_data(struct vb_send *request, uint32_t length)
{
	request->count = length;
	memset(end_of_batch, 7, length);
	end_of_batch[length - 1] = 9;
	end_of_batch += (length + 7) / 8 * 8;
}

static const struct fake_request *posted(int i)
{
	CHECK(i < fake.posted_count);
	return &fake.posted[i];
}

static void each_operation_is_told(struct bed *bed, int flushes)
{
	static const enum ibv_wr_opcode opcodes[VB_OPERATIONS] = {
		[VB_SEND] = IBV_WR_SEND,
		[VB_SEND_WITH_IMMEDIATE] = IBV_WR_SEND_WITH_IMM,
		[VB_WRITE] = IBV_WR_RDMA_WRITE,
		[VB_WRITE_WITH_IMMEDIATE] = IBV_WR_RDMA_WRITE_WITH_IMM,
		[VB_READ] = IBV_WR_RDMA_READ,
		[VB_COMPARE_AND_SWAP] = IBV_WR_ATOMIC_CMP_AND_SWP,
		[VB_FETCH_AND_ADD] = IBV_WR_ATOMIC_FETCH_AND_ADD,
		[VB_FLUSH] = IBV_WR_FLUSH,
		[VB_ATOMIC_WRITE] = IBV_WR_ATOMIC_WRITE,
		[VB_SEND_WITH_INVALIDATE] = IBV_WR_SEND_WITH_INV,
		[VB_BIND_WINDOW] = IBV_WR_BIND_MW,
		[VB_LOCAL_INVALIDATE] = IBV_WR_LOCAL_INV,
	};

	for (int i = 0; i < VB_OPERATIONS; i++) {
		const struct fake_request *seen;
		struct vb_send *request;

		if (!flushes && (i == VB_FLUSH || i == VB_ATOMIC_WRITE))
			continue;
		begin();
		request = add(i, VB_SIGNALED | VB_FENCED | VB_SOLICITED);
		request->window = (uint64_t)bed->window;
		request->region = (uint64_t)bed->region;
		request->flush_type = IBV_FLUSH_PERSISTENT;
		request->flush_level = IBV_FLUSH_MR;
		CHECK(vb_post_send(bed->pair, batch, 1) == 1);
		CHECK(fake.doorbells == 1);
		seen = posted(0);
		CHECK(seen->id == 100 && seen->opcode == opcodes[i]);
		CHECK(seen->flags == (IBV_SEND_SIGNALED | IBV_SEND_FENCE | IBV_SEND_SOLICITED));
		if (i != VB_SEND && i != VB_SEND_WITH_IMMEDIATE && i != VB_SEND_WITH_INVALIDATE &&
		    i != VB_LOCAL_INVALIDATE)
			CHECK(seen->key == 33 && seen->address == 0x1000);
		if (i == VB_SEND_WITH_IMMEDIATE || i == VB_WRITE_WITH_IMMEDIATE)
			CHECK(seen->immediate == 0x01020304);
		if (i == VB_SEND_WITH_INVALIDATE || i == VB_LOCAL_INVALIDATE)
			CHECK(seen->immediate == 33);
		if (i == VB_COMPARE_AND_SWAP)
			CHECK(seen->first == 21 && seen->second == 22);
		if (i == VB_FETCH_AND_ADD)
			CHECK(seen->first == 21);
		if (i == VB_ATOMIC_WRITE)
			CHECK(seen->first == 22);
		if (i == VB_FLUSH)
			CHECK(seen->length == 21 && seen->first == IBV_FLUSH_PERSISTENT &&
			      seen->second == IBV_FLUSH_MR);
		if (i == VB_BIND_WINDOW)
			CHECK(seen->length == 21 && seen->access == 22);
	}
}

static void a_batch_is_one_doorbell(struct bed *bed)
{
	begin();
	buffers(add(VB_SEND, 0), 1);
	inline_data(add(VB_WRITE, VB_INLINE), 13);
	add(VB_WRITE, 0);
	inline_data(add(VB_SEND, VB_INLINE | VB_SIGNALED), 8);
	CHECK(vb_post_send(bed->pair, batch, 4) == 4);
	CHECK(fake.posted_count == 4 && fake.doorbells == 1);
	CHECK(posted(0)->buffers == 1 && posted(0)->buffer.addr == 0x2000);
	CHECK(posted(0)->buffer.length == 10 && posted(0)->buffer.lkey == 50);
	CHECK(posted(1)->inline_length == 13 && posted(1)->inline_byte == 9);
	CHECK(posted(2)->id == 102 && posted(2)->buffers == 0);
	CHECK(posted(3)->inline_length == 8 && posted(3)->inline_byte == 9);
	CHECK(posted(3)->flags == (IBV_SEND_INLINE | IBV_SEND_SIGNALED) ||
	      posted(3)->flags == IBV_SEND_SIGNALED);
}

/* Never by ibv_wr_set_sge_list, which soft-RoCE has wrong. */
static void lists_of_buffers_go_by_post_send(struct bed *bed, int extended)
{
	begin();
	buffers(add(VB_SEND, 0), 1);
	buffers(add(VB_SEND, 0), 3);
	buffers(add(VB_SEND, 0), 2);
	inline_data(add(VB_SEND, VB_INLINE), 8);
	CHECK(vb_post_send(bed->pair, batch, 4) == 4);
	CHECK(fake.posted_count == 4 && fake.doorbells == (extended ? 3 : 1));
	CHECK(posted(1)->buffers == 3 && posted(1)->buffer.addr == 0x2002);
	CHECK(posted(1)->buffer.length == 12 && posted(1)->buffer.lkey == 52);
	CHECK(posted(2)->id == 102 && posted(2)->buffers == 2);
	CHECK(posted(3)->inline_length == 8);
}

static void many_requests_arrive_in_order(struct bed *bed)
{
	begin();
	for (int i = 0; i < 50; i++)
		buffers(add(VB_WRITE, 0), i % 3);
	CHECK(vb_post_send(bed->pair, batch, 50) == 50);
	for (int i = 0; i < 50; i++)
		CHECK(posted(i)->id == 100 + (uint64_t)i);
}

static void a_bind_of_a_stale_handle_posts_nothing(struct bed *bed)
{
	struct vb_send *bind;

	begin();
	bind = add(VB_BIND_WINDOW, 0);
	bind->window = (uint64_t)bed->window;
	bind->region = (uint64_t)bed->region + (1ULL << 41);
	CHECK(vb_post_send(bed->pair, batch, 1) == -EBADF);
	CHECK(fake.posted_count == 0);
	/* Nothing stays in use of the handle that was good. */
	CHECK(vb_window_deallocate(bed->window) == 0);
	CHECK((bed->window = vb_window_allocate(bed->domain, &bed->window_key)) > 0);
}

/* ibv_mw.rkey, which soft-RoCE compares, is the key of the last bind that was posted. */
static void a_window_knows_its_latest_key(struct bed *bed)
{
	struct vb_window *window = vb_handle_use(bed->window, VB_WINDOW);

	for (int round = 0; round < 3; round++) {
		struct vb_send *bind;

		begin();
		bind = add(VB_BIND_WINDOW, 0);
		bind->window = (uint64_t)bed->window;
		bind->region = (uint64_t)bed->region;
		bind->key = 70 + (uint32_t)round;
		fake.room = round == 2 ? 0 : 100;
		CHECK((vb_post_send(bed->pair, batch, 1) == 1) == (round < 2));
		CHECK(window->mw->rkey == (round == 0 ? 70 : 71));
	}
	fake.room = 100;
	vb_handle_done(bed->window);
}

static void an_unknown_operation_is_refused(struct bed *bed)
{
	begin();
	add(VB_SEND, 0);
	add(VB_OPERATIONS, 0);
	CHECK(vb_post_send(bed->pair, batch, 2) < 0);
	CHECK(fake.posted_count == 0);
}

static void receives_carry_their_buffers(struct bed *bed)
{
	struct {
		struct vb_receive receive;
		struct vb_buffer buffers[2];
	} request = {{.id = 5, .count = 2}, {{1, 2, 3}, {4, 5, 6}}};

	fake.posted_count = 0;
	CHECK(vb_post_receive(bed->pair, &request) == 0);
	CHECK(posted(0)->id == 5 && posted(0)->buffers == 2 && posted(0)->buffer.addr == 4);
	CHECK(posted(0)->buffer.length == 5 && posted(0)->buffer.lkey == 6);
}

static void completions_are_translated(struct bed *bed)
{
	struct vb_completion seen[4];

	fake.completions[0] = (struct ibv_wc){.wr_id = 1,
					      .status = IBV_WC_SUCCESS,
					      .opcode = IBV_WC_RECV_RDMA_WITH_IMM,
					      .byte_len = 10,
					      .qp_num = 77,
					      .imm_data = htobe32(0x0a0b0c0d),
					      .wc_flags = IBV_WC_WITH_IMM};
	fake.completions[1] = (struct ibv_wc){.wr_id = 2,
					      .opcode = IBV_WC_RECV,
					      .invalidated_rkey = 0x501,
					      .wc_flags = IBV_WC_WITH_INV};
	fake.completions[2] = (struct ibv_wc){
		.wr_id = 3, .status = IBV_WC_REM_ACCESS_ERR, .vendor_err = 8};
	/* Soft-RoCE's way to tell the same. */
	fake.completions[3] = (struct ibv_wc){.wr_id = 4,
					      .opcode = IBV_WC_RECV,
					      .invalidated_rkey = 0x502,
					      .wc_flags = IBV_WC_IP_CSUM_OK};
	fake.completion_count = 4;
	CHECK(vb_queue_poll(bed->sends, seen, 4) == 4);
	CHECK(seen[0].id == 1 && seen[0].opcode == 129 && seen[0].byte_length == 10);
	CHECK(seen[0].queue_pair == 77 && seen[0].immediate == 0x0a0b0c0d);
	CHECK(seen[0].flags == VB_HAS_IMMEDIATE);
	CHECK(seen[1].flags == VB_HAS_INVALIDATED_KEY && seen[1].immediate == 0x501);
	CHECK(seen[2].status == IBV_WC_REM_ACCESS_ERR && seen[2].vendor_error == 8);
	CHECK(seen[2].flags == 0);
	CHECK(seen[3].flags == VB_HAS_INVALIDATED_KEY && seen[3].immediate == 0x502);
}

static void as_many_completions_are_taken_as_there_is_room_for(struct bed *bed)
{
	static struct vb_completion seen[50];

	for (int i = 0; i < 50; i++)
		fake.completions[i] = (struct ibv_wc){.wr_id = (uint64_t)i};
	fake.completion_count = 50;
	CHECK(vb_queue_poll(bed->sends, seen, 40) == 40);
	CHECK(seen[39].id == 39 && fake.completion_count == 10);
	CHECK(vb_queue_poll(bed->sends, seen, 40) == 10);
	CHECK(seen[0].id == 40);
	CHECK(vb_queue_poll(bed->sends, seen, 40) == 0);
}

static void all_of(int without_extended, int without_flush)
{
	struct bed bed;

	fake_reset();
	fake.without_extended = without_extended;
	fake.without_flush = without_flush;
	bed_open(&bed);
	CHECK(((bed.info.capabilities & VB_FLUSH_GLOBAL) != 0) ==
	      !(without_extended || without_flush));
	CHECK(((bed.info.capabilities & VB_ATOMIC_WRITES) != 0) ==
	      !(without_extended || without_flush));
	CHECK(bed.info.capabilities & VB_MEMORY_WINDOW_TYPE_2B);
	each_operation_is_told(&bed, !without_extended && !without_flush);
	a_batch_is_one_doorbell(&bed);
	lists_of_buffers_go_by_post_send(&bed, !without_extended);
	many_requests_arrive_in_order(&bed);
	a_bind_of_a_stale_handle_posts_nothing(&bed);
	a_window_knows_its_latest_key(&bed);
	an_unknown_operation_is_refused(&bed);
	receives_carry_their_buffers(&bed);
	completions_are_translated(&bed);
	as_many_completions_are_taken_as_there_is_room_for(&bed);
	bed_close(&bed);
}

/* How many a full queue took differs, but what it took is the beginning. */
static void a_full_queue_says_how_many_it_took(int without_extended)
{
	struct bed bed;
	int taken;

	fake_reset();
	fake.without_extended = without_extended;
	bed_open(&bed);
	begin();
	for (int i = 0; i < 40; i++)
		add(VB_SEND, 0);
	fake.room = 20;
	taken = vb_post_send(bed.pair, batch, 40);
	CHECK(without_extended ? taken == 20 : taken == -ENOMEM);
	CHECK(fake.posted_count == (without_extended ? 20 : 0));
	bed_close(&bed);
}

int main(void)
{
	CHECK(vb_available((char[512]){0}, 512) == 0);
	all_of(0, 0);
	all_of(0, 1);
	all_of(1, 0);
	a_full_queue_says_how_many_it_took(0);
	a_full_queue_says_how_many_it_took(1);
	return 0;
}
