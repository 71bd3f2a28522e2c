/* overview_work.c: findings of an overview about kinds of work: calls that wait or poll, files, threads, messages, the recorder. */
#include <math.h>
#include <string.h>

#include "analyze/base/quantity.h"
#include "analyze/messages/runtime_regions.h"
#include "analyze/profile/profile.h"
#include "analyze/profile/region_rows.h"
#include "analyze/trace/event.h"
#include "analyze/trace/event_fields.h"
#include "analyze/trace/region_work.h"
#include "cmd/report/overview/overview.h"
#include "cmd/table/region_name.h"
#include "cmd/table/table_text.h"

/* Regions of one kind, over all threads. */
struct work_sum {
	double time, calls;
	double largest;	   /* time of the largest, */
	const char *full;  /* its name, NULL: there are none, */
	char *name, *word; /* for people, and for a command */
};

/* us of a region that wait states do not explain. */
static double beyond_waiting(const struct overview *x, const char *region, double us)
{
	for (size_t i = 0; i < x->waited_n; i++)
		if (!strcmp(x->waited[i].region, region))
			us -= x->waited[i].us;
	return us > 0 ? us : 0;
}

/* is: does a timer belong to the kind? 0: there is no time in it. beyond: only time that wait states do not explain. */
static int work_sum_make_of(struct work_sum *s, const struct overview *x, int beyond,
			    int (*is)(const struct profile_timer *t, const void *of),
			    const void *of)
{
	*s = (struct work_sum){0};
	for (size_t i = 0; i < x->rows.kind_n[TIMER_MEASURED]; i++) {
		const struct region_row *r = &x->rows.v[i];
		const struct profile_timer *t = &x->p->timer[x->p->path[r->path].timer];
		double us = r->excl;

		if (!is(t, of))
			continue;
		us = beyond ? beyond_waiting(x, t->name, us) : us;
		s->time += us;
		s->calls += r->calls;
		if (!s->full || us > s->largest) {
			s->full = t->name;
			s->largest = us;
		}
	}
	if (!(s->time > 0))
		return 0;
	s->name = overview_name(x, s->full, OVERVIEW_REGION);
	s->word = overview_word(x, s->full);
	return 1;
}

static int work_sum_make(struct work_sum *s, const struct overview *x,
			 int (*is)(const struct profile_timer *t, const void *of), const void *of)
{
	return work_sum_make_of(s, x, 0, is, of);
}

static void work_sum_release(struct work_sum *s)
{
	free(s->name);
	free(s->word);
}

static int polls(const struct profile_timer *t, const void *of)
{
	(void)of;
	return region_polls(t->name);
}

static int waits_for_device(const struct profile_timer *t, const void *of)
{
	(void)of;
	return region_waits_for_device(t->name);
}

/* "; 2 of 40 tests completed a request; 1 of 90 probes found a message"; the caller frees it. */
static char *polls_found(const struct overview *x, uint64_t calls)
{
	char *tests = mem_string(""), *probes = mem_string(""), *both, *of;

	if (x->tests) {
		free(tests);
		of = x->tests == calls ? mem_string("them")
				       : mem_printf("%llu tests", (unsigned long long)x->tests);
		tests = mem_printf("; %llu of %s completed a %s", (unsigned long long)x->completed,
				   of, x->tests_found ? "request" : "receive or operation");
		free(of);
	}
	if (x->probes_found) {
		free(probes);
		probes = mem_printf("; %llu of %llu probes found a message",
				    (unsigned long long)x->probes_found,
				    (unsigned long long)x->probes);
	}
	both = mem_printf("%s%s", tests, probes);
	free(tests);
	free(probes);
	return both;
}

