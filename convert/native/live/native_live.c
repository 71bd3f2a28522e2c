/*
 * native_live.c: the chunk that is being written, or that a killed process left: FILE.live beside FILE.tau, or a place in the file
 * of the threads. It has no checksum and its writer may be running, so it is copied with care and believed only as far as it fits.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "convert/native/file/native_chunks.h"
#include "convert/native/file/native_columns.h"
#include "convert/native/live/native_fold.h"
#include "convert/native/live/native_live.h"
#include "convert/native/live/native_lives.h"
#include "convert/native/file/native_load.h"
#include "convert/native/file/native_numbers.h"
#include "convert/native/file/native_pages.h"
#include "convert/native/live/native_waits.h"
#include "convert/native/live/native_whole.h"

#define COLUMN_LIMIT (256u << 20)	/* bytes of one column: far above any recorder's buffer */

/* NULL, or why the live header cannot be used. Fills in offset and length of each column. */
static const char *live_check(const struct native_file *f, const struct tau_live_header *l,
			      uint64_t size, uint64_t *offset, uint64_t *length)
{
	if (memcmp(l->magic, TAU_LIVE_MAGIC, 8) || l->major != TAU_VERSION_MAJOR)
		return "it is not a live chunk of this version";
	if (l->process_id != f->head.process_id || l->thread != f->head.thread)
		return "it belongs to another stream";
	if (l->header_size < TAU_LIVE_LEAST)
		return "its header size is impossible";
	if (l->last_tick < l->first_tick || l->last_tick >> 63)
		return "its times are impossible";
	if (l->metrics > TAU_METRICS)
		return "it has more metrics than there can be";
	for (int c = 0; c < TAU_COLUMNS; c++) {
		length[c] = l->cur[c] - l->base[c];
		offset[c] = l->base[c] - l->base[TAU_DEFS] + l->header_size;
		if (l->cur[c] < l->base[c] || l->base[c] < l->base[TAU_DEFS] ||
		    length[c] > l->cap[c] || length[c] > COLUMN_LIMIT || offset[c] > size ||
		    length[c] > size - offset[c])
			return "a column's place is impossible";
	}
	return NULL;
}

/* The records of a live chunk, 4 bytes each, become the planes of TIMES and IDS that a sealed chunk has. */
static void live_split(struct native_columns *c)
{
	size_t n = c->length[TAU_TIMES] / 4;
	unsigned char *records = c->data[TAU_TIMES];

	c->data[TAU_TIMES] = NULL;
	c->cap[TAU_TIMES] = 0;
	native_column_reserve(c, TAU_TIMES, 2 * n);
	native_column_reserve(c, TAU_IDS, 2 * n);
	for (size_t i = 0; i < n; i++) {
		c->data[TAU_TIMES][i] = records[4 * i];
		c->data[TAU_TIMES][n + i] = records[4 * i + 1];
		c->data[TAU_IDS][i] = records[4 * i + 2];
		c->data[TAU_IDS][n + i] = records[4 * i + 3];
	}
	c->head.records = (uint32_t)n;
	free(records);
}

/* The other way round, as it stood in the live chunk. */
static void live_join(struct native_columns *c)
{
	size_t n = c->head.records;
	unsigned char *records = mem_resize(NULL, 4 * n + NATIVE_PAD, 1);

	for (size_t i = 0; i < n; i++) {
		records[4 * i] = c->data[TAU_TIMES][i];
		records[4 * i + 1] = c->data[TAU_TIMES][n + i];
		records[4 * i + 2] = c->data[TAU_IDS][i];
		records[4 * i + 3] = c->data[TAU_IDS][n + i];
	}
	memset(records + 4 * n, 0, NATIVE_PAD);
	free(c->data[TAU_TIMES]);
	c->data[TAU_TIMES] = records;
	c->length[TAU_TIMES] = 4 * n;
	c->cap[TAU_TIMES] = 4 * n + NATIVE_PAD;
}

