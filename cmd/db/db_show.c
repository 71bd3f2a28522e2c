/* db_show.c: tau-db show: prints a trial: what it is, its metadata, where its time went and what
 * its counters saw. */
#include <math.h>
#include <string.h>

#include "analyze/profile/derived_threads.h"
#include "analyze/base/quantity.h"
#include "analyze/profile/profile.h"
#include "analyze/profile/waiting_threads.h"
#include "cmd/db/db_command.h"
#include "cmd/shared/trial_facts.h"
#include "cmd/db/db_trials.h"
#include "cmd/table/counter_table.h"
#include "cmd/shared/output.h"
#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"
#include "cmd/table/table_text.h"
#include "db/db.h"

struct db_show_options {
	enum table_format format;
	const char *part; /* NULL: all; "summary", "metadata", "timers", "samples" or "counters" */
	long window;		/* from 0 */
	long top;		/* rows of timers and of counters; 0: all */
	size_t width;		/* of the terminal, 0: nothing is shortened */
};

struct show {
	const struct db_show_options *o;
	struct db *db;
	const struct db_trial *trial;
	const struct profile *p;
	struct profile_thread derived[STATS_DERIVED]; /* [-1 - number] */
};

/* One row, a member for each column. */
struct fact_cells {
	const char *name, *value;
};

/* clang-format off: one column, one paragraph */
static const struct table_field fact_fields[] = {
	{FIELD(struct fact_cells, name), TABLE_TEXT, "name", "name",
	 .meaning = "name of the fact, or of the metadata"},
	{FIELD(struct fact_cells, value), TABLE_TEXT, "value", "value",
	 .meaning = "its value"},
	{0},
};
/* clang-format on */

static void add_fact(struct table *t, const char *name, const char *value)
{
	table_row(t);
	table_put_fields(t, &(struct fact_cells){name, value});
}

static void add_count(struct table *t, const char *name, size_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%zu", value);
	add_fact(t, name, text);
}

static struct table *pairs(const char *title)
{
	struct table *t = table_new(title);

	table_fields(t, fact_fields, 0, NULL);
	return t;
}

static void add_windows(struct table *t, const struct show *s)
{
	for (size_t i = 0; i < s->trial->window_n; i++) {
		const struct db_window *w = &s->trial->window[i];
		char name[64], text[256], from[QUANTITY_TEXT], to[QUANTITY_TEXT];

		snprintf(name, sizeof(name), "window %zu%s", i,
			 (long)i == s->o->window ? " (shown)" : "");
		if (w->end_us >= w->begin_us)
			snprintf(text, sizeof(text), "%s: %s to %s",
				 w->name ? w->name : "everything",
				 quantity_moment_text(1000 * w->begin_us, from),
				 quantity_moment_text(1000 * w->end_us, to));
		else
			snprintf(text, sizeof(text), "%s", w->name ? w->name : "everything");
		add_fact(t, name, text);
	}
}

static void add_origin(void *to, const char *fact, const char *value)
{
	if (value)
		add_fact(to, fact, value);
}

static struct table *summary(const struct show *s)
{
	struct table *t = pairs("Summary");
	struct error ignored = {0};
	char date[32];

	add_count(t, "trial", (size_t)s->trial->id);
	add_fact(t, "name", s->trial->name);
	add_fact(t, "started", db_date(s->trial->start_us, date));
	add_count(t, "PEs", profile_pes(s->p));
	add_count(t, "threads", s->p->summary.pes ? s->p->summary.threads : waiting_threads(s->p));
	if (waiting_queues(s->p))
		add_count(t, "queues of devices", waiting_queues(s->p));
	for (size_t i = 0; i < s->p->metric_n; i++)
		add_fact(t, "metric", s->p->metric[i].name);
	add_count(t, "timers", s->p->timer_n);
	add_count(t, "call paths", s->p->path_n);
	add_count(t, "counters", s->p->counter_n);
	add_windows(t, s);
	db_origin_read(s->db, s->trial->id, add_origin, t, &ignored);
	return t;
}

static struct table *metadata(const struct show *s)
{
	struct table *t = pairs("Metadata");

	for (size_t i = 0; i < s->p->meta_n; i++)
		add_fact(t, s->p->meta[i].name, s->p->meta[i].value);
	return t;
}

/* The metric that is a time, or the first. */
static size_t time_metric(const struct profile *p)
{
	size_t metric = profile_time_metric(p);

	return metric < p->metric_n ? metric : 0;
}

struct ranked_total {
	double weight;
	size_t index;
};

