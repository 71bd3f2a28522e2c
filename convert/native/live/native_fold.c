/*
 * native_fold.c: the folded calls that a killed process had not yet recorded: FILE.fold beside
 * FILE.live. Each node that holds calls becomes one more FOLD record at the end of the live chunk.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/base/base.h"
#include "convert/io/bytes.h"
#include "convert/native/file/native_chunks.h"
#include "convert/native/file/native_columns.h"
#include "convert/native/live/native_fold.h"
#include "convert/native/live/native_whole.h"

#define FOLD_LIMIT (64u << 20)	/* bytes of a file: far above any recorder's */
#define PATHS_LIMIT (16u << 20)	/* regions of all paths together */

struct folded {
	struct tau_fold_header head;
	struct tau_fold_node *node;
	size_t n;
};

/* What the live chunk gets. */
struct growing {
	unsigned char *args;
	size_t args_n, args_cap;
	size_t records;
};

static void put(struct growing *g, uint64_t v)
{
	do {
		*array_add(g, args) = (unsigned char)((v & 0x7f) | (v > 0x7f ? 0x80 : 0));
		v >>= 7;
	} while (v);
}

static size_t size_of(uint64_t v)
{
	size_t n = 1;

	while (v >>= 7)
		n++;
	return n;
}

/* NULL, or why the file cannot be used. */
static const char *fold_read(const struct native_file *f, int fd, struct folded *out)
{
	struct tau_fold_header after;
	struct stat st;
	size_t bytes;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size < (off_t)sizeof(out->head) ||
	    st.st_size > FOLD_LIMIT || native_read_at(fd, &out->head, sizeof(out->head), 0))
		return "it is cut short, or far too large";
	if (memcmp(out->head.magic, TAU_FOLD_MAGIC, 8) || out->head.major != TAU_VERSION_MAJOR)
		return "it has no folded calls of this version";
	if (out->head.process_id != f->head.process_id || out->head.thread != f->head.thread)
		return "it belongs to another stream";
	if (out->head.header_size < sizeof(out->head) || out->head.header_size > st.st_size)
		return "its header size is impossible";
	out->n = ((size_t)st.st_size - out->head.header_size) / sizeof(*out->node);
	bytes = out->n * sizeof(*out->node);
	out->node = mem_resize(NULL, bytes + 1, 1);
	/* Calls that end between both reads are in the nodes: their end is not before that of the last one then. */
	if (native_read_at(fd, out->node, bytes, out->head.header_size) ||
	    native_read_at(fd, &after, sizeof(after), 0))
		return "it cannot be read";
	if (after.last_tick > out->head.last_tick)
		out->head.last_tick = after.last_tick;
	return NULL;
}

/*
 * By node: the number of regions from the outermost one to it; 0: its path leads nowhere. NULL: a node with calls has such a
 * path.
 */
static uint32_t *lengths_get(const struct folded *d)
{
	uint32_t *length = mem_alloc((d->n + 1) * sizeof(*length));

	for (uint32_t i = 1; i < d->n; i++) {
		uint32_t parent = d->node[i].parent;

		if (!parent)
			length[i] = 1;
		else if (parent < i && length[parent])
			length[i] = length[parent] + 1;
		if (length[i] || !d->node[i].calls)
			continue;
		free(length);
		return NULL;
	}
	return length;
}

/* FOLD: up, calls, ticks, path; outermost region first. `later`: ticks since the record before. */
static void record_add(struct growing *g, const struct folded *d, uint32_t i, size_t length,
		       uint64_t later)
{
	const struct tau_fold_node *node = &d->node[i];
	uint32_t *path = mem_resize(NULL, length, sizeof(*path));
	size_t bytes = size_of(UINT32_MAX) + size_of(node->calls) + size_of(node->ticks) +
		       size_of(length);

	for (size_t n = length; n; i = d->node[i].parent) {
		path[--n] = d->node[i].region;
		bytes += size_of(path[n]);
	}
	put(g, bytes);
	put(g, UINT32_MAX);
	put(g, node->calls);
	put(g, node->ticks);
	put(g, length);
	for (size_t n = 0; n < length; n++)
		put(g, path[n]);
	if (later >= TAU_TIME_LONG)
		put(g, later);
	g->records++;
	free(path);
}