/* The file is there, and its first chunk is being set up: the magic is written last. */
static const char not_begun[] = "its first chunk was never begun";
static const char cut_short[] = "it is cut short";

/* The copy is whole: its columns become those of a chunk. */
static void live_keep_copy(struct native_file *f, const struct tau_live_header *now)
{
	struct native_columns *c = &f->live_columns;

	f->live = *now;
	f->stopped = now->state == TAU_LIVE_STOPPED;
	f->stop_error = now->error;
	c->head = (struct tau_chunk_header){.magic = TAU_CHUNK_MAGIC,
					    .kind = TAU_CHUNK_EVENTS,
					    .metrics = (uint8_t)now->metrics,
					    .seq = now->seq,
					    .first_tick = now->first_tick,
					    .last_tick = now->last_tick,
					    .lost = now->lost,
					    .sync_tick = now->sync_tick,
					    .sync_mono_ns = now->sync_mono_ns,
					    .sync_real_ns = now->sync_real_ns};
	live_split(c);
	for (int i = 0; i < TAU_COLUMNS; i++)
		c->head.raw[i] = c->head.stored[i] = (uint32_t)c->length[i];
}

/* Copies the columns of the live chunk as far as the header has them: NULL, or why not. */
static const char *columns_copy(struct native_file *f, int fd, uint64_t size,
				const struct tau_live_header *now)
{
	uint64_t offset[TAU_COLUMNS], length[TAU_COLUMNS];
	struct native_columns *c = &f->live_columns;
	const char *wrong = live_check(f, now, size, offset, length);

	for (int i = 0; i < TAU_COLUMNS && !wrong; i++) {
		native_column_reserve(c, i, length[i]);
		if (native_read_at(fd, c->data[i], length[i], f->live_at + offset[i]))
			wrong = cut_short;
	}
	return wrong;
}

/* One attempt at a copy. *again: the chunk was sealed meanwhile. */
static const char *live_try(struct native_file *f, int fd, uint64_t size, int *again)
{
	struct tau_live_header first = {.magic = {0}}, now, after;
	struct native_fold fold;
	const char *wrong = NULL;
	uint64_t tick, since;

	if (native_read_at(fd, &first, sizeof(first), f->live_at))
		return cut_short;
	if (!memcmp(first.magic, (char[sizeof(first.magic)]){0}, sizeof(first.magic)))
		return not_begun;
	since = first.last_tick;
	native_fold_read(f, &fold);
	if (native_read_at(fd, &now, sizeof(now), f->live_at) ||
	    (fold.there && native_read_at(fd, &first, sizeof(first), f->live_at)))
		wrong = cut_short;
	*again = !wrong && first.seq != now.seq;
	tick = now.first_tick;
	now.cur[TAU_TIMES] = first.cur[TAU_TIMES];
	if (!wrong && !*again)
		wrong = columns_copy(f, fd, size, &now);
	if (!wrong && !*again && native_read_at(fd, &after, sizeof(after), f->live_at))
		wrong = cut_short;
	if (!wrong && !*again)
		*again = after.seq != now.seq;
	if (!wrong && !*again) {
		native_whole_keep(&f->live_columns, now.metrics, &tick);
		f->unfolded = native_fold_add(
			&fold, &f->live_columns, &now,
			(struct native_fold_chunk){
				.moved = fold.moved || since != after.last_tick ||
					 first.cur[TAU_TIMES] != after.cur[TAU_TIMES],
				.tick = since});
		native_waits_add(&f->live_columns, &now);
		live_keep_copy(f, &now);
	}
	native_fold_release(&fold);
	return wrong;
}

/*
 * Takes a copy of the live chunk. Its writer may be running: folded calls are read first, then the length of TIMES, and the
 * other columns, which are written before it, afterwards; a chunk number that changed meanwhile means start again.
 */
static const char *live_copy(struct native_file *f, int fd, uint64_t size)
{
	int again = 1;

	if (!size)
		return not_begun;
	for (int attempt = 0; attempt < 20 && again; attempt++) {
		const char *wrong = live_try(f, fd, size, &again);

		if (wrong)
			return wrong;
	}
	return again ? "it was being written" : NULL;
}

