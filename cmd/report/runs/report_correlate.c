/* report_correlate.c: tau-report correlate: regions and metadata that correlate with the total time
 * of runs. */
#include <math.h>
#include <string.h>

#include "analyze/compare/correlation.h"
#include "analyze/compare/run_matrix.h"
#include "analyze/profile/profile.h"
#include "cmd/picture/bars.h"
#include "cmd/report/report.h"
#include "cmd/report/runs/compared_runs.h"
#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"

#define TOP_TEXT 20
#define BARS_MOST 20

struct shown {
	struct correlation c; /* first: correlations_correct() steps over them */
	const char *kind;
	char *name;
};

struct correlate_report {
	const struct report_options *o;
	const struct report_runs *r;
	struct compared c;
	double *total, *value; /* by run */
	struct shown *row;
	size_t row_n, row_cap;
	size_t few, constant; /* rows without a correlation, and why */
};

static void row_add(struct correlate_report *a, const char *kind, char *name)
{
	struct shown s = {.kind = kind, .name = name};

	correlation_make(&s.c, a->value, a->total, a->r->run_n);
	if (!isnan(s.c.pearson)) {
		*array_add(a, row) = s;
		return;
	}
	if (s.c.n < CORRELATION_PAIRS)
		a->few++;
	else
		a->constant++;
	free(name);
}

static void regions_add(struct correlate_report *a)
{
	for (size_t i = 0; i < a->c.m.row_n; i++) {
		for (size_t k = 0; k < a->r->run_n; k++) {
			const struct run_cell *c = run_matrix_cell(&a->c.m, i, k);

			a->value[k] = c->threads ? c->excl / (double)a->c.m.run[k].threads : NAN;
		}
		row_add(a, a->c.what, compared_name(&a->c, a->o, i));
	}
}

/* ---- metadata ---- */

static double number_of(const char *text)
{
	char *end;
	double v = text && *text ? strtod(text, &end) : NAN;

	return !isnan(v) && !*end ? v : NAN;
}

static void names_of(struct names *names, const struct profile_attribute *meta, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isnan(number_of(meta[i].value)))
			names_add(names, meta[i].name, strlen(meta[i].name));
}

/* Of the trial, unless a thread has another value; else the mean over the threads. NaN: missing, or
 * no number. */
static double meta_value(const struct profile *p, const char *name)
{
	const char *whole = profile_meta(p, UINT32_MAX, name);
	double sum = 0, n = 0;
	int others = 0;

	for (uint32_t i = 0; i < p->thread_n; i++) {
		const char *text = profile_meta_of(p, i, name);

		if (!text || p->thread[i].node < 0)
			continue;
		others |= !whole || strcmp(text, whole) != 0;
		sum += number_of(text);
		n++;
	}
	return whole && !others ? number_of(whole) : n > 0 ? sum / n : NAN;
}

static void metadata_add(struct correlate_report *a)
{
	struct names names = {0};

	for (size_t k = 0; k < a->r->run_n; k++)
		a->value[k] = (double)a->c.m.run[k].pes;
	row_add(a, "metadata", mem_string("PEs"));
	for (size_t k = 0; k < a->r->run_n; k++) {
		const struct profile *p = a->r->run[k].profile;

		names_of(&names, p->meta, p->meta_n);
		for (size_t i = 0; i < p->thread_n; i++)
			names_of(&names, p->thread[i].meta, p->thread[i].meta_n);
	}
	for (size_t i = 0; i < names.name_n; i++) {
		for (size_t k = 0; k < a->r->run_n; k++)
			a->value[k] = meta_value(a->r->run[k].profile, names.name[i]);
		row_add(a, "metadata", mem_string(names.name[i]));
	}
	names_release(&names);
}

/* ---- the table ---- */

