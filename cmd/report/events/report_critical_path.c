/* report_critical_path.c: tau-report critical-path: where the longest dependent chain of a program runs. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analyze/base/quantity.h"
#include "analyze/messages/activity.h"
#include "analyze/messages/critical_path.h"
#include "analyze/messages/kept_whole.h"
#include "analyze/messages/runtime_regions.h"
#include "analyze/messages/selection.h"
#include "analyze/trace/region_work.h"
#include "cmd/report/events/report_trace.h"
#include "cmd/report/events/timeline_rows.h"
#include "cmd/report/report.h"
#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"

#define TOP_TEXT  10
#define ROWS_ALL  64
#define CELLS_SVG 960

enum { BY_REGION, BY_PATH, BY_RANK, BY_STEP, BYS };

/* The path and its times. */
struct critical {
	struct critical_path path;
	struct critical_times times;
};

/* Time of a region or a call path. */
struct critical_row {
	uint32_t id; /* region or path */
	double ns, mean;
};

static double length(const struct critical *x)
{
	return (double)(x->path.end - x->path.begin);
}

/* Unknown of some threads only: the path visits the others, too. */
static double row_imbalance(const struct report_trace *r, const struct critical_row *row)
{
	return selection_streams(r->messages.selection) ? NAN : fmax(0, row->ns - row->mean);
}

/* ---- notes ---- */

static size_t threads_visited(const struct report_trace *r, const struct critical *x)
{
	size_t n = 0;

	for (size_t i = 0; i < r->trace->stream_n; i++)
		n += x->times.by_stream[i] > 0;
	return n;
}

/* Waits between threads that the path does not follow are part of the time of its regions. */
static void threads_remark(struct table *t, const struct report_trace *r)
{
	for (size_t i = 0; i < r->trace->region_n; i++) {
		const struct trace_region *region = &r->trace->region[i];

		if (region_work_of(region->name, region->groups) != WORK_THREADS ||
		    runtime_joins_thread(region->name))
			continue;
		table_remark(t, "Waits for locks, barriers and other threads are not followed: the "
				"path stays in the thread that waits.");
		return;
	}
}

/* ns on the path outside of messages: in the program, and in the recorder itself. */
static void times_outside(const struct report_trace *r, const struct critical *x, double *program,
			  double *recorder)
{
	*program = *recorder = 0;
	for (uint32_t p = 0; p < x->times.by_path_n && p < r->messages.paths.v_n; p++) {
		uint32_t region = r->messages.paths.v[p].region;
		const struct trace_region *of = p ? &r->trace->region[region] : NULL;

		if (of && (runtime_region(of) || runtime_fences(of->name)))
			continue;
		*(of && region_is_recorder(of->name, of->groups) ? recorder : program) +=
			(double)x->times.by_path[p];
	}
}

static void notes(struct table *t, const struct report_trace *r, const struct critical *x)
{
	size_t visited = threads_visited(r, x);
	double outside, recorder, chosen = 0;
	char own[64 + QUANTITY_TEXT] = "", text[2][QUANTITY_TEXT];

	for (size_t i = 0; i < r->trace->stream_n; i++)
		chosen += (double)x->times.by_stream[i];
	times_outside(r, x, &outside, &recorder);
	if (recorder > 0)
		snprintf(own, sizeof(own), ", %s is the recorder's own work",
			 quantity_percent_text(100 * recorder / length(x), text[0]));
	report_trace_notes(t, r);
	if (r->messages.selection) {
		table_note(t, "The path takes %s; %s of it are selected, and listed.",
			   report_trace_time(r, length(x), text[0]),
			   report_trace_time(r, chosen, text[1]));
		table_fact_number(t, "path_ms", report_ms(length(x)));
		table_fact_number(t, "selected_ms", report_ms(chosen));
		return;
	}
	table_note(t,
		   "The path takes %s in %zu step%s on %zu of %zu thread%s; %s of it is "
		   "outside of MPI and OpenSHMEM%s.",
		   report_trace_time(r, length(x), text[0]), x->path.step_n, plural(x->path.step_n),
		   visited, x->path.threads, plural(x->path.threads),
		   quantity_percent_text(length(x) > 0 ? 100 * outside / length(x) : 0, text[1]),
		   own);
	table_fact_number(t, "path_ms", report_ms(length(x)));
	table_fact_number(t, "outside_ms", report_ms(outside));
	table_fact_number(t, "recorder_ms", report_ms(recorder));
	table_fact_number(t, "steps", (double)x->path.step_n);
	threads_remark(t, r);
	if (x->path.step_n == 1 && x->path.threads > 1)
		table_remark(t, "No wait leads from the thread that ends last to another thread.");
}

