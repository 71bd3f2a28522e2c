/* scaling_sentences.c: what tau-report scaling prints in sentences, in its table and its picture.
 */
#include <string.h>

#include "cmd/report/runs/compared_runs.h"
#include "cmd/report/runs/report_scaling.h"

const char *scaling_unit(const struct scaling_shown *x, double n)
{
	return x->s.of_threads ? n == 1 ? "thread" : "threads" : n == 1 ? "PE" : "PEs";
}

/* Appends to a string that is freed. */
char *scaling_append(char *s, char *more)
{
	char *both = mem_printf("%s%s", s, more);

	free(s);
	free(more);
	return both;
}

char *scaling_counts(const struct scaling_shown *x)
{
	char *words = mem_string("");

	for (size_t k = 0; k < x->s.p_n; k++)
		words = scaling_append(words, mem_printf("%s%.0f", k ? ", " : "", x->s.p[k]));
	return scaling_append(words, mem_printf(" %s", scaling_unit(x, x->s.p[x->s.p_n - 1])));
}

char *scaling_largest(const struct scaling_shown *x)
{
	char *words = mem_string("");
	size_t before = SIZE_MAX;

	for (size_t k = 0; k < x->s.p_n; k++) {
		size_t row = x->s.largest[k];
		char *name;

		if (row == before) {
			words = scaling_append(words, mem_printf(", %.0f", x->s.p[k]));
			continue;
		}
		name = compared_brief(&x->c, x->o, x->s.row[row].row);
		words = scaling_append(words,
				       mem_printf("%s%s on %.0f", k ? "; " : "", name, x->s.p[k]));
		free(name);
		before = row;
	}
	return words;
}

char *scaling_next(const struct scaling_shown *x)
{
	const struct speedup *s = &x->s;
	double most = s->p[s->p_n - 1];
	char *now = compared_brief(&x->c, x->o, s->row[s->largest[s->p_n - 1]].row), *words;

	if (s->next != SIZE_MAX) {
		const struct speedup_row *r = &s->row[s->next];
		char *next = compared_brief(&x->c, x->o, r->row);
		int assumed = r->assumed || s->row[s->largest[s->p_n - 1]].assumed;

		words = mem_printf(
			"Next largest: %s, from %.0f %s on (%.3g times the largest run%s).", next,
			s->next_from, scaling_unit(x, s->next_from), s->next_from / most,
			assumed ? "; by assumed models" : "");
		free(next);
	} else if (!s->row[s->largest[s->p_n - 1]].modelled) {
		words = mem_printf("Next largest: unknown, because %s has no model.", now);
	} else {
		words = mem_printf("Next largest: no other region with a model exceeds %s up to "
				   "%.0f %s.",
				   now, most * SPEEDUP_REACH, scaling_unit(x, 2));
	}
	free(now);
	return words;
}
