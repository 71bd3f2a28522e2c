/* report_breakdown.c: tau-report breakdown: the shares of regions in the time, by number of PEs. */
#include <math.h>

#include "analyze/compare/speedup.h"
#include "cmd/picture/svg.h"
#include "cmd/report/report.h"
#include "cmd/report/runs/compared_runs.h"
#include "cmd/report/runs/report_scaling.h"
#include "cmd/report/times/time_paths.h"
#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"

#define TOP_TEXT 20
#define CUT_TEXT 1.0 /* per cent, if --cut is absent */

struct breakdown {
	struct scaling_shown x;
	size_t *order, row_n; /* rows by their largest share */
	size_t shown;	      /* of these */
	double cut;	      /* per cent */
};

enum { EACH_COUNT = 1, EACHES };
/* Tables that have a column. */
enum { AS_TEXT = 1, OF_TIMES = 2, OF_VALUES = 4 };

/* One row, a member for each column. */
struct breakdown_cells {
	const double *share;
	double change;
	const double *value;
	const char *region;
};

/* clang-format off: one column, one paragraph */
static const struct table_field fields[] = {
	{FIELD(struct breakdown_cells, share), TABLE_NUMBER, "share_pct_*", "*", .precision = 1,
	 .each = EACH_COUNT,
	 .meaning = "share of the row in the time of all rows on this number of PEs",
	 .source = "PerfExplorer"},
	{FIELD(struct breakdown_cells, change), TABLE_NUMBER, "change_points", "change",
	 .precision = 1,
	 .meaning = "change of this share from the smallest to the largest number "
		    "of PEs, in percentage points"},
	{FIELD(struct breakdown_cells, value), TABLE_NUMBER, "time_*", "*", .scaled = 1,
	 .each = EACH_COUNT, .only = OF_TIMES,
	 .meaning = "exclusive time per PE or thread on this number of PEs or "
		    "threads; of several runs, the mean"},
	{FIELD(struct breakdown_cells, value), TABLE_NUMBER, "value_*", "*", .scaled = 1,
	 .each = EACH_COUNT, .only = OF_VALUES,
	 .meaning = "exclusive value per PE or thread on this number of PEs or "
		    "threads"},
	COMPARED_REGION(struct breakdown_cells, region),
	{0},
};
/* clang-format on */

static void columns_add(struct table *t, const struct breakdown *b)
{
	const struct scaling_shown *x = &b->x;
	struct field_each each[EACHES] = {0};

	for (size_t i = 0; i < x->s.p_n; i++)
		scaling_each(x, x->s.p[i], &each[EACH_COUNT]);
	compared_fields(t, &x->c, fields,
			x->o->format == REPORT_TEXT ? AS_TEXT
			: x->c.is_time		    ? OF_TIMES
						    : OF_VALUES,
			each);
	table_field_spare(t, offsetof(struct breakdown_cells, share), scaling_spare);
	field_each_release(&each[EACH_COUNT]);
}

/* value: by number of PEs, the time per PE. */
static void row_put(struct table *t, const struct breakdown *b, const double *value,
		    const char *name)
{
	const struct scaling_shown *x = &b->x;
	const double *sum = x->s.sum;
	size_t n = x->s.p_n, last = n - 1;
	double *share = mem_alloc(2 * n * sizeof(*share)), *shown = share + n;

	for (size_t i = 0; i < n; i++) {
		share[i] = 100 * value[i] / sum[i];
		shown[i] = compared_value(&x->c, value[i]);
	}
	table_row(t);
	table_put_fields(
		t,
		&(struct breakdown_cells){
			.share = share,
			.change = last ? 100 * (value[last] / sum[last] - value[0] / sum[0]) : NAN,
			.value = shown,
			.region = name,
		});
	free(share);
}

/* What rows have together; a number of PEs at which none of them has a value is empty. */
static void parts_put(struct table *t, const struct breakdown *b, size_t from, size_t to,
		      const char *name)
{
	const struct speedup *s = &b->x.s;
	double *value = mem_alloc(s->p_n * sizeof(*value));

	for (size_t i = 0; i < s->p_n; i++) {
		value[i] = NAN;
		for (size_t r = from; r < to; r++) {
			double v = scaling_part(s, b->order[r], i);

			value[i] = isnan(v) ? value[i] : isnan(value[i]) ? v : value[i] + v;
		}
	}
	row_put(t, b, value, name);
	free(value);
}

