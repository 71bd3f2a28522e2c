/* report_trend.c: tau-report trend: where the time of a program changed over many runs, by date or
 * in the given order. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "analyze/compare/change_points.h"
#include "analyze/compare/run_matrix.h"
#include "analyze/profile/profile.h"
#include "cmd/picture/axis.h"
#include "cmd/picture/svg.h"
#include "cmd/report/report.h"
#include "cmd/report/runs/compared_runs.h"
#include "cmd/report/report_gate.h"
#include "cmd/report/runs/trend_order.h"
#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"
#include "record/metadata.h"

#define TOP_TEXT    20
#define SHARE_LEAST 0.001 /* of the sum: smaller regions are not searched */
#define WIDTH       1280
#define HEIGHT      560
#define LEFT        110
#define RIGHT       1230
#define TOP         130
#define BOTTOM      480
#define STEPS       5

struct found_change {
	size_t row; /* of the matrix; SIZE_MAX: the longest thread */
	struct change_point p;
	double before, after; /* geometric means */
};

struct trend {
	const struct report_options *o;
	const struct report_runs *r;
	struct compared c;
	size_t *order; /* numbers of runs */
	double *start; /* by run: us since 1970; NaN: unknown */
	int dated;
	const char **label; /* by run (trend_order.h); NULL: not requested */
	size_t *place;      /* by run: in --order; NULL: not requested */
	double *value; /* room for one row, in order */
	struct found_change *found;
	size_t found_n, found_cap;
	double gate;
	enum gate_verdict verdict;
};

static double start_of(const struct profile *p)
{
	double start = profile_meta_number(p, UINT32_MAX, TAU_META_STARTING_TIMESTAMP);

	for (uint32_t i = 0; isnan(start) && i < p->thread_n; i++)
		start = profile_meta_number(p, i, TAU_META_STARTING_TIMESTAMP);
	return start;
}

