/* report_compare.c: tau-report compare: repeated runs before and after, with tests, intervals and a
 * verdict. */
#include <math.h>
#include <string.h>

#include "analyze/base/base.h"
#include "analyze/compare/gate.h"
#include "analyze/compare/run_matrix.h"
#include "analyze/compare/two_samples.h"
#include "analyze/profile/profile.h"
#include "cmd/picture/intervals.h"
#include "cmd/report/report.h"
#include "cmd/report/runs/compared_runs.h"
#include "cmd/report/report_gate.h"
#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"
#include "record/metadata.h"

#define TOP_TEXT    20
#define SHARE_LEAST 0.001 /* of the sum before: smaller regions are not tested */

enum side { BEFORE, AFTER };

struct tested {
	size_t row; /* of the matrix; SIZE_MAX: the whole */
	double median[2]; /* NaN: no run of the side has the row */
	double weight; /* by which rows are ordered: median change */
};

struct comparison {
	const struct report_options *o;
	const struct report_runs *r;
	struct compared c;
	double gate;
	size_t *run[2], run_n[2]; /* by side: numbers of its runs, without copies */
	size_t copy_n, copy, original; /* runs that are copies of others; the first of them */
	double *value[2];         /* room for one row */
	struct gate_row whole, *row;
	struct tested whole_of, *of;
	size_t row_n, untested, new_n, gone_n;
	enum gate_verdict verdict;
};

static double median(const double *v, size_t n)
{
	double *sorted = mem_copy(v, n, sizeof(*v)), m;

	if (!n) {
		free(sorted);
		return NAN;
	}
	qsort(sorted, n, sizeof(*sorted), compare_doubles);
	m = n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
	free(sorted);
	return m;
}

/* When the first thread of a run began, by its metadata; NULL: unknown. */
static const char *began_at(const struct profile *p)
{
	const struct profile_thread *t = profile_first_thread(p);

	return profile_meta_of(p, t ? (uint32_t)(t - p->thread) : UINT32_MAX,
			       TAU_META_STARTING_TIMESTAMP);
}

/*
 * Are two runs one recording: one file, or files that began at the same moment? Equal values alone
 * do not show this: times of one region in whole us, or of samples, are often equal by chance.
 */
static int is_same_recording(const struct comparison *x, size_t a, size_t b)
{
	const struct report_run *run = x->r->run;
	const char *at = began_at(run[a].profile), *other = began_at(run[b].profile);

	if (at && other)
		return !strcmp(at, other);
	return !x->o->db && !strcmp(run[a].name, run[b].name);
}

/* Copies of one recording are one run: its noise is unknown. Of counts, equal values are usual. */
static int is_copy(struct comparison *x, int side, size_t k)
{
	for (size_t i = 0; x->c.is_time && i < x->run_n[side]; i++)
		if (is_same_recording(x, x->run[side][i], k) &&
		    run_matrix_same(&x->c.m, x->run[side][i], k)) {
			x->original = x->copy_n ? x->original : x->run[side][i];
			x->copy = x->copy_n ? x->copy : k;
			x->copy_n++;
			return 1;
		}
	return 0;
}

static void sides_make(struct comparison *x)
{
	for (int s = 0; s < 2; s++) {
		x->run[s] = mem_alloc((x->r->run_n + 1) * sizeof(*x->run[s]));
		x->value[s] = mem_alloc((x->r->run_n + 1) * sizeof(*x->value[s]));
		for (size_t k = 0; k < x->r->run_n; k++)
			if ((x->r->run[k].operand >= x->o->baseline_n) == s && !is_copy(x, s, k))
				x->run[s][x->run_n[s]++] = k;
	}
}

/* The values of a row on both sides; row SIZE_MAX: the longest threads. Returns how many runs have
 * it, by side. */
