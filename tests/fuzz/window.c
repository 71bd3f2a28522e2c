/*
 * window.c: fuzzes the texts of windows, of --every and of --rank: what they mean in a small trace, and that a window's name,
 * read again, means the same window. The first byte selects the kind of the others: 1: of --every; 2: a window in slices.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "analyze/window/window.h"
#include "convert/native/native.h"
#include "record/format.h"
#include "place.h"

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n);

/* ---- the trace: main calls solve and output again and again ---- */

static const char *const region[] = { "main", "solve", "output", "a:b#1", "10%..20%", "iter" };
enum { REGIONS = sizeof(region) / sizeof(*region), RECORDS = 60 };

static size_t put(unsigned char *to, const void *p, size_t n)
{
	memcpy(to, p, n);
	return n;
}

static size_t make_trace(unsigned char *to)
{
	struct tau_file_header f = { .magic = TAU_TRACE_MAGIC, .major = TAU_VERSION_MAJOR, .header_size = sizeof(f), .process_id = 7,
				     .clock = TAU_CLOCK_MONOTONIC, .ticks_hz = 1000000000 };
	struct tau_chunk_header h = { .magic = TAU_CHUNK_MAGIC, .kind = TAU_CHUNK_EVENTS, .records = RECORDS, .last_tick = 100000,
				      .sync_mono_ns = 1, .sync_real_ns = UINT64_C(1700000000000000000) };
	unsigned char payload[1024], plane[4][RECORDS];
	size_t at = 0, n = 0;

	for (unsigned char i = 0; i < REGIONS; i++) {
		unsigned char length = (unsigned char)strlen(region[i]), head[] = { TAU_DEF_REGION, (unsigned char)(length + 6), i, length };

		n += put(payload + n, head, sizeof(head));
		n += put(payload + n, region[i], length);
		n += put(payload + n, "\1A\0\0", 4);
	}
	h.raw[TAU_DEFS] = (uint32_t)n;
	for (int i = 0; i < RECORDS; i++) {
		int token = i == 0 ? TAU_TOKEN_REGION : i % 2 ? TAU_TOKEN_REGION + 1 + i / 2 % (REGIONS - 1) : TAU_TOKEN_LEAVE;

		plane[0][i] = 232;
		plane[1][i] = 3;
		plane[2][i] = (unsigned char)token;
		plane[3][i] = (unsigned char)(token >> 8);
	}
	n += put(payload + n, plane, sizeof(plane));
	h.raw[TAU_TIMES] = h.raw[TAU_IDS] = 2 * RECORDS;
	h.raw[TAU_ARGS] = (uint32_t)put(payload + n, "\1\3\1\1", 4);
	n += h.raw[TAU_ARGS];
	memcpy(h.stored, h.raw, sizeof(h.stored));
	h.payload_crc = (uint32_t)crc32_z(0, payload, n);
	h.header_crc = (uint32_t)crc32_z(0, (unsigned char *)&h, offsetof(struct tau_chunk_header, header_crc));
	f.crc = (uint32_t)crc32_z(0, (unsigned char *)&f, offsetof(struct tau_file_header, crc));
	at += put(to + at, &f, sizeof(f));
	at += put(to + at, &h, sizeof(h));
	return at + put(to + at, payload, n);
}

static struct trace *trace_get(void)
{
	static struct trace *t;
	static unsigned char file[4096];
	static size_t n;
	const char *path;
	struct error e;

	if (!t)
		n = make_trace(file);
	path = place_put("x.tau", file, n);
	if (t)
		return t;
	if (native_open(path, &t, &e) || t->region_n != REGIONS || t->stream[0].damaged) {
		fprintf(stderr, "%s\n", t ? "the trace is not as it should be" : e.text);
		abort();
	}
	return t;
}

/* ---- texts ---- */

static int same(const struct window *a, const struct window *b)
{
	const struct window_spans *x = a->of, *y = b->of;

	return a->of_n == b->of_n && x->v_n == y->v_n && !memcmp(x->v, y->v, x->v_n * sizeof(*x->v));
}

static void check(struct trace *t, const struct window *w, int again)
{
	struct window_options o = { .text = (const char *const *)&w->text, .n = 1 };
	struct windows second = { 0 };
	struct error e = { 0 };

	for (size_t i = 0; i < w->of_n; i++)
		for (size_t k = 0; k < w->of[i].v_n; k++)
			if (w->of[i].v[k].begin > w->of[i].v[k].end || (k && w->of[i].v[k].begin < w->of[i].v[k - 1].end))
				abort();
	if (!again || w->of_n != 1 || windows_resolve(t, &o, &second, &e))
		return;
	if (second.v_n != 1 || !same(w, &second.v[0])) {
		fprintf(stderr, "'%s' is another window when it is read again: %zu\n", w->text, second.v_n);
		abort();
	}
	windows_release(&second);
}

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n)
{
	char *text = mem_printf("%.*s", n ? (int)(n - 1) : 0, n ? (const char *)p + 1 : "");
	int every = n && p[0] & 1, slices = n && p[0] & 2;
	const char *window = every ? ":" : text;
	struct window_options o = { .text = &window, .n = 1 };
	struct windows w = { 0 };
	struct filter_ranges ranges = {0};
	struct error e = { 0 };
	struct trace *t;
	int usage;

	place_open();
	t = trace_get();
	if (every)
		window_every(text, &o.series, &e);
	else if (slices)
		o.series.slices = p[0];
	usage = window_check(window, &e);
	if (!windows_resolve(t, &o, &w, &e)) {
		if (usage)
			abort();
		for (size_t i = 0; i < w.v_n && i < 4; i++)
			check(t, &w.v[i], !every && !slices);
		windows_release(&w);
	}
	filter_parse(text, "rank", &ranges, &e);
	free(ranges.v);
	free(text);
	place_close();
	return 0;
}