static void notes(struct table *t, const struct breakdown *b)
{
	const struct scaling_shown *x = &b->x;
	char *counts = scaling_counts(x), *largest = scaling_largest(x);

	table_note(t, "Runs: %zu, on %s.", x->r->run_n, counts);
	table_note(t, "Largest %s: %s.", x->c.what, largest);
	table_note(t,
		   "Shares in %%: exclusive, of the sum of all rows; change: from %.0f to %.0f %s, "
		   "in percentage points.",
		   x->s.p[0], x->s.p[x->s.p_n - 1], scaling_unit(x, x->s.p[x->s.p_n - 1]));
	compared_notes(t, &x->c, x->r);
	table_fact_text(t, "counts", x->s.of_threads ? "threads" : "pes");
	table_fact_text(t, "metric", x->c.metric);
	free(counts);
	free(largest);
}

static void table_of(const struct breakdown *b, FILE *f, size_t width)
{
	const struct scaling_shown *x = &b->x;
	char *title = mem_printf("Breakdown: shares of the %s by %s",
				 x->c.is_time ? "time" : x->c.metric, x->c.what);
	struct table *t = table_new(title);

	columns_add(t, b);
	notes(t, b);
	for (size_t i = 0; i < b->shown; i++) {
		char *name = compared_name(&x->c, x->o, x->s.row[b->order[i]].row);

		parts_put(t, b, i, i + 1, name);
		free(name);
	}
	if (x->o->sorting || b->shown == b->row_n)
		table_rule(t);
	if (b->shown < b->row_n) {
		parts_put(t, b, b->shown, b->row_n, "(others)");
		if (!x->o->sorting)
			table_rule(t);
	}
	row_put(t, b, x->s.sum, "(sum)");
	if (b->shown < b->row_n)
		table_remark(t, "%zu of %zu rows; --top 0 --cut 0 lists all.", b->shown, b->row_n);
	compared_matches(t, &x->c, x->r, x->o);
	report_table(t, x->o, f, width);
	free(title);
}

static void picture(const struct scaling_shown *x, FILE *f)
{
	const struct svg_style title = {28, 1, SVG_INK, "start", 1180},
			       sub = {15, 0, SVG_SOFT, "start", 1180};
	struct stacked frame = {.left = 84,
				.right = 900,
				.top = 120,
				.bottom = 590,
				.legend = 930,
				.legend_room = 310};
	char *largest = scaling_largest(x),
	     *line = mem_printf("Shares of exclusive %s in %%. Largest %s: %s.",
				x->c.is_time ? "time" : x->c.metric, x->c.what, largest);

	svg_begin(f, 1280, 670, "Breakdown");
	svg_text(f, 48, 52, &title, "Where the time goes");
	svg_headline(f, 48, 84, &sub, line);
	scaling_shares(x, &frame, f);
	svg_end(f);
	free(largest);
	free(line);
}

/* Rows below --cut at every number of PEs are others, as in PerfExplorer. */
static int select_rows(struct breakdown *b, struct error *e)
{
	const struct report_options *o = b->x.o;
	int text = o->format == REPORT_TEXT;
	int rc = 0;

	b->cut = text && o->top < 0 ? CUT_TEXT : 0;
	if (o->cut)
		rc = cut_read(o->cut, &b->cut, e);
	b->order = scaling_by_share(&b->x.s, &b->row_n);
	b->shown = report_rows_shown(o, b->row_n, TOP_TEXT);
	while (b->shown && 100 * scaling_share_most(&b->x.s, b->order[b->shown - 1]) < b->cut)
		b->shown--;
	return rc;
}

static int report_breakdown(const struct report_options *o, const struct report_runs *r,
			    struct output *out, size_t width, struct error *e)
{
	struct breakdown b = {.x = {.o = o, .r = r}};
	int rc = report_format_check(o, "breakdown", "text csv json svg", e);

	if (rc < 0)
		return rc;
	rc = compared_make(&b.x.c, o, r, e);
	if (!rc) {
		speedup_make(&b.x.s, &b.x.c.m, 0);
		rc = select_rows(&b, e);
		if (!rc && o->format == REPORT_SVG)
			picture(&b.x, out->file);
		else if (!rc)
			table_of(&b, out->file, width);
		free(b.order);
		speedup_release(&b.x.s);
	}
	compared_release(&b.x.c);
	return rc;
}

const struct report_kind kind_breakdown = {
	.name = "breakdown",
	.columns = (const struct table_field *const[]){fields, NULL},
	.about = "shares of regions in the time over the number of PEs",
	.question = QUESTION_SCALING,
	.runs = "RUN RUN...",
	.example = "--by group run2 run4 run8",
	.print = report_breakdown,
	.options = "by metric where cut samples",
	.by = compared_bys,
	.whole = 1,
	.sums = 1,
};