/* Nothing was written since: takes what was read then. Folded calls change without the live chunk. */
static int live_keep(struct native_file *f, struct native_file *was, int fd)
{
	struct tau_live_header now;

	if (!was || !was->live.magic[0] || was->folded ||
	    native_read_at(fd, &now, sizeof(now), f->live_at) ||
	    memcmp(&now, &was->live, sizeof(now)) || native_fold_is(f))
		return 0;
	f->live = was->live;
	f->live_columns = was->live_columns;
	was->live_columns = (struct native_columns){0};
	f->stopped = now.state == TAU_LIVE_STOPPED;
	f->stop_error = now.error;
	return 1;
}

static int live_file(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

/* FILE.live of this stream. *size: its bytes. -1 and errno. */
static int own_open(struct native_file *f, uint64_t *size)
{
	size_t stem = strlen(f->path) - strlen(TAU_TRACE_SUFFIX);
	struct stat st;
	int fd;

	f->live_path = mem_printf("%.*s%s", (int)stem, f->path, TAU_LIVE_SUFFIX);
	f->live_at = 0;
	fd = live_file(f->live_path);
	*size = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) ? (uint64_t)st.st_size
								  : UINT64_MAX;
	return fd;
}

static const char elsewhere[] = "it was kept in another directory and is not there";

/* A link to a file that is not there. */
static int is_dangling(const char *path)
{
	struct stat st;

	return errno == ENOENT && !lstat(path, &st);
}

/* The stream's place in the file of the threads, if there is a chunk. live_path becomes the name of that file if it can be used. */
static int place_open(struct native_file *f, uint64_t *size, const char **wrong)
{
	char *path = native_lives_name(f->path);
	int fd = path && f->head.thread ? live_file(path) : -1, found = -1;
	struct native_place place = {0};
	struct stat st;

	*wrong = NULL;
	if (fd < 0 && path && f->head.thread && is_dangling(path))
		*wrong = elsewhere;
	else if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode))
		found = native_lives_find(fd, f->head.thread, &place);
	if (found > 0)
		*wrong = "the head of the file is damaged";
	free(f->live_path);
	f->live_path = *wrong || !found ? path : NULL;
	f->live_at = place.at;
	*size = place.size;
	if (!f->live_path)
		free(path);
	if (!found)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Before the chunks of FILE.tau are listed, so that a chunk sealed in between is found there. */
const char *native_live_open(struct native_file *f, struct native_file *was)
{
	size_t length = strlen(f->path), stem = length - strlen(TAU_TRACE_SUFFIX);
	static const char unreadable[] = "it cannot be read";
	const char *wrong;
	uint64_t size;
	int fd = -1;

	if (length < strlen(TAU_TRACE_SUFFIX) || strcmp(f->path + stem, TAU_TRACE_SUFFIX))
		return NULL;
	/* The chunk may move from its place to a file of its own in between. */
	for (int i = 0; i < 2 && fd < 0; i++) {
		fd = own_open(f, &size);
		if (fd < 0 && errno != ENOENT)
			return unreadable;
		if (fd < 0 && is_dangling(f->live_path))
			return elsewhere;
		if (fd < 0)
			fd = place_open(f, &size, &wrong);
		if (fd < 0 && wrong)
			return wrong;
	}
	if (fd < 0)
		return NULL;
	wrong = unreadable;
	if (live_keep(f, was, fd))
		wrong = NULL;
	else if (size != UINT64_MAX)
		wrong = live_copy(f, fd, size);
	close(fd);
	return wrong;
}

/* Is the live chunk still the one that was copied? */
static int live_same(const struct native_file *f)
{
	int fd = open(f->live_path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), same;
	struct tau_live_header now;

	if (fd < 0)
		return 0;
	same = !native_read_at(fd, &now, sizeof(now), f->live_at) && now.seq == f->live.seq;
	close(fd);
	return same;
}

