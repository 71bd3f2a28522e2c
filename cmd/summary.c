/* summary.c: reads the definitions of a run that has ended and says what became of it. */
#include "summary.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "../convert/native.h"

#define COUNT(a)       (sizeof(a) / sizeof(*(a)))
#define SELECTION_FILE "select.txt"

/* Sums over the processes of a run. */
struct totals {
	unsigned long long events, lost;
	double folded, told; /* calls told by their number, records that tell them */
	double cost_ns, cpu_ns;
	double run_ns; /* what overhead is a share of: that processes lived, or CPU time where threads used more */
	double overhead_ns;
	double storing_ns;
	double first_bytes, first_records;
};

static double meta_number(const struct trace_process *p, const char *name)
{
	for (size_t i = p->meta_n; i > 0; i--)
		if (!strcmp(p->meta[i - 1].name, name))
			return strtod(p->meta[i - 1].value, NULL);
	return 0;
}

static const char *human(double bytes, char out[32])
{
	static const char *const units[] = {"B", "KB", "MB", "GB", "TB"};
	size_t u = 0;

	while (bytes >= 999.5 && u + 1 < COUNT(units)) {
		bytes /= 1000;
		u++;
	}
	snprintf(out, 32, u ? "%.1f %s" : "%.0f %s", bytes, units[u]);
	return out;
}

static void add(struct totals *to, const struct trace *t, const struct trace_process *p)
{
	unsigned long long n = 0;
	double folded = meta_number(p, "TAU Folded Calls"),
	       told = meta_number(p, "TAU Fold Records");
	double event = meta_number(p, "TAU Event Cost (ps)"),
	       fold = meta_number(p, "TAU Folded Call Cost (ps)"), cost, storing, overhead;
	double life = (double)(p->end - p->start),
	       cpu = (meta_number(p, "User Time (us)") + meta_number(p, "System Time (us)")) * 1000,
	       run = cpu > life ? cpu : life;

	for (size_t s = 0; s < p->stream_n; s++) {
		n += t->stream[p->stream[s]].records;
		to->lost += t->stream[p->stream[s]].lost;
	}
	to->events += n;
	to->folded += folded;
	to->told += told;
	cost = (((double)n - told) * event + folded * (fold ? fold : 2 * event)) / 1000 +
	       meta_number(p, "TAU Sampling Cost (ns)") +
	       meta_number(p, "TAU Memory Census us") * 1000 +
	       meta_number(p, "TAU Budget Spent On Dropped (ns)");
	storing = meta_number(p, "TAU Storing Time (ns)");
	to->cost_ns += cost;
	to->storing_ns += storing;
	/* Under a budget each source has a price of its own, and storing is in it. */
	overhead = meta_number(p, "TAU Budget (ppm)")
			   ? meta_number(p, "TAU Budget Spent (ns)") +
				     meta_number(p, "TAU Budget Spent On Dropped (ns)")
			   : cost + storing;
	/* Prices are estimates: recording has not used more than there was. */
	to->overhead_ns += cpu > 0 && overhead > cpu ? cpu : overhead > run ? run : overhead;
	to->run_ns += run;
	to->cpu_ns += cpu;
	to->first_bytes += meta_number(p, "TAU First Chunk Bytes");
	to->first_records += meta_number(p, "TAU First Chunk Records");
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
} limit_kinds[] = {{"TAU Throttled: ", LIMIT_OUT},
		   {"TAU Dropped: ", LIMIT_OUT},
		   {"TAU Folded: ", LIMIT_FOLDED}};

struct limited_region {
	const char *name;
	enum limited what;
	const struct trace_process *process; /* that says so, and how */
	const struct trace_attribute *line;
};

struct limited_regions {
	struct limited_region *v;
	size_t v_n, v_cap;
};

