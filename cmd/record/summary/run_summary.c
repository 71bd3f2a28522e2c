/* run_summary.c: reads the definitions of a run that has ended and prints its summary. */
#include "cmd/record/summary/run_summary.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analyze/base/quantity.h"
#include "analyze/trace/trace.h"
#include "cmd/shared/message.h"
#include "convert/launchers.h"
#include "convert/native/native.h"
#include "convert/native/native_names.h"
#include "convert/native/live/native_ends.h"
#include "convert/native/file/run_files.h"
#include "cmd/record/launch/launch.h"
#include "cmd/record/summary/alone.h"
#include "cmd/shared/overhead_text.h"
#include "cmd/shared/shell_word.h"
#include "record/metadata.h"

#define COUNT(a)       (sizeof(a) / sizeof(*(a)))
#define SELECTION_FILE "select.txt"
#define SUMMARY_STACK  (8u << 20)

/* Sums over the processes of a run. */
struct totals {
	unsigned long long events;
	double folded, fold_records; /* folded calls, records that contain their numbers */
	double first_bytes, first_records;
	double samples;
};

static void add(struct totals *to, const struct trace *t, const struct trace_process *p)
{
	for (size_t s = 0; s < p->stream_n; s++)
		to->events += t->stream[p->stream[s]].records;
	to->folded += meta_number(p, TAU_META_FOLDED_CALLS);
	to->fold_records += meta_number(p, TAU_META_FOLD_RECORDS);
	to->first_bytes += meta_number(p, TAU_META_FIRST_CHUNK_BYTES);
	to->first_records += meta_number(p, TAU_META_FIRST_CHUNK_RECORDS);
	to->samples += meta_number(p, TAU_META_SAMPLES);
}

/* ---- what was dropped ---- */

/* The region's name as selection files have it, without its position: its length. */
static int name_length(const char *name)
{
	const char *position = strstr(name, " [{");

	return position ? (int)(position - name) : (int)strlen(name);
}

#define SHOWN 10 /* regions named on the screen; all are in the file and in the metadata */

/* What became of a region somewhere in the run. */
enum limited { LIMIT_OUT, LIMIT_FOLDED };
static const struct limit_kind {
	const char *prefix;
	enum limited what;
} limit_kinds[] = {{TAU_META_THROTTLED, LIMIT_OUT},
		   {TAU_META_DROPPED, LIMIT_OUT},
		   {TAU_META_FOLDED, LIMIT_FOLDED}};

struct limited_region {
	const char *name;
	enum limited what;
	const struct trace_process *process; /* with this, and how */
	const struct trace_attribute *line;
};

struct limited_regions {
	struct limited_region *v;
	size_t v_n, v_cap;
};

/* How often a dropped region was called afterwards, where that was counted: "" otherwise. */
static const char *calls_more(const struct trace_process *p, const char *region, char out[64])
{
	char *name = mem_printf(TAU_META_CALLS_NOT_RECORDED "%s", region);
	double calls = meta_number(p, name);

	free(name);
	*out = 0;
	if (calls > 0)
		snprintf(out, 64, "; %.0f call%s more not recorded", calls, calls == 1 ? "" : "s");
	return out;
}

/* Memory that was recorded no more; in how many processes. */
static size_t memory_print(const struct trace *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->process_n; i++) {
		const struct trace_process *p = &t->process[i];
		double at = meta_number(p, TAU_META_MEMORY_STOPPED_US);
		char bytes[QUANTITY_TEXT], text[QUANTITY_TEXT];

		n += at > 0;
		if (at <= 0 || n > SHOWN)
			continue;
		text_printf(stderr,
			    "tau-record: Memory of node %d: recorded only for blocks allocated in "
			    "the first %s; ",
			    (int)p->node, quantity_moment_text(1000 * at, text));
		if (meta_number(p, TAU_META_BUDGET_PPM)) /* it came to its end */
			text_printf(
				stderr, "%.0f blocks of %s were allocated later\n",
				meta_number(p, TAU_META_MEMORY_BLOCKS_NOT_RECORDED),
				quantity_size_text(
					meta_number(p, TAU_META_MEMORY_BYTES_NOT_RECORDED), bytes));
		else
			text_printf(stderr, "the number of those allocated later is unknown\n");
	}
	if (n > SHOWN)
		message_print("tau-record", "the same holds for %zu more process%s", n - SHOWN,
			      n - SHOWN == 1 ? "" : "es");
	return n;
}