static int compare_runs(const void *va, const void *vb, void *arg)
{
	const struct trend *x = arg;
	const double *start = x->start;
	size_t a = *(const size_t *)va, b = *(const size_t *)vb;

	if (x->place && x->place[a] != x->place[b])
		return x->place[a] < x->place[b] ? -1 : 1;
	if (x->dated && start[a] != start[b])
		return start[a] < start[b] ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* "by start time" */
static const char *order_words(const struct trend *x)
{
	return x->place	 ? "in the order of --order"
	       : x->dated ? "by start time"
			  : "in the given order, because not all have a start time";
}

static int order_make(struct trend *x, struct error *e)
{
	size_t n = x->r->run_n;
	int code = 0;

	x->order = mem_alloc((n + 1) * sizeof(*x->order));
	x->start = mem_alloc((n + 1) * sizeof(*x->start));
	x->value = mem_alloc((n + 1) * sizeof(*x->value));
	x->dated = 1;
	for (size_t k = 0; k < n; k++) {
		x->order[k] = k;
		x->start[k] = start_of(x->r->run[k].profile);
		x->dated &= x->start[k] > 0;
	}
	if (x->o->order && !x->o->label)
		return error_set(e, ERROR_USAGE, "trend: --order needs --label");
	if (x->o->label) {
		x->label = mem_alloc((n + 1) * sizeof(*x->label));
		code = trend_labels(x->o, x->r, x->label, e);
	}
	if (!code && x->o->order) {
		x->place = mem_alloc((n + 1) * sizeof(*x->place));
		code = trend_places(x->o, x->r, x->label, x->place, e);
	}
	if (!code && (x->dated || x->place))
		qsort_r(x->order, n, sizeof(*x->order), compare_runs, x);
	return code;
}

static double value_at(const struct trend *x, size_t row, size_t k)
{
	const struct run_cell *c;

	if (row == SIZE_MAX)
		return x->c.m.run[k].elapsed;
	c = run_matrix_cell(&x->c.m, row, k);
	return c->threads ? c->excl : NAN;
}

static double mean_of(const struct trend *x, size_t from, size_t to)
{
	double sum = 0;

	for (size_t i = from; i < to; i++)
		sum += log(x->value[i]);
	return exp(sum / (double)(to - from));
}

/* A row that a run lacks has no series. The newest change decides the verdict. */
static void search(struct trend *x, size_t row, size_t tests)
{
	size_t n = x->r->run_n;
	struct change_points c;

	for (size_t i = 0; i < n; i++) {
		x->value[i] = value_at(x, row, x->order[i]);
		if (!(x->value[i] > 0) ||
		    (row != SIZE_MAX && x->value[i] < SHARE_LEAST * x->c.m.run[x->order[i]].excl))
			return;
	}
	change_points_find(&c, x->value, n, tests);
	for (size_t i = 0; i < c.v_n; i++)
		*array_add(x, found) =
			(struct found_change){row, c.v[i], mean_of(x, c.v[i].from, c.v[i].at),
				       mean_of(x, c.v[i].at, c.v[i].to)};
	if (c.v_n && c.v[c.v_n - 1].change > x->gate)
		x->verdict = GATE_FAIL;
	change_points_release(&c);
}

/* Those of the whole first, then the largest difference. */
static int compare_found(const void *va, const void *vb, void *arg)
{
	const struct found_change *a = va, *b = vb;
	double x = fabs(a->after - a->before), y = fabs(b->after - b->before);

	(void)arg;
	if ((a->row == SIZE_MAX) != (b->row == SIZE_MAX))
		return a->row == SIZE_MAX ? -1 : 1;
	if (a->row == SIZE_MAX)
		return a->p.at < b->p.at ? -1 : 1;
	return x != y ? (x > y ? -1 : 1) : a->row < b->row ? -1 : a->row > b->row;
}

static void date_text(double us, char *buf, size_t size)
{
	time_t seconds = (time_t)(us / 1e6);
	struct tm tm;

	if (!gmtime_r(&seconds, &tm) || !strftime(buf, size, "%Y-%m-%d %H:%M", &tm))
		snprintf(buf, size, "?");
}

/* Tables that have a column. */
enum { WITH_LABEL = 1, WITHOUT_LABEL = 2 };

/* One row, a member for each column. */
struct trend_cells {
	double change, low, high, before, after;
	int64_t number;
	const char *first_run, *date;
	double p;
	const char *region, *label;
};

/* clang-format off: one column, one paragraph */
static const struct table_field fields[] = {
	{FIELD(struct trend_cells, change), TABLE_NUMBER, "change_pct", "change %", .precision = 1,
	 .meaning = "change of the mean", .formula = "100 * (after / before - 1)"},
	{FIELD(struct trend_cells, low), TABLE_NUMBER, "low_pct", "low", .precision = 1,
	 .meaning = "lower end of its 95 % interval", .source = "Welch"},
	{FIELD(struct trend_cells, high), TABLE_NUMBER, "high_pct", "high", .precision = 1,
	 .meaning = "upper end of its 95 % interval", .source = "Welch"},
	{FIELD(struct trend_cells, before), TABLE_NUMBER, "before", NULL, .scaled = 1,
	 .meaning = "mean of the runs since the previous change"},
	{FIELD(struct trend_cells, after), TABLE_NUMBER, "after", NULL, .scaled = 1,
	 .meaning = "mean of the runs from this change to the next"},
	{FIELD(struct trend_cells, number), TABLE_INTEGER, "number", "run",
	 .meaning = "position of the first run after the change, in the order of "
		    "the runs"},
	{FIELD(struct trend_cells, first_run), TABLE_TEXT, "first_run", "first",
	 .meaning = "first run after the change"},
	{FIELD(struct trend_cells, date), TABLE_TEXT, "date", NULL, .spare = 1,
	 .meaning = "when the first run after the change was recorded"},
	{FIELD(struct trend_cells, p), TABLE_NUMBER, "p", NULL, .precision = 6, .spare = 2,
	 .meaning = "probability that noise alone makes such a change: Welch's t "
		    "test of each change that E-divisive found",
	 .source = "Matteson and James 2014"},
	COMPARED_REGION(struct trend_cells, region),
	{FIELD(struct trend_cells, label), TABLE_TEXT, "label", NULL, .only = WITH_LABEL,
	 .meaning = "metadata of the first run after the change that --label "
		    "selects"},
	{0},
};
/* clang-format on */

static void row_put(struct table *t, const struct trend *x, const struct found_change *f)
{
	size_t run = x->order[f->p.at];
	char *name = f->row == SIZE_MAX ? mem_string("(longest thread)")
					: compared_name(&x->c, x->o, f->row);
	char date[32];

	table_row(t);
	if (x->dated)
		date_text(x->start[run], date, sizeof(date));
	table_put_fields(t, &(struct trend_cells){
				    .change = 100 * f->p.change,
				    .low = 100 * f->p.low,
				    .high = 100 * f->p.high,
				    .before = compared_value(&x->c, f->before),
				    .after = compared_value(&x->c, f->after),
				    .number = (int64_t)f->p.at + 1,
				    .first_run = x->r->run[run].name,
				    .date = x->dated ? date : NULL,
				    .p = f->p.p,
				    .region = name,
				    .label = x->label ? x->label[run] : NULL,
			    });
	free(name);
}

static void table_of(const struct trend *x, FILE *f, size_t width)
{
	struct table *t = table_new("Changes over runs");
	char *words;
	size_t shown = report_rows_shown(x->o, x->found_n, TOP_TEXT);

	compared_fields(t, &x->c, fields, x->label ? WITH_LABEL : WITHOUT_LABEL, NULL);
	if (x->label)
		table_field_heading(t, offsetof(struct trend_cells, label), x->o->label);
	table_note(t, "Runs: %zu, %s.", x->r->run_n, order_words(x));
	if (x->o->gate) {
		char *limit = mem_printf("+%s", x->o->gate);

		gate_note(t, x->verdict, limit);
		free(limit);
	}
	words = compared_unit_words(&x->c);
	table_note(t,
		   "%sMeans of the runs before and after each change; low, high: 95 %% interval.",
		   words);
	free(words);
	compared_notes(t, &x->c, x->r);
	for (size_t i = 0; i < shown; i++)
		row_put(t, x, &x->found[i]);
	if (!x->found_n)
		table_remark(t, "No changes.");
	if (shown < x->found_n)
		table_remark(t, "%zu of %zu changes; --top 0 lists all.", shown, x->found_n);
	compared_matches(t, &x->c, x->r, x->o);
	report_table(t, x->o, f, width);
}

/* ---- the picture: the longest thread of each run, and the levels ---- */

struct axes {
	struct axis runs, value;
};

static struct axes axes_make(const struct trend *x)
{
	struct axes a = {
		.runs = {.high = (double)x->r->run_n, .from = LEFT, .to = RIGHT, .at = BOTTOM},
		.value = {.low = INFINITY,
			  .from = BOTTOM,
			  .to = TOP,
			  .upright = true,
			  .at = LEFT,
			  .grid = RIGHT}};

	for (size_t i = 0; i < x->r->run_n; i++) {
		a.value.low = fmin(a.value.low, x->value[i] * 0.97);
		a.value.high = fmax(a.value.high, x->value[i] * 1.03);
	}
	return a;
}

static void grid(FILE *f, const struct trend *x, struct axes *a)
{
	for (int i = 0; i < STEPS; i++) {
		double value = a->value.low + (a->value.high - a->value.low) * i / (STEPS - 1);
		char *text = compared_words(&x->c, value);

		axis_mark(&a->value, value, text, AXIS_PLAIN, f);
		free(text);
	}
	axis_title(&a->runs, "runs", f);
}

static void level(FILE *f, const struct trend *x, size_t from, size_t to, const struct axes *a)
{
	fprintf(f, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"%s\" stroke-width=\"3\"/>\n",
		axis_place(&a->runs, (double)from), axis_place(&a->value, mean_of(x, from, to)),
		axis_place(&a->runs, (double)to), svg_palette[1]);
}

static void draw(const struct trend *x, FILE *f)
{
	const struct svg_style title = {28, 1, SVG_INK, "start", RIGHT - LEFT},
			       sub = {15, 0, SVG_SOFT, "start", RIGHT - LEFT};
	size_t n = x->r->run_n, from = 0;
	struct axes a;
	char *line =
		mem_printf("Longest thread of %zu runs, %s. Lines: mean levels between changes. "
			   "The axis does not begin at 0.",
			   n, order_words(x));

	for (size_t i = 0; i < n; i++)
		x->value[i] = value_at(x, SIZE_MAX, x->order[i]);
	a = axes_make(x);
	svg_begin(f, WIDTH, HEIGHT, "Changes over runs");
	svg_text(f, LEFT, 52, &title, "Changes over runs");
	svg_headline(f, LEFT, 82, &sub, line);
	grid(f, x, &a);
	for (size_t i = 0; i < n; i++) {
		fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"><title>",
			axis_place(&a.runs, (double)i + 0.5), axis_place(&a.value, x->value[i]),
			svg_palette[0]);
		svg_escaped(f, x->r->run[x->order[i]].name);
		fputs("</title></circle>\n", f);
	}
	for (size_t i = 0; i < x->found_n && x->found[i].row == SIZE_MAX; i++) {
		level(f, x, from, x->found[i].p.at, &a);
		from = x->found[i].p.at;
	}
	level(f, x, from, n, &a);
	svg_end(f);
	free(line);
}

