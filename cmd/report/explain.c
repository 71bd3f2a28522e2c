/* explain.c: adds explanations to the columns of a table, and the runs that it is computed from. */
#include "cmd/report/explain.h"

#include <string.h>

#include "analyze/profile/profile.h"
#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"
#include "convert/load.h"

/* The formula with the name of what the column is repeated for instead of each '$'; NULL: none. To be freed. */
static char *formula_for(const char *formula, const char *each)
{
	char *text = formula ? mem_string("") : NULL;

	for (const char *s = formula; s && *s;) {
		size_t n = strcspn(s, "$");
		char *more = mem_printf("%s%.*s%s", text, (int)n, s, s[n] && each ? each : "");

		free(text);
		text = more;
		s += n + (s[n] == '$');
	}
	return text;
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

/* What the field of the column has, and each of its values that the column has. */
static void explain_column(struct table *t, size_t column, const struct table_field *f)
{
	char *formula = formula_for(f->formula, table_field_each(t, column));

	table_about(t, column, NULL, f->meaning, formula, f->source);
	free(formula);
	for (const struct field_value *v = f->value; v && v->value; v++)
		if (table_has_word(t, column, v->value))
			table_about(t, column, v->value, v->meaning, v->formula, v->source);
}

void explain_table(struct table *t, const struct report_options *o)
{
	for (size_t c = 0; c < table_columns(t); c++)
		if (table_field_of(t, c))
			explain_column(t, c, table_field_of(t, c));
	for (size_t i = 0; o->inputs && i < o->inputs->run_n; i++)
		explain_run(t, o, &o->inputs->run[i]);
	for (size_t i = 0; (!o->inputs || !o->inputs->run_n) && i < o->operand_n; i++)
		table_input(t, "%s: events, window %s", o->operand[i],
			    o->window ? o->window : "everything");
}
