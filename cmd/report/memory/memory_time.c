/* memory_time.c: loads a run in slices of time, and prints what was live at the end of each. */
#include "cmd/report/memory/memory_time.h"

#include <math.h>
#include <string.h>

#include "analyze/profile/profile.h"
#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"
#include "convert/load.h"

/*
 * The slices as windows. Of all times together there are *n. Whatever n a time has, its slices are
 * as short: a process that ends inside a slice is live up to the end of this slice, which must not
 * depend on n.
 */
static struct window_between *slices_make(const struct memory_time *t, size_t times, size_t *n)
{
	static const int64_t whole = 100 * QUANTITY_ONE_PERCENT;
	struct {
		struct window_between *v;
		size_t v_n, v_cap;
	} w = {0};

	for (size_t k = 0; k < times; k++)
		for (size_t i = 0; i < t[k].n; i++) {
			int64_t end = (int64_t)((i + 1) * (MEMORY_SLICES / t[k].n));

			*array_add(&w, v) = (struct window_between){
				.span = {whole * (end - 1) / MEMORY_SLICES,
					 whole * end / MEMORY_SLICES},
				.shares = true};
		}
	*n = w.v_n;
	return w.v;
}

static int slices_load(struct input *in, struct symbols_kept *kept, const struct memory_time *t,
		       size_t times, struct profile ***p)
{
	size_t slices;
	struct window_between *slice = slices_make(t, times, &slices);
	struct load_report said = {0};
	struct load_options o = {
		.between = slice, .window_n = slices, .report = &said, .kept = kept};
	struct error e = {0};
	size_t n = 0;
	int rc = load_profiles(in, &o, p, &n, &e);

	free(slice);
	load_report_release(&said);
	if (rc < 0)
		return 0;
	if (n == slices)
		return 1;
	for (size_t i = 0; i < n; i++)
		profile_free((*p)[i]);
	free(*p);
	return 0;
}

/* Fills *t, whose n is set, from its profiles, which it frees. */
static void time_fill(struct memory_time *t, enum memory_by by, struct profile **p)
{
	struct memory_query q = {MEMORY_LIVE, MEMORY_PER_JOB, by};
	int known = 0;

	t->slice = mem_alloc(t->n * sizeof(*t->slice));
	t->end_us = mem_alloc(t->n * sizeof(*t->end_us));
	t->all = mem_alloc(t->n * sizeof(*t->all));
	t->peak = mem_alloc(t->n * sizeof(*t->peak));
	for (size_t i = 0; i < t->n; i++) {
		const struct memory_value *live, *peak;

		t->end_us[i] = p[i]->end_us;
		t->slice[i] = memory_new(p[i]);
		profile_free(p[i]);
		live = &t->slice[i]->all[MEMORY_LIVE];
		peak = &t->slice[i]->all[MEMORY_PEAK];
		t->all[i] = live->known ? live->bytes : 0;
		t->peak[i] = peak->known ? peak->bytes : t->all[i];
		known |= live->known;
	}
	memory_series_init(&t->live, (const struct memory *const *)t->slice, t->n, &q);
	if (!known)
		memory_time_release(t);
}

void memory_time_load(struct input *in, struct symbols_kept *kept, enum memory_by by,
		      struct memory_time *t, size_t times)
{
	struct profile **p;

	if (!slices_load(in, kept, t, times, &p)) {
		memset(t, 0, times * sizeof(*t));
		return;
	}
	for (size_t k = 0, at = 0, n; k < times; k++, at += n) {
		n = t[k].n;
		if (n)
			time_fill(&t[k], by, p + at);
	}
	free(p);
}

void memory_time_release(struct memory_time *t)
{
	if (!t->n)
		return;
	memory_series_release(&t->live);
	for (size_t i = 0; i < t->n; i++)
		memory_free(t->slice[i]);
	free(t->slice);
	free(t->end_us);
	free(t->all);
	free(t->peak);
	memset(t, 0, sizeof(*t));
}

const struct memory_growth *memory_time_row(const struct memory_time *t, const char *name)
{
	for (size_t i = 0; i < t->live.row_n; i++)
		if (!strcmp(t->live.row[i].name, name))
			return &t->live.row[i];
	return NULL;
}