static void select_lines(FILE *f, const struct limited_regions *r, enum limited what,
			 const char *before)
{
	for (size_t i = 0; i < r->v_n; i++)
		if (r->v[i].what == what)
			fprintf(f, "%s%.*s\n", before, name_length(r->v[i].name), r->v[i].name);
}

/* out: how many of them are excluded; memory: in how many processes its recording stopped. */
static void select_write(const char *directory, const struct limited_regions *r, size_t out,
			 size_t memory)
{
	char *path = mem_printf("%s/" SELECTION_FILE, directory);
	int at = run_directory(directory);
	int fd = at < 0 ? -1 : run_file_new(at, SELECTION_FILE, run_file_mode(at));
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

	if (at >= 0)
		close(at);

	if (f) {
		fputs("# Regions whose recording cost too much: for tau-record --select\n"
		      "BEGIN_EXCLUDE_LIST\n",
		      f);
		select_lines(f, r, LIMIT_OUT, "\"");
		fputs("END_EXCLUDE_LIST\n", f);
		select_lines(f, r, LIMIT_FOLDED, "# folded: ");
		if (memory)
			fprintf(f, "# memory: recording it was stopped in %zu process%s\n", memory,
				memory == 1 ? "" : "es");
	}
	if (f && fclose(f) == 0) {
		if (out)
			message_print("tau-record",
				      "to exclude from the start what was dropped: --select "
				      "%s",
				      path);
	} else {
		message_print("tau-record", "%s: cannot be written", path);
	}
	free(path);
}

/* The kind of limit that a line of metadata describes, NULL: none. */
static const struct limit_kind *limit_of(const struct trace_attribute *a)
{
	for (size_t k = 0; k < COUNT(limit_kinds); k++)
		if (!strncmp(a->name, limit_kinds[k].prefix, strlen(limit_kinds[k].prefix)))
			return &limit_kinds[k];
	return NULL;
}

/* Takes a region in, once for all threads and processes. What is folded first may be dropped later: that counts. */
static void limited_add(struct limited_regions *r, struct limited_region x)
{
	for (size_t i = 0; i < r->v_n; i++)
		if (!strcmp(r->v[i].name, x.name)) {
			if (r->v[i].what == LIMIT_FOLDED && x.what == LIMIT_OUT)
				r->v[i] = x;
			return;
		}
	*array_add(r, v) = x;
}

static void limited_gather(struct limited_regions *r, const struct trace *t)
{
	for (size_t p = 0; p < t->process_n; p++)
		for (size_t i = 0; i < t->process[p].meta_n; i++) {
			const struct trace_attribute *a = &t->process[p].meta[i];
			const struct limit_kind *kind = limit_of(a);
			struct limited_region x = {.process = &t->process[p], .line = a};

			if (!kind)
				continue;
			x.name = a->name + strlen(kind->prefix);
			x.what = kind->what;
			limited_add(r, x);
		}
}

static void limited_print(const struct trace *t, const char *directory)
{
	struct limited_regions r = {0};
	size_t out = 0, memory;
	char more[64];

	limited_gather(&r, t);
	for (size_t i = 0; i < r.v_n && i < SHOWN; i++)
		message_print("tau-record", "%s of node %d, %s%s", r.v[i].line->name + 4,
			      (int)r.v[i].process->node, r.v[i].line->value,
			      calls_more(r.v[i].process, r.v[i].name, more));
	if (r.v_n > SHOWN)
		message_print("tau-record",
			      "and %zu region%s more, which %s/" SELECTION_FILE " names",
			      r.v_n - SHOWN, plural(r.v_n - SHOWN), directory);
	for (size_t i = 0; i < r.v_n; i++)
		out += r.v[i].what == LIMIT_OUT;
	memory = memory_print(t);
	if (r.v_n || memory)
		select_write(directory, &r, out, memory);
	free(r.v);
}

/* Of metadata, where it is not 0. */
static double meta_sum(const struct trace *t, const char *name)
{
	double sum = 0;

	for (size_t i = 0; i < t->process_n; i++)
		sum += meta_number(&t->process[i], name);
	return sum;
}