/* Calls that poll: a fact, and a finding of its own, because the program is busy while it waits. */
static void add_polling(struct overview *x)
{
	struct work_sum s;
	char *run, *share, *path;

	if (!work_sum_make(&s, x, polls, NULL))
		return;
	run = overview_run(x);
	share = polls_found(x, (uint64_t)s.calls);
	path = x->poll_path ? mem_printf("; rank %lld polls longest, in %s",
					 (long long)x->poll_node, x->poll_path)
			    : mem_string("");
	overview_add(x, SECTION_WAITING, mem_string("in calls that poll"), UNIT_TIME, s.time,
		     mem_printf("%.0f call%s, most time in %s", s.calls, plural((size_t)s.calls),
				s.name));
	overview_find(x, TOPIC_POLLING, mem_printf("busy waiting: polling in %s", s.name),
		      UNIT_TIME, s.time,
		      mem_printf("%.0f call%s%s%s", s.calls, plural((size_t)s.calls), share, path),
		      x->poll_path ? mem_printf("tau-report waits %s%s", x->poll_top, run)
				   : mem_printf("tau-report threads %s %s", s.word, run));
	free(run);
	free(share);
	free(path);
	work_sum_release(&s);
}

/* For a trace, tau-report devices shows their work in this time. */
static void add_device_waits(struct overview *x)
{
	struct work_sum s;
	char *run;

	if (!work_sum_make(&s, x, waits_for_device, NULL))
		return;
	run = overview_run(x);
	overview_add(x, SECTION_WAITING, mem_string("for devices"), UNIT_TIME, s.time,
		     mem_printf("%.0f call%s, most time in %s", s.calls, plural((size_t)s.calls),
				s.name));
	overview_find(
		x, TOPIC_DEVICES, mem_string("waiting for devices"), UNIT_TIME, s.time,
		mem_printf("%.0f call%s, most in %s", s.calls, plural((size_t)s.calls), s.name),
		x->trace && x->queues ? mem_printf("tau-report devices %s", run)
				      : mem_printf("tau-report callers %s %s", s.word, run));
	free(run);
	work_sum_release(&s);
}

static int is_idle(const struct profile_timer *t, const void *of)
{
	(void)of;
	return runtime_team(t->name) == TEAM_IDLE;
}

/*
 * What the program does meanwhile: of the regions of useful work that at most one thread per process
 * has, its first one, the one with most time. The caller frees it.
 */
static char *meanwhile(const struct overview *x)
{
	size_t first = region_rows_first(&x->rows, TIMER_MEASURED), pes = profile_pes(x->p);
	char *name, *text;

	for (size_t i = first; i < first + x->rows.kind_n[TIMER_MEASURED]; i++) {
		const struct region_row *r = &x->rows.v[i];
		const struct profile_timer *t = &x->p->timer[x->p->path[r->path].timer];

		if (r->threads > pes || x->p->thread[r->largest_at].thread ||
		    !region_work_useful(region_work_of(t->name, t->groups)))
			continue;
		name = overview_name(x, t->name, OVERVIEW_REGION);
		text = mem_printf("one thread per team runs the program meanwhile; the longest "
				  "region that no other thread executes is %s",
				  name);
		free(name);
		return text;
	}
	return mem_string("one thread per team runs the program meanwhile");
}

/* Threads of OpenMP between parallel regions: the program runs serially. */
static void add_idle(struct overview *x)
{
	struct work_sum s;
	char *run;

	if (!work_sum_make(&s, x, is_idle, NULL))
		return;
	run = overview_run(x);
	overview_add(x, SECTION_WAITING, mem_string("between parallel regions"), UNIT_TIME, s.time,
		     mem_string("OpenMP threads without work"));
	overview_find(x, TOPIC_IDLE, mem_string("idle threads between parallel regions"), UNIT_TIME,
		      s.time, meanwhile(x),
		      x->trace ? mem_printf("tau-report timeline %s", run)
			       : mem_printf("tau-report threads %s %s", s.word, run));
	free(run);
	work_sum_release(&s);
}

int overview_is_lock(const struct overview *x, const char *region)
{
	size_t i = 0;

	while (i < x->lock_region_n && strcmp(x->lock_region[i], region))
		i++;
	return i < x->lock_region_n;
}

