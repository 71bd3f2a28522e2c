/* report_diff.c: tau-report diff and why: what changed between two runs, by region, call path or
 * group. */
#include <math.h>
#include <string.h>

#include "analyze/base/quantity.h"
#include "analyze/compare/difference.h"
#include "analyze/compare/run_matrix.h"
#include "cmd/picture/bars.h"
#include "cmd/report/report.h"
#include "cmd/report/runs/compared_runs.h"
#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"

#define TOP_TEXT  20
#define BARS_MOST 14

struct diff {
	const struct report_options *o;
	const struct report_runs *r;
	struct compared c;
	struct difference d;
	double scale[2];
	int per_pe;
};

static const char *const per_words[] = {"Sum over threads", "Mean per PE"};

static int per_read(const struct report_options *o, int *per_pe, struct error *e)
{
	*per_pe = 0;
	return report_value(o, "per", o->per, per_pe, e);
}

static double pct(double change, double of)
{
	return of > 0 ? 100 * change / of : NAN;
}

/* "run.a 12.3 ms, run.b 15.1 ms: +2.8 ms (+22.8 %)" */
static char *change_words(const struct compared *c, double before, double after)
{
	char *a = compared_words(c, before), *b = compared_words(c, after),
	     *change = compared_change_words(c, after - before), *s;

	s = before > 0 ? mem_printf("%s to %s: %s (%+.1f %%)", a, b, change,
				    pct(after - before, before))
		       : mem_printf("%s to %s: %s", a, b, change);
	free(a);
	free(b);
	free(change);
	return s;
}

static void notes(struct table *t, const struct diff *x)
{
	const struct run_column *run = x->c.m.run;
	char *sum = change_words(&x->c, x->d.before, x->d.after),
	     *unit = compared_unit_words(&x->c);

	report_notes(t, x->r);
	if (x->c.note)
		table_note(t, "%s", x->c.note);
	if (x->c.is_time && run[0].elapsed > 0 && run[1].elapsed > 0) {
		char *elapsed = change_words(&x->c, run[0].elapsed, run[1].elapsed);

		table_note(t, "Longest thread: %s.", elapsed);
		free(elapsed);
	}
	table_note(t, "%s, exclusive: %s.", per_words[x->per_pe], sum);
	table_note(t, "%sRows: %s.%s", unit,
		   x->per_pe ? "mean per PE" : "sum over threads",
		   x->o->inclusive ? "" : " Share: of the sum of all absolute changes.");
	free(sum);
	free(unit);
	if (!x->per_pe)
		compared_pes_note(t, &x->c, "--per pe compares the mean per PE");
	table_fact_text(t, "metric", x->c.metric);
	table_fact_text(t, "before", x->r->run[0].name);
	table_fact_text(t, "after", x->r->run[1].name);
	compared_fact(t, &x->c, "elapsed_before", run[0].elapsed);
	compared_fact(t, &x->c, "elapsed_after", run[1].elapsed);
	compared_fact(t, &x->c, "sum_before", x->d.before);
	compared_fact(t, &x->c, "sum_after", x->d.after);
	compared_fact(t, &x->c, "net_change", x->d.net);
	compared_fact(t, &x->c, "gross_change", x->d.gross);
}

/* Tables that have a column. */
enum { OF_EXCLUSIVE = 1, AS_DATA = 2 };

/* One row, a member for each column. */
struct diff_cells {
	double change, change_pct, share, before, after, calls_before, calls_after;
	const char *kind, *name_after, *region;
};

/* clang-format off: one column, one paragraph */
static const struct table_field fields[] = {
	{FIELD(struct diff_cells, change), TABLE_NUMBER, "change", NULL, .scaled = 1,
	 .meaning = "difference of the two times", .formula = "after - before"},
	{FIELD(struct diff_cells, change_pct), TABLE_NUMBER, "change_pct", "change %",
	 .precision = 1, .meaning = "change as a share of the time before",
	 .formula = "100 * change / before"},
	{FIELD(struct diff_cells, share), TABLE_NUMBER, "share_pct", "share %", .precision = 1,
	 .only = OF_EXCLUSIVE,
	 .meaning = "change as a share of the sum of all changes without their sign",
	 .formula = "100 * max(change, -change) / gross_change"},
	{FIELD(struct diff_cells, before), TABLE_NUMBER, "before", NULL, .scaled = 1,
	 .meaning = "time in the first run, over all threads (--per pe: mean per PE)"},
	{FIELD(struct diff_cells, after), TABLE_NUMBER, "after", NULL, .scaled = 1,
	 .meaning = "the same in the second run"},
	{FIELD(struct diff_cells, calls_before), TABLE_NUMBER, "calls_before", "calls before",
	 .spare = 2, .meaning = "calls in the first run"},
	{FIELD(struct diff_cells, calls_after), TABLE_NUMBER, "calls_after", "calls after",
	 .spare = 1, .meaning = "calls in the second run"},
	{FIELD(struct diff_cells, kind), TABLE_TEXT, "kind", "",
	 .meaning = "new: only the second run has the row; gone: only the first one"},
	{FIELD(struct diff_cells, name_after), TABLE_TEXT, "name_after", NULL, .only = AS_DATA,
	 .meaning = "name in the second run, if it differs"},
	COMPARED_REGION(struct diff_cells, region),
	{0},
};
/* clang-format on */

