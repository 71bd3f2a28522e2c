/* numbers.h: for targets that edit the numbers that are kept of a run (analyze/trace/numbers.h), in place of the file. */
#ifndef FUZZ_NUMBERS_H
#define FUZZ_NUMBERS_H

#include <stdlib.h>

#include "analyze/trace/trace.h"
#include "convert/io/bytes.h"

static struct trace_ops ops;
static enum trace_numbers kept_which;
static int64_t *good, *now; /* the numbers of the run; those of the input, NULL: there are none */
static size_t good_n, now_n;

/* What is to be kept first are those of the run. */
static int numbers_index(struct trace *t, struct trace_index *x, struct error *e)
{
	(void)t, (void)e;
	if (x->numbers != kept_which)
		return 0;
	if (x->kind == TRACE_INDEX_NUMBERS_KEEP && !good) {
		good = mem_copy(x->number, x->number_n, sizeof(*good));
		good_n = x->number_n;
	}
	if (x->kind != TRACE_INDEX_NUMBERS || !now)
		return 0;
	x->number = mem_copy(now, now_n, sizeof(*now));
	x->number_n = now_n;
	return 1;
}

static void numbers_stand_in(struct trace *t, enum trace_numbers which)
{
	kept_which = which;
	ops = *t->ops;
	ops.index = numbers_index;
	t->ops = &ops;
}

/* Edits: which one, and what it is, as varints. missing: how many are not there at the end. */
static void numbers_edit(const unsigned char *p, size_t n, size_t missing)
{
	struct bytes b = bytes_of(p, n);

	now = mem_copy(good, good_n, sizeof(*good));
	now_n = good_n - (missing < good_n ? missing : good_n);
	while (bytes_left(&b)) {
		const uint64_t which = bytes_varint(&b);

		now[which % good_n] = bytes_zigzag(&b);
	}
}

static void numbers_drop(void)
{
	free(now);
	now = NULL;
}

#endif