static void values_of(struct comparison *x, size_t row, size_t have[2])
{
	for (int s = 0; s < 2; s++) {
		have[s] = 0;
		for (size_t i = 0; i < x->run_n[s]; i++) {
			size_t k = x->run[s][i];
			double v = row == SIZE_MAX ? x->c.m.run[k].elapsed
						   : run_matrix_cell(&x->c.m, row, k)->excl;

			if (!isnan(v))
				x->value[s][have[s]++] = v;
		}
	}
}

/* Do all runs of one side have the row, and none of the other? Such a row took no time there. */
static int is_absent(const struct comparison *x, const size_t have[2], int side)
{
	return !have[side] && have[!side] && have[!side] == x->run_n[!side];
}

static void test_row(struct comparison *x, size_t row, size_t have[2], enum two_test test,
		     struct gate_row *to, struct tested *of)
{
	int absent[2] = {is_absent(x, have, BEFORE), is_absent(x, have, AFTER)};

	for (int s = 0; s < 2; s++)
		if (absent[s]) {
			have[s] = x->run_n[s];
			memset(x->value[s], 0, have[s] * sizeof(*x->value[s]));
		}
	two_samples_compare(x->value[BEFORE], have[BEFORE], x->value[AFTER], have[AFTER], test,
			    &to->s);
	of->row = row;
	of->median[BEFORE] = median(x->value[BEFORE], have[BEFORE]);
	of->median[AFTER] = median(x->value[AFTER], have[AFTER]);
	of->weight = fabs(of->median[AFTER] - of->median[BEFORE]);
	for (int s = 0; s < 2; s++)
		if (absent[s])
			of->median[s] = NAN;
}

/* Regions that all runs have, or all runs of one side and none of the other, and that are not tiny
 * are tested; others are counted. */
static size_t *choose_rows(struct comparison *x, size_t *n)
{
	size_t *chosen = mem_alloc((x->c.m.row_n + 1) * sizeof(*chosen)), have[2];
	double sum = 0;

	*n = 0;
	for (size_t i = 0; i < x->run_n[BEFORE]; i++)
		sum += x->c.m.run[x->run[BEFORE][i]].excl / (double)x->run_n[BEFORE];
	for (size_t i = 0; i < x->c.m.row_n; i++) {
		double before, after;
		int all;

		values_of(x, i, have);
		if (!have[BEFORE] && !have[AFTER])
			continue;
		before = median(x->value[BEFORE], have[BEFORE]);
		after = median(x->value[AFTER], have[AFTER]);
		all = is_absent(x, have, BEFORE) || is_absent(x, have, AFTER) ||
		      (have[BEFORE] == x->run_n[BEFORE] && have[AFTER] == x->run_n[AFTER]);
		if (all && fmax(before, after) >= SHARE_LEAST * sum) {
			chosen[(*n)++] = i;
			continue;
		}
		x->untested++;
		x->new_n += !have[BEFORE];
		x->gone_n += !have[AFTER];
	}
	return chosen;
}

static void test_all(struct comparison *x)
{
	size_t *chosen = choose_rows(x, &x->row_n), have[2];
	enum two_test each = two_samples_choose(x->run_n[BEFORE], x->run_n[AFTER], x->row_n,
						GATE_LEVEL),
		      one = two_samples_choose(x->run_n[BEFORE], x->run_n[AFTER], 1, GATE_LEVEL);

	x->row = mem_alloc((x->row_n + 1) * sizeof(*x->row));
	x->of = mem_alloc((x->row_n + 1) * sizeof(*x->of));
	values_of(x, SIZE_MAX, have);
	test_row(x, SIZE_MAX, have, one, &x->whole, &x->whole_of);
	gate_correct(&x->whole, 1);
	gate_judge(&x->whole, x->gate, x->run_n[BEFORE], x->run_n[AFTER]);
	for (size_t i = 0; i < x->row_n; i++) {
		values_of(x, chosen[i], have);
		test_row(x, chosen[i], have, each, &x->row[i], &x->of[i]);
	}
	gate_correct(x->row, x->row_n);
	for (size_t i = 0; i < x->row_n; i++)
		gate_judge(&x->row[i], x->gate, x->run_n[BEFORE], x->run_n[AFTER]);
	x->verdict = gate_all(&x->whole, x->row, x->row_n);
	free(chosen);
}