/* What is in the times of a profile, or missing in its calls, without being visible there. */
static void odd_print(const char *directory, const struct trace *t)
{
	double pauses = meta_sum(t, TAU_META_RECORDING_PAUSED),
	       stops = meta_sum(t, TAU_META_UNMATCHED_STOPS);
	char text[QUANTITY_TEXT];

	if (pauses > 0)
		message_print(
			"tau-record",
			"%s: recording was off %.0f time%s, %s in all: the "
			"region MEASUREMENT OFF has that time",
			directory, pauses, plural((size_t)pauses),
			quantity_time_text(1000 * meta_sum(t, TAU_META_RECORDING_PAUSED_US), text));
	if (stops > 0)
		message_print("tau-record",
			      "%s: %.0f stop%s of timers that were not running %s not "
			      "recorded",
			      directory, stops, plural((size_t)stops), stops == 1 ? "was" : "were");
}

/* Metrics that the program was to register; a name of them may be a mistake. Each process has the same, as a rule. */
static void metrics_print(const char *directory, const struct trace *t)
{
	const char *said = "";

	for (size_t i = 0; i < t->process_n; i++)
		for (size_t k = 0; k < t->process[i].meta_n; k++) {
			const struct trace_attribute *a = &t->process[i].meta[k];

			if (strcmp(a->name, TAU_META_METRICS_NOT_PROVIDED) ||
			    !strcmp(a->value, said))
				continue;
			said = a->value;
			message_print("tau-record",
				      "%s: metrics that this machine does not have and the "
				      "program never registered are 0: %s",
				      directory, said);
		}
}

/* Did recording stay below the share of the CPU time that it was allowed? */
static void budget_print(const char *directory, const struct trace *t)
{
	double allowed = 0, own = 0, spent = 0, out = 0, records = 0, others = 0, stopped = 0;
	char about[40];

	for (size_t i = 0; i < t->process_n; i++) {
		const struct trace_process *p = &t->process[i];

		if (!meta_number(p, TAU_META_BUDGET_PPM))
			continue;
		allowed = meta_number(p, TAU_META_BUDGET_PPM) / 1e4;
		own += meta_number(p, TAU_META_BUDGET_OWN_TIME_NS);
		spent += meta_number(p, TAU_META_BUDGET_SPENT_NS);
		out += meta_number(p, TAU_META_BUDGET_SPENT_ON_DROPPED_NS);
		records += meta_number(p, TAU_META_BUDGET_RECORDS);
		others += meta_number(p, TAU_META_BUDGET_RECORDS_NEVER_DROPPED);
		stopped += meta_number(p, TAU_META_MEMORY_STOPPED_US) > 0;
	}
	if (own <= 0)
		return;
	message_print("tau-record",
		      "%s: recording cost about %s of the program's own CPU time; the "
		      "budget is %.3g %%",
		      directory, overhead_text(spent, own, about), allowed);
	if (100 * spent > allowed * own && 2 * others > records)
		message_print(
			"tau-record",
			"%s: %.0f of %.0f records cannot be dropped: they are messages "
			"and events outside of regions that may be dropped, or allocations that "
			"the heap metrics need",
			directory, others, records);
	if (200 * out > allowed * own && stopped)
		message_print("tau-record",
			      "%s: dropped calls still enter the recorder, which took about "
			      "%s of the program's own CPU time",
			      directory, overhead_text(out, own, about));
	else if (200 * out > allowed * own)
		message_print("tau-record",
			      "%s: calls of dropped functions, whose hooks remain, took "
			      "about %s of the program's own CPU time; a compiler omits them with "
			      "-finstrument-functions-exclude-function-list",
			      directory, overhead_text(out, own, about));
}

/* Events that a full trace would have, at the size and the cost that events had here. */
static void estimate_print(const char *directory, const struct trace *t, const struct totals *x,
			 const struct overhead *o)
{
	double events = (double)x->events - x->fold_records + 2 * x->folded;
	double each = x->folded > 0 && x->first_records > 0 ? x->first_bytes / x->first_records
		      : events > 0                          ? (double)t->bytes_total / events
							    : 0;
	double cost = o->full + (x->events ? o->storing / (double)x->events * events : 0);
	/* It contains at least what was recorded here. */
	double most = fmax(cost, o->added);
	char bytes[QUANTITY_TEXT], time[QUANTITY_TEXT], share[40];

	message_print("tau-record",
		      "%s: a full trace would have about %.0f events and %s, and take %s "
		      "more CPU time, %s of the program's own",
		      directory, events, quantity_size_text(events * each, bytes),
		      quantity_time_text(most, time), overhead_text(most, o->alone, share));
}

