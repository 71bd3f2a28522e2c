/*
 * index.c: fuzzes the indexes of our own traces (FILE.index), and their contents. The bytes are: how many edits follow (bits 0 to 3),
 * the kind of window (bits 4 to 6) and whether checksums are made to fit the edits (bit 7); two numbers that select the window
 * (16 bits each: begin and end in 1/65536 of the run, or the regions and instances); the edits (16 bits for the position, 8 bits for
 * the change); a trace as in native.h.
 *
 * The index of the trace is made and edited. Profiles made with it must be those that replay makes, whatever was edited, unless
 * the checksums fit the edits.
 */
#include <stdio.h>

#include "convert/load.h"
#include "convert/native/native.h"
#include "convert/native/file/native_chunks.h"
#include "convert/native/index/native_index.h"
#include "index_edit.h"
#include "loaded.h"
#include "native.h"
#include "tests/profiles.h"

#define FILL 4096		/* after each chunk, so that a span has few of them */
#define WINDOWS 2

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n);

/* ---- windows ---- */

/* The name of a region in double quotes. */
static char *quoted(const struct trace *t, unsigned which)
{
	const char *name = t->region_n ? t->region[which % t->region_n].name : "main";
	char *text = mem_alloc(2 * strlen(name) + 3), *to = text;

	*to++ = '"';
	for (; *name; *to++ = *name++)
		if (*name == '"' || *name == '\\')
			*to++ = '\\';
	*to = '"';
	return text;
}

/* Instances are found by the index as well, and so are those of a loop. */
static char *window_text(const struct trace *t, unsigned kind, unsigned a, unsigned b)
{
	char *x = quoted(t, a & 15), *y = quoted(t, b & 15), *text;
	unsigned first = 1 + (a >> 4) % 64, last = first + (b >> 4) % 64;

	switch (kind) {
	case 1: text = mem_printf("%s#%u", x, first); break;
	case 2: text = mem_printf("%s#%u..%u", x, first, last); break;
	case 3: text = mem_printf("%s#*", x); break;
	case 4: text = mem_printf("%s..%s#%u", x, y, first); break;
	case 5: text = mem_printf("%s#%u:%s#%u", x, first, y, 1 + (b >> 4) % 64); break;
	case 6: text = b & 15 ? mem_printf("iter(%s)=%u..%u", x, first, last) : mem_printf("iter=%u..%u", first, last); break;
	case 7: text = a >> 4 & 1 ? mem_printf("%s..%s", x, y) : mem_string(x); break;
	default: text = mem_printf("%.4f%%:%.4f%%", a / 655.36, b / 655.36);
	}
	free(x);
	free(y);
	return text;
}

/* Makes the index as for a large trace. Returns the text of the selected window, or NULL: there is no index. */
static char *make(unsigned kind, unsigned a, unsigned b)
{
	struct trace *t;
	struct error e = { 0 };
	char *window = NULL;
	const uint32_t stream = 0;

	if (native_open(PLACE "/x.tau", &t, &e))
		return NULL;
	if (t->stream_n == 1 && native_index_make(t, &(struct trace_index){.stream = &stream, .n = 1}, t->ops, &e) == 1)
		window = window_text(t, kind, a, b);
	trace_free(t);
	return window;
}

static int threads_alike(const struct profile_thread *a, const struct profile_thread *b)
{
	if (a->row_n != b->row_n || a->values_n != b->values_n || a->sample_n != b->sample_n || a->node != b->node || a->thread != b->thread)
		return 0;
	for (size_t i = 0; i < a->row_n; i++) {
		const struct profile_row *x = &a->row[i], *y = &b->row[i];

		if (x->path != y->path || x->calls != y->calls || x->subrs != y->subrs || x->first != y->first)
			return 0;
	}
	for (size_t i = 0; i < a->sample_n; i++) {
		const struct profile_sample *x = &a->sample[i], *y = &b->sample[i];

		if (x->counter != y->counter || x->path != y->path || x->n != y->n || x->max != y->max || x->min != y->min ||
		    x->mean != y->mean || x->sumsq != y->sumsq)
			return 0;
	}
	return !a->values_n || !memcmp(a->values, b->values, a->values_n * sizeof(*a->values));
}

/* Are they the same without comparing their texts? */
static int alike(const struct profile *a, const struct profile *b)
{
	if (a->metric_n != b->metric_n || a->timer_n != b->timer_n || a->path_n != b->path_n || a->counter_n != b->counter_n ||
	    a->thread_n != b->thread_n || a->begin_us != b->begin_us || a->end_us != b->end_us)
		return 0;
	for (size_t i = 0; i < a->timer_n; i++)
		if (strcmp(a->timer[i].name, b->timer[i].name))
			return 0;
	for (size_t i = 0; i < a->path_n; i++)
		if (a->path[i].timer != b->path[i].timer || a->path[i].parent != b->path[i].parent)
			return 0;
	for (size_t i = 0; i < a->counter_n; i++)
		if (strcmp(a->counter[i].name, b->counter[i].name) || a->counter[i].kind != b->counter[i].kind)
			return 0;
	for (size_t i = 0; i < a->thread_n; i++)
		if (!threads_alike(&a->thread[i], &b->thread[i]))
			return 0;
	return 1;
}

static void compare(const char *window, int exact)
{
	const char *windows[WINDOWS] = {":", window};
	struct loaded with = loaded_get(PLACE "/x.tau", windows, WINDOWS, INDEX_AUTO);
	struct loaded without = loaded_get(PLACE "/x.tau", windows, WINDOWS, INDEX_NEVER);

	if (exact && with.n != without.n)
		abort();
	for (size_t i = 0; i < with.n && exact; i++)
		if (!alike(with.v[i], without.v[i]) && !profiles_same(with.v[i], without.v[i]))
			abort();
	loaded_release(&with);
	loaded_release(&without);
}

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n)
{
	size_t edits = n ? p[0] & 15 : 0;
	char *window;

	if (n < 5 + 3 * edits)
		return 0;
	place_open();
	pack_run(p + 5 + 3 * edits, n - 5 - 3 * edits, FILL);
	window = make(p[0] >> 4 & 7, pack_16(p + 1), pack_16(p + 3));
	if (window) {
		if (edits)
			index_edit("x.index", p + 5, edits, p[0] & 128 ? index_repair : NULL);
		compare(window, !edits || !(p[0] & 128));
	}
	free(window);
	place_close();
	return 0;
}
