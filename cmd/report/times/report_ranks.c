/* report_ranks.c: tau-report ranks: processor, memory, input and output of each rank, and its regions with the most time. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "analyze/base/mem_stream.h"
#include "analyze/base/quantity.h"
#include "analyze/profile/profile.h"
#include "analyze/profile/waiting_threads.h"
#include "analyze/trace/trace.h"
#include "cmd/profile/profile_table.h"
#include "cmd/report/report.h"
#include "cmd/report/times/time_tables.h"
#include "cmd/shared/process_use.h"
#include "cmd/table/region_name.h"
#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"
#include "cmd/table/table_text.h"
#include "convert/formats.h"
#include "convert/io/input.h"
#include "convert/io/now.h"
#include "record/metadata.h"

#define TOP_TEXT 20
#define REGIONS	 3	    /* of a rank */
#define LOOK_NS	 200000000 /* for which the load of running processes is measured */

struct rank_use {
	int32_t node;
	uint32_t first, threads; /* its first thread, and the number of those that count */
	double whole;		 /* us */
	struct {
		uint32_t timer;
		double us;
	} top[REGIONS];
	size_t top_n;
	const struct trace_process *process; /* NULL: unknown */
	struct process_use use;		     /* of one that runs here */
	int64_t ns;			     /* when that was */
	double now;			     /* its load; NaN: it does not run here */
};

struct ranks_report {
	const struct report_options *o;
	const struct report_runs *r;
	struct profile *p;
	struct trace *trace; /* NULL: it is no run of this project */
	struct rank_use *v;
	size_t v_n, v_cap;
	int running, io, peak; /* some rank has these */
};

/* ---- the regions of each rank ---- */

static void top_add(struct rank_use *x, uint32_t timer, double us)
{
	size_t at = x->top_n;

	while (at > 0 && x->top[at - 1].us < us)
		at--;
	if (at == REGIONS)
		return;
	x->top_n += x->top_n < REGIONS;
	memmove(&x->top[at + 1], &x->top[at], (x->top_n - 1 - at) * sizeof(*x->top));
	x->top[at].timer = timer;
	x->top[at].us = us;
}

/* Adds the rows of a thread to the sums of its rank, which are by timer. */
static void thread_add(const struct ranks_report *a, struct rank_use *x,
		       struct profile_thread *t, const struct waiting *waiting,
		       enum profile_timer_kind kind, double *sum)
{
	enum waiting_class class = waiting_class(waiting, t);

	x->threads += class == WAITING_COUNTS;
	for (size_t k = 0; k < t->row_n; k++) {
		const struct profile_path *path = &a->p->path[t->row[k].path];
		double us = profile_excl(a->p, t, &t->row[k])[0];

		if (path->parent != PROFILE_FLAT ||
		    profile_timer_kind(&a->p->timer[path->timer]) != kind ||
		    !waiting_row_counts(class, NULL, a->p, path->timer))
			continue;
		sum[path->timer] += us;
		x->whole += us;
	}
}

/* sum: zero before and after. */
static void rank_finish(const struct ranks_report *a, struct rank_use *x, double *sum)
{
	for (uint32_t i = 0; i < a->p->timer_n; i++) {
		if (sum[i] > 0)
			top_add(x, i, sum[i]);
		sum[i] = 0;
	}
}

/* Threads are in the order of nodes. */
static void ranks_make(struct ranks_report *a)
{
	enum profile_timer_kind kind = a->o->samples || !profile_has_regions(a->p)
					       ? TIMER_SAMPLE
					       : TIMER_MEASURED;
	struct waiting *waiting =
		waiting_find((const struct profile *const *)&a->p, 1, TIMER_MEASURED);
	double *sum = mem_alloc((a->p->timer_n + 1) * sizeof(*sum));
	struct rank_use *x = NULL;

	for (uint32_t i = 0; i < a->p->thread_n; i++) {
		struct profile_thread *t = &a->p->thread[i];

		if (t->node < 0 || waiting_is_queue(t) || waiting_has_values(t))
			continue;
		if (!x || x->node != t->node) {
			if (x)
				rank_finish(a, x, sum);
			x = array_add(a, v);
			*x = (struct rank_use){.node = t->node,
					       .first = i,
					       .use = PROCESS_USE_UNKNOWN,
					       .now = NAN};
		}
		thread_add(a, x, t, waiting, kind, sum);
	}
	if (x)
		rank_finish(a, x, sum);
	free(sum);
	waiting_free(waiting);
}