/* How often a dropped region was called afterwards, where that was counted: "" otherwise. */
static const char *calls_more(const struct trace_process *p, const char *region, char out[64])
{
	char *name = mem_printf("TAU Calls Not Recorded: %s", region);
	double calls = meta_number(p, name);

	free(name);
	*out = 0;
	if (calls > 0)
		snprintf(out, 64, "; %.0f call%s more not recorded", calls, calls == 1 ? "" : "s");
	return out;
}

/* Memory that was recorded no more; in how many processes. */
static size_t say_memory(const struct trace *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->process_n; i++) {
		const struct trace_process *p = &t->process[i];
		double at = meta_number(p, "TAU Memory Stopped (us)");
		char bytes[32];

		n += at > 0;
		if (at <= 0 || n > SHOWN)
			continue;
		fprintf(stderr,
			"tau-record: Memory of node %d: recorded of blocks allocated in the first "
			"%.3g s; ", (int)p->node, at / 1e6);
		if (meta_number(p, "TAU Budget (ppm)"))	/* it came to its end */
			fprintf(stderr, "%.0f blocks of %s were allocated later\n",
				meta_number(p, "TAU Memory Blocks Not Recorded"),
				human(meta_number(p, "TAU Memory Bytes Not Recorded"), bytes));
		else
			fputs("nobody has counted those allocated later\n", stderr);
	}
	if (n > SHOWN)
		fprintf(stderr, "tau-record: so it was in %zu process%s more\n", n - SHOWN,
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

/* out: how many of them are kept out; memory: of how many processes it was recorded no more. */
static void select_write(const char *directory, const struct limited_regions *r, size_t out,
			 size_t memory)
{
	char *path = mem_printf("%s/" SELECTION_FILE, directory);
	FILE *f = fopen(path, "we");

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
			fprintf(stderr,
				"tau-record: to keep out from the start what was dropped: --select "
				"%s\n",
				path);
	} else {
		fprintf(stderr, "tau-record: %s: cannot be written\n", path);
	}
	free(path);
}

/* The kind of limit that a line of metadata tells of, NULL: none. */
static const struct limit_kind *limit_of(const struct trace_attribute *a)
{
	for (size_t k = 0; k < COUNT(limit_kinds); k++)
		if (!strncmp(a->name, limit_kinds[k].prefix, strlen(limit_kinds[k].prefix)))
			return &limit_kinds[k];
	return NULL;
}

/* Takes a region in, once however many threads and processes say it. What is folded first may be dropped later: that counts. */
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

static void say_limited(const struct trace *t, const char *directory)
{
	struct limited_regions r = {0};
	size_t out = 0, memory;
	char more[64];

	limited_gather(&r, t);
	for (size_t i = 0; i < r.v_n && i < SHOWN; i++)
		fprintf(stderr, "tau-record: %s of node %d, %s%s\n", r.v[i].line->name + 4,
			(int)r.v[i].process->node, r.v[i].line->value,
			calls_more(r.v[i].process, r.v[i].name, more));
	if (r.v_n > SHOWN)
		fprintf(stderr, "tau-record: and %zu region%s more, which %s/" SELECTION_FILE
			" names\n", r.v_n - SHOWN, plural(r.v_n - SHOWN), directory);
	for (size_t i = 0; i < r.v_n; i++)
		out += r.v[i].what == LIMIT_OUT;
	memory = say_memory(t);
	if (r.v_n || memory)
		select_write(directory, &r, out, memory);
	free(r.v);
}

/* Two digits are all that an estimate has. */
static const char *percent(double share, char out[40])
{
	snprintf(out, 40, share >= .995 ? "%.0f %%" : "%.2g %%",
		 share >= .995 ? round(10 * share) * 10 : 100 * share);
	return out;
}

/*
 * What was spent, for people: in % of the CPU time that the program used itself, as its limit is, and of all CPU time where it
 * is more than that, because what is left after a subtraction of estimates is no base any more.
 */
