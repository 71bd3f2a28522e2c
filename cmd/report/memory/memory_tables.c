/* memory_tables.c: the tables of tau-report memory: of types, owners and sites, and of PEs. */
#include "cmd/report/memory/memory_tables.h"

#include <math.h>
#include <string.h>

#include "analyze/base/quantity.h"
#include "cmd/report/memory/report_memory_scaling.h"
#include "cmd/table/table.h"
#include "cmd/table/table_text.h"

#define TEXT_TOP  30
#define BAR_WIDTH 12

static const char *const measure_names[] = {"live", "peak", "cumulative"};

/* Tables that have a column: by the measure that is shown, and in what form. */
enum {
	OF_LIVE = 1 << MEMORY_LIVE,
	OF_PEAK = 1 << MEMORY_PEAK,
	OF_CUMULATIVE = 1 << MEMORY_CUMULATIVE,
	AS_TEXT = 8,
	AS_DATA = 16,
	WITH_TIMES = 32,
};

/* The row of that name by a measure: its first run's value; unknown where it has none. */
static struct memory_value value_of(const struct holding *h, enum memory_measure k,
				    const char *name)
{
	int64_t id = names_find(&h->names[k], name, strlen(name));

	return id < 0 ? (struct memory_value){0} : h->by[k].row[id].value[0];
}

static double known(double v, const struct memory_value *of)
{
	return of->known ? v : NAN;
}

/* "██████▌": a share of a hundred in eighths of BAR_WIDTH characters, or "######-" in halves. The
 * caller frees it. */
static char *bar(double pct, int ascii)
{
	static const char *const part[] = {"", "▏", "▎", "▍", "▌",
					   "▋", "▊", "▉", "█"};
	int eighths = pct > 0 ? (int)ceil(pct / 100 * BAR_WIDTH * 8 - 1e-9) : 0;
	char *s = mem_alloc(BAR_WIDTH * 3 + 4);

	if (ascii) {
		int halves = (eighths + 3) / 4;

		for (halves = halves > BAR_WIDTH * 2 ? BAR_WIDTH * 2 : halves; halves > 0;
		     halves -= 2)
			strcat(s, halves > 1 ? "#" : "-");
		return s;
	}
	for (eighths = eighths > BAR_WIDTH * 8 ? BAR_WIDTH * 8 : eighths; eighths > 0; eighths -= 8)
		strcat(s, part[eighths > 8 ? 8 : eighths]);
	return s;
}

double memory_held_per(const struct holding *h, double job)
{
	return h->q.per == MEMORY_PER_JOB ? job : job / (double)h->memory->pes_counted;
}

static void totals_note(struct table *t, const struct holding *h)
{
	char size[MEMORY_MEASURES][QUANTITY_TEXT], blocks[48] = "";
	const struct memory_value *v[MEMORY_MEASURES];

	for (enum memory_measure k = 0; k < MEMORY_MEASURES; k++) {
		v[k] = &h->by[k].all.value[0];
		if (v[k]->known)
			quantity_size_text(v[k]->bytes, size[k]);
		else
			strcpy(size[k], "unknown");
		table_fact_number(t, measure_names[k], known(v[k]->bytes, v[k]));
	}
	if (isfinite(v[MEMORY_LIVE]->objects))
		snprintf(blocks, sizeof(blocks), " in %.0f block%s", v[MEMORY_LIVE]->objects,
			 plural((size_t)v[MEMORY_LIVE]->objects));
	table_note(t, "The job: live %s%s, peak %s, allocated %s.", size[MEMORY_LIVE], blocks,
		   size[MEMORY_PEAK], size[MEMORY_CUMULATIVE]);
	table_fact_number(t, "blocks", v[h->q.measure]->objects);
	if (h->memory->lost > 0)
		table_note(t, "Lost events: %.0f: the numbers are incomplete.", h->memory->lost);
	if (h->memory->unseen)
		table_note(t, "CPython: %s.", h->memory->unseen);
	table_fact_number(t, "lost_events", h->memory->lost);
}

/* ---- rows ---- */

/* One row, a member for each column. */
struct memory_row_cells {
	struct memory_names name;
	const char *kind;
	double bytes, share;
	const char *bar, *time;
	double blocks, largest, measure[MEMORY_MEASURES];
};