struct work_kind {
	const struct overview *x;
	enum region_work work;
	int startup; /* of messages: those that begin and end the runtime, or the others */
};

/* Is it work of the kind, and not in a finding above? */
static int is_work(const struct profile_timer *t, const void *of)
{
	const struct work_kind *k = of;

	return region_work_of(t->name, t->groups) == k->work && !region_polls(t->name) &&
	       !region_waits_for_device(t->name) && !overview_is_lock(k->x, t->name) &&
	       runtime_team(t->name) != TEAM_IDLE &&
	       (k->work != WORK_MESSAGES || region_sets_up(t->name) == k->startup);
}

/* "; 80000 messages and transfers of 8 B on average"; the caller frees it. */
static char *sizes_of(const struct overview *x)
{
	char mean[QUANTITY_TEXT];

	if (!(x->moved > 0))
		return mem_string("");
	return mem_printf("; %.0f message%s and transfers of %s on average", x->moved,
			  plural((size_t)x->moved),
			  quantity_size_text(x->moved_bytes / x->moved, mean));
}

/* A kind of work as a finding, without what wait states explain. command: NULL: that about the largest region. */
static void find_work(struct overview *x, enum region_work work, int startup, const char *item,
		      const char *command)
{
	struct work_sum s;
	int moves = work == WORK_MESSAGES && !startup;
	char *run, *sizes;

	if (!work_sum_make_of(&s, x, moves || work == WORK_THREADS, is_work,
			      &(struct work_kind){x, work, startup}))
		return;
	run = overview_run(x);
	sizes = moves ? sizes_of(x) : mem_string("");
	overview_find(x,
		      startup ? TOPIC_CONDITION : TOPIC_WORK + (unsigned)work,
		      mem_string(item), UNIT_TIME, s.time,
		      mem_printf("most in %s%s", s.name, sizes),
		      command ? mem_printf("tau-report %s %s", command, run)
			      : mem_printf("tau-report %s %s %s", moves ? "callers" : "threads",
					   s.word, run));
	free(run);
	free(sizes);
	work_sum_release(&s);
}

static const char *const name_finding[IO_OPS] = {
	[IO_OPEN] = "opening files",	  [IO_CLOSE] = "closing files",
	[IO_STAT] = "looking up files",	  [IO_ACCESS] = "looking up files",
	[IO_REMOVE] = "removing files",	  [IO_RENAME] = "renaming files",
	[IO_MKDIR] = "making directories", [IO_RMDIR] = "removing directories",
	[IO_LIST] = "listing directories", [IO_LOCK] = "waiting for locks of files",
	[IO_UNLOCK] = "waiting for locks of files",
};

/*
 * Of calls about files that move no bytes, if they are most of the time: a storm of opens is none
 * of reads. 1: there is such a finding.
 */
static int add_names(struct overview *x, const char *run, const char *region, double time)
{
	const struct overview_files *f = &x->files;
	double us = 0, calls = 0;

	for (uint32_t op = IO_MOVES; op < IO_OPS; op++) {
		us += f->name_us[op];
		calls += f->name_calls[op];
	}
	if (!f->directory || 2 * us < time)
		return 0;
	overview_find(x, TOPIC_WORK + WORK_FILES, mem_string(name_finding[f->name_op]), UNIT_TIME,
		      us,
		      mem_printf("%.0f calls move no bytes, %.0f of them %s; %.0f of these, of "
				 "%.0f files, in %s; most time in %s",
				 calls, f->name_calls[f->name_op], event_io_name[f->name_op],
				 f->directory_calls, f->directory_files, f->directory, region),
		      mem_printf("tau-report io --by directory %s", run));
	return 1;
}