static const char *percent_of(double spent, double own, double rest, char out[80])
{
	char text[40];

	if (spent > own)
		snprintf(out, 80, "about %.30s of all CPU time",
			 percent(spent / (spent + own + rest), text));
	else
		snprintf(out, 80, "about %.30s of the program's own CPU time",
			 percent(spent / own, text));
	return out;
}

/* Of metadata, where it is not 0. */
static double meta_sum(const struct trace *t, const char *name)
{
	double sum = 0;

	for (size_t i = 0; i < t->process_n; i++)
		sum += meta_number(&t->process[i], name);
	return sum;
}

/* A thread that has not ended when its process does, or records after, leaves its last chunk in a live file; "" without any. */
static const char *live_files(const char *directory, char out[96])
{
	DIR *d = opendir(directory);
	struct dirent *e;
	struct stat st;
	double bytes = 0;
	size_t n = 0;
	char text[32];

	while (d && (e = readdir(d))) {
		const char *end = strrchr(e->d_name, '.');

		if (!end || strcmp(end, ".live") || fstatat(dirfd(d), e->d_name, &st, 0))
			continue;
		bytes += (double)st.st_size;
		n++;
	}
	if (d)
		closedir(d);
	*out = 0;
	if (n)
		snprintf(out, 96, " and %s in %zu .live file%s", human(bytes, text), n, plural(n));
	return out;
}

/* What is in the times of a profile, or missing in its calls, that nobody sees there. */
static void say_odd(const char *directory, const struct trace *t)
{
	double pauses = meta_sum(t, "TAU Recording Paused"),
	       stops = meta_sum(t, "TAU Unmatched Stops");

	if (pauses > 0)
		fprintf(stderr,
			"tau-record: %s: recording was off %.0f time%s, %.3g s in all: regions "
			"that were open then have that in their times\n",
			directory, pauses, plural((size_t)pauses),
			meta_sum(t, "TAU Recording Paused (us)") / 1e6);
	if (stops > 0)
		fprintf(stderr,
			"tau-record: %s: %.0f stop%s of timers that were not running: nothing "
			"was recorded of %s\n",
			directory, stops, plural((size_t)stops), stops == 1 ? "it" : "them");
}

/* Did recording stay below the share of the CPU time that it was allowed? */
static void say_budget(const char *directory, const struct trace *t)
{
	double allowed = 0, own = 0, spent = 0, out = 0, records = 0, others = 0, stopped = 0;
	char about[80];

	for (size_t i = 0; i < t->process_n; i++) {
		const struct trace_process *p = &t->process[i];

		if (!meta_number(p, "TAU Budget (ppm)"))
			continue;
		allowed = meta_number(p, "TAU Budget (ppm)") / 1e4;
		own += meta_number(p, "TAU Budget Own Time (ns)");
		spent += meta_number(p, "TAU Budget Spent (ns)");
		out += meta_number(p, "TAU Budget Spent On Dropped (ns)");
		records += meta_number(p, "TAU Budget Records");
		others += meta_number(p, "TAU Budget Records Never Dropped");
		stopped += meta_number(p, "TAU Memory Stopped (us)") > 0;
	}
	if (own <= 0)
		return;
	fprintf(stderr,
		"tau-record: %s: recording cost %s, and may cost %.3g %% of the program's own\n",
		directory, percent_of(spent, own, out, about), allowed);
	if (100 * spent > allowed * own && 2 * others > records)
		fprintf(stderr,
			"tau-record: %s: %.0f of %.0f records are messages and events that are "
			"told by no region that could be dropped, or allocations that the meter "
			"of the heap needs\n",
			directory, others, records);
	if (200 * out > allowed * own && stopped)
		fprintf(stderr,
			"tau-record: %s: what is dropped still passes through the recorder, which "
			"took %s\n",
			directory, percent_of(out, own, spent, about));
	else if (200 * out > allowed * own)
		fprintf(stderr,
			"tau-record: %s: calls of dropped functions, whose hooks remain, took %s; "
			"a compiler leaves them out with "
			"-finstrument-functions-exclude-function-list\n",
			directory, percent_of(out, own, spent, about));
}