/* Was recording off at a time? */
static int was_off(const struct trace *t)
{
	for (size_t i = 0; i < t->region_n; i++)
		if (!strcmp(t->region[i].name, TAU_REGION_OFF))
			return 1;
	return 0;
}

/* "PERIOD. Try: --sample=PERIOD", a tenth of it; the caller frees it. */
static char *period_short(const struct sampling *s)
{
	char period[QUANTITY_TEXT], option[QUANTITY_TEXT];
	const uint64_t tenth = s->period_us / 10;

	quantity_time_text(1000 * (double)s->period_us, period);
	if (tenth < SAMPLING_SHORTEST_US)
		return mem_string(period);
	return mem_printf("%s. Try: --sample=%s", period,
			  quantity_option_text((int64_t)tenth * 1000, option));
}

/* Samples were requested, and there are none. */
static void samples_print(const char *directory, const struct trace *t, const struct totals *x,
			  const struct sampling *s)
{
	char *period;

	if (!s || !s->period_us || s->unasked || x->samples > 0)
		return;
	/* One that was killed has not recorded its number of samples. */
	for (size_t i = 0; i < t->process_n; i++)
		if (!trace_process_meta(&t->process[i], TAU_META_SAMPLES) ||
		    meta_number(&t->process[i], TAU_META_NO_SAMPLES_TRACED) > 0)
			return;
	period = period_short(s);
	message_print("tau-record",
		      "%s: no samples: no thread ran as long as a period of samples, %s", directory,
		      period);
	free(period);
}

/* Why there is no sample either, and what would record more; the caller frees it. */
static char *samples_missing(const struct sampling *s)
{
	char *period, *text;

	if (s->refused)
		return mem_printf("; there are no samples, %s. Try: --sample", s->refused);
	if (!s->period_us)
		return mem_string(". Try: without --sample=none");
	period = period_short(s);
	text = mem_printf("; no thread ran as long as a period of samples, %s", period);
	free(period);
	return text;
}

/*
 * selected: the options that exclude regions, "" if none was given. Each stream records its end. If recording is off, two more
 * records contain that; a call is an enter and a leave more. plain: NULL: options record more than regions and samples.
 */
static void nothing_print(const char *directory, const struct trace *t, const struct totals *x,
			  const char *selected, const struct sampling *plain, const char *wrapped)
{
	char *missing;

	if (*selected && x->events <= (was_off(t) ? 3 : 1) * t->stream_n) {
		message_print("tau-record",
			      "%s: no events recorded: no region that the program entered "
			      "passes%s",
			      directory, selected);
		return;
	}
	if (!plain || (plain->period_us && !plain->unasked) || x->events > t->process_n)
		return;
	missing = samples_missing(plain);
	if (wrapped && strcmp(wrapped, "none"))
		message_print("tau-record",
			      "%s: no events recorded: the program called no function of -w "
			      "%s",
			      directory, wrapped);
	else if (!wrapped)
		message_print("tau-record",
			      "%s: no events recorded: no function of MPI, OpenSHMEM or "
			      "tau.h was recorded, and the program has no compiler hooks%s, "
			      "--memory, -w io,pthread,process or, for Python, -w python",
			      directory, missing);
	free(missing);
}

/* Processes without samples, because something stopped them at each signal. */
static void traced_print(const char *directory, const struct trace *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->process_n; i++)
		n += meta_number(&t->process[i], TAU_META_NO_SAMPLES_TRACED) > 0;
	if (n)
		message_print("tau-record",
			      "%s: no samples of %zu process%s, because a debugger, a "
			      "tracer or valgrind ran them; --sample takes them nevertheless",
			      directory, n, n == 1 ? "" : "es");
}

static void end_print(void *to, const char *sentence)
{
	(void)to;
	message_print("tau-record", "%s", sentence);
}

/* What shows where a killed program was. */
static void killed_print(const char *directory, const struct trace *t)
{
	int killed = 0;

	for (size_t i = 0; i < t->process_n && !killed; i++)
		killed = t->process[i].ended == TRACE_END_KILLED;
	if (killed)
		message_print("tau-record",
			      "%s: what each thread was doing then, and who waited for "
			      "whom: tau-report hang %s",
			      directory, directory);
}