static void columns(struct table *t, const struct diff *x)
{
	compared_fields(t, &x->c, fields,
			(x->o->inclusive ? 0 : OF_EXCLUSIVE) |
				(x->o->format == REPORT_TEXT ? 0 : AS_DATA),
			NULL);
}

static void row_put(struct table *t, const struct diff *x, const struct difference_row *r)
{
	char *other = run_matrix_other_name(&x->c.m, r->row, 1),
	     *name = compared_name(&x->c, x->o, r->row);

	table_row(t);
	table_put_fields(t, &(struct diff_cells){
				    .change = compared_value(&x->c, r->change),
				    .change_pct = pct(r->change, r->before),
				    .share = 100 * r->explains,
				    .before = compared_value(&x->c, r->before),
				    .after = compared_value(&x->c, r->after),
				    .calls_before = r->calls_before,
				    .calls_after = r->calls_after,
				    .kind = isnan(r->before)  ? "new"
					    : isnan(r->after) ? "gone"
							      : NULL,
				    .name_after = other,
				    .region = name,
			    });
	free(other);
	free(name);
}

/* The rows that are not shown, added up. */
static void others_put(struct table *t, const struct diff *x, size_t from)
{
	double change = 0, explains = 0, before = 0, after = 0;
	char *name = mem_printf("(others: %zu)", x->d.v_n - from);

	for (size_t i = from; i < x->d.v_n; i++) {
		const struct difference_row *r = &x->d.v[i];

		change += r->change;
		explains += r->explains;
		before += isnan(r->before) ? 0 : r->before;
		after += isnan(r->after) ? 0 : r->after;
	}
	table_rule(t);
	table_row(t);
	table_put_fields(t, &(struct diff_cells){
				    .change = compared_value(&x->c, change),
				    .change_pct = pct(change, before),
				    .share = 100 * explains,
				    .before = compared_value(&x->c, before),
				    .after = compared_value(&x->c, after),
				    .calls_before = NAN,
				    .calls_after = NAN,
				    .region = name,
			    });
	free(name);
}

static struct table *diff_table(const struct diff *x, const char *title, size_t shown)
{
	struct table *t = table_new(title);

	columns(t, x);
	notes(t, x);
	for (size_t i = 0; i < shown; i++)
		row_put(t, x, &x->d.v[i]);
	if (shown < x->d.v_n && !x->o->inclusive)
		others_put(t, x, shown);
	else if (shown < x->d.v_n)
		table_remark(t, "%zu of %zu rows; --top 0 lists all.", shown, x->d.v_n);
	return t;
}

static char *title_of(const struct diff *x, const char *what)
{
	return mem_printf("%s: %s %s by %s, %s to %s", what,
			  x->o->inclusive ? "inclusive" : "exclusive",
			  x->c.is_time ? "time" : x->c.metric, x->c.what, x->r->run[0].title,
			  x->r->run[1].title);
}

/* Bars of the largest changes. */
static void draw(const struct diff *x, size_t shown, FILE *f)
{
	char *title =
		mem_printf("What changed from %s to %s", x->r->run[0].title, x->r->run[1].title);
	char *sum = change_words(&x->c, x->d.before, x->d.after);
	struct bars b = {.title = title,
			 .foot = "Blue and full: takes more. Yellow and hollow: takes less. Shares "
				 "are of the sum of all absolute changes."};

	b.subtitle = mem_printf("%s, exclusive: %s.", per_words[x->per_pe], sum);
	for (size_t i = 0; i < shown && i < BARS_MOST; i++) {
		const struct difference_row *r = &x->d.v[i];
		char *name = compared_name(&x->c, x->o, r->row),
		     *change = compared_change_words(&x->c, r->change),
		     *before = isnan(r->before) ? mem_string("absent")
						: compared_words(&x->c, r->before),
		     *after = isnan(r->after) ? mem_string("absent")
					      : compared_words(&x->c, r->after);

		bars_add(&b, name, mem_printf("%s to %s", before, after), r->change,
			 quantity_with_percent(change, 100 * r->explains), r->change > 0);
		free(name);
		free(change);
		free(before);
		free(after);
	}
	bars_print(&b, f);
	free((char *)b.subtitle);
	bars_release(&b);
	free(title);
	free(sum);
}