char *memory_time_spark(const struct memory_time *t, const struct memory_growth *g, int ascii)
{
	static const char *const levels[2][9] = {
		{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
		{" ", ".", ":", "-", "=", "+", "*", "#", "@"}};
	const char *const *level = levels[ascii];
	double largest = 0;
	char *spark;

	if (!g || !t->n)
		return NULL;
	spark = mem_alloc(t->n * strlen(level[8]) + 1);
	for (size_t i = 0; i < t->n; i++)
		largest = fmax(largest, g->value[i].bytes);
	for (size_t i = 0; i < t->n; i++) {
		double share = largest > 0 ? g->value[i].bytes / largest : 0;

		strcat(spark, level[share > 0 ? (int)ceil(share * 8 - 1e-9) : 0]);
	}
	return spark;
}

struct ranked_row {
	double largest;
	size_t row;
};

static int compare_ranked(const void *va, const void *vb)
{
	const struct ranked_row *a = va, *b = vb;

	if (a->largest != b->largest)
		return a->largest > b->largest ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

size_t memory_time_rank(const struct memory_time *t, size_t *row)
{
	struct ranked_row *v = mem_alloc(t->live.row_n * sizeof(*v));
	size_t n = 0;

	for (size_t i = 0; i < t->live.row_n; i++) {
		double largest = 0;

		for (size_t k = 0; k < t->n; k++)
			largest = fmax(largest, t->live.row[i].value[k].bytes);
		if (largest > 0)
			v[n++] = (struct ranked_row){largest, i};
	}
	if (n)
		qsort(v, n, sizeof(*v), compare_ranked);
	for (size_t i = 0; i < n; i++)
		row[i] = v[i].row;
	free(v);
	return n;
}

enum { EACH_ROW = 1, EACHES };
/* Tables that have a column. */
enum { WITH_OTHERS = 1, WITHOUT_OTHERS = 2 };

/* One row, a member for each column. */
struct memory_time_cells {
	double time, all, peak;
	const double *row;
	double others;
};

/* clang-format off: one column, one paragraph */
const struct table_field memory_time_fields[] = {
	{FIELD(struct memory_time_cells, time), TABLE_NUMBER, "time_ms", "time", "ms",
	 .precision = 3, .meaning = "end of the slice"},
	{FIELD(struct memory_time_cells, all), TABLE_BYTES, "all", NULL,
	 .meaning = "live bytes of all rows"},
	{FIELD(struct memory_time_cells, peak), TABLE_BYTES, "peak", "peak inside",
	 .meaning = "the most that each PE had inside the slice, added up"},
	{FIELD(struct memory_time_cells, row), TABLE_BYTES, "*", NULL, .each = EACH_ROW,
	 .meaning = "live bytes of this row of the report at the end of the slice"},
	{FIELD(struct memory_time_cells, others), TABLE_BYTES, "others", NULL, .only = WITH_OTHERS,
	 .meaning = "live bytes of the other rows at the end of the slice"},
	{0},
};
/* clang-format on */

/* row: the n rows that have columns. */
static void slice_put(struct table *t, const struct memory_time *time, size_t slice,
		      const size_t *row, size_t n)
{
	double *v = mem_alloc((n + 1) * sizeof(*v)), rest = time->all[slice];

	for (size_t i = 0; i < n; i++) {
		v[i] = time->live.row[row[i]].value[slice].bytes;
		rest -= v[i];
	}
	table_row(t);
	table_put_fields(t, &(struct memory_time_cells){
				    .time = time->end_us[slice] / 1000,
				    .all = time->all[slice],
				    .peak = time->peak[slice],
				    .row = v,
				    .others = rest,
			    });
	free(v);
}

void memory_time_report(const struct memory_time *time, const struct report_options *o,
			const struct report_runs *r, FILE *f, size_t width)
{
	size_t *row = mem_alloc(time->live.row_n * sizeof(*row)), n = memory_time_rank(time, row);
	size_t shown = o->top > 0                                ? (size_t)o->top
		       : o->top == 0 || o->format != REPORT_TEXT ? n
								 : 5;
	struct table *t = table_new("Memory over time: live in the job at the end of each slice");
	struct field_each each[EACHES] = {0};

	shown = shown < n ? shown : n;
	for (size_t i = 0; i < shown; i++)
		field_each_add(&each[EACH_ROW], mem_string(time->live.row[row[i]].name), NULL);
	table_fields_each(t, memory_time_fields, shown < n ? WITH_OTHERS : WITHOUT_OTHERS, NULL,
			  each);
	field_each_release(&each[EACH_ROW]);
	for (size_t i = 0; i < shown; i++)
		table_column_spare(t,
				   table_field_at(t, offsetof(struct memory_time_cells, row)) + i,
				   1 + (int)i);
	report_notes(t, r);
	for (size_t k = 0; k < time->n; k++)
		slice_put(t, time, k, row, shown);
	table_remark(t, "peak inside: the most that each PE had inside the slice, added up.");
	report_table(t, o, f, width);
	free(row);
}