/* Has a process Python's profile hook, whose cost in the interpreter is not known? */
static int is_least(const struct trace *t)
{
	for (size_t i = 0; i < t->process_n; i++)
		if (meta_number(&t->process[i], TAU_META_PYTHON_PROFILE_HOOK))
			return 1;
	return 0;
}

static int is_too_short(const struct overhead *o)
{
	return o->how == TAU_OVERHEAD_ESTIMATED && o->most <= 0;
}

/* The closing line. */
static void totals_print(const char *directory, const struct trace *t, const struct overhead *o,
		       const struct against *against, uint64_t names)
{
	int measured = o->how == TAU_OVERHEAD_MEASURED;
	enum overhead_how how = measured      ? OVERHEAD_SHOWN
				: is_least(t) ? OVERHEAD_LEAST
					      : OVERHEAD_ESTIMATE;
	const char *missing = overhead_missing(how);
	char size[QUANTITY_TEXT];
	char *totals = native_totals(t), *share;

	share = is_too_short(o) ? mem_string("unknown (the run is too short for an estimate)")
				: overhead_sentence(&(struct overhead_range){
					  o->added, o->alone, o->least, o->most, how});
	message_print("tau-record", "%s: %s, overhead %s%s%s%s%s", directory, totals, share,
		      measured ? " against " : "", measured ? against->run : "",
		      names ? ", names " : "",
		      names ? quantity_size_text((double)names, size) : "");
	if (missing)
		message_print("tau-record", "%s: %s", directory, missing);
	if (against && !measured)
		message_print("tau-record",
			      "%s: the overhead is an estimate, because the CPU time of some "
			      "processes is not known (MPI started them)",
			      directory);
	free(share);
	free(totals);
}

/*
 * For people: the commands that show the run. In a job standard error is the launcher's, and only the
 * last process comes here.
 */
static void next_print(const char *directory, const struct trace *t, const struct totals *x)
{
	char *word;

	if ((!isatty(STDERR_FILENO) && launched_size() < 2) || x->events <= t->process_n)
		return;
	word = shell_word(directory);
	message_print("tau-record", "next: tau-report %s, or in a browser: tau-view %s", word,
		      word);
	free(word);
}

static struct overhead summary_print(const struct ended_run *of)
{
	struct error e = {0};
	struct totals x = {0};
	struct overhead o = {0};
	const char *directory = of->run->path;
	uint64_t names;
	struct trace *t;

	of->run->outlives = 1;
	if ((of->names_ns ? native_open_named(of->run, of->names_ns, &t, &e)
			  : native_open_bare(of->run, &t, &e)) < 0) {
		message_print("tau-record", "%s: nothing was recorded (%s)", directory, e.text);
		return o;
	}
	names = of->names_ns ? native_names_store(t, directory, of->names_ns) : 0;
	for (size_t p = 0; p < t->process_n; p++)
		add(&x, t, &t->process[p]);
	o = overhead_of(t, of->samples);
	if (of->against)
		alone_compare(of->against->place, of->against->alone_ns, &o);
	totals_print(directory, t, &o, of->against, names);
	native_ends_each(t, end_print, NULL);
	killed_print(directory, t);
	nothing_print(directory, t, &x, of->selected, of->plain, of->wrapped);
	samples_print(directory, t, &x, of->sampling);
	traced_print(directory, t);
	metrics_print(directory, t);
	if (of->estimate)
		estimate_print(directory, t, &x, &o);
	odd_print(directory, t);
	limited_print(t, directory);
	budget_print(directory, t);
	next_print(directory, t, &x);
	trace_free(t);
	if (is_too_short(&o))
		o.added = o.alone = 0;
	return o;
}

struct roomy {
	const struct ended_run *of;
	struct overhead stated;
};

static void *roomy_main(void *of)
{
	struct roomy *r = of;

	r->stated = summary_print(r->of);
	return NULL;
}

struct overhead summary(const struct ended_run *of)
{
	struct roomy r = {.of = of};
	struct ended_run bare = *of;
	pthread_attr_t attributes;
	pthread_t thread;
	int error;

	pthread_attr_init(&attributes);
	error = pthread_attr_setstacksize(&attributes, SUMMARY_STACK);
	error = error ? error : pthread_create(&thread, &attributes, roomy_main, &r);
	pthread_attr_destroy(&attributes);
	if (!error) {
		pthread_join(thread, NULL);
		return r.stated;
	}
	bare.names_ns = 0; /* no thread can be started: without libdw */
	return summary_print(&bare);
}