/*
 * The live chunk is a stale copy: the process was killed after it stored the last chunk and before
 * it began the next. Folded calls that were not recorded by then become records at the end of the
 * stored chunk, which then becomes the live one.
 */
static void stale_restore(struct native_file *f)
{
	size_t k = f->chunk_n - 1;
	struct native_chunk *chunk = native_file_chunk(f, k);
	struct native_columns c = {0};
	struct tau_live_header live = f->live;
	struct native_fold fold;
	struct error e = {0};

	f->unfolded = NULL;
	if (f->closed || f->damage)
		return;
	if (native_file_load(f, k, (1 << TAU_COLUMNS) - 1, &c, &e) ||
	    c.length[TAU_TIMES] != 2 * (size_t)c.head.records) {
		f->unfolded = "the chunk that they belong to is damaged";
		native_columns_release(&c);
		return;
	}
	native_numbers_spread(&c);
	live_join(&c);
	live.seq = (uint32_t)k;
	live.first_tick = c.head.first_tick;
	live.last_tick = c.head.last_tick;
	live.metrics = c.head.metrics;
	native_fold_read(f, &fold);
	f->unfolded = native_fold_add(&fold, &c, &live, (struct native_fold_chunk){.stored = 1});
	native_fold_release(&fold);
	if (f->unfolded || c.length[TAU_TIMES] == 4 * (size_t)c.head.records || !live_same(f)) {
		native_columns_release(&c);
		return;
	}
	f->records -= c.head.records;
	live_split(&c);
	f->records += c.head.records;
	c.head.last_tick = live.last_tick;
	for (int i = 0; i < TAU_COLUMNS; i++)
		c.head.raw[i] = c.head.stored[i] = (uint32_t)c.length[i];
	chunk->live = 1;
	chunk->records = c.head.records;
	chunk->last_tick = live.last_tick;
	native_columns_release(&f->live_columns);
	f->live_columns = c;
}

/* Appends the live chunk when it is the one that follows the sealed ones. */
int native_live_append(struct native_file *f, const char *wrong)
{
	struct native_chunk *c;
	uint64_t bytes = sizeof(f->live);

	if (!f->live_path || (wrong == not_begun && !f->chunk_n))
		return 0;
	if (wrong)
		return f->closed ? 0
				 : native_damage(f, "%s: the live chunk is not included: %s",
					       f->live_path, wrong);
	if (f->live.seq < f->chunk_n) {
		/* It was stored last; only an index was written after it. */
		if (f->torn && f->live.seq + 1 == f->chunk_n) {
			free(f->damage);
			f->damage = NULL;
		}
		if (!f->pages)
			stale_restore(f);
		return 0;
	}
	if (f->live.seq > f->chunk_n)
		return native_damage(
			f, "%s: chunks %zu to %u are missing, so the live chunk is not included",
			f->path, f->chunk_n, f->live.seq - 1);
	/* A sealed copy cut short is no loss: the live file still holds that chunk whole. */
	free(f->damage);
	f->damage = NULL;
	for (int i = 0; i < TAU_COLUMNS; i++)
		bytes += f->live_columns.length[i];
	c = array_add(f, chunk);
	c->live = 1;
	c->counted = NATIVE_HEADER_READ | NATIVE_PAYLOAD_READ;
	c->records = f->live_columns.head.records;
	c->first_tick = f->live.first_tick;
	c->last_tick = f->live.last_tick;
	c->defs_stored = (uint32_t)f->live_columns.length[TAU_DEFS];
	c->stored = bytes;
	f->records += c->records;
	f->lost = f->live.lost;
	if (f->unfolded)
		native_damage(f, "%s: its folded calls are not included: %s", f->live_path,
			      f->unfolded);
	f->bytes_total += bytes;
	f->bytes_read += bytes;
	native_sync_add(f, f->live.sync_tick, f->live.sync_mono_ns, f->live.sync_real_ns);
	return 0;
}
