/* SPDX-License-Identifier: Apache-2.0 */
/*
 * handle.c -- the table of native objects
 *
 * The state of a slot is one word, so that a use costs two atomic additions:
 *
 *	 63           32  31      30        0
 *	+---------------+--------+-----------+
 *	| generation,   | ending | uses      |
 *	| type          |        |           |
 *	+---------------+--------+-----------+
 */
#include "handle.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#define CHUNK 1024
#define CHUNKS 1024
#define NONE UINT32_MAX
#define ENDING (1ULL << 31)
#define USES (ENDING - 1)
#define TYPE_BITS 8
#define GENERATIONS (1U << 23)
#define PATIENCE_SECONDS 10

struct slot {
	_Atomic uint64_t state;
	struct vb_object *object;
	uint32_t generation;
	uint32_t next_free;
};

static _Atomic(struct slot *) chunks[CHUNKS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t first_free = NONE;
static uint32_t made;

static struct slot *slot_of(uint32_t index)
{
	struct slot *chunk;

	if (index >= (uint32_t)CHUNK * CHUNKS)
		return NULL;
	chunk = atomic_load_explicit(&chunks[index / CHUNK], memory_order_acquire);
	return chunk ? &chunk[index % CHUNK] : NULL;
}

/*
 * grow -- makes a chunk of free slots; the lock is held
 */
static int grow(void)
{
	struct slot *chunk;

	if (made == CHUNKS)
		return -ENOMEM;
	chunk = calloc(CHUNK, sizeof(*chunk));
	if (!chunk)
		return -ENOMEM;
	for (uint32_t i = 0; i < CHUNK; i++)
		chunk[i].next_free = i + 1 < CHUNK ? made * CHUNK + i + 1 : NONE;
	atomic_store_explicit(&chunks[made], chunk, memory_order_release);
	first_free = made * CHUNK;
	made++;
	return 0;
}

static uint64_t tag_of(int64_t handle)
{
	return (uint64_t)handle >> 32;
}

int64_t vb_handle_new(enum vb_type type, struct vb_object *object)
{
	struct slot *slot;
	uint32_t index;
	uint64_t tag;

	pthread_mutex_lock(&lock);
	if (first_free == NONE && grow()) {
		pthread_mutex_unlock(&lock);
		return -ENOMEM;
	}
	index = first_free;
	slot = slot_of(index);
	first_free = slot->next_free;
	pthread_mutex_unlock(&lock);

	/* Never 0, so a slot that is free has a tag that no handle has. */
	slot->generation = slot->generation % (GENERATIONS - 1) + 1;
	slot->object = object;
	for (int i = 0; i < VB_PARENTS; i++)
		if (object->parents[i])
			atomic_fetch_add(&object->parents[i]->children, 1);
	tag = (uint64_t)slot->generation << TYPE_BITS | type;
	atomic_store_explicit(&slot->state, tag << 32, memory_order_release);
	return (int64_t)(tag << 32 | index);
}

void *vb_handle_use(int64_t handle, enum vb_type type)
{
	struct slot *slot = slot_of((uint32_t)handle);
	uint64_t state;

	if (!slot || (tag_of(handle) & ((1 << TYPE_BITS) - 1)) != type)
		return NULL;
	state = atomic_load_explicit(&slot->state, memory_order_relaxed);
	do {
		if (state >> 32 != tag_of(handle) || (state & ENDING))
			return NULL;
	} while (!atomic_compare_exchange_weak_explicit(&slot->state, &state, state + 1,
							memory_order_acquire,
							memory_order_relaxed));
	return slot->object;
}

void vb_handle_done(int64_t handle)
{
	struct slot *slot = slot_of((uint32_t)handle);

	atomic_fetch_sub_explicit(&slot->state, 1, memory_order_release);
}

/*
 * await_unused -- whether all uses ended in time
 */
static int await_unused(struct slot *slot)
{
	const struct timespec pause = {0, 100 * 1000};

	for (long i = 0; i < PATIENCE_SECONDS * 10000L; i++) {
		if (!(atomic_load_explicit(&slot->state, memory_order_acquire) & USES))
			return 1;
		nanosleep(&pause, NULL);
	}
	return 0;
}

int vb_handle_end(int64_t handle, enum vb_type type, int (*destroy)(void *))
{
	struct vb_object *parents[VB_PARENTS];
	struct slot *slot = slot_of((uint32_t)handle);
	struct vb_object *object;
	uint64_t state;
	int ret = 0;

	if (!slot || (tag_of(handle) & ((1 << TYPE_BITS) - 1)) != type)
		return -EBADF;
	state = atomic_load_explicit(&slot->state, memory_order_relaxed);
	do {
		if (state >> 32 != tag_of(handle) || (state & ENDING))
			return -EBADF;
	} while (!atomic_compare_exchange_weak(&slot->state, &state, state | ENDING));

	object = slot->object;
	if (!await_unused(slot) || atomic_load(&object->children) > 0)
		ret = -EBUSY;
	if (!ret) {
		for (int i = 0; i < VB_PARENTS; i++)
			parents[i] = object->parents[i];
		ret = destroy(object);
	}
	if (ret) {
		atomic_fetch_and(&slot->state, ~ENDING);
		return ret;
	}
	for (int i = 0; i < VB_PARENTS; i++)
		if (parents[i])
			atomic_fetch_sub(&parents[i]->children, 1);
	slot->object = NULL;
	atomic_store_explicit(&slot->state, 0, memory_order_release);
	pthread_mutex_lock(&lock);
	slot->next_free = first_free;
	first_free = (uint32_t)handle;
	pthread_mutex_unlock(&lock);
	return 0;
}