static void why_remarks(struct table *t, const struct diff *x)
{
	char explained[QUANTITY_TEXT], *gross = compared_words(&x->c, x->d.gross),
				       *net = compared_change_words(&x->c, x->d.net),
				       *found = compared_change_words(&x->c, x->d.explained_net);

	table_fact_number(t, "explaining_rows", (double)x->d.explaining);
	table_fact_number(t, "explained_pct", 100 * x->d.explained);
	compared_fact(t, &x->c, "explained_net_change", x->d.explained_net);
	if (!(x->d.gross > 0))
		table_remark(t, "Nothing changed.");
	else
		table_remark(t,
			     "%zu of %zu rows have %s of all changes (%s, added up without "
			     "sign) and %s of the net change of %s.",
			     x->d.explaining, x->d.v_n,
			     quantity_percent_text(100 * x->d.explained, explained), gross, found,
			     net);
	free(gross);
	free(net);
	free(found);
}

static int report_two(const struct report_options *o, const struct report_runs *r, const char *kind,
		      struct output *out, size_t width, struct error *e)
{
	struct diff x = {.o = o, .r = r, .scale = {1, 1}};
	int why = !strcmp(kind, "why");
	size_t shown;
	char *title;

	if (r->run_n != 2)
		return error_set(e, ERROR_USAGE, "%s needs two runs, not %zu", kind,
				 r->run_n);
	if (per_read(o, &x.per_pe, e))
		return e->code;
	if (!compared_make(&x.c, o, r, e)) {
		for (int k = 0; k < 2 && x.per_pe; k++)
			x.scale[k] = 1 / (double)x.c.m.run[k].pes;
		difference_make(&x.d, &x.c.m, x.scale, o->inclusive);
		shown = why ? x.d.explaining : report_rows_shown(o, x.d.v_n, TOP_TEXT);
		title = title_of(&x, why ? "What explains the difference" : "Difference");
		if (o->format == REPORT_SVG) {
			draw(&x, shown, out->file);
		} else {
			struct table *t = diff_table(&x, title, shown);

			if (why)
				why_remarks(t, &x);
			compared_matches(t, &x.c, r, o);
			report_table(t, o, out->file, width);
		}
		free(title);
		difference_release(&x.d);
	}
	compared_release(&x.c);
	return e->code;
}

static int report_diff(const struct report_options *o, const struct report_runs *r,
		       struct output *out, size_t width, struct error *e)
{
	return report_two(o, r, "diff", out, width, e);
}

static int report_why(const struct report_options *o, const struct report_runs *r,
		      struct output *out, size_t width, struct error *e)
{
	return report_two(o, r, "why", out, width, e);
}

static const struct report_values diff_values[] = {
	{"per",
	 (const struct report_value[]){
		 {"job", "the sum over threads", 0}, {"pe", "the mean per PE", 1}, {0}},
	 NULL},
	{0},
};

const struct report_kind kind_diff = {
	.name = "diff",
	.columns = (const struct table_field *const[]){fields, NULL},
	.about = "what changed between two runs",
	.question = QUESTION_CHANGED,
	.runs = "BEFORE AFTER",
	.example = "--by path before after",
	.print = report_diff,
	.options = REPORT_PICK "per by metric where inclusive samples",
	.by = compared_bys,
	.values = diff_values,
	.whole = 1,
	.title = "Differences",
	.page = REPORT_PAGE_BOTH,
	.several = 1,
	.part = REPORT_PART,
	.sums = 1,
};

const struct report_kind kind_why = {
	.name = "why",
	.columns = (const struct table_field *const[]){fields, NULL},
	.about = "the rows that explain most of the difference between two runs",
	.question = QUESTION_CHANGED,
	.runs = "BEFORE AFTER",
	.example = "before after",
	.print = report_why,
	.options = REPORT_PICK "per by metric where samples",
	.lacks = "top",
	.by = compared_bys,
	.values = diff_values,
	.whole = 1,
	.part = REPORT_PART,
	.sums = 1,
};
