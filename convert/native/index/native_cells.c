/* native_cells.c: finds the cells of a stream in STREAM.cells. */
#include "convert/native/index/native_cells.h"

#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/base/map.h"
#include "convert/io/bytes.h"
#include "convert/native/file/native_chunks.h"
#include "convert/native/file/native_index_head.h"
#include "convert/native/index/native_index.h"
#include "convert/native/native_run.h"

#define NAMES_MOST (1u << 20) /* regions in a file */

struct cells_file {
	struct trace *trace;
	uint32_t stream;
	char *path;
	int fd;
	uint64_t size;
	struct index_header head;
	struct cells_level level[CELLS_LEVELS];
	struct cells_block *block; /* of all levels */
	uint32_t *region;	   /* by number in the file; TRACE_NONE: the trace has none */
	size_t region_n;
};

static int read_at(struct cells_file *x, void *to, size_t n, uint64_t offset)
{
	if (offset > x->size || n > x->size - offset || native_read_at(x->fd, to, n, offset))
		return -1;
	trace_count_index(x->trace, n);
	return 0;
}

/* n bytes of the file with this checksum, to be freed; NULL: they are damaged. */
static unsigned char *read_part(struct cells_file *x, uint64_t offset, uint64_t n, uint32_t crc)
{
	unsigned char *v;

	if (offset > x->size || n > x->size - offset)
		return NULL;
	v = mem_alloc(n + 1);
	if (read_at(x, v, n, offset) || native_crc(v, n) != crc) {
		free(v);
		return NULL;
	}
	return v;
}

/* ---- the file ---- */

/* The levels and blocks, which follow each other. */
static int tables_read(struct cells_file *x)
{
	const size_t heads = x->head.levels * sizeof(struct cells_level);
	uint64_t all = 0, bytes = 0;
	unsigned char *v;

	if (!x->head.levels || x->head.levels > CELLS_LEVELS || x->head.entries > UINT32_MAX)
		return -1;
	v = read_part(x, x->head.tables,
		      heads + x->head.entries * sizeof(struct cells_block), x->head.list_crc);
	if (!v)
		return -1;
	memcpy(x->level, v, heads);
	x->block = mem_alloc((x->head.entries + 1) * sizeof(*x->block));
	memcpy(x->block, v + heads, x->head.entries * sizeof(*x->block));
	free(v);
	for (uint32_t l = 0; l < x->head.levels; l++) {
		const struct cells_level *now = &x->level[l];

		all += now->blocks;
		if (now->power > CELLS_POWER_MOST || (l && now->power <= now[-1].power))
			return -1;
	}
	/* No bytes belong to several blocks, or a short file could take for ever. */
	for (uint64_t i = 0; i < x->head.entries; i++)
		bytes += x->block[i].length;
	return all == x->head.entries && bytes <= x->size ? 0 : -1;
}

/* The regions of the trace with the names of the file. */
static int names_read(struct cells_file *x)
{
	const struct trace *t = x->trace;
	unsigned char *v = read_part(x, x->head.dictionary, x->head.dictionary_size,
				     x->head.dictionary_crc);
	struct bytes b = bytes_of(v, v ? x->head.dictionary_size : 0);
	struct names names = {0};

	if (!v)
		return -1;
	x->region_n = bytes_upto(&b, NAMES_MOST);
	x->region = mem_alloc((x->region_n + 1) * sizeof(*x->region));
	for (size_t i = 0; i < x->region_n; i++) {
		struct bytes s = bytes_string(&b);

		x->region[i] = TRACE_NONE;
		if (names_add(&names, (const char *)s.p, bytes_left(&s)) != i)
			b.bad = 1;
	}
	for (uint32_t r = 0; r < t->region_n && !b.bad; r++) {
		int64_t i = names_find(&names, t->region[r].name, strlen(t->region[r].name));

		if (i >= 0 && x->region[i] == TRACE_NONE)
			x->region[i] = r;
	}
	for (size_t i = 0; i < x->region_n; i++)
		b.bad |= x->region[i] == TRACE_NONE;
	names_release(&names);
	free(v);
	return b.bad ? -1 : 0;
}