/* clang-format off: one column, one paragraph */
const struct table_field memory_row_fields[] = {
	MEMORY_NAMES(struct memory_row_cells, name),
	{FIELD(struct memory_row_cells, kind), TABLE_TEXT, "kind", NULL, .only = AS_DATA,
	 .meaning = "objects, slabs (blocks that hold many objects), or bytes "
		    "without a type"},
	{FIELD(struct memory_row_cells, bytes), TABLE_BYTES, "bytes", NULL,
	 .meaning = "bytes of the row: live at the end of the window, unless --view "
		    "selects others"},
	{FIELD(struct memory_row_cells, share), TABLE_NUMBER, "share", NULL, "%", .precision = 1,
	 .meaning = "share of all bytes"},
	{FIELD(struct memory_row_cells, bar), TABLE_TEXT, "bar", "", .spare = 1, .only = AS_TEXT,
	 .meaning = "share as a bar"},
	{FIELD(struct memory_row_cells, time), TABLE_TEXT, "time", "live over time", .spare = 6,
	 .only = WITH_TIMES,
	 .meaning = "live bytes of the row at the end of each 24th of the run, a "
		    "process being live up to the end of the 120th in which it ends"},
	{FIELD(struct memory_row_cells, blocks), TABLE_NUMBER, "blocks", NULL, .spare = 2,
	 .meaning = "number of blocks with these bytes"},
	{FIELD(struct memory_row_cells, largest), TABLE_BYTES, "largest_pe", "largest PE",
	 .spare = 3, .meaning = "bytes on the PE that has the most"},
	{FIELD(struct memory_row_cells, measure[MEMORY_LIVE]), TABLE_BYTES, "live_bytes", "live",
	 .spare = 4, .only = OF_PEAK | OF_CUMULATIVE,
	 .meaning = "bytes live at the end of the window"},
	{FIELD(struct memory_row_cells, measure[MEMORY_PEAK]), TABLE_BYTES, "peak_bytes", "peak",
	 .spare = 4, .only = OF_LIVE,
	 .meaning = "most bytes that were live at one time in the window"},
	{FIELD(struct memory_row_cells, measure[MEMORY_PEAK]), TABLE_BYTES, "peak_bytes", "peak",
	 .spare = 5, .only = OF_CUMULATIVE,
	 .meaning = "most bytes that were live at one time in the window"},
	{FIELD(struct memory_row_cells, measure[MEMORY_CUMULATIVE]), TABLE_BYTES,
	 "cumulative_bytes", "cumulative", .spare = 5, .only = OF_LIVE | OF_PEAK,
	 .meaning = "bytes allocated in the window"},
	{0},
};
/* clang-format on */

static void row_columns(struct table *t, const struct holding *h, const struct report_options *o)
{
	table_fields(t, memory_row_fields,
		     memory_names_shown(h->q.by) | 1U << h->q.measure |
			     (o->format != REPORT_TEXT	? AS_DATA
			      : h->time[COARSE].n	? AS_TEXT | WITH_TIMES
							: AS_TEXT),
		     NULL);
	table_field_heading(t, offsetof(struct memory_row_cells, bytes),
			    measure_names[h->q.measure]);
	if (o->paths)
		table_field_heading(t, offsetof(struct memory_row_cells, name.site),
				    "calls, innermost first");
}

/* The live bytes of a row, or of all, over time; NULL: there are no times. To be freed. */
static char *spark_of(const struct holding *h, const struct memory_growth *g)
{
	const struct memory_time *time = &h->time[COARSE];
	int all = g == &h->by[h->q.measure].all;

	return time->n ? memory_time_spark(time,
					   all ? &time->live.all : memory_time_row(time, g->name),
					   h->ascii)
		       : NULL;
}

/* values: by measure. */
static void row_put(struct table *t, const struct holding *h, const struct memory_growth *g,
		    const char *kind, const struct memory_value values[MEMORY_MEASURES])
{
	const struct memory_value *v = &g->value[0], *all = &h->by[h->q.measure].all.value[0];
	double share = memory_pct(v->bytes, all->bytes);
	char *shares = bar(share, h->ascii), *spark = spark_of(h, g);
	struct memory_row_cells c = {
		.name = memory_names_of(g),
		.kind = kind,
		.bytes = memory_held_per(h, known(v->bytes, v)),
		.share = known(share, v),
		.bar = shares,
		.time = spark,
		.blocks = memory_held_per(h, known(v->objects, v)),
		.largest = known(v->bytes_max, v),
	};

	for (enum memory_measure k = 0; k < MEMORY_MEASURES; k++)
		c.measure[k] = memory_held_per(h, known(values[k].bytes, &values[k]));
	table_row(t);
	table_put_fields(t, &c);
	free(shares);
	free(spark);
}