/* Heaviest first; equal ones as they were stored. */
static int rank_order(const void *x, const void *y)
{
	const struct ranked_total *a = x, *b = y;

	if (a->weight != b->weight)
		return (a->weight < b->weight) - (a->weight > b->weight);
	return (a->index > b->index) - (a->index < b->index);
}

static size_t rank(const struct show *s, struct ranked_total *r, size_t n)
{
	if (n)
		qsort(r, n, sizeof(*r), rank_order);
	return s->o->top > 0 && (size_t)s->o->top < n ? (size_t)s->o->top : n;
}

static int is_flat(const struct profile *p, uint32_t path, enum profile_timer_kind kind)
{
	return p->path[path].parent == PROFILE_FLAT &&
	       profile_timer_kind(&p->timer[p->path[path].timer]) == kind;
}

/* One row, a member for each column. */
struct timer_cells {
	const char *timer;
	double calls, exclusive, share, inclusive, largest;
};

/* clang-format off: one column, one paragraph */
static const struct table_field timer_fields[] = {
	{FIELD(struct timer_cells, timer), TABLE_TEXT, "timer", "timer",
	 .meaning = "name of the timer"},
	{FIELD(struct timer_cells, calls), TABLE_NUMBER, "calls", "calls",
	 .precision = 1,
	 .meaning = "calls, mean over the threads that have the timer"},
	{FIELD(struct timer_cells, exclusive), TABLE_NUMBER, "exclusive", "exclusive",
	 .scaled = 1,
	 .meaning = "exclusive value, mean over the threads that have the timer"},
	{FIELD(struct timer_cells, share), TABLE_NUMBER, "exclusive_percent", "share", "%",
	 .precision = 1,
	 .meaning = "share in the exclusive values of all threads"},
	{FIELD(struct timer_cells, inclusive), TABLE_NUMBER, "inclusive", "inclusive",
	 .scaled = 1,
	 .meaning = "inclusive value, mean over the threads that have the timer"},
	{FIELD(struct timer_cells, largest), TABLE_NUMBER, "exclusive_max", "largest exclusive",
	 .scaled = 1,
	 .meaning = "largest exclusive value of one thread"},
	{0},
};
/* clang-format on */

static struct table *timer_table(const struct show *s, size_t metric, const char *what)
{
	int is_time = profile_is_time(s->p, metric);
	const struct field_scale scale = {.suffix = "",
					  .unit = is_time ? "us" : NULL,
					  .size = 1,
					  .precision = is_time ? 3 : 1};
	char *title = s->p->metric_n
			      ? mem_printf("%s (%s, means over the threads that have the timer)",
					   what, s->p->metric[metric].name)
			      : mem_string(what);
	struct table *t = table_new(title);

	free(title);
	table_fields(t, timer_fields, 0, &scale);
	return t;
}

/* r: the row, and its exclusive total; all: of all rows. */
static void timer_put(struct table *t, const struct show *s, const struct ranked_total *r,
		      double all, size_t metric)
{
	const struct profile_thread *mean = &s->derived[-1 - STATS_MEAN],
				    *max = &s->derived[-1 - STATS_MAX];
	const struct profile_row *row = &mean->row[r->index];
	size_t excl = s->p->metric_n + metric;

	table_row(t);
	table_put_fields(t, &(struct timer_cells){
				    .timer = s->p->timer[s->p->path[row->path].timer].name,
				    .calls = row->calls,
				    .exclusive = mean->values[row->first + excl],
				    .share = all > 0 ? 100 * r->weight / all : NAN,
				    .inclusive = mean->values[row->first + metric],
				    .largest = max->values[max->row[r->index].first + excl],
			    });
}

/* Flat rows of a kind by their exclusive total: what samples found is part of the timers' times. */
static struct table *rows(const struct show *s, enum profile_timer_kind kind, const char *what)
{
	const struct profile_thread *total = &s->derived[-1 - STATS_TOTAL];
	struct ranked_total *r = mem_alloc(total->row_n * sizeof(*r));
	size_t n = 0, shown, m = time_metric(s->p), metrics = s->p->metric_n;
	double all = 0;
	struct table *t = timer_table(s, m, what);

	for (size_t i = 0; metrics && i < total->row_n; i++)
		if (is_flat(s->p, total->row[i].path, kind)) {
			r[n++] = (struct ranked_total){
				total->values[total->row[i].first + metrics + m], i};
			all += r[n - 1].weight;
		}
	shown = rank(s, r, n);
	for (size_t i = 0; i < shown; i++)
		timer_put(t, s, &r[i], all, m);
	if (shown < n)
		table_remark(t, "%zu of %zu %s", shown, n,
			     kind == TIMER_MEASURED ? "timers" : "places");
	free(r);
	return t;
}

