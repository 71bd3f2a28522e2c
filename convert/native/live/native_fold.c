/*
 * native_fold.c: the folded calls that a process has not yet recorded: FILE.fold beside
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
#include "convert/native/live/native_complete.h"
#include "convert/native/live/native_fold.h"
#include "convert/native/live/native_open.h"
#include "convert/native/live/native_whole.h"

#define FOLD_LIMIT (64u << 20)	/* bytes of a file: far above any recorder's */
#define PATHS_LIMIT (16u << 20)	/* regions of all paths together */
#define READS 20		/* a stream that writes its folded calls again and again */

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

/* The nodes, while none of them is written as a record: it would be in no node, or in a node that has no calls of a later one. */
static const char *nodes_read(int fd, struct native_fold *out)
{
	const size_t bytes = out->n * sizeof(*out->node);
	struct tau_fold_header after;
	int same = 0;

	out->node = mem_resize(NULL, bytes + 1, 1);
	for (int i = 0; i < READS && !same; i++) {
		if (native_read_at(fd, &out->head, sizeof(out->head), 0) ||
		    native_read_at(fd, out->node, bytes, out->head.header_size) ||
		    native_read_at(fd, &after, sizeof(after), 0))
			return "it cannot be read";
		same = after.writing == out->head.writing &&
		       after.writing_seq == out->head.writing_seq &&
		       after.writing_records == out->head.writing_records;
		out->moved = after.last_tick != out->head.last_tick ||
			     after.folding != out->head.folding || !same;
		/*
		 * Calls that end meanwhile are in the nodes: their end is not before that of the last one then, and that
		 * one may still be open in the chunk.
		 */
		if (after.last_tick > out->head.last_tick)
			out->head.last_tick = after.last_tick;
		out->head.folding = after.folding;
	}
	return NULL;
}

/* NULL, or why the file cannot be used. */
static const char *fold_read(const struct native_file *f, int fd, struct native_fold *out)
{
	const uint32_t header = sizeof(out->head);
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size < (off_t)header ||
	    st.st_size > FOLD_LIMIT || native_read_at(fd, &out->head, header, 0))
		return "it is cut short, or far too large";
	if (memcmp(out->head.magic, TAU_FOLD_MAGIC, 8) || out->head.major != TAU_VERSION_MAJOR)
		return "it has no folded calls of this version";
	if (out->head.process_id != f->head.process_id || out->head.thread != f->head.thread)
		return "it belongs to another stream";
	if (out->head.header_size < header || out->head.header_size > st.st_size)
		return "its header size is impossible";
	out->n = ((size_t)st.st_size - out->head.header_size) / sizeof(*out->node);
	return nodes_read(fd, out);
}

/*
 * By node: the number of regions from the outermost one to it; 0: its path leads nowhere. NULL: a node with calls has such a
 * path.
 */