/* FAIL first, then what changed, then the largest difference. */
static int compare_rows(const void *va, const void *vb, void *arg)
{
	const struct comparison *x = arg;
	size_t a = *(const size_t *)va, b = *(const size_t *)vb;
	int fails = (x->row[b].verdict == GATE_FAIL) - (x->row[a].verdict == GATE_FAIL),
	    changed = !!x->row[b].changed - !!x->row[a].changed;

	if (fails || changed)
		return fails ? fails : changed;
	if (x->of[a].weight != x->of[b].weight)
		return x->of[a].weight > x->of[b].weight ? -1 : 1;
	return strcmp(x->c.m.row[x->of[a].row].name, x->c.m.row[x->of[b].row].name);
}

static size_t *order_of(const struct comparison *x)
{
	size_t *order = mem_alloc((x->row_n + 1) * sizeof(*order));

	for (size_t i = 0; i < x->row_n; i++)
		order[i] = i;
	if (x->row_n)
		qsort_r(order, x->row_n, sizeof(*order), compare_rows, (void *)x);
	return order;
}

/* ---- words ---- */

static double percent(double ratio)
{
	return 100 * ratio;
}

/* A p or the end of an interval; NaN if no value varies. */
static double of_noise(const struct gate_row *r, double value)
{
	return r->s.constant ? NAN : value;
}

static char *sentence_of(const struct gate_row *r)
{
	char *change, *sentence;

	if (r->s.test == TEST_NONE)
		return mem_string("too few runs for a test; at least 2 on each side, better 6");
	change = isinf(r->s.change) ? mem_string("new: 0 before")
		 : isnan(r->s.low)  ? mem_printf("%+.1f %%", percent(r->s.change))
		 : r->s.constant
			 ? mem_printf("%+.1f %%, no variation on either side",
				      percent(r->s.change))
			 : mem_printf("%+.1f %%, 95 %% interval %+.1f to %+.1f %%",
				      percent(r->s.change), percent(r->s.low), percent(r->s.high));
	if (r->verdict == GATE_INCONCLUSIVE)
		sentence = mem_printf("%s; %zu runs on each side are needed", change, r->needed);
	else if (r->s.constant)
		sentence = mem_string(change);
	else
		sentence = mem_printf("%s, p %.2g", change, r->p);
	free(change);
	return sentence;
}

static char *median_words(const struct comparison *x, double median)
{
	return isnan(median) ? mem_string("absent") : compared_words(&x->c, median);
}

static char *row_name(const struct comparison *x, const struct tested *of)
{
	return of->row == SIZE_MAX ? mem_string("(longest thread)")
				   : compared_name(&x->c, x->o, of->row);
}

/* ---- the table ---- */

/* One row, a member for each column. */
struct compare_cells {
	double change, low, high, p;
	const char *verdict;
	double before, after, noise_before, noise_after;
	int64_t needed;
	const char *changed, *region;
};