static void values_of(const struct holding *h, const char *name,
		      struct memory_value out[MEMORY_MEASURES])
{
	for (enum memory_measure k = 0; k < MEMORY_MEASURES; k++)
		out[k] = value_of(h, k, name);
}

/* What the rows from `shown` on come to. */
static void rest_put(struct table *t, const struct holding *h, size_t shown)
{
	const struct memory_series *s = &h->by[h->q.measure];
	struct memory_value sums[MEMORY_MEASURES] = {{0}}, v[MEMORY_MEASURES];
	size_t *rest = mem_alloc(s->row_n * sizeof(*rest)), n = s->row_n - shown;
	char *name = mem_printf("others (%zu)", n);
	struct memory_growth sum;

	for (size_t i = 0; i < n; i++) {
		rest[i] = shown + i;
		values_of(h, s->row[shown + i].name, v);
		for (enum memory_measure k = 0; k < MEMORY_MEASURES; k++) {
			sums[k].known |= v[k].known;
			sums[k].bytes += v[k].bytes;
		}
	}
	memory_series_sum(s, rest, n, name, &sum);
	row_put(t, h, &sum, "sum", sums);
	memory_growth_release(&sum);
	free(name);
	free(rest);
}

static void all_put(struct table *t, const struct holding *h)
{
	struct memory_value values[MEMORY_MEASURES];

	for (enum memory_measure k = 0; k < MEMORY_MEASURES; k++)
		values[k] = h->by[k].all.value[0];
	row_put(t, h, &h->by[h->q.measure].all, "all", values);
}

/* lines: paths of calls, each call on a line of its own. */
static void one_put(struct table *t, const struct holding *h, const struct memory_growth *g,
		    int lines)
{
	struct memory_value values[MEMORY_MEASURES];
	struct memory_growth row = *g;

	if (lines)
		row.site = (char *)report_path_inner(row.site);
	values_of(h, row.name, values);
	row_put(t, h, &row, memory_kind_words[row.kind], values);
	if (lines)
		report_path_rows(t, table_field_at(t, offsetof(struct memory_row_cells, name.site)),
				 g->site);
}

void memory_rows_report(const struct holding *h, const struct report_options *o,
			const struct report_runs *r, FILE *f, size_t width)
{
	const struct memory_series *s = &h->by[h->q.measure];
	size_t shown = report_rows_shown(o, s->row_n, TEXT_TOP);
	char *title = mem_printf("Memory by %s: %s, %s",
				 o->paths ? "type and call path"
					  : memory_by_titles[h->q.by],
				 memory_view_titles[h->q.measure], memory_per_titles[h->q.per]);
	struct table *t = table_new(title);
	int any = 0;

	row_columns(t, h, o);
	report_notes(t, r);
	totals_note(t, h);
	if (h->q.measure == MEMORY_LIVE)
		memory_peak_note(t, s, &h->by[MEMORY_PEAK]);
	for (size_t i = 0; i < s->row_n; i++)
		any |= report_is_path(s->row[i].site);
	if (o->paths)
		report_paths_note(t, any);
	for (size_t i = 0; i < shown; i++)
		one_put(t, h, &s->row[i], o->paths && o->format == REPORT_TEXT);
	table_rule(t);
	if (shown < s->row_n)
		rest_put(t, h, shown);
	all_put(t, h);
	if (h->q.measure == MEMORY_PEAK)
		table_remark(t, "Peaks are at different times, so the rows add up to more than the "
				"total.");
	report_table(t, o, f, width);
	free(title);
}

/* ---- PEs ---- */

static int compare_ranked(const void *va, const void *vb)
{
	const struct memory_ranked *a = va, *b = vb;

	if (a->key != b->key)
		return a->key > b->key ? -1 : 1;
	return (a->at > b->at) - (a->at < b->at);
}