static uint32_t *lengths_get(const struct native_fold *d)
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
static void record_add(struct growing *g, const struct native_fold *d, uint32_t i, size_t length,
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

/* The node of the innermost region that is open; 0: it has none. */
static uint32_t node_inner(const struct native_fold *d, const struct native_open *open)
{
	uint32_t at = 0;
	size_t k = 0;

	for (uint32_t i = 1; i < d->n && k < open->of_n; i++) {
		if (d->node[i].parent != at || d->node[i].region != open->of[k].region)
			continue;
		at = i;
		k++;
	}
	return k == open->of_n ? at : 0;
}

/* The process was killed after it had added the innermost call to its node, before it removed the ENTER: the call stays open. */
static void unfold_last(struct native_fold *d, uint32_t inner, uint64_t entered)
{
	uint64_t i = d->head.folding >> 32, took = d->head.last_tick - entered;
	struct tau_fold_node *node = i && i < d->n ? &d->node[i] : NULL;

	if (!node || i != inner || !entered || d->head.last_tick <= entered)
		return;
	if (!node->calls || (uint32_t)node->calls != (uint32_t)d->head.folding + 1)
		return;
	node->calls--;
	node->ticks = node->ticks > took ? node->ticks - took : 0;
}

/* The records of the chunk that are kept. */
struct fold_kept {
	size_t times, args;	/* bytes */
	uint64_t tick;		/* of the last one */
};

/*
 * Records that are later than the nodes are not kept, but all up to the last one of folded calls that was written: calls that began
 * after `last`, and folded calls that the nodes still have.
 */
static struct fold_kept records_kept(const struct native_columns *c, const struct native_fold *d,
				const struct tau_live_header *live, uint64_t last)
{
	struct bytes args = bytes_of(c->data[TAU_ARGS], c->length[TAU_ARGS]);
	size_t fixed = live->seq == d->head.writing_seq ? d->head.writing_records + (size_t)1 : 0;
	struct fold_kept k = {.tick = live->first_tick};

	native_snapshot_pass(&args, NULL, NULL);
	k.args = c->length[TAU_ARGS] - bytes_left(&args);
	for (; k.times + 4 <= c->length[TAU_TIMES]; k.times += 4) {
		struct native_live_record r = native_record_pass(c, k.times, live->metrics, &args);

		if (args.bad || (k.times / 4 >= fixed &&
				 (k.tick + r.later > last || r.token == TAU_REC_FOLD)))
			break;
		k.tick += r.later;
		k.args = c->length[TAU_ARGS] - bytes_left(&args);
	}
	return k;
}

static const char *fold_append(struct native_columns *c, struct tau_live_header *live,
			       struct native_fold *d, const uint32_t *path, uint64_t tick)
{
	uint32_t written = d->head.writing;
	size_t records = c->length[TAU_TIMES] / 4, paths = 0;
	uint64_t later = 0;
	struct growing g = {0};
	uint16_t record[2] = {0, TAU_REC_FOLD};

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
	return NULL;
}

const char *native_fold_add(struct native_fold *d, struct native_columns *c,
			    struct tau_live_header *live, struct native_fold_chunk chunk)
{
	struct native_open open = {0};
	uint64_t tick = live->first_tick;
	const char *wrong = NULL;
	struct fold_kept kept;
	uint64_t last;
	uint32_t *path;

	if (!d->there || d->wrong || (chunk.stored && d->head.sealed == live->seq + 1ull))
		return d->wrong;
	path = lengths_get(d);
	if (!path)
		return "a path leads nowhere";
	if (native_whole_keep(c, live->metrics, &tick) || tick < live->first_tick ||
	    tick >> 62) {
		free(path);
		return "the live chunk does not end as it should";
	}
	if (chunk.moved) {
		kept = records_kept(c, d, live, chunk.tick);
		last = d->head.last_tick > kept.tick ? d->head.last_tick : kept.tick;
		/* Until the nodes are written, at its begin, they also have calls from before the chunk. */
		if (!d->head.writing && (!live->seq || live->seq == d->head.writing_seq))
			native_complete(d->node, d->n, path, c, live, kept.times / 4, last);
		native_whole_shorten(c, kept.times, kept.args);
		tick = kept.tick;
	}
	native_open_find(c, live->first_tick, live->metrics, &open, NULL);
	unfold_last(d, node_inner(d, &open), open.of_n ? open.of[open.of_n - 1].tick : 0);
	wrong = fold_append(c, live, d, path, tick);
	free(open.of);
	free(path);
	return wrong;
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

void native_fold_read(struct native_file *f, struct native_fold *out)
{
	char *path = path_of(f);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	*out = (struct native_fold){.there = fd >= 0 || errno != ENOENT};
	f->folded = out->there;
	if (fd >= 0) {
		out->wrong = fold_read(f, fd, out);
		close(fd);
	} else if (out->there) {
		out->wrong = "it cannot be read";
	}
	free(path);
}

void native_fold_release(struct native_fold *d)
{
	free(d->node);
	*d = (struct native_fold){0};
}