/* ---- their processes ---- */

static double meta(const struct ranks_report *a, const struct rank_use *x, const char *name)
{
	return profile_meta_number(a->p, x->first, name);
}

/* They are in the order of nodes. NULL: there is none. */
static struct rank_use *rank_of(const struct ranks_report *a, int32_t node)
{
	size_t low = 0, high = a->v_n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (a->v[middle].node < node)
			low = middle + 1;
		else
			high = middle;
	}
	return low < a->v_n && a->v[low].node == node ? &a->v[low] : NULL;
}

static void processes_find(struct ranks_report *a)
{
	for (size_t k = 0; a->trace && k < a->trace->process_n; k++) {
		struct rank_use *x = rank_of(a, a->trace->process[k].node);

		if (x)
			x->process = &a->trace->process[k];
	}
	for (size_t i = 0; i < a->v_n; i++) {
		struct rank_use *x = &a->v[i];

		if (!x->process || !x->process->running)
			continue;
		x->use = process_use(x->process->pid);
		x->ns = now_ns();
		a->running = 1;
	}
}

/* The load of those that run now: what they use in a short time. */
static void loads_find(struct ranks_report *a)
{
	struct timespec wait = {0, LOOK_NS};

	if (!a->running)
		return;
	while (nanosleep(&wait, &wait))
		;
	for (size_t i = 0; i < a->v_n; i++) {
		struct rank_use *x = &a->v[i];
		struct process_use use;
		int64_t ns;

		if (!x->ns)
			continue;
		use = process_use(x->process->pid);
		ns = now_ns();
		x->now = 1e9 * (use.cpu - x->use.cpu) / (double)(ns - x->ns);
	}
}

/* ---- the table ---- */

/* Tables that have a column. */
enum { AS_TEXT = 1, AS_DATA = 2, WITH_RUNNING = 4, WITH_IO = 8, WITH_PEAK = 16 };

/* Regions that do not fit are omitted, the last ones first. */
static void top_fit(char *s, size_t width)
{
	char *comma;

	while (table_text_width(s) > width && (comma = strrchr(s, ',')))
		*comma = 0;
	table_elide(s, width);
}

/* One row, a member for each column. */
struct ranks_cells {
	int64_t rank, threads, pid;
	const char *host, *state;
	double cpu, load, now, resident, peak, read, written;
	const char *top, *region[REGIONS];
	double share[REGIONS];
};