/* ---- regions and call paths ---- */

static int longest_first(const void *va, const void *vb)
{
	const struct critical_row *a = va, *b = vb;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

/* Rows with time on the path, the longest first; free(). A region in no call path is the root's: TRACE_NONE. */
static struct critical_row *rows_of(const struct report_trace *r, const struct critical *x,
				    int regions, size_t *n)
{
	size_t paths = r->messages.paths.v_n, ids = regions ? r->trace->region_n + 1 : paths;
	struct critical_row *v = mem_alloc((ids + 1) * sizeof(*v));

	*n = 0;
	for (uint32_t p = 0; p < paths; p++) {
		uint32_t as = selection_path(r->messages.selection, p);
		size_t id;

		if (as == TRACE_NONE)
			continue;
		id = !regions ? as : !as ? r->trace->region_n : r->messages.paths.v[as].region;
		v[id].id = (uint32_t)id;
		v[id].ns += p < x->times.by_path_n ? (double)x->times.by_path[p] : 0;
		v[id].mean += critical_path_mean(&x->path, p);
	}
	for (size_t i = 0; i < ids; i++)
		if (v[i].ns > 0)
			v[(*n)++] = v[i];
	if (*n)
		qsort(v, *n, sizeof(*v), longest_first);
	return v;
}

static char *row_name(const struct report_trace *r, uint32_t id, int regions)
{
	if (!regions)
		return report_trace_path(r, id);
	return report_trace_name(r, id < r->trace->region_n ? r->trace->region[id].name
							   : REGION_ROOT);
}

/* Tables that have a column. */
enum { OF_REGIONS = 1, OF_PATHS = 2 };

/* One row, a member for each column. */
struct critical_path_row_cells {
	double time, share, mean, imbalance;
	const char *name;
};

/* clang-format off: one column, one paragraph */
static const struct table_field row_fields[] = {
	{FIELD(struct critical_path_row_cells, time), TABLE_NUMBER, "time_ms", "time", "ms",
	 .precision = 3,
	 .meaning = "time on the critical path, the longest chain of work and "
		    "messages that depend on each other",
	 .source = "Scalasca"},
	{FIELD(struct critical_path_row_cells, share), TABLE_NUMBER, "share_pct", "% of path",
	 .precision = 1, .meaning = "share of the length of the path",
	 .formula = "100 * time / path_ms"},
	{FIELD(struct critical_path_row_cells, mean), TABLE_NUMBER, "mean_ms", "mean", "ms",
	 .precision = 3,
	 .meaning = "exclusive time over all threads, without waits, divided by the "
		    "number of threads",
	 .source = "Scalasca"},
	{FIELD(struct critical_path_row_cells, imbalance), TABLE_NUMBER, "imbalance_ms",
	 "imbalance", "ms", .precision = 3,
	 .meaning = "time on the path above the mean; 0 if it is below",
	 .formula = "max(0, time - mean)", .source = "Scalasca"},
	{FIELD(struct critical_path_row_cells, name), TABLE_TEXT, "region", "region",
	 .only = OF_REGIONS, .meaning = "name of the region"},
	{FIELD(struct critical_path_row_cells, name), TABLE_TEXT, "path", "call path",
	 .only = OF_PATHS,
	 .meaning = "call path; with --by step, the one with most of the step's time"},
	{0},
};
/* clang-format on */

static struct table *region_table(const struct report_options *o, const struct report_trace *r,
				  const struct critical *x, int regions)
{
	struct table *t = table_new(regions ? "Critical path by region"
					    : "Critical path by call path");
	size_t n, top;
	struct critical_row *v = rows_of(r, x, regions, &n);

	table_fields(t, row_fields, regions ? OF_REGIONS : OF_PATHS, NULL);
	notes(t, r, x);
	top = report_rows_shown(o, n, TOP_TEXT);
	for (size_t i = 0; i < top; i++) {
		char *name = row_name(r, v[i].id, regions);

		table_row(t);
		table_put_fields(t, &(struct critical_path_row_cells){
					    .time = report_ms(v[i].ns),
					    .share = 100 * v[i].ns / length(x),
					    .mean = report_ms(v[i].mean),
					    .imbalance = report_ms(row_imbalance(r, &v[i])),
					    .name = name,
				    });
		free(name);
	}
	if (top < n)
		table_remark(t, "%zu of %zu rows; --top 0 lists all.", top, n);
	table_remark(t, "Mean: over all threads, without waits. Imbalance: time on the path above "
			"the mean, which better balance could save at most.");
	free(v);
	return t;
}

/* ---- ranks ---- */

static int most_first(const void *va, const void *vb, void *to)
{
	const struct critical *x = to;
	uint32_t a = *(const uint32_t *)va, b = *(const uint32_t *)vb;
	int64_t m = x->times.by_stream[a], n = x->times.by_stream[b];

	if (m != n)
		return m > n ? -1 : 1;
	return (a > b) - (a < b);
}

static size_t steps_of(const struct critical *x, uint32_t stream)
{
	size_t n = 0;

	for (size_t i = 0; i < x->path.step_n; i++)
		n += x->path.step[i].stream == stream;
	return n;
}

static int64_t rank_of(const struct report_trace *r, uint32_t stream)
{
	return r->trace->process[r->trace->stream[stream].process].node;
}

/* One row, a member for each column. */
struct critical_path_rank_cells {
	int64_t rank, thread;
	double time, share;
	int64_t steps;
};

/* clang-format off: one column, one paragraph */
static const struct table_field rank_fields[] = {
	{FIELD(struct critical_path_rank_cells, rank), TABLE_INTEGER, "rank", "PE",
	 .meaning = "rank of the process"},
	{FIELD(struct critical_path_rank_cells, thread), TABLE_INTEGER, "thread", "thread",
	 .meaning = "number of the thread in its process"},
	{FIELD(struct critical_path_rank_cells, time), TABLE_NUMBER, "time_ms", "time", "ms",
	 .precision = 3,
	 .meaning = "time on the critical path, the longest chain of work and "
		    "messages that depend on each other",
	 .source = "Scalasca"},
	{FIELD(struct critical_path_rank_cells, share), TABLE_NUMBER, "share_pct", "% of path",
	 .precision = 1, .meaning = "share of the length of the path",
	 .formula = "100 * time / path_ms"},
	{FIELD(struct critical_path_rank_cells, steps), TABLE_INTEGER, "steps", "steps",
	 .meaning = "number of steps of the path in this thread"},
	{0},
};
/* clang-format on */

static struct table *rank_table(const struct report_options *o, const struct report_trace *r,
				const struct critical *x, int with_notes)
{
	struct table *t = table_new("Critical path by PE");
	uint32_t *order = mem_alloc((r->trace->stream_n + 1) * sizeof(*order));
	size_t n = 0, top;

	table_fields(t, rank_fields, 0, NULL);
	if (with_notes)
		notes(t, r, x);
	for (uint32_t i = 0; i < r->trace->stream_n; i++)
		if (x->times.by_stream[i] > 0)
			order[n++] = i;
	if (n)
		qsort_r(order, n, sizeof(*order), most_first, (void *)x);
	top = report_rows_shown(o, n, TOP_TEXT);
	for (size_t i = 0; i < top; i++) {
		double ns = (double)x->times.by_stream[order[i]];

		table_row(t);
		table_put_fields(t, &(struct critical_path_rank_cells){
					    .rank = rank_of(r, order[i]),
					    .thread = r->trace->stream[order[i]].thread,
					    .time = report_ms(ns),
					    .share = 100 * ns / length(x),
					    .steps = (int64_t)steps_of(x, order[i]),
				    });
	}
	if (top < n)
		table_remark(t, "%zu of %zu rows; --top 0 lists all.", top, n);
	free(order);
	return t;
}

/* ---- steps ---- */

static int longest_step(const void *va, const void *vb, void *to)
{
	const struct critical_step *v = to;
	size_t a = *(const size_t *)va, b = *(const size_t *)vb;
	int64_t m = v[a].end - v[a].begin, n = v[b].end - v[b].begin;

	if (m != n)
		return m > n ? -1 : 1;
	return a < b ? -1 : 1;
}

/* One row, a member for each column. */
struct step_cells {
	int64_t step, rank, thread;
	double begin, time, share;
	const char *cause, *path;
};

/* clang-format off: one column, one paragraph */
static const struct table_field step_fields[] = {
	{FIELD(struct step_cells, step), TABLE_INTEGER, "step", "step",
	 .meaning = "number of the step; a step is a part of the path in one thread"},
	{FIELD(struct step_cells, rank), TABLE_INTEGER, "rank", "PE",
	 .meaning = "rank of the process"},
	{FIELD(struct step_cells, thread), TABLE_INTEGER, "thread", "thread",
	 .meaning = "number of the thread in its process"},
	{FIELD(struct step_cells, begin), TABLE_NUMBER, "begin_ms", "begin", "ms",
	 .precision = 3,
	 .meaning = "start of the step"},
	{FIELD(struct step_cells, time), TABLE_NUMBER, "time_ms", "time", "ms",
	 .precision = 3,
	 .meaning = "time on the critical path, the longest chain of work and "
	 "messages that depend on each other",
	 .source = "Scalasca"},
	{FIELD(struct step_cells, share), TABLE_NUMBER, "share_pct", "% of path",
	 .precision = 1,
	 .meaning = "share of the length of the path",
	 .formula = "100 * time / path_ms"},
	{FIELD(struct step_cells, cause), TABLE_TEXT, "cause", "begins with",
	 .meaning = "wait by which the path moves to this thread, or start or "
	 "finalize"},
	{FIELD(struct step_cells, path), TABLE_TEXT, "path", "mostly in",
	 .meaning = "call path; with --by step, the one with most of the step's time"},
	{0},
};
/* clang-format on */

static void step_put(struct table *t, const struct report_trace *r, const struct critical *x,
		     size_t i)
{
	const struct critical_step *s = &x->path.step[i];
	char *path = s->path == TRACE_NONE ? NULL : report_trace_path(r, s->path);

	table_row(t);
	table_put_fields(t, &(struct step_cells){
				    .step = (int64_t)i,
				    .rank = rank_of(r, s->stream),
				    .thread = r->trace->stream[s->stream].thread,
				    .begin = report_ms((double)s->begin),
				    .time = report_ms((double)(s->end - s->begin)),
				    .share = 100 * (double)(s->end - s->begin) / length(x),
				    .cause = critical_cause_name(s->cause),
				    .path = path,
			    });
	free(path);
}

static struct table *step_table(const struct report_options *o, const struct report_trace *r,
				const struct critical *x)
{
	struct table *t = table_new("Steps of the critical path");
	size_t n = 0, top;
	size_t *order = mem_alloc((x->path.step_n + 1) * sizeof(*order));

	table_order(t, "the longest first");
	table_fields(t, step_fields, 0, NULL);
	notes(t, r, x);
	for (size_t i = 0; i < x->path.step_n; i++)
		if (!r->messages.selection || x->path.step[i].path != TRACE_NONE)
			order[n++] = i;
	top = report_rows_shown(o, n, TOP_TEXT);
	if (n)
		qsort_r(order, n, sizeof(*order), longest_step, x->path.step);
	for (size_t i = 0; i < top; i++)
		step_put(t, r, x, order[i]);
	if (top < n)
		table_remark(t, "%zu of %zu steps; --top 0 lists all.", top, n);
	free(order);
	return t;
}

static void print_all(const struct report_options *o, const struct report_trace *r,
		      const struct critical *x, size_t by, FILE *f, size_t width)
{
	if (by == BY_RANK || by == BY_STEP) {
		report_table(by == BY_RANK ? rank_table(o, r, x, 1) : step_table(o, r, x), o, f,
			     width);
		return;
	}
	report_table(region_table(o, r, x, by == BY_REGION), o, f, width);
	if (o->format == REPORT_TEXT && !o->by) {
		fputc('\n', f);
		report_table(rank_table(o, r, x, 0), o, f, width);
	}
}

/* ---- the picture ---- */

static int64_t *region_times(const struct report_trace *r, const struct critical *x)
{
	int64_t *ns = mem_alloc((r->trace->region_n + 1) * sizeof(*ns));

	for (uint32_t p = 1; p < x->times.by_path_n && p < r->messages.paths.v_n; p++)
		ns[r->messages.paths.v[p].region] += x->times.by_path[p];
	return ns;
}

/*
 * All threads with time have a row, or, if they are many, those on the path; lines are where the path goes from one to
 * another. Returns whether all have one.
 */
static int rows_and_lines(struct activity *a, const struct critical *x)
{
	const struct critical_step *s = x->path.step;
	uint32_t n = x->path.m->trace->stream_n, with_time = 0;

	for (uint32_t i = 0; i < n; i++)
		with_time += x->path.lane[i].named && selection_stream(x->path.m->selection, i);
	for (uint32_t i = 0; i < n && with_time <= ROWS_ALL; i++)
		if (x->path.lane[i].named && selection_stream(x->path.m->selection, i))
			activity_show(a, i);
	for (size_t i = 1; i < x->path.step_n; i++)
		if (s[i].stream != s[i - 1].stream &&
		    selection_stream(x->path.m->selection, s[i].stream) &&
		    selection_stream(x->path.m->selection, s[i - 1].stream))
			activity_line(a, s[i - 1].stream, s[i].stream, s[i].begin, s[i].begin);
	return with_time <= ROWS_ALL;
}

/* Reads the trace once more, for the times on the path of each cell. */
static int picture(struct report_trace *r, struct critical *x, FILE *f, struct error *e)
{
	static const char *const only = "only threads on the longest dependent chain have a row; "
					"colours are its regions";
	struct timeline_words words = {
		"Critical path", "colours are the regions of the longest dependent chain",
		"lines: to the next step", "blank: not on the path"};
	struct activity *a = mem_alloc(sizeof(*a));
	struct timeline_rows rows = {0};
	int64_t *ns = region_times(r, x);
	struct messages_use use, draw;
	int code;

	timeline_choose(&rows, r->trace, ns, 1);
	report_trace_again(r);
	draw = activity_use(a, &r->messages, CELLS_SVG);
	if (!rows_and_lines(a, x))
		words.colours = only;
	critical_times_release(&x->times);
	use = critical_times_use(&x->times, &x->path, &draw);
	code = report_trace_read(r, &use, 1, e);
	activity_end(a);
	if (!code) {
		timeline_rows_make(&rows, r, a, TIMELINE_ROWS_SVG);
		timeline_picture(f, &rows, r, a, &(struct stream_moments){0}, &words);
	}
	timeline_rows_release(&rows);
	activity_release(a);
	free(a);
	free(ns);
	return code;
}

/* ---- the kind ---- */

/* draws: a picture follows, which needs what is not kept. What is found while streams are read is noted each time that they are. */
static int read_path(struct report_trace *r, struct critical *x, int draws, struct error *e)
{
	const size_t notes = r->trace->note_n;
	struct messages_use use;
	struct messages_found found;
	int code;

	if (!draws && kept_path_get(&x->path, &x->times, &r->messages))
		return 0;
	use = critical_path_use(&x->path, &r->messages);
	code = report_trace_read(r, &use, 1, e);
	if (code)
		return code;
	critical_path_end(&x->path);
	if (!x->path.step_n)
		return error_set(e, ERROR_INPUT, "%s: no thread ran%s", r->trace->path, r->part);
	if (!x->path.threads)
		return error_set(e, ERROR_INPUT,
				 "%s: it contains no regions%s; sampled code has no path from "
				 "thread to thread. Try: tau-report profile",
				 r->trace->path, r->part);
	found = r->messages.found;
	report_trace_again(r);
	use = critical_times_use(&x->times, &x->path, NULL);
	code = report_trace_read(r, &use, 1, e);
	r->messages.found = found;
	if (!code && r->trace->note_n == notes)
		kept_path_put(&x->path, &x->times, &found);
	return code;
}

static int report_critical_path(const struct report_options *given, const struct report_runs *runs,
				struct output *out, size_t width, struct error *e)
{
	struct report_options o = *given;
	struct critical x = {0};
	struct report_trace r;
	size_t by;
	int code = report_trace_begin(&o, "critical-path", &by, &r, e);

	(void)runs;
	if (!code)
		code = read_path(&r, &x, o.format == REPORT_SVG || o.picture, e);
	if (!code && o.format != REPORT_SVG)
		print_all(&o, &r, &x, by, out->file, width);
	if (!code && (o.format == REPORT_SVG || report_draws(&o, &out)))
		code = picture(&r, &x, out->file, e);
	critical_times_release(&x.times);
	critical_path_release(&x.path);
	report_trace_release(&r);
	return code;
}

static const struct report_by bys[] = {
	{"region", "region"},
	{"path", "call path"},
	{"rank", "rank"},
	{"step", "step: a part of the path in one thread"},
	{0},
};

const struct report_kind kind_critical_path = {
	.name = "critical-path",
	.columns = (const struct table_field *const[]){row_fields, rank_fields, step_fields, NULL},
	.about = "where the longest dependent chain of the program runs",
	.question = QUESTION_WAITS,
	.example = "--by step run",
	.print = report_critical_path,
	.options = REPORT_PICK "by",
	.by = bys,
	.events = 1,
	.title = "Critical path",
	.page = REPORT_PAGE_BOTH,
};
