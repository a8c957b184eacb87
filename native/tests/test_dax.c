/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_dax.c -- devices of persistent memory, and writing back their cache lines
 */
#define _GNU_SOURCE
#include "../src/cache.h"
#include "check.h"
#include "fake_dax.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define ALIGNMENT (2U << 20)
#define SIZE (3 * ALIGNMENT)

static void make_device(void)
{
	fake_reset();
	if (fake_dax.file > 0)
		close(fake_dax.file);
	fake_dax = (struct fake_dax){
		.file = memfd_create("dax", MFD_CLOEXEC),
		.mode = S_IFCHR,
		.opened = makedev(FAKE_DAX_MAJOR, FAKE_DAX_MINOR),
		.subsystem = "../../../../../bus/dax",
		.size = "6291456\n",
		.align = "2097152\n",
	};
	CHECK(fake_dax.file > 0 && ftruncate(fake_dax.file, SIZE) == 0);
}

static int open_descriptors(void)
{
	int count = 0;

	for (int fd = 0; fd < 256; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

static void what_is_written_is_in_the_device(void)
{
	uint64_t facts[2];
	uint64_t address;
	int64_t dax;
	int64_t mapping;
	char found;

	make_device();
	CHECK((dax = vb_dax_open(FAKE_DAX, facts)) > 0);
	CHECK(facts[0] == SIZE && facts[1] == ALIGNMENT);
	CHECK((mapping = vb_dax_map(dax, 2 * ALIGNMENT, &address)) > 0);
	CHECK(fake_dax.map_flags == (MAP_SHARED_VALIDATE | MAP_SYNC));
	((char *)(uintptr_t)address)[ALIGNMENT + 5] = 'v';
	CHECK(vb_dax_write_back(mapping, ALIGNMENT + 5, 1) == 0);
	CHECK(pread(fake_dax.file, &found, 1, ALIGNMENT + 5) == 1 && found == 'v');
	CHECK(vb_dax_unmap(mapping) == 0);
	CHECK(vb_dax_close(dax) == 0);
}

static void a_device_is_one_owners(void)
{
	uint64_t facts[2];
	uint64_t address;
	int64_t dax;
	int64_t mapping;
	int64_t next;

	make_device();
	CHECK((dax = vb_dax_open(FAKE_DAX, facts)) > 0);
	CHECK(vb_dax_open(FAKE_DAX, facts) == -EAGAIN);
	CHECK((mapping = vb_dax_map(dax, SIZE, &address)) > 0);
	CHECK(vb_dax_open(FAKE_DAX, facts) == -EAGAIN);
	/* Whoever only reads on does not keep it. */
	CHECK(vb_dax_close(dax) == 0);
	CHECK((next = vb_dax_open(FAKE_DAX, facts)) > 0);
	CHECK(*(volatile char *)(uintptr_t)address == 0);
	CHECK(vb_dax_unmap(mapping) == 0);
	CHECK(vb_dax_close(next) == 0);
}

static void only_whole_multiples_within_it_are_mapped(void)
{
	const uint64_t wrong[] = {0, 1, 4096, ALIGNMENT - 1, ALIGNMENT + 4096, SIZE + ALIGNMENT,
				  UINT64_MAX};
	uint64_t facts[2];
	uint64_t address;
	int64_t dax;
	int64_t mapping;

	make_device();
	CHECK((dax = vb_dax_open(FAKE_DAX, facts)) > 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CHECK(vb_dax_map(dax, wrong[i], &address) == -EINVAL);
	CHECK((mapping = vb_dax_map(dax, SIZE, &address)) > 0);
	CHECK(vb_dax_write_back(mapping, 0, SIZE) == 0);
	CHECK(vb_dax_write_back(mapping, SIZE, 0) == 0);
	CHECK(vb_dax_write_back(mapping, SIZE, 1) == -EINVAL);
	CHECK(vb_dax_write_back(mapping, 1, SIZE) == -EINVAL);
	CHECK(vb_dax_write_back(mapping, 1, UINT64_MAX) == -EINVAL);
	CHECK(vb_dax_unmap(mapping) == 0);
	CHECK(vb_dax_close(dax) == 0);
}

static void handles_that_ended_are_errors(void)
{
	uint64_t facts[2];
	uint64_t address;
	int64_t dax;
	int64_t mapping;

	make_device();
	CHECK((dax = vb_dax_open(FAKE_DAX, facts)) > 0);
	CHECK((mapping = vb_dax_map(dax, SIZE, &address)) > 0);
	CHECK(vb_dax_unmap(dax) == -EBADF && vb_dax_close(mapping) == -EBADF);
	CHECK(vb_dax_unmap(mapping) == 0);
	CHECK(vb_dax_unmap(mapping) == -EBADF);
	CHECK(vb_dax_write_back(mapping, 0, 1) == -EBADF);
	CHECK(vb_dax_close(dax) == 0);
	CHECK(vb_dax_close(dax) == -EBADF);
	CHECK(vb_dax_map(dax, SIZE, &address) == -EBADF);
}

static void what_is_no_dax_device_is_refused(void)
{
	uint64_t facts[2];

	make_device();
	CHECK(vb_dax_open("/dev/null", facts) == -ENODEV);
	CHECK(vb_dax_open("/", facts) == -ENODEV);
	CHECK(vb_dax_open("/dev/nothing-of-this-name", facts) == -ENOENT);
	fake_dax.mode = S_IFREG;
	CHECK(vb_dax_open(FAKE_DAX, facts) == -ENODEV);
	fake_dax.mode = S_IFCHR;
	fake_dax.subsystem = "../../../bus/notdax";
	CHECK(vb_dax_open(FAKE_DAX, facts) == -ENODEV);
	/* Another one came under its name while it was opened. */
	fake_dax.subsystem = "../../../class/dax";
	fake_dax.opened = makedev(1, 3);
	CHECK(vb_dax_open(FAKE_DAX, facts) == -ENODEV);
}

static void what_the_kernel_does_not_tell_of_is_refused(void)
{
	uint64_t facts[2];

	make_device();
	fake_dax.subsystem = NULL;
	CHECK(vb_dax_open(FAKE_DAX, facts) == -ENXIO);
	make_device();
	fake_dax.size = NULL;
	CHECK(vb_dax_open(FAKE_DAX, facts) == -ENXIO);
	fake_dax.size = "0\n";
	CHECK(vb_dax_open(FAKE_DAX, facts) == -ENXIO);
	make_device();
	fake_dax.align = NULL;
	CHECK(vb_dax_open(FAKE_DAX, facts) == -ENXIO);
	fake_dax.align = "";
	CHECK(vb_dax_open(FAKE_DAX, facts) == -ENXIO);
}

static int errors;

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

static int tell(int fail_at)
{
	uint64_t facts[2];
	uint64_t address;
	int64_t mapping = 0;
	int64_t dax;

	fake_reset();
	fake.fail_at = fail_at;
	fake.error = EIO;
	errors = 0;
	dax = note(vb_dax_open(FAKE_DAX, facts));
	if (dax > 0)
		mapping = note(vb_dax_map(dax, SIZE, &address));
	if (mapping > 0)
		note(vb_dax_write_back(mapping, 0, SIZE));
	end(vb_dax_unmap, mapping);
	end(vb_dax_close, dax);
	return fake.calls;
}

/* Each call fails in turn, is reported and leaves neither a descriptor nor a mapping nor a lock. */
static void every_failure_is_told_and_leaves_nothing(void)
{
	int descriptors;
	int calls;

	make_device();
	descriptors = open_descriptors();
	calls = tell(0);
	CHECK(errors == 0 && calls > 0);
	for (int i = 1; i <= calls; i++) {
		tell(i);
		if (!fake.failed || errors != 1 || fake_dax.mapped != 0 ||
		    open_descriptors() != descriptors) {
			fprintf(stderr, "call %d, %s: %d errors told, %d mappings left\n", i,
				fake.failed ? fake.failed : "none", errors, fake_dax.mapped);
			exit(1);
		}
	}
	CHECK(tell(0) == calls && errors == 0);
	printf("%d calls failed one by one\n", calls);
}

#ifdef __x86_64__
static void the_best_instruction_is_chosen(void)
{
	const uint32_t line64 = 8 << 8, clflush = 1U << 19, clflushopt = 1U << 23, clwb = 1U << 24;
	struct vb_cache chosen;

	CHECK(vb_cache_choose(line64, clflush, clflushopt | clwb, &chosen) == 0);
	CHECK(strcmp(chosen.instruction, "clwb") == 0 && chosen.line == 64);
	CHECK(vb_cache_choose(line64, clflush, clflushopt, &chosen) == 0);
	CHECK(strcmp(chosen.instruction, "clflushopt") == 0);
	CHECK(vb_cache_choose(line64, clflush, 0, &chosen) == 0);
	CHECK(strcmp(chosen.instruction, "clflush") == 0);
	CHECK(vb_cache_choose(line64, 0, 0, &chosen) == -ENOTSUP);
	CHECK(vb_cache_choose(0, clflush, clwb, &chosen) == -ENOTSUP);
	CHECK(vb_cache_choose(3 << 8, clflush, clwb, &chosen) == -ENOTSUP);
}
#endif

static uintptr_t first_line;
static uintptr_t last_line;
static int lines;

static void count_line(void *line)
{
	if (lines++ == 0)
		first_line = (uintptr_t)line;
	last_line = (uintptr_t)line;
}

static int lines_of(uint64_t address, uint64_t bytes)
{
	const struct vb_cache counting = {"counted", count_line, 64};

	lines = 0;
	vb_cache_write_back(&counting, address, bytes);
	return lines;
}

static void each_line_with_a_byte_of_the_range_is_written_back_once(void)
{
	CHECK(lines_of(0x1000, 64) == 1 && first_line == 0x1000);
	CHECK(lines_of(0x1000, 65) == 2 && last_line == 0x1040);
	CHECK(lines_of(0x103f, 1) == 1 && first_line == 0x1000);
	CHECK(lines_of(0x103f, 2) == 2 && first_line == 0x1000 && last_line == 0x1040);
	CHECK(lines_of(0x1001, 4096) == 65 && last_line == 0x2000);
	CHECK(lines_of(0x1000, 0) == 0);
}

int main(void)
{
	what_is_written_is_in_the_device();
	a_device_is_one_owners();
	only_whole_multiples_within_it_are_mapped();
	handles_that_ended_are_errors();
	what_is_no_dax_device_is_refused();
	what_the_kernel_does_not_tell_of_is_refused();
	every_failure_is_told_and_leaves_nothing();
#ifdef __x86_64__
	the_best_instruction_is_chosen();
#endif
	each_line_with_a_byte_of_the_range_is_written_back_once();
	return 0;
}