/* The process was killed after it had added the innermost call to its node, before it removed the ENTER: the call stays open. */
static void unfold_last(const struct native_columns *c, struct folded *d, uint64_t tick)
{
	uint64_t i = d->head.folding >> 32, took = d->head.last_tick - tick;
	struct tau_fold_node *node = i && i < d->n ? &d->node[i] : NULL;
	uint16_t token;

	if (!node || d->head.last_tick <= tick || c->length[TAU_TIMES] < 4)
		return;
	memcpy(&token, c->data[TAU_TIMES] + c->length[TAU_TIMES] - sizeof(token), sizeof(token));
	if (token != TAU_TOKEN_FAR && token - TAU_TOKEN_REGION != (int64_t)node->region)
		return;
	if (!node->calls || (uint32_t)node->calls != (uint32_t)d->head.folding + 1)
		return;
	node->calls--;
	node->ticks = node->ticks > took ? node->ticks - took : 0;
}

static const char *fold_append(struct native_columns *c, struct tau_live_header *live,
			       struct folded *d)
{
	uint32_t written = d->head.writing, *path = lengths_get(d);
	uint64_t tick = live->first_tick, later = 0;
	size_t records, paths = 0;
	struct growing g = {0};
	int wrong;
	uint16_t record[2] = {0, TAU_REC_FOLD};

	if (!path)
		return "a path leads nowhere";
	wrong = native_whole_keep(c, live->metrics, &tick);
	records = c->length[TAU_TIMES] / 4;
	if (wrong || tick < live->first_tick || tick >> 62) {
		free(path);
		return "the live chunk does not end as it should";
	}
	unfold_last(c, d, tick);
	if (d->head.last_tick > tick && d->head.last_tick >> 62 == 0)
		later = d->head.last_tick - tick;
	if (live->seq < d->head.writing_seq ||
	    (live->seq == d->head.writing_seq && records <= d->head.writing_records))
		written = 0;
	for (uint32_t i = 1; i < d->n; i++) {
		size_t length = d->node[i].calls && i != written ? path[i] : 0;

		paths += length;
		if (paths > PATHS_LIMIT)
			break;
		if (length)
			record_add(&g, d, i, length, g.records ? 0 : later);
	}
	native_column_append(c, TAU_ARGS, c->length[TAU_ARGS], g.args, g.args_n);
	for (size_t i = 0; i < g.records; i++) {
		record[0] = i ? 0 : later < TAU_TIME_LONG ? (uint16_t)later : TAU_TIME_LONG;
		native_column_append(c, TAU_TIMES, 4 * (records + i), record, sizeof(record));
	}
	if (g.records)
		live->last_tick = tick + later;
	free(g.args);
	free(path);
	return NULL;
}

static char *path_of(const struct native_file *f)
{
	return mem_printf("%.*s" TAU_FOLD_SUFFIX,
			  (int)(strlen(f->path) - strlen(TAU_TRACE_SUFFIX)), f->path);
}

int native_fold_is(const struct native_file *f)
{
	char *path = path_of(f);
	int is = !access(path, F_OK) || errno != ENOENT;

	free(path);
	return is;
}

const char *native_fold_read(struct native_file *f, struct native_columns *c,
			     struct tau_live_header *live, int stored)
{
	char *path = path_of(f);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct folded d = {0};
	const char *wrong = NULL;

	f->folded = fd >= 0 || errno != ENOENT;
	if (fd >= 0) {
		wrong = fold_read(f, fd, &d);
		close(fd);
		if (!wrong && !(stored && d.head.sealed == live->seq + 1ull))
			wrong = fold_append(c, live, &d);
	} else if (errno != ENOENT) {
		wrong = "it cannot be read";
	}
	free(d.node);
	free(path);
	return wrong;
}
