/*
 * lives.c: the file HOST.PID.N.threads.live: the live chunks of all threads of a process but the first.
 *
 * Making and removing a file costs a disk's file system much more than all else that a thread needs. So a thread gets a place in
 * this file; a batch of places is reserved and mapped at a time, so most threads make no system call for it. Each stream has one
 * place, by its number, and never gives it to another one. If anything fails here, the stream gets a file of its own.
 */
#include "record/base/lives.h"
#include "record/base/files.h"
#include "record/base/lock.h"
#include "record/base/memory_map.h"
#include "record/base/process.h"
#include "record/format.h"
#include "record/own/own.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BATCH 16	/* places reserved at a time, once there are as many */
#define BATCHES 260
#define PLACES (BATCH * (BATCHES - 4))

static struct {
	int lock;			/* held while files are made */
	uint64_t place_size;		/* in whole pages, to which places are mapped; page sizes differ between machines */
	enum { LIVES_NONE, LIVES_THERE, LIVES_GONE } state;
	uint64_t device, inode;		/* of the file */
	uint32_t users;			/* places that have a chunk */
	char *batch[BATCHES];		/* mapped; NULL: not yet */
} lives;

static uint64_t page_size(void)
{
	uint64_t page = getauxval(AT_PAGESZ);

	return page ? page : 4096;
}

/* Batches have 1, 1, 2, 4, 8, and then BATCH places each: at most half of the reserved places are unused. */
static uint32_t batch_of(uint32_t place)
{
	if (!place)
		return 0;
	return place < BATCH ? 32 - (uint32_t)__builtin_clz(place) : place / BATCH + 4;
}

static uint32_t batch_first(uint32_t b)
{
	if (!b)
		return 0;
	return b < 5 ? 1u << (b - 1) : (b - 4) * BATCH;
}

static uint32_t batch_places(uint32_t b)
{
	return batch_first(b + 1) - batch_first(b);
}

static bool head_write(int fd)
{
	struct tau_lives_header h = {
		.magic = TAU_LIVES_MAGIC,
		.major = TAU_VERSION_MAJOR,
		.minor = TAU_VERSION_MINOR,
		.header_size = (uint32_t)page_size(),
		.process_id = process.id,
		.place_size = lives.place_size,
	};
	struct stat st;

	if (fstat(fd, &st) < 0 || !file_write(fd, &h, sizeof(h)))
		return false;
	lives.device = st.st_dev;
	lives.inode = st.st_ino;
	return live_link(NULL, TAU_LIVE_SUFFIX);
}

/* The file, made if there is none yet. -1: there is none, and it will not be tried again. */
static int lives_open(void)
{
	struct stat st;
	int fd;

	if (lives.state == LIVES_THERE) {
		fd = stream_open(NULL, PLACE_LIVE, TAU_LIVE_SUFFIX, O_RDWR);
		if (fd < 0 || (fstat(fd, &st) == 0 && st.st_dev == lives.device &&
			       st.st_ino == lives.inode))
			return fd;
		file_close(fd);
		return -1;
	}
	fd = stream_replace(NULL, PLACE_LIVE, TAU_LIVE_SUFFIX, O_RDWR);
	if (fd < 0)
		return -1;
	if (head_write(fd)) {
		lives.state = LIVES_THERE;
		return fd;
	}
	file_close(fd);
	stream_unlink(NULL, PLACE_LIVE, TAU_LIVE_SUFFIX);
	lives.state = LIVES_GONE;
	return -1;
}

/*
 * Reserves and maps a batch. Few threads write to many of its pages one after another, so the kernel need not read ahead pages that
 * are empty anyway: that costs more than the page itself.
 */
static char *batch_map(uint32_t b)
{
	uint64_t bytes = batch_places(b) * lives.place_size,
		 from = page_size() + batch_first(b) * lives.place_size;
	char *p = MAP_FAILED;
	int fd = lives_open();

	if (fd < 0)
		return NULL;
	if (file_reserve(fd, from, bytes))
		p = map_at(bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)from);
	else if (errno == EFBIG)
		xfsz_swallow();
	file_close(fd);
	if (p == MAP_FAILED)
		return NULL;
	system_call(SYS_madvise, p, bytes, MADV_RANDOM);
	return p;
}

struct tau_live_header *lives_claim(uint32_t stream, uint64_t *size)
{
	uint32_t place = stream - 1, b;
	char *p = NULL;

	if (!stream || place >= PLACES)
		return NULL;
	b = batch_of(place);
	sleep_lock(&lives.lock);
	if (!lives.place_size)
		lives.place_size = (*size + page_size() - 1) / page_size() * page_size();
	if (lives.state != LIVES_GONE && *size <= lives.place_size) {
		if (!lives.batch[b])
			lives.batch[b] = batch_map(b);
		p = lives.batch[b];
		lives.users += p != NULL;
	}
	sleep_unlock(&lives.lock);
	if (!p)
		return NULL;
	*size = lives.place_size;
	return (void *)(p + (place - batch_first(b)) * *size);
}

void lives_release(struct tau_live_header *live)
{
	memset(live->magic, 0, sizeof(live->magic));
	sleep_lock(&lives.lock);
	lives.users--;
	sleep_unlock(&lives.lock);
}

void lives_end(void)
{
	sleep_lock(&lives.lock);
	if (lives.state == LIVES_THERE && !lives.users) {
		live_remove(NULL, TAU_LIVE_SUFFIX);
		lives.state = LIVES_GONE;
	}
	sleep_unlock(&lives.lock);
}

void lives_forget(void)
{
	for (uint32_t b = 0; b < BATCHES; b++)
		if (lives.batch[b])
			munmap(lives.batch[b], batch_places(b) * lives.place_size);
	memset(&lives, 0, sizeof(lives));
}