/* clang-format off: one column, one paragraph */
static const struct table_field fields[] = {
	{FIELD(struct ranks_cells, rank), TABLE_INTEGER, "rank", NULL,
	 .meaning = "rank of the process"},
	{FIELD(struct ranks_cells, threads), TABLE_INTEGER, "threads", NULL, .spare = 3,
	 .meaning = "number of its threads that do not only wait"},
	{FIELD(struct ranks_cells, pid), TABLE_INTEGER, "pid", NULL, .spare = 5, .only = AS_DATA,
	 .meaning = "number of the process on its host"},
	{FIELD(struct ranks_cells, host), TABLE_TEXT, "host", NULL, .only = AS_DATA,
	 .meaning = "host of the process"},
	{FIELD(struct ranks_cells, state), TABLE_TEXT, "state", NULL, .spare = 2,
	 .meaning = "running, stopped by a signal, or how it ended"},
	{FIELD(struct ranks_cells, cpu), TABLE_NUMBER, "cpu", "CPU time", .scaled = 1, .spare = 4,
	 .meaning = "processor time of all its threads, in the whole run",
	 .source = "getrusage(2); of a process that runs here, its clock"},
	{FIELD(struct ranks_cells, load), TABLE_NUMBER, "load_pct", "load", "%", .precision = 1,
	 .meaning = "processor time as a share of the life of the process; 100 for each processor "
	 "that it used all the time",
	 .formula = "100 * CPU time / life"},
	{FIELD(struct ranks_cells, now), TABLE_NUMBER, "load_now_pct", "now", "%", .precision = 1,
	 .only = WITH_RUNNING,
	 .meaning = "the same for 0.2 s while the report is made; of processes that run here"},
	{FIELD(struct ranks_cells, resident), TABLE_BYTES, "resident_bytes", "memory",
	 .only = WITH_RUNNING,
	 .meaning = "memory that it has now; of processes that run here",
	 .source = "VmRSS of /proc/PID/status"},
	{FIELD(struct ranks_cells, peak), TABLE_BYTES, "peak_bytes", "peak", .only = WITH_PEAK,
	 .meaning = "most memory that it had at one time, in the whole run",
	 .source = "getrusage(2), VmHWM of /proc/PID/status"},
	{FIELD(struct ranks_cells, read), TABLE_BYTES, "read_bytes", "read", .only = WITH_IO,
	 .spare = 1,
	 .meaning = "bytes that it read from files, pipes and sockets, in the whole run, with what "
	 "recording has read",
	 .source = "rchar of /proc/PID/io"},
	{FIELD(struct ranks_cells, written), TABLE_BYTES, "written_bytes", "written",
	 .only = WITH_IO, .spare = 1,
	 .meaning = "bytes that it wrote to files, pipes and sockets, in the whole run, with what "
	 "recording has written",
	 .source = "wchar of /proc/PID/io"},
	{FIELD(struct ranks_cells, top), TABLE_TEXT, "top", "most time in", .only = AS_TEXT,
	 .fit = top_fit,
	 .meaning = "the regions with the most exclusive time, as shares of the time of the rank's "
	 "threads"},
#define REGION(i, n)                                                                               \
	{FIELD(struct ranks_cells, region[i]), TABLE_TEXT, "region_" n, NULL, .only = AS_DATA,     \
	 .meaning = "region with the most exclusive time, the second and the third"},              \
	{FIELD(struct ranks_cells, share[i]), TABLE_NUMBER, "share_" n "_pct", NULL,               \
	 .precision = 1, .only = AS_DATA,                                                          \
	 .meaning = "its exclusive time as a share of the time of the rank's threads"}
	REGION(0, "1"), REGION(1, "2"), REGION(2, "3"),
#undef REGION
	{0},
};
/* clang-format on */

/* "solve [a.c:3] 61 %, MPI_Recv() 30 %"; to be freed. */
static char *top_text(const struct ranks_report *a, const struct rank_use *x)
{
	char *text = NULL;
	size_t size;
	FILE *f = mem_stream(&text, &size);

	for (size_t i = 0; i < x->top_n; i++) {
		const char *timer = a->p->timer[x->top[i].timer].name;
		const char *code = profile_timer_code(timer);
		char *name = region_name_short(code ? code : timer), part[QUANTITY_TEXT];

		fprintf(f, "%s%s %s", i ? ", " : "", name,
			quantity_percent_text(100 * x->top[i].us / x->whole, part));
		free(name);
	}
	fclose(f);
	return text;
}

static double known(double live, double ended)
{
	return isnan(live) ? ended : live;
}

static struct ranks_cells cells_of(const struct ranks_report *a, const struct rank_use *x,
				   char buf[32])
{
	const struct trace_process *p = x->process;
	double cpu = known(1e6 * x->use.cpu, meta(a, x, TAU_META_USER_TIME_US) +
						     meta(a, x, TAU_META_SYSTEM_TIME_US)),
	       life = p ? (double)(p->end - p->start) / 1000
			: meta(a, x, TAU_META_ENDING_TIMESTAMP) -
				  meta(a, x, TAU_META_STARTING_TIMESTAMP);
	struct ranks_cells c = {
		.rank = x->node,
		.threads = x->threads,
		.pid = p ? p->pid : FIELD_MISSING,
		.host = p ? p->host : profile_meta(a->p, x->first, TAU_META_HOSTNAME),
		.state = !p ? NULL
			 : !p->running && p->elsewhere && p->ended == TRACE_END_UNKNOWN
				 ? "unknown"
				 : process_state(p->running, &x->use, p->ended, p->end_value, buf),
		.cpu = cpu,
		.load = life > 0 ? 100 * cpu / life : NAN,
		.now = 100 * x->now,
		.resident = x->use.resident,
		.peak = known(x->use.peak, 1024 * meta(a, x, TAU_META_PEAK_RESIDENT_KB)),
		.read = known(x->use.read, meta(a, x, TAU_META_BYTES_READ)),
		.written = known(x->use.written, meta(a, x, TAU_META_BYTES_WRITTEN)),
	};

	for (size_t i = 0; i < REGIONS; i++) {
		int has = i < x->top_n;

		c.region[i] = has ? a->p->timer[x->top[i].timer].name : NULL;
		c.share[i] = has ? 100 * x->top[i].us / x->whole : NAN;
	}
	return c;
}