/* 1: it can be used; 0: there is none for the trace as it is now; -1: it is damaged. */
static int file_open(struct cells_file *x)
{
	const struct native_stream *s = x->trace->stream[x->stream].reader;
	struct index_header want;
	struct stat st;

	if (native_index_expect(x->trace, x->stream, &want))
		return 0;
	x->path = native_cells_path(s->file);
	x->fd = x->path ? open(x->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	if (x->fd < 0)
		return 0;
	if (fstat(x->fd, &st) || !S_ISREG(st.st_mode))
		return -1;
	x->size = (uint64_t)st.st_size;
	if (read_at(x, &x->head, sizeof(x->head), 0) ||
	    memcmp(x->head.magic, CELLS_MAGIC, sizeof(x->head.magic)))
		return -1;
	if (!x->head.major || x->head.major > CELLS_MAJOR)
		return 0;
	if (x->head.crc != native_crc(&x->head, offsetof(struct index_header, crc)))
		return -1;
	if (!native_index_is_of(&x->head, s->file) || x->head.clock != want.clock ||
	    x->head.names != want.names)
		return 0;
	return tables_read(x) || names_read(x) ? -1 : 1;
}

static void file_close(struct cells_file *x)
{
	if (x->fd >= 0)
		close(x->fd);
	free(x->path);
	free(x->block);
	free(x->region);
}

/* ---- cells ---- */

/* The sum of the cells of a level that one cell of the request has. */
struct cell_sum {
	const struct trace_cells *ask;
	unsigned up;		/* a cell of the request has 2^up of the level */
	struct trace_cell now;	/* n 0: none so far */
	struct trace_cell_time *v; /* its regions by their number in the file */
	size_t v_n, v_cap;
	uint32_t *slot; /* by that number: 1 + its place in v; 0: none */
	const uint32_t *region; /* of that number */
};

static void sum_pass(struct cell_sum *s)
{
	if (!s->v_n)
		return;
	for (size_t i = 0; i < s->v_n; i++) {
		s->slot[s->v[i].region] = 0;
		s->v[i].region = s->region[s->v[i].region];
	}
	s->now.v = s->v;
	s->now.n = s->v_n;
	s->ask->receive(s->ask->to, &s->now);
	s->v_n = 0;
}

static void sum_add(struct cell_sum *s, uint32_t number, int64_t ns)
{
	uint32_t *slot = &s->slot[number];

	if (!*slot) {
		*array_add(s, v) = (struct trace_cell_time){number, 0};
		*slot = (uint32_t)s->v_n;
	}
	s->v[*slot - 1].ns += ns;
}

/* A cell of the level. */
static void cell_read(struct cell_sum *s, const struct cells_file *x, struct bytes *b,
		      int64_t cell, int64_t length)
{
	const int64_t of = cell >> s->up;
	const int wanted = of >= s->ask->first && of < s->ask->first + (int64_t)s->ask->n;
	const uint64_t visits = bytes_varint(b), n = bytes_upto(b, x->region_n);
	int64_t left = length;

	if (wanted && (!s->v_n || of != s->now.cell)) {
		sum_pass(s);
		s->now = (struct trace_cell){
			.cell = of, .crosses = cell == of << s->up && (visits & 1)};
	}
	for (uint64_t i = 0; i < n && !b->bad; i++) {
		const uint64_t number = bytes_varint(b);
		const int64_t ns = (int64_t)bytes_upto(b, (uint64_t)left);

		if (number >= x->region_n || !ns)
			b->bad = 1;
		else if (wanted)
			sum_add(s, (uint32_t)number, ns);
		left -= ns;
	}
	if (wanted)
		s->now.visits += visits >> 1 & UINT32_MAX;
}

/* -1: the block is damaged. */
static int block_read(struct cell_sum *s, struct cells_file *x, const struct cells_level *l,
		      const struct cells_block *block, int64_t number)
{
	unsigned char *v;
	struct bytes b;
	uint64_t at = 0;

	if (!block->length)
		return 0;
	v = read_part(x, block->offset, block->length, block->crc);
	b = bytes_of(v, v ? block->length : 0);
	while (bytes_left(&b)) {
		at += bytes_upto(&b, 1u << CELLS_BLOCK);
		if (at >= 1u << CELLS_BLOCK)
			b.bad = 1;
		else
			cell_read(s, x, &b, number * (1 << CELLS_BLOCK) + (int64_t)at++,
				  INT64_C(1) << l->power);
	}
	free(v);
	return !v || b.bad ? -1 : 0;
}

/* Passes the cells. 1; 0: no level is fine enough; -1: damage. */
static int cells_pass(struct cells_file *x, const struct trace_cells *c)
{
	const struct cells_level *l = NULL;
	struct cell_sum s = {.ask = c, .region = x->region};
	uint64_t from = 0;
	int64_t first, last;
	int code = 0;

	for (uint32_t i = 0; i < x->head.levels && x->level[i].power <= c->power; i++) {
		from += l ? l->blocks : 0;
		l = &x->level[i];
	}
	if (!l)
		return 0;
	s.slot = mem_alloc((x->region_n + 1) * sizeof(*s.slot));
	s.up = c->power - l->power;
	/* Times fit into 62 bits, so numbers of cells do, too. */
	first = (c->first * (INT64_C(1) << s.up)) >> CELLS_BLOCK;
	last = ((c->first + (int64_t)c->n) * (INT64_C(1) << s.up) - 1) >> CELLS_BLOCK;
	for (uint64_t i = 0; i < l->blocks && !code; i++) {
		int64_t number = bytes_add(l->first, (int64_t)i);

		if (number >= first && number <= last)
			code = block_read(&s, x, l, &x->block[from + i], number);
	}
	if (!code)
		sum_pass(&s);
	free(s.slot);
	free(s.v);
	return code ? code : 1;
}

int native_cells_get(struct trace *t, uint32_t stream, const struct trace_cells *c)
{
	struct cells_file x = {.trace = t, .stream = stream, .fd = -1};
	int code = file_open(&x);

	if (code > 0)
		code = cells_pass(&x, c);
	if (code < 0)
		trace_late_note(t, &t->stream[stream], (struct note){.kind = NOTE_INDEX},
				"%s: it is damaged; the trace is read instead. This file may be "
				"deleted",
				x.path);
	file_close(&x);
	return code > 0;
}