/* clang-format off: one column, one paragraph */
static const struct table_field fields[] = {
	{FIELD(struct compare_cells, change), TABLE_NUMBER, "change_pct", "change %",
	 .precision = 1,
	 .meaning = "estimated change: median of the ratios of each run after to "
		    "each run before, or ratio of geometric means",
	 .source = "Hodges and Lehmann"},
	{FIELD(struct compare_cells, low), TABLE_NUMBER, "low_pct", "low", .precision = 1,
	 .meaning = "lower end of its 95 % interval; none if no value varies"},
	{FIELD(struct compare_cells, high), TABLE_NUMBER, "high_pct", "high", .precision = 1,
	 .meaning = "upper end of its 95 % interval; none if no value varies"},
	{FIELD(struct compare_cells, p), TABLE_NUMBER, "p", "p", .precision = 4, .spare = 1,
	 .meaning = "probability that noise alone makes such a change: rank test, "
		    "or t test of the logarithms; two-sided: twice the smaller one-sided p; "
		    "corrected for the number of rows m",
	 .source = "Mann and Whitney; Welch; Benjamini and Hochberg"},
	{FIELD(struct compare_cells, verdict), TABLE_TEXT, "verdict", "verdict",
	 .meaning = "PASS: the whole interval is below the gate; FAIL: the change is "
		    "at least half the gate, and more than noise"},
	{FIELD(struct compare_cells, before), TABLE_NUMBER, "before", NULL, .scaled = 1,
	 .meaning = "median of the baseline runs, over all threads"},
	{FIELD(struct compare_cells, after), TABLE_NUMBER, "after", NULL, .scaled = 1,
	 .meaning = "median of the new runs"},
	{FIELD(struct compare_cells, noise_before), TABLE_NUMBER, "noise_before_pct", "noise %",
	 .precision = 1, .spare = 3,
	 .meaning = "standard deviation of the runs divided by their mean"},
	{FIELD(struct compare_cells, noise_after), TABLE_NUMBER, "noise_after_pct", "after",
	 .precision = 1, .spare = 2,
	 .meaning = "standard deviation of the runs divided by their mean"},
	{FIELD(struct compare_cells, needed), TABLE_INTEGER, "runs_needed", "runs needed",
	 .spare = 4, .meaning = "number of runs on each side that a verdict needs"},
	{FIELD(struct compare_cells, changed), TABLE_TEXT, "changed", "",
	 .meaning = "more, less, or ~ if noise alone may explain the change"},
	COMPARED_REGION(struct compare_cells, region),
	{0},
};
/* clang-format on */

static void row_put(struct table *t, const struct comparison *x, const struct gate_row *r,
		    const struct tested *of)
{
	char *name = row_name(x, of);

	table_row(t);
	table_put_fields(t,
			 &(struct compare_cells){
				 .change = isinf(r->s.change) ? NAN : percent(r->s.change),
				 .low = of_noise(r, percent(r->s.low)),
				 .high = of_noise(r, percent(r->s.high)),
				 .p = of_noise(r, r->p),
				 .verdict = r->verdict != GATE_NONE ? gate_words[r->verdict] : NULL,
				 .before = compared_value(&x->c, of->median[BEFORE]),
				 .after = compared_value(&x->c, of->median[AFTER]),
				 .noise_before = percent(r->s.noise[BEFORE]),
				 .noise_after = percent(r->s.noise[AFTER]),
				 .needed = r->needed ? (int64_t)r->needed : FIELD_MISSING,
				 .changed = r->s.test == TEST_NONE ? NULL
					    : r->changed > 0       ? "more"
					    : r->changed < 0       ? "less"
								   : "~",
				 .region = name,
			 });
	free(name);
}

static const char *test_words(enum two_test test)
{
	return test == TEST_RANK    ? "rank test (Mann-Whitney)"
	       : test == TEST_WELCH ? "Welch's t test"
				    : "none, too few runs";
}

