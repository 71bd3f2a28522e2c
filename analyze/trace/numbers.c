/* numbers.c: numbers about a run that its format keeps. */
#include "analyze/trace/numbers.h"

int numbers_keep(const struct kept_numbers *x, struct trace *t, enum trace_numbers which)
{
	struct trace_index to = {.kind = TRACE_INDEX_NUMBERS_KEEP,
				 .numbers = which,
				 .number = x->v,
				 .number_n = x->v_n};
	struct error e = {0};

	return t->ops->knows & TRACE_KNOWS_NUMBERS && t->ops->index(t, &to, &e) > 0;
}

int numbers_load(struct kept_numbers *x, struct trace *t, enum trace_numbers which)
{
	struct trace_index from = {.kind = TRACE_INDEX_NUMBERS, .numbers = which};
	struct error e = {0};

	*x = (struct kept_numbers){0};
	if (!(t->ops->knows & TRACE_KNOWS_NUMBERS) || t->ops->index(t, &from, &e) <= 0)
		return 0;
	*x = (struct kept_numbers){.v = from.number, .v_n = from.number_n, .v_cap = from.number_n};
	return 1;
}