static struct table *timers(const struct show *s)
{
	return rows(s, TIMER_MEASURED, "Timers");
}

static struct table *samples(const struct show *s)
{
	return rows(s, TIMER_SAMPLE, "Samples: code that ran inside the timers");
}

/* Counters without context, by the sum of their values. */
static struct table *counters(const struct show *s)
{
	return counter_table(s->p, &s->derived[-1 - STATS_TOTAL], "Counters (all threads)",
			     (size_t)s->o->top, 0);
}

static const struct {
	const char *name;
	struct table *(*make)(const struct show *s);
} parts[] = { { "summary", summary },
	      { "metadata", metadata },
	      { "timers", timers },
	      { "samples", samples },
	      { "counters", counters } };

enum { PARTS = sizeof(parts) / sizeof(parts[0]) };

static int check_part(const struct db_show_options *o, struct error *e)
{
	size_t i = 0;

	if (!o->part)
		return o->format == TABLE_AS_CSV
			       ? error_set(e, ERROR_USAGE,
					   "a CSV file has one table: choose it with --part")
			       : 0;
	while (i < PARTS && strcmp(parts[i].name, o->part) != 0)
		i++;
	if (i == PARTS)
		return error_set(e, ERROR_USAGE,
				 "--part: '%s' is not summary, metadata, timers, samples or "
				 "counters",
				 o->part);
	return 0;
}

static void print_parts(const struct show *s, FILE *f)
{
	int json = s->o->format == TABLE_AS_JSON && !s->o->part, printed = 0;

	for (size_t i = 0; i < PARTS; i++) {
		struct table *t;

		if (s->o->part ? strcmp(parts[i].name, s->o->part) != 0
			       : parts[i].make == samples && !profile_has_samples(s->p))
			continue;
		t = parts[i].make(s);
		if (json)
			fprintf(f, "%s\"%s\": ", printed ? ", " : "{", parts[i].name);
		else if (printed)
			putc('\n', f);
		table_print(t, f, s->o->format, s->o->width);
		table_free(t);
		printed++;
	}
	if (json)
		fputs("}\n", f);
}

static int show_trial(struct db *db, int64_t trial, const struct db_show_options *o,
		      FILE *f, struct error *e)
{
	struct show s = {.o = o, .db = db};
	struct db_trial *list;
	struct profile *p;
	size_t n;
	int code = check_part(o, e);

	if (code == 0)
		code = db_list(db, trial, &list, &n, e);
	if (code < 0)
		return code;
	code = db_load_statistics(db, trial, (size_t)o->window, &p, s.derived, e);
	if (code == 0) {
		s.trial = list;
		s.p = p;
		print_parts(&s, f);
		derived_release(s.derived);
		profile_free(p);
	}
	db_trials_free(list, n);
	return code;
}

static const char *part;
static long window, top = 10;

static const struct option show_options[] = {
	OPTION_DB,
	OPTION_FORMAT,
	OPTION_TIMEOUT(db_common.timeout),
	{'p', "part", OPTION_TEXT, "PART",
	 "print only summary, metadata, timers, samples or counters", &part},
	{'w', "window", OPTION_NUMBER, "NUMBER",
	 "print this window of the trial, counted from 0 (default: 0)", &window},
	{'t', "top", OPTION_NUMBER, "N", "print at most N rows (default: 10; 0: all)", &top},
	{0},
};

static int run_show(int n, char **operand, struct error *e)
{
	struct db_show_options o = {
		.part = part, .window = window, .top = top, .width = table_width(stdout)};
	struct output out;
	struct db *db;
	int64_t trial;
	int code;

	if (n != 1)
		return error_set(e, ERROR_USAGE, "show needs the number or the name of one trial");
	if (window < 0 || top < 0)
		return error_set(e, ERROR_USAGE, "--%s: the number is below 0",
				 window < 0 ? "window" : "top");
	code = db_format(&o.format, e);
	if (code == 0)
		code = db_open_file(DB_READ, &db, e);
	if (code < 0)
		return code;
	output_open(&out);
	code = db_trials_find(db, db_file(), operand, 1, &trial, e);
	if (code == 0)
		code = show_trial(db, trial, &o, out.file, e);
	db_close(db);
	if (code < 0) {
		output_drop(&out);
		return code;
	}
	return output_close(&out, NULL, e);
}

const struct db_command command_show = {
	.run = run_show,
	.program.name = "tau-db show",
	.program.usage = "[options] TRIAL",
	.program.about = "Prints a trial: its summary, metadata, timers and counters.",
	.program.options = show_options,
};