static int strongest_first(const void *va, const void *vb)
{
	const struct shown *a = va, *b = vb;

	if (a->c.p != b->c.p)
		return a->c.p < b->c.p ? -1 : 1;
	if (fabs(a->c.pearson) != fabs(b->c.pearson))
		return fabs(a->c.pearson) > fabs(b->c.pearson) ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* One row, a member for each column. */
struct correlate_cells {
	double pearson, low, high, p, spearman, p_spearman;
	int64_t runs;
	const char *kind, *name;
};

/* clang-format off: one column, one paragraph */
static const struct table_field fields[] = {
	{FIELD(struct correlate_cells, pearson), TABLE_NUMBER, "pearson", NULL, .precision = 4,
	 .meaning = "correlation of the value with the total time", .source = "Pearson"},
	{FIELD(struct correlate_cells, low), TABLE_NUMBER, "low", NULL, .precision = 4,
	 .meaning = "lower end of its 95 % interval", .source = "Fisher"},
	{FIELD(struct correlate_cells, high), TABLE_NUMBER, "high", NULL, .precision = 4,
	 .meaning = "upper end of its 95 % interval", .source = "Fisher"},
	{FIELD(struct correlate_cells, p), TABLE_NUMBER, "p", NULL, .precision = 4,
	 .meaning = "probability of such a correlation if the two are unrelated; "
		    "corrected for the number of rows",
	 .source = "Student; Benjamini and Hochberg"},
	{FIELD(struct correlate_cells, spearman), TABLE_NUMBER, "spearman", NULL, .precision = 4,
	 .meaning = "correlation of the positions in sorted order", .source = "Spearman"},
	{FIELD(struct correlate_cells, p_spearman), TABLE_NUMBER, "p_spearman", "p", .precision = 4,
	 .meaning = "probability of such a correlation if the two are unrelated; "
		    "corrected for the number of rows",
	 .source = "Student; Benjamini and Hochberg"},
	{FIELD(struct correlate_cells, runs), TABLE_INTEGER, "runs", "runs",
	 .meaning = "number of runs that have the value"},
	{FIELD(struct correlate_cells, kind), TABLE_TEXT, "kind", "kind",
	 .meaning = "region, or metadata that are numbers"},
	{FIELD(struct correlate_cells, name), TABLE_TEXT, "name", "name",
	 .meaning = "name of the region or of the metadata"},
	{0},
};
/* clang-format on */

static void print(struct correlate_report *a, FILE *f, size_t width)
{
	struct table *t = table_new("Correlation with the total time");
	size_t top = report_rows_shown(a->o, a->row_n, TOP_TEXT);

	table_fields(t, fields, 0, NULL);
	compared_notes(t, &a->c, a->r);
	table_note(t,
		   "%zu runs; total: %s of the longest thread; regions: exclusive, mean over "
		   "threads.",
		   a->r->run_n, a->c.metric);
	table_note(t,
		   "low, high: 95 %% interval of Pearson's correlation; p: corrected for %zu "
		   "rows (Benjamini and Hochberg).",
		   a->row_n);
	for (size_t i = 0; i < top; i++) {
		const struct correlation *c = &a->row[i].c;

		table_row(t);
		table_put_fields(t, &(struct correlate_cells){
					    .pearson = c->pearson,
					    .low = c->low,
					    .high = c->high,
					    .p = c->p,
					    .spearman = c->spearman,
					    .p_spearman = c->p_spearman,
					    .runs = (int64_t)c->n,
					    .kind = a->row[i].kind,
					    .name = a->row[i].name,
				    });
	}
	if (top < a->row_n)
		table_remark(t, "%zu of %zu rows; --top 0 lists all.", top, a->row_n);
	if (a->few + a->constant)
		table_remark(t, "Not listed: %zu row%s that fewer than %d runs have, %zu with the "
				"same value in all runs.",
			     a->few, plural(a->few), CORRELATION_PAIRS, a->constant);
	report_table(t, a->o, f, width);
}

static void picture(const struct correlate_report *a, FILE *f)
{
	size_t shown = report_rows_shown(a->o, a->row_n, BARS_MOST);
	struct bars b = {.title = "What correlates with the total time of the runs",
			 .foot = "Blue and full: larger in slower runs. Yellow and hollow: smaller "
				 "in slower runs. In brackets: 95 % interval."};

	shown = shown < BARS_MOST ? shown : BARS_MOST;
	if (!a->row_n) {
		b.foot = NULL;
		b.subtitle = mem_printf("%zu runs: no row. Fewer than %d runs have %zu of them; "
					"%zu have the same value in all runs.",
					a->r->run_n, CORRELATION_PAIRS, a->few, a->constant);
	} else
		b.subtitle = mem_printf("Pearson's correlation over %zu runs, %zu of %zu rows, "
					"smallest p first.",
				a->r->run_n, shown, a->row_n);
	for (size_t i = 0; i < shown; i++) {
		const struct correlation *c = &a->row[i].c;

		bars_add(&b, a->row[i].name,
			 mem_printf("%s, %zu runs, p = %.4f", a->row[i].kind, c->n, c->p),
			 c->pearson,
			 isnan(c->low) ? mem_printf("%.4f", c->pearson)
				       : mem_printf("%.4f [%.2f, %.2f]", c->pearson, c->low,
						    c->high),
			 c->pearson > 0);
	}
	bars_print(&b, f);
	free((char *)b.subtitle);
	bars_release(&b);
}

static void make(struct correlate_report *a)
{
	size_t n = a->r->run_n;

	a->total = mem_alloc((n + 1) * sizeof(*a->total));
	a->value = mem_alloc((n + 1) * sizeof(*a->value));
	for (size_t k = 0; k < n; k++)
		a->total[k] = a->c.m.run[k].elapsed;
	regions_add(a);
	metadata_add(a);
	correlations_correct(a->row_n ? &a->row->c : NULL, a->row_n, sizeof(*a->row));
	if (a->row_n)
		qsort(a->row, a->row_n, sizeof(*a->row), strongest_first);
}

static int report_correlate(const struct report_options *o, const struct report_runs *r,
			    struct output *out, size_t width, struct error *e)
{
	struct correlate_report a = {.o = o, .r = r};
	int code = report_format_check(o, "correlate", "text csv json svg", e);

	if (!code && r->run_n < CORRELATION_PAIRS)
		code = error_set(e, ERROR_USAGE, "correlate needs at least %d runs, not %zu",
				 CORRELATION_PAIRS, r->run_n);
	if (code)
		return code;
	code = compared_make(&a.c, o, r, e);
	if (!code) {
		make(&a);
		if (o->format == REPORT_SVG)
			picture(&a, out->file);
		else
			print(&a, out->file, width);
	}
	for (size_t i = 0; i < a.row_n; i++)
		free(a.row[i].name);
	free(a.row);
	free(a.total);
	free(a.value);
	compared_release(&a.c);
	return code;
}

const struct report_kind kind_correlate = {
	.name = "correlate",
	.columns = (const struct table_field *const[]){fields, NULL},
	.about = "regions and metadata that correlate with the total time of runs",
	.question = QUESTION_CHANGED,
	.runs = "RUN RUN...",
	.example = "--db tau.db",
	.print = report_correlate,
	.options = REPORT_PICK "by metric where samples",
	.by = compared_bys,
	.whole = 1,
	.part = REPORT_PART,
	.sums = 1,
};