static void print(struct ranks_report *a, FILE *f, size_t width)
{
	struct time_columns c;
	struct field_scale scale;
	char *title = profile_table_title(a->p, report_unit_time(a->o)), buf[32];
	struct table *t = table_new(title);
	size_t shown = report_rows_shown(a->o, a->v_n, TOP_TEXT);
	double most = 0;

	for (size_t i = 0; i < a->v_n; i++) {
		struct ranks_cells x = cells_of(a, &a->v[i], buf);

		most = fmax(most, x.cpu);
		a->io |= !isnan(x.read);
		a->peak |= !isnan(x.peak);
	}
	c = time_columns_of(a->o, a->p, 0, most);
	scale = time_scale(&c);
	scale.unit = a->o->format == REPORT_TEXT ? c.unit : NULL;
	report_load_notes(t, a->r);
	table_note(t, "Processor time, memory, input and output are of the whole run%s.",
		   a->p->window ? ", regions of the window" : "");
	table_fields(t, fields,
		     (a->o->format == REPORT_TEXT
			      ? AS_TEXT
			      : AS_DATA | WITH_RUNNING | WITH_IO | WITH_PEAK) |
			     (a->running ? WITH_RUNNING : 0) | (a->io ? WITH_IO : 0) |
			     (a->peak ? WITH_PEAK : 0),
		     &scale);
	for (size_t i = 0; i < shown; i++) {
		struct ranks_cells x = cells_of(a, &a->v[i], buf);
		char *top = top_text(a, &a->v[i]);

		x.top = *top ? top : NULL;
		table_row(t);
		table_put_fields(t, &x);
		free(top);
	}
	if (shown < a->v_n)
		table_remark(t, "%zu of %zu ranks; --top 0 lists all.", shown, a->v_n);
	report_table(t, a->o, f, width);
	free(title);
}

static int trace_find(struct ranks_report *a, struct error *e)
{
	struct input *in = a->o->db ? NULL : inputs_get(a->o->known, a->o->operand[0]);
	const struct trace_format *format = in ? trace_format_of(in) : NULL;

	/* Only our own runs have processes that may still run. */
	return format && format->indexed ? trace_open_input(in, a->o->kept, &a->trace, e) : 0;
}

static int report_ranks(const struct report_options *o, const struct report_runs *r,
			struct output *out, size_t width, struct error *e)
{
	struct ranks_report a = {.o = o, .r = r};
	size_t metric;
	int code = report_one_profile(o, r, "ranks", "text csv json", &metric, e);

	if (code)
		return code;
	a.p = r->run[0].profile;
	code = trace_find(&a, e);
	if (!code) {
		ranks_make(&a);
		processes_find(&a);
		loads_find(&a);
		print(&a, out->file, width);
	}
	if (a.trace)
		trace_free(a.trace);
	free(a.v);
	return code;
}

const struct report_kind kind_ranks = {
	.name = "ranks",
	.columns = (const struct table_field *const[]){fields, NULL},
	.about = "processor time, memory, input and output of each rank, and its top regions",
	.question = QUESTION_OVERVIEW,
	.example = "run",
	.print = report_ranks,
	.options = REPORT_PICK "where samples sample-resolution threads",
	.whole = 1,
	.no_memory = 1,
	.functions = 1,
	.part = REPORT_PART,
	.title = "Ranks",
};
