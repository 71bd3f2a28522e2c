/* explain.c: adds explanations to the columns of a table, and the runs that it is computed from. */
#include "cmd/report/explain.h"

#include <string.h>

#include "analyze/profile/profile.h"
#include "cmd/shared/option_use.h"
#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"
#include "convert/load.h"

/* Does a key fit a pattern? *rest: the text that its '*' matches, of n bytes. Without one, "mean" is "mean_us", too. */
static int fits(const char *pattern, const char *key, const char **rest, size_t *n)
{
	const char *star = strchr(pattern, '*');
	size_t before = star ? (size_t)(star - pattern) : strlen(pattern),
	       after = star ? strlen(star + 1) : 0, length = strlen(key);

	*rest = "";
	*n = 0;
	if (strncmp(pattern, key, before) != 0 || length < before + after)
		return 0;
	if (!star)
		return !key[before] || option_is_word("_ns _us _ms _s", key + before);
	if (strcmp(key + length - after, star + 1) != 0)
		return 0;
	*rest = key + before;
	*n = length - before - after;
	return 1;
}

/* The formula with the text for each '$'; NULL: none. To be freed. */
static char *formula_for(const char *formula, const char *rest, size_t n)
{
	char *text = formula ? mem_alloc(strlen(formula) * (n + 1) + 1) : NULL, *to = text;

	for (const char *s = formula; s && *s; s++) {
		if (*s == '$') {
			memcpy(to, rest, n);
			to += n;
		} else {
			*to++ = *s;
		}
	}
	return text;
}

static void explain_column(struct table *t, size_t column, const char *kind,
			   const struct explanation *x)
{
	const char *key = table_key(t, column), *rest;
	size_t n;
	int found = 0;

	for (; x->key; x++) {
		char *formula;

		if ((x->kinds && !option_is_word(x->kinds, kind)) || !fits(x->key, key, &rest, &n))
			continue;
		if (x->value ? !table_has_word(t, column, x->value) : found++)
			continue;
		formula = formula_for(x->formula, rest, n);
		table_about(t, column, x->value, x->meaning, formula, x->source);
		free(formula);
	}
}

static void explain_run(struct table *t, const struct report_options *o,
			const struct report_run *run)
{
	const struct profile *p = run->profile;
	size_t pes = p ? profile_pes(p) : 0;

	if (!p) {
		table_input(t, "%s", run->name);
		return;
	}
	table_input(t, "%s%s: %zu PE%s, %zu thread%s, window %s%s%s", o->db ? "trial " : "",
		    run->name, pes, plural(pes), p->thread_n, plural(p->thread_n),
		    load_window_words(p->window), p->metric_n ? ", metric " : "",
		    o->metric     ? o->metric
		    : p->metric_n ? p->metric[0].name
				  : "");
}

/* What the row of the column has. */
static void explain_field(struct table *t, size_t column, const struct table_field *f)
{
	const char *each = table_field_each(t, column);
	char *formula = formula_for(f->formula, each ? each : "", each ? strlen(each) : 0);

	if (f->meaning)
		table_about(t, column, NULL, f->meaning, formula, f->source);
	free(formula);
	for (const struct field_value *v = f->value; v && v->value; v++)
		if (table_has_word(t, column, v->value))
			table_about(t, column, v->value, v->meaning, v->formula, v->source);
}

void explain_table(struct table *t, const struct report_options *o)
{
	const struct explanation *const all[] = {explain_times, explain_events, explain_runs};

	for (size_t c = 0; c < table_columns(t); c++) {
		const struct table_field *field = table_field_of(t, c);

		if (field)
			explain_field(t, c, field);
		for (size_t i = 0; !field && i < sizeof(all) / sizeof(*all); i++)
			explain_column(t, c, o->kind->name, all[i]);
	}
	for (size_t i = 0; o->inputs && i < o->inputs->run_n; i++)
		explain_run(t, o, &o->inputs->run[i]);
	for (size_t i = 0; (!o->inputs || !o->inputs->run_n) && i < o->operand_n; i++)
		table_input(t, "%s: events, window %s", o->operand[i],
			    o->window ? o->window : "everything");
}