struct memory_ranked *memory_pes_ranked(const struct holding *h)
{
	const struct memory *m = h->memory;
	struct memory_ranked *v = mem_alloc(m->pe_n * sizeof(*v));

	for (size_t i = 0; i < m->pe_n; i++)
		v[i] = (struct memory_ranked){m->pe[i].bytes[h->q.measure], i};
	if (m->pe_n)
		qsort(v, m->pe_n, sizeof(*v), compare_ranked);
	return v;
}

/* One row, a member for each column. */
struct pe_cells {
	const char *pe;
	double bytes, share, blocks, measure[MEMORY_MEASURES];
};

/* clang-format off: one column, one paragraph */
const struct table_field memory_pe_fields[] = {
	{FIELD(struct pe_cells, pe), TABLE_TEXT, "pe", "PE",
	 .meaning = "rank of the process"},
	{FIELD(struct pe_cells, bytes), TABLE_BYTES, "bytes", NULL,
	 .meaning = "bytes of the row: live at the end of the window, unless --view "
	 "selects others"},
	{FIELD(struct pe_cells, share), TABLE_NUMBER, "share", NULL, "%",
	 .precision = 1,
	 .meaning = "share of all bytes"},
	{FIELD(struct pe_cells, blocks), TABLE_NUMBER, "blocks", NULL,
	 .meaning = "number of blocks with these bytes"},
	{FIELD(struct pe_cells, measure[MEMORY_LIVE]), TABLE_BYTES, "live", NULL,
	 .only = OF_PEAK | OF_CUMULATIVE,
	 .meaning = "bytes live at the end of the window"},
	{FIELD(struct pe_cells, measure[MEMORY_PEAK]), TABLE_BYTES, "peak", NULL,
	 .only = OF_LIVE | OF_CUMULATIVE,
	 .meaning = "most bytes that were live at one time in the window"},
	{FIELD(struct pe_cells, measure[MEMORY_CUMULATIVE]), TABLE_BYTES, "cumulative", NULL,
	 .only = OF_LIVE | OF_PEAK,
	 .meaning = "bytes allocated in the window"},
	{0},
};
/* clang-format on */

static void pe_put(struct table *t, const struct holding *h, const char *name,
		   const struct memory_pe *pe)
{
	enum memory_measure m = h->q.measure;
	struct pe_cells c = {
		.pe = name,
		.bytes = pe->bytes[m],
		.share = memory_pct(pe->bytes[m], h->by[m].all.value[0].bytes),
		.blocks = pe->objects[m],
	};

	memcpy(c.measure, pe->bytes, sizeof(c.measure));
	table_row(t);
	table_put_fields(t, &c);
}

static void pe_add(struct memory_pe *sum, const struct memory_pe *pe)
{
	for (enum memory_measure k = 0; k < MEMORY_MEASURES; k++) {
		sum->bytes[k] += pe->bytes[k];
		sum->objects[k] += pe->objects[k];
	}
}

void memory_pes_report(const struct holding *h, const struct report_options *o,
		       const struct report_runs *r, FILE *f, size_t width)
{
	const struct memory *m = h->memory;
	struct memory_ranked *v = memory_pes_ranked(h);
	size_t shown = report_rows_shown(o, m->pe_n, TEXT_TOP);
	struct memory_pe rest = {0}, all = {0};
	struct table *t = table_new("Memory by PE");
	char name[64];

	table_fields(t, memory_pe_fields, 1U << h->q.measure, NULL);
	table_field_heading(t, offsetof(struct pe_cells, bytes), measure_names[h->q.measure]);
	report_notes(t, r);
	totals_note(t, h);
	for (size_t i = 0; i < m->pe_n; i++) {
		const struct memory_pe *pe = &m->pe[v[i].at];

		pe_add(&all, pe);
		snprintf(name, sizeof(name), "%d", pe->node);
		if (i < shown)
			pe_put(t, h, name, pe);
		else
			pe_add(&rest, pe);
	}
	table_rule(t);
	snprintf(name, sizeof(name), "others (%zu)", m->pe_n - shown);
	if (shown < m->pe_n)
		pe_put(t, h, name, &rest);
	pe_put(t, h, "all", &all);
	report_table(t, o, f, width);
	free(v);
}
