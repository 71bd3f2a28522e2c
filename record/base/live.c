/*
 * live.c: the live mapping of a stream: a file of fixed size, or a place in the file of the threads (lives.c), in which its chunk
 * is rewritten.
 *
 * Space is reserved before it is mapped, so that a full disk is an error here and not a SIGBUS in the program.
 */
#include "record/base/live.h"
#include "record/base/files.h"
#include "record/base/gate.h"
#include "record/base/lives.h"
#include "record/base/memory_map.h"
#include "record/base/process.h"
#include "record/base/stream.h"
#include "record/format.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LIVE_HEADER 4096
#define FRESH_SUFFIX TAU_LIVE_SUFFIX ".new"
#define FIRST_BYTES 4096	/* of the head and of each column: each thread writes there */

static const uint32_t LITTLE_CAP[TAU_COLUMNS] = {4096, 16384, 0, 8192};
static const uint32_t FIRST_CAP[TAU_COLUMNS] = {16384, 196608, 0, 32768};

static void column_place(struct tau_live_header *live)
{
	uint64_t at = (uint64_t)live + live->header_size;

	for (int c = 0; c < TAU_COLUMNS; c++) {
		live->base[c] = live->cur[c] = at;
		at += live->cap[c];
	}
}

void *file_map(const struct stream *s, const char *suffix, size_t size, bool with_pages)
{
	void *p = MAP_FAILED;
	int fd = stream_replace(s, PLACE_LIVE, suffix, O_RDWR), error;

	if (fd < 0)
		return NULL;
	if (file_reserve(fd, 0, size))
		p = map_at(size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	error = errno;
	if (p != MAP_FAILED && with_pages)
		map_populate(p, size);
	file_close(fd);
	if (p != MAP_FAILED)
		return p;
	stream_unlink(s, PLACE_LIVE, suffix);
	if (error == EFBIG)
		xfsz_swallow();
	errno = error;
	return NULL;
}

static size_t caps_sum(const uint32_t cap[TAU_COLUMNS])
{
	size_t sum = 0;

	for (int c = 0; c < TAU_COLUMNS; c++)
		sum += cap[c];
	return sum;
}

/* Sets all fields except the chunk. */
static void live_equip(struct tau_live_header *live, size_t header_size, size_t map_size,
		       const uint32_t cap[TAU_COLUMNS])
{
	live->header_size = (uint32_t)header_size;
	live->map_size = map_size;
	memcpy(live->cap, cap, sizeof(live->cap));
	column_place(live);
	live->metrics = process.metrics;
	live->major = TAU_VERSION_MAJOR;
	live->minor = TAU_VERSION_MINOR;
}

/*
 * A new live mapping in the file of this suffix. NULL and errno on failure. Allocating pages one by one disturbs the first chunk
 * (2 us each; all at once take 15 us); but a thousand threads should not allocate pages that they never fill.
 */
static struct tau_live_header *live_new(const struct stream *s, const char *suffix,
					const uint32_t cap[TAU_COLUMNS])
{
	size_t size = LIVE_HEADER + caps_sum(cap);
	struct tau_live_header *live = file_map(s, suffix, size, s->number == 0);

	if (live)
		live_equip(live, LIVE_HEADER, size, cap);
	return live;
}

/* One in the file of the threads. The head takes a part of column DEFS, because each page that is touched costs a thread time. */
static struct tau_live_header *live_place(struct stream *s, const uint32_t cap[TAU_COLUMNS])
{
	uint32_t less[TAU_COLUMNS];
	struct tau_live_header *live;
	uint64_t size = caps_sum(cap);

	if (s->closed)
		return NULL;
	live = lives_claim(s->number, &size);
	if (!live)
		return NULL;
	memcpy(less, cap, sizeof(less));
	less[TAU_DEFS] -= sizeof(*live);
	map_populate(live, FIRST_BYTES);
	live_equip(live, sizeof(*live), size, less);
	map_populate((void *)live->base[TAU_TIMES], FIRST_BYTES);
	map_populate((void *)live->base[TAU_ARGS], FIRST_BYTES);
	s->in_lives = true;
	return live;
}

struct tau_live_header *live_create(struct stream *s, bool little)
{
	const uint32_t *cap = little ? LITTLE_CAP : FIRST_CAP;
	struct tau_live_header *live = live_place(s, cap);
	int error;

	if (live)
		return live;
	live = live_new(s, TAU_LIVE_SUFFIX, cap);
	if (!live || live_link(s, TAU_LIVE_SUFFIX))
		return live;
	error = errno;
	munmap(live, live->map_size);
	stream_unlink(s, PLACE_LIVE, TAU_LIVE_SUFFIX);
	errno = error;
	return NULL;
}

/* Other threads may count in the head of live just now: if it is the process's counter, its first page stays mapped. */
static void live_unmap(struct tau_live_header *live)
{
	if (live == process.counter)
		munmap((char *)live + LIVE_HEADER, live->map_size - LIVE_HEADER);
	else
		munmap(live, live->map_size);
}

void live_end(struct stream *s)
{
	struct tau_live_header *live = s->live;

	if (s->in_lives) {
		lives_release(live);
	} else {
		live_remove(s, TAU_LIVE_SUFFIX);
		live_unmap(live);
	}
	if (live == process.counter)
		__atomic_store_n(&process.counter, NULL, __ATOMIC_RELEASE);
	s->in_lives = false;
	s->live = NULL;
}

void live_counts(struct stream *s)
{
	struct tau_live_header *none = NULL;

	if (__atomic_compare_exchange_n(&process.counter, &none, s->live, false, __ATOMIC_ACQ_REL,
					__ATOMIC_RELAXED))
		live_lost(s->live, __atomic_exchange_n(&tau_gate.lost, 0, __ATOMIC_RELAXED));
}

void lost_without_file(void)
{
	struct tau_live_header *live = __atomic_load_n(&process.counter, __ATOMIC_ACQUIRE);

	if (live)
		live_lost(live, 1);
	else
		__atomic_add_fetch(&tau_gate.lost, 1, __ATOMIC_RELAXED);
}

void live_forget(struct stream *s)
{
	if (s->live && !s->in_lives)
		munmap(s->live, s->live->map_size);
	s->in_lives = false;
	s->live = NULL;
}

/* Replaces the live mapping of a stream by a larger one; only before chunk_begin(). */
bool live_resize(struct stream *s, enum tau_column column, size_t want)
{
	uint32_t cap[TAU_COLUMNS];
	struct tau_live_header *live, *old = s->live;

	memcpy(cap, old->cap, sizeof(cap));
	while (cap[column] < want) {
		if (cap[column] > UINT32_MAX / 4) {
			errno = EFBIG;
			return false;
		}
		cap[column] *= 2;
	}
	live = live_new(s, FRESH_SUFFIX, cap);
	if (!live)
		return false;
	memcpy(live->magic, old->magic, sizeof(live->magic));
	live->process_id = old->process_id;
	live->thread = old->thread;
	live->seq = old->seq;
	live->lost = old->lost;
	live->first_tick = old->first_tick;
	live->last_tick = old->last_tick;
	if (!stream_rename(s, PLACE_LIVE, FRESH_SUFFIX, TAU_LIVE_SUFFIX) ||
	    (s->in_lives && !live_link(s, TAU_LIVE_SUFFIX))) {
		munmap(live, live->map_size);
		return false;
	}
	if (s->in_lives)
		lives_release(old);
	else
		live_unmap(old);
	if (old == process.counter)
		__atomic_store_n(&process.counter, live, __ATOMIC_RELEASE);
	s->in_lives = false;
	s->live = live;
	return true;
}
