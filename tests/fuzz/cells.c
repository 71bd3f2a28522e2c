/*
 * cells.c: fuzzes the cells of time that are kept beside a stream (FILE.cells). The bytes are: how many edits follow (bits 0 to 3) and
 * whether checksums are made to fit them (bit 7); what is requested (8 bits each: the power, the first cell, the number of cells); the
 * edits (16 bits for the position, 8 bits for the change); a trace as in native.h.
 *
 * The cells of the trace are kept and edited. Those that are passed must be in the request, in order, and no region has more time in a
 * cell than the cell is long; without edits they are known, and with edits that no checksum fits they are the same or unknown.
 */
#include <stdio.h>
#include <string.h>

#include "analyze/messages/time_cells.h"
#include "convert/native/native.h"
#include "convert/native/file/native_chunks.h"
#include "convert/native/file/native_index_head.h"
#include "convert/native/index/native_cells.h"
#include "index_edit.h"
#include "native.h"

#define CELLS	      "x" CELLS_SUFFIX
#define RECORDS_SHIFT 16

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n);

struct passed {
	const struct trace_cells *ask;
	const struct trace *trace;
	uint64_t sum;		/* of everything */
	int64_t last;
	int any;
};

static void receive(void *to, const struct trace_cell *c)
{
	struct passed *x = to;
	int64_t left = INT64_MAX;

	if (c->cell < x->ask->first || c->cell >= x->ask->first + (int64_t)x->ask->n || (x->any && c->cell <= x->last) || !c->n)
		abort();
	if (x->ask->power < CELLS_POWER_MOST)
		left = INT64_C(1) << x->ask->power;
	x->any = 1;
	x->last = c->cell;
	x->sum = x->sum * 31 + (uint64_t)c->cell + c->visits + (uint64_t)c->crosses;
	for (size_t i = 0; i < c->n; i++) {
		if (c->v[i].region >= x->trace->region_n || c->v[i].ns <= 0 || c->v[i].ns > left)
			abort();
		left -= c->v[i].ns;
		x->sum += (uint64_t)c->v[i].ns * (c->v[i].region + 7);
	}
}

/* 1: they are known. */
static int get(struct trace *t, const unsigned char *what, uint64_t *sum)
{
	struct trace_cells ask = {
		.power = what[0] % (CELLS_POWER_MOST + 1), .n = 1, .receive = receive};
	struct passed x = {.ask = &ask, .trace = t};
	int known;

	if (ask.power < CELLS_POWER_MOST) {
		ask.n = 1 + what[2];
		ask.first = (t->end >> ask.power) * what[1] / 256;
	}
	ask.to = &x;
	known = native_cells_get(t, 0, &ask);
	*sum = x.sum;
	return known;
}

/* Keeps the cells of the trace's only stream. 0: it has none. */
static int keep(struct trace *t)
{
	struct time_cells cells;
	struct messages_use use;
	struct messages m = {.trace = t, .use = &use, .use_n = 1};
	struct error e = {0};
	size_t n;
	int code;

	/* Cells are as long as many records are: this few have one. */
	t->stream[0].records <<= RECORDS_SHIFT;
	use = time_cells_use(&cells, &m, 1);
	t->stream[0].records >>= RECORDS_SHIFT;
	code = messages_read(&m, &e);
	time_cells_end(&cells, !code);
	messages_release(&m);
	return !code && place_get(CELLS, &n);
}

static uint32_t crc_of(const unsigned char *x, size_t n, uint64_t offset, uint64_t length, uint32_t was)
{
	return offset <= n && length <= n - offset ? native_crc(x + offset, length) : was;
}

/* Makes checksums fit, where what they are of is in the file. `good`: the header as it was. */
static void repair(unsigned char *x, size_t n, const struct index_header *good)
{
	struct index_header h;
	struct cells_block b;
	uint64_t at;

	memcpy(&h, x, sizeof(h));
	memcpy(&h, good, offsetof(struct index_header, tables));
	at = h.tables + h.levels * sizeof(struct cells_level);
	for (uint64_t i = 0; i < h.entries && at <= n && n - at >= sizeof(b); i++, at += sizeof(b)) {
		memcpy(&b, x + at, sizeof(b));
		b.crc = crc_of(x, n, b.offset, b.length, b.crc);
		memcpy(x + at, &b, sizeof(b));
	}
	h.dictionary_crc = crc_of(x, n, h.dictionary, h.dictionary_size, h.dictionary_crc);
	h.list_crc = crc_of(x, n, h.tables, h.levels * sizeof(struct cells_level) + h.entries * sizeof(b), h.list_crc);
	h.crc = native_crc(&h, offsetof(struct index_header, crc));
	memcpy(x, &h, sizeof(h));
}

static void try(struct trace *t, const unsigned char *p, size_t edits)
{
	uint64_t before, after;
	const int known = get(t, p + 1, &before);

	if (!edits)
		return;
	index_edit(CELLS, p + 4, edits, p[0] & 128 ? repair : NULL);
	if (get(t, p + 1, &after) && !(p[0] & 128) && (!known || before != after))
		abort();
}

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n)
{
	const size_t edits = n ? p[0] & 15 : 0;
	struct trace *t = NULL;
	struct error e = {0};

	if (n < 4 + 3 * edits)
		return 0;
	place_open();
	pack_run(p + 4 + 3 * edits, n - 4 - 3 * edits, 0);
	if (!native_open(PLACE "/x.tau", &t, &e)) {
		if (t->stream_n == 1 && keep(t))
			try(t, p, edits);
		trace_free(t);
	}
	place_close();
	return 0;
}