static int report_trend(const struct report_options *o, const struct report_runs *r,
			struct output *out, size_t width, struct error *e)
{
	struct trend x = {.o = o, .r = r, .verdict = GATE_NONE};
	int rc = gate_percent(o->gate, &x.gate, e);

	if (!rc)
		rc = compared_make(&x.c, o, r, e);
	if (!rc && r->run_n < 2 * CHANGE_SIDE)
		rc = error_set(e, ERROR_USAGE, "trend needs at least %d runs, not %zu",
			       2 * CHANGE_SIDE, r->run_n);
	if (!rc) {
		x.verdict = o->gate ? GATE_PASS : GATE_NONE;
		rc = order_make(&x, e);
	}
	if (!rc) {
		search(&x, SIZE_MAX, 1);
		for (size_t i = 0; i < x.c.m.row_n; i++)
			search(&x, i, x.c.m.row_n);
		if (x.found_n)
			qsort_r(x.found, x.found_n, sizeof(*x.found), compare_found, NULL);
		if (o->format == REPORT_SVG)
			draw(&x, out->file);
		else
			table_of(&x, out->file, width);
		rc = gate_status(x.verdict);
	}
	free(x.label);
	free(x.place);
	free(x.order);
	free(x.start);
	free(x.value);
	free(x.found);
	compared_release(&x.c);
	return rc;
}

const struct report_kind kind_trend = {
	.name = "trend",
	.columns = (const struct table_field *const[]){fields, NULL},
	.about = "in which runs the time of a program changed",
	.question = QUESTION_CHANGED,
	.runs = "[RUN...]",
	.example = "--db tau.db --label Commit",
	.print = report_trend,
	.options = REPORT_PICK "by metric where label order gate samples",
	.by = compared_bys,
	.whole = 1,
	.part = REPORT_PART,
	.sums = 1,
};
