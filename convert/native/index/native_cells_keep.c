/* native_cells_keep.c: writes STREAM.cells: blocks as they become complete, the tables after them. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "convert/native/file/native_chunks.h"
#include "convert/native/file/native_out.h"
#include "convert/native/index/native_cells.h"
#include "convert/native/file/native_index_head.h"
#include "convert/native/index/native_index.h"
#include "convert/native/native_run.h"

#define SHARE 4 /* the file takes at most this fraction of the bytes of the trace, */
#define LEAST 65536 /* plus these bytes */

struct level_keep {
	struct cells_level head;
	struct cells_block *block;
	size_t block_n, block_cap;
	struct buffer bytes;	/* of the last block */
	int64_t next;		/* the cell that an entry of distance 0 would have */
};

struct keeper {
	struct trace_cells_sink sink; /* first: a keeper is one */
	struct trace *trace;
	const struct native_file *file;
	struct index_header head;
	struct level_keep level[CELLS_LEVELS];
	uint32_t *number;	/* by region: its number in the file; TRACE_NONE: none so far */
	struct buffer names;
	uint32_t name_n;
	char *path, *final;
	FILE *out;
	uint64_t size;
	int failed;
};

static void write_bytes(struct keeper *k, const void *p, size_t n)
{
	k->failed |= fwrite(p, 1, n, k->out) != n;
	k->size += n;
	k->failed |= k->size > k->file->size / SHARE + LEAST;
}

/* Writes the block that is complete. */
static void block_end(struct keeper *k, struct level_keep *l)
{
	struct cells_block *b;

	if (!l->bytes.v_n)
		return;
	b = array_add(l, block);
	*b = (struct cells_block){k->size, (uint32_t)l->bytes.v_n,
				  native_crc(l->bytes.v, l->bytes.v_n)};
	k->failed |= l->bytes.v_n > UINT32_MAX || l->block_n > UINT32_MAX;
	write_bytes(k, l->bytes.v, l->bytes.v_n);
	l->bytes.v_n = 0;
}

/* Begins the block of a cell; blocks between are empty. */
static void block_begin(struct keeper *k, struct level_keep *l, int64_t number)
{
	block_end(k, l);
	if (!l->block_n)
		l->head.first = number;
	while (l->head.first + (int64_t)l->block_n < number && l->block_n < UINT32_MAX)
		*array_add(l, block) = (struct cells_block){0};
	l->next = number * (1 << CELLS_BLOCK);
}

static uint32_t region_number(struct keeper *k, uint32_t region)
{
	if (k->number[region] == TRACE_NONE) {
		put_string(&k->names, k->trace->region[region].name);
		k->number[region] = k->name_n++;
	}
	return k->number[region];
}

static void put_cell(struct trace_cells_sink *s, unsigned level, const struct trace_cell *c)
{
	struct keeper *k = (struct keeper *)s;
	struct level_keep *l = &k->level[level];
	int64_t number = c->cell >> CELLS_BLOCK;

	if (k->failed)
		return;
	if (!l->bytes.v_n || number != l->head.first + (int64_t)l->block_n)
		block_begin(k, l, number);
	put_varint(&l->bytes, (uint64_t)(c->cell - l->next));
	put_varint(&l->bytes, c->visits << 1 | (unsigned)c->crosses);
	put_varint(&l->bytes, c->n);
	for (size_t i = 0; i < c->n; i++) {
		put_varint(&l->bytes, region_number(k, c->v[i].region));
		put_varint(&l->bytes, (uint64_t)c->v[i].ns);
	}
	l->next = c->cell + 1;
}

/* The names, then the levels and the blocks of all of them, then the header. */
static void tables_write(struct keeper *k)
{
	struct buffer names = {0}, tables = {0};

	for (unsigned i = 0; i < k->sink.levels; i++) {
		struct level_keep *l = &k->level[i];

		block_end(k, l);
		l->head.blocks = (uint32_t)l->block_n;
		k->head.entries += l->block_n;
		put(&tables, &l->head, sizeof(l->head));
	}
	for (unsigned i = 0; i < k->sink.levels; i++)
		put(&tables, k->level[i].block,
		    k->level[i].block_n * sizeof(*k->level[i].block));
	put_varint(&names, k->name_n);
	put(&names, k->names.v, k->names.v_n);
	k->head.levels = k->sink.levels;
	k->head.dictionary = k->size;
	k->head.dictionary_size = names.v_n;
	k->head.dictionary_crc = native_crc(names.v, names.v_n);
	write_bytes(k, names.v, names.v_n);
	k->head.tables = k->size;
	k->head.list_crc = native_crc(tables.v, tables.v_n);
	write_bytes(k, tables.v, tables.v_n);
	k->head.crc = native_crc(&k->head, offsetof(struct index_header, crc));
	k->failed |= fseek(k->out, 0, SEEK_SET) != 0;
	write_bytes(k, &k->head, sizeof(k->head));
	free(names.v);
	free(tables.v);
}

static int end_cells(struct trace_cells_sink *s, int complete)
{
	struct keeper *k = (struct keeper *)s;
	int kept = 0;

	if (complete && !k->failed)
		tables_write(k);
	k->failed |= fclose(k->out) != 0 || !complete;
	if (k->failed || rename(k->path, k->final))
		unlink(k->path);
	else
		kept = 1;
	for (unsigned i = 0; i < k->sink.levels; i++) {
		free(k->level[i].block);
		free(k->level[i].bytes.v);
	}
	free(k->names.v);
	free(k->number);
	free(k->path);
	free(k->final);
	free(k);
	return kept;
}

int native_cells_keep(struct trace *t, struct trace_index *x)
{
	const uint32_t stream = x->stream[0];
	const struct native_stream *s = t->stream[stream].reader;
	const struct trace_cells none = {.power = CELLS_POWER_MOST};
	struct keeper *k;

	if (!x->levels || x->levels > CELLS_LEVELS || native_cells_get(t, stream, &none))
		return 0;
	k = mem_alloc(sizeof(*k));
	k->final = native_cells_path(s->file);
	k->path = mem_printf("%s.XXXXXX", k->final ? k->final : "");
	if (!k->final || native_index_expect(t, stream, &k->head) || !s->file->ordered)
		k->out = NULL;
	else
		k->out = native_beside_new(s->file, k->path);
	if (!k->out) {
		free(k->final);
		free(k->path);
		free(k);
		return 0;
	}
	memcpy(k->head.magic, CELLS_MAGIC, sizeof(k->head.magic));
	k->head.major = CELLS_MAJOR;
	k->sink = (struct trace_cells_sink){x->power, x->levels, put_cell, end_cells};
	k->trace = t;
	k->file = s->file;
	for (unsigned l = 0; l < x->levels; l++)
		k->level[l].head.power = x->power + TRACE_CELLS_UP * l;
	k->number = mem_alloc((t->region_n + 1) * sizeof(*k->number));
	memset(k->number, 0xff, (t->region_n + 1) * sizeof(*k->number));
	write_bytes(k, &k->head, sizeof(k->head));
	x->sink = &k->sink;
	return 1;
}