static void notes(struct table *t, const struct comparison *x)
{
	char *sentence = sentence_of(&x->whole), *unit = compared_unit_words(&x->c);
	size_t fails = 0;

	for (size_t i = 0; i < x->row_n; i++)
		fails += x->row[i].verdict == GATE_FAIL;
	if (!isnan(x->gate))
		table_note(t, "%s: gate +%g %%. Longest thread: %s. Rows that fail: %zu.",
			   gate_words[x->verdict], percent(x->gate), sentence, fails);
	else
		table_note(t, "Longest thread: %s.", sentence);
	table_note(t, "Runs: %zu before, %zu after. Test of the whole: %s; of rows: %s.",
		   x->run_n[BEFORE], x->run_n[AFTER], test_words(x->whole.s.test),
		   x->row_n ? test_words(x->row[0].s.test) : "none");
	table_note(t,
		   "%sbefore, after: medians; change: %s. p: twice the smaller one-sided p, "
		   "corrected for %zu rows (Benjamini-Hochberg). low, high: 95 %% interval.",
		   unit,
		   x->whole.s.test == TEST_RANK ? "median of all ratios (Hodges and Lehmann)"
						: "ratio of geometric means",
		   x->row_n);
	free(unit);
	if (x->copy_n)
		table_note(t,
			   "Not counted: %zu run%s with the same start and the same times in all "
			   "rows as another on their side, such as %s, a copy of %s.",
			   x->copy_n, plural(x->copy_n), x->r->run[x->copy].name,
			   x->r->run[x->original].name);
	compared_pes_note(t, &x->c,
			  "rows are sums over threads; tau-report diff --per pe compares "
			  "the mean per PE of two runs");
	compared_notes(t, &x->c, x->r);
	table_fact_text(t, "verdict", gate_words[x->verdict]);
	table_fact_number(t, "gate_pct", percent(x->gate));
	table_fact_number(t, "runs_before", (double)x->run_n[BEFORE]);
	table_fact_number(t, "runs_after", (double)x->run_n[AFTER]);
	table_fact_number(t, "runs_copied", (double)x->copy_n);
	table_fact_text(t, "metric", x->c.metric);
	free(sentence);
}

static void table_of(const struct comparison *x, FILE *f, size_t width)
{
	size_t *order = order_of(x), shown = report_rows_shown(x->o, x->row_n, TOP_TEXT);
	struct table *t = table_new(x->c.is_time ? "Comparison of repeated runs: time"
						 : "Comparison of repeated runs");

	compared_fields(t, &x->c, fields, 0, NULL);
	notes(t, x);
	row_put(t, x, &x->whole, &x->whole_of);
	if (shown)
		table_head(t);
	for (size_t i = 0; i < shown; i++)
		row_put(t, x, &x->row[order[i]], &x->of[order[i]]);
	if (shown < x->row_n)
		table_remark(t, "%zu of %zu rows; --top 0 lists all.", shown, x->row_n);
	if (x->untested)
		table_remark(t,
			     "Not tested: %zu row%s below %g %% of the time, or that not all runs "
			     "have (%zu new, %zu gone).",
			     x->untested, plural(x->untested), percent(SHARE_LEAST), x->new_n,
			     x->gone_n);
	compared_matches(t, &x->c, x->r, x->o);
	report_table(t, x->o, f, width);
	free(order);
}

/* ---- the picture ---- */

static void picture_row(struct intervals *p, const struct comparison *x, const struct gate_row *r,
			const struct tested *of)
{
	const char *word = r->verdict != GATE_NONE    ? gate_words[r->verdict]
			   : r->s.test == TEST_NONE ? "not tested"
			   : r->changed > 0	    ? "more"
			   : r->changed < 0	    ? "less"
						    : "no change shown";
	char *before = median_words(x, of->median[BEFORE]),
	     *after = median_words(x, of->median[AFTER]);
	struct intervals_row row = {
		.name = row_name(x, of),
		.detail = mem_printf("%s to %s", before, after),
		.note = isinf(r->s.change) ? mem_printf("new, %s", word)
					   : mem_printf("%+.1f %%, %s", percent(r->s.change), word),
		.value = isinf(r->s.change) ? NAN : percent(r->s.change),
		.low = of_noise(r, percent(r->s.low)),
		.high = of_noise(r, percent(r->s.high)),
		.side = r->s.test == TEST_NONE ? 0 : r->changed,
		.strong = r->verdict == GATE_FAIL || of->row == SIZE_MAX,
	};

	intervals_add(p, &row);
	free(before);
	free(after);
}