/* Reads and writes, of a trace that has their sizes; other calls, as fsync, are in no report about files. */
static void add_files(struct overview *x)
{
	const struct overview_files *f = &x->files;
	struct work_sum s;
	double time;
	char *run, *largest, *unaligned;

	if (!work_sum_make(&s, x, is_work, &(struct work_kind){x, WORK_FILES, 0}))
		return;
	run = overview_run(x);
	largest = mem_printf("most in %s", s.name);
	unaligned = f->unaligned > 0
			    ? mem_printf(", %.0f are unaligned", f->unaligned)
			    : mem_string("");
	time = s.time;
	if (add_names(x, run, s.name, time))
		;
	else if (f->calls && 2 * f->us >= time)
		overview_find(x, TOPIC_WORK + WORK_FILES, mem_string("reading and writing files"),
			      UNIT_TIME, time,
			      mem_printf("%s; %.0f of %.0f calls move below %d bytes%s", largest,
					 f->small, f->calls, FILES_SMALL, unaligned),
			      mem_printf("tau-report io %s", run));
	else
		overview_find(x, TOPIC_WORK + WORK_FILES, mem_string("reading and writing files"),
			      UNIT_TIME, time, mem_string(largest),
			      mem_printf("tau-report threads %s %s", s.word, run));
	free(unaligned);
	free(largest);
	free(run);
	work_sum_release(&s);
}

void overview_work(struct overview *x, int waits)
{
	add_polling(x);
	add_device_waits(x);
	add_idle(x);
	add_files(x);
	overview_recording(x);
	find_work(x, WORK_THREADS, 0,
		  x->waited_threads > 0
			  ? "synchronisation of threads and child processes beyond waiting"
			  : "synchronisation of threads and child processes",
		  NULL);
	if (waits)
		find_work(x, WORK_MESSAGES, 0, "exchanging messages beyond waiting", NULL);
	else
		find_work(x, WORK_MESSAGES, 0, "calls that exchange messages", "profile --by rank");
	find_work(x, WORK_MESSAGES, 1, "start and end of the communication library", NULL);
}

/* The first row of a kind that is the program's, and not the time outside of all regions; NULL: there is none. */
static const struct region_row *largest(const struct overview *x, enum profile_timer_kind kind)
{
	size_t first = region_rows_first(&x->rows, kind), n = x->rows.kind_n[kind];

	for (size_t i = 0; i < n; i++) {
		const struct region_row *r = &x->rows.v[first + i];
		const struct profile_timer *t = &x->p->timer[x->p->path[r->path].timer];

		if (strcmp(t->name, REGION_ROOT) != 0)
			return r;
	}
	return NULL;
}

#define MADE                                                                                       \
	" of code in no file; node --perf-basic-prof, java -XX:+DumpPerfMapAtExit "              \
	"and the like list its names, which tau-record then stores"

/* Is it code that a runtime made, without a name? */
static int is_made(const char *name)
{
	const char *code = profile_timer_code(name);

	return code && !strcmp(code, "UNRESOLVED UNKNOWN");
}

void overview_most(struct overview *x)
{
	const struct region_row *r = largest(x, TIMER_SAMPLE);
	int sampled = r != NULL;
	const char *full, *code;
	char *run, *name, *word;

	r = r ? r : largest(x, TIMER_MEASURED);
	if (!r)
		return;
	full = x->p->timer[x->p->path[r->path].timer].name;
	if (region_sets_up(full)) /* it is in "start and end of the communication library" */
		return;
	run = overview_run(x);
	word = overview_word(x, full);
	code = profile_timer_code(full);
	name = overview_name(x, code ? code : full, OVERVIEW_REGION);
	overview_find(x, TOPIC_NONE, mem_printf("most time in %s", name), UNIT_TIME, r->excl,
		      mem_printf("%.0f %s%s%s", r->calls, sampled ? "sample" : "call",
				 plural((size_t)r->calls), is_made(full) ? MADE : ""),
		      sampled ? mem_printf("tau-report profile %s", run)
			      : mem_printf("tau-report callers %s %s", word, run));
	free(run);
	free(name);
	free(word);
}