/* Events that a full trace would have, at the size and the cost that events had here. */
static void say_estimate(const char *directory, const struct trace *t, const struct totals *x)
{
	double events = (double)x->events - x->told + 2 * x->folded;
	double each = x->folded > 0 && x->first_records > 0 ? x->first_bytes / x->first_records
		      : events > 0                          ? (double)t->bytes_total / events
							    : 0;
	double storing = x->events ? x->storing_ns / (double)x->events * events : 0;
	double cost = x->cost_ns + storing;
	double spent = x->cost_ns + x->storing_ns;
	double base = x->cpu_ns > spent ? x->cpu_ns - spent : x->cpu_ns;
	char bytes[32], share[40];

	fprintf(stderr,
		"tau-record: %s: a full trace would have about %.0f events and %s, and take %.3g s "
		"(%s) of CPU time more\n",
		directory, events, human(events * each, bytes), cost / 1e9,
		percent(base > 0 ? cost / base : 0, share));
}

static int by_pid(const void *a, const void *b)
{
	const struct trace_process *x = *(const struct trace_process *const *)a,
				   *y = *(const struct trace_process *const *)b;

	return x->pid != y->pid ? (x->pid < y->pid ? -1 : 1)
				: strcmp(x->host ? x->host : "", y->host ? y->host : "");
}

/* "2 processes": each program that one has become by execve() is one of the trace's. */
static const char *processes(const struct trace *t, char out[64])
{
	const struct trace_process **p = mem_alloc((t->process_n + 1) * sizeof(*p));
	size_t n = 0;

	for (size_t i = 0; i < t->process_n; i++)
		p[i] = &t->process[i];
	qsort(p, t->process_n, sizeof(*p), by_pid);
	for (size_t i = 0; i < t->process_n; i++)
		n += i == 0 || by_pid(&p[i - 1], &p[i]) != 0;
	free(p);
	if (n == t->process_n)
		snprintf(out, 64, "%zu process%s", n, n == 1 ? "" : "es");
	else
		snprintf(out, 64, "%zu process%s (%zu program images)", n, n == 1 ? "" : "es",
			 t->process_n);
	return out;
}

/* Each process tells its end. */
static void say_nothing(const char *directory, const struct trace *t, const struct totals *x)
{
	if (x->events <= t->process_n)
		fprintf(stderr,
			"tau-record: %s: no event of the program: unless asked, MPI, OpenSHMEM, "
			"functions with compiler hooks and what it tells itself are recorded; "
			"--sample, --memory and -w io,pthread,process record more\n",
			directory);
}

void summary(const char *directory, int estimate, int unasked)
{
	struct error e = {0};
	struct totals x = {0};
	struct trace *t;
	char bytes[32], live[96], share[40], count[64];

	if (native_open_bare(directory, &t, &e) < 0) {
		fprintf(stderr, "tau-record: %s: nothing was recorded (%s)\n", directory, e.text);
		return;
	}
	for (size_t p = 0; p < t->process_n; p++)
		add(&x, t, &t->process[p]);
	fprintf(stderr,
		"tau-record: %s: %s, %llu event%s, %s%s, %llu lost, overhead about %s of "
		"the run time\n",
		directory, processes(t, count), x.events, plural(x.events),
		human((double)t->bytes_total, bytes), live_files(directory, live), x.lost,
		percent(x.run_ns > 0 ? x.overhead_ns / x.run_ns : 0, share));
	if (unasked)
		say_nothing(directory, t, &x);
	if (estimate)
		say_estimate(directory, t, &x);
	say_odd(directory, t);
	say_limited(t, directory);
	say_budget(directory, t);
	trace_free(t);
}