static void picture(const struct comparison *x, FILE *f)
{
	size_t *order = order_of(x), top = x->o->top > 0 ? (size_t)x->o->top : TOP_TEXT,
	       shown = x->row_n < top ? x->row_n : top;
	char *gate = isnan(x->gate) ? mem_string("")
				    : mem_printf("%s at a gate of +%g %% (dashed). ",
						 gate_words[x->verdict], percent(x->gate));
	char *rest = shown < x->row_n ? mem_printf(" %zu of %zu rows.", shown, x->row_n)
				      : mem_string("");
	struct intervals p = {.title = "Comparison of repeated runs",
			      .foot = "Points: change of the median. Lines: 95 % interval. "
				      "Red: takes more. Blue: takes less. "
				      "Grey: no change is shown.",
			      .unit = "%",
			      .limit = percent(x->gate)};

	p.subtitle = mem_printf("%s%zu run%s before, %zu after; test: %s.%s", gate,
				x->run_n[BEFORE], plural(x->run_n[BEFORE]), x->run_n[AFTER],
				test_words(x->whole.s.test), rest);
	picture_row(&p, x, &x->whole, &x->whole_of);
	for (size_t i = 0; i < shown; i++)
		picture_row(&p, x, &x->row[order[i]], &x->of[order[i]]);
	intervals_print(&p, f);
	intervals_release(&p);
	free((char *)p.subtitle);
	free(gate);
	free(rest);
	free(order);
}

/* ---- cases ---- */

static void cases_of(const struct comparison *x, FILE *f)
{
	struct gate_cases cases = {0};
	size_t *order = order_of(x);

	gate_case_add(&cases, row_name(x, &x->whole_of), sentence_of(&x->whole), NULL,
		      x->whole.verdict);
	for (size_t i = 0; i < x->row_n; i++) {
		const struct tested *of = &x->of[order[i]];

		gate_case_add(&cases, row_name(x, of), sentence_of(&x->row[order[i]]),
			      x->c.m.row[of->row].name, x->row[order[i]].verdict);
	}
	gate_cases_print(&cases, x->o, "compare", f);
	gate_cases_release(&cases);
	free(order);
}

static int report_compare(const struct report_options *o, const struct report_runs *r,
			  struct output *out, size_t width, struct error *e)
{
	struct comparison x = {.o = o, .r = r};
	int rc = gate_percent(o->gate, &x.gate, e);

	rc = rc ? rc : report_format_check(o, "compare", "text csv json svg junit github", e);
	if (!rc)
		rc = compared_make(&x.c, o, r, e);
	if (!rc) {
		sides_make(&x);
		test_all(&x);
		if (o->format == REPORT_JUNIT || o->format == REPORT_GITHUB)
			cases_of(&x, out->file);
		else if (o->format == REPORT_SVG)
			picture(&x, out->file);
		else
			table_of(&x, out->file, width);
		rc = gate_status(x.verdict);
	}
	for (int s = 0; s < 2; s++) {
		free(x.run[s]);
		free(x.value[s]);
	}
	free(x.row);
	free(x.of);
	compared_release(&x.c);
	return rc;
}

const struct report_kind kind_compare = {
	.name = "compare",
	.columns = (const struct table_field *const[]){fields, NULL},
	.about = "repeated runs against a baseline, with tests and a verdict (--gate)",
	.question = QUESTION_CHANGED,
	.runs = "[RUN...]",
	.example = "--baseline old1,old2,old3 --gate 3% new1 new2 new3",
	.print = report_compare,
	.options = REPORT_PICK "by metric where baseline gate samples",
	.by = compared_bys,
	.whole = 1,
	.baseline = 1,
	.ci = 1,
	.part = REPORT_PART,
	.sums = 1,
};
