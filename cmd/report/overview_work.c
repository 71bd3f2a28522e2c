/* overview_work.c: findings of an overview about kinds of work: calls that wait or poll, files, threads, messages, the recorder. */
#include <math.h>
#include <string.h>

#include "analyze/messages/runtime_regions.h"
#include "cmd/report/overview.h"
#include "cmd/shared/region_name.h"

/* MPI_Init(), shmem_finalize() ...: they begin and end a runtime. */
static int is_startup(const char *name)
{
	return strstr(name, "_Init") || strstr(name, "_init") || strstr(name, "_Finalize") ||
	       strstr(name, "_finalize");
}

/* Calls that poll, over all threads: a fact, and a finding of its own, because the program is busy while it waits. */
static void add_polling(struct overview *x)
{
	const struct region_row *most = NULL;
	double sum = 0, calls = 0;
	char *run, *name, *word, *share, *path;

	for (size_t i = 0; i < x->rows.kind_n[TIMER_MEASURED]; i++) {
		const struct region_row *r = &x->rows.v[i];

		if (!region_polls(x->p->timer[x->p->path[r->path].timer].name))
			continue;
		sum += r->excl;
		calls += r->calls;
		most = most ? most : r;
	}
	if (!most || !(sum > 0))
		return;
	run = overview_run(x);
	name = region_name_short(x->p->timer[x->p->path[most->path].timer].name);
	word = overview_word(x, x->p->timer[x->p->path[most->path].timer].name);
	share = x->tests ? mem_printf("; %llu of %llu tests completed a receive or operation",
				      (unsigned long long)x->completed,
				      (unsigned long long)x->tests)
			 : mem_string("");
	path = x->poll_path ? mem_printf("; rank %lld polls longest, in %s",
					 (long long)x->poll_node, x->poll_path)
			    : mem_string("");
	overview_add(x, "waiting", mem_string("in calls that poll"), UNIT_TIME, sum,
		     mem_printf("%.0f call%s, most time in %s", calls, plural((size_t)calls),
				overview_brief(name)));
	overview_find(x, "polling", mem_printf("busy waiting: polling in %s", name), UNIT_TIME, sum,
		      mem_printf("%.0f call%s%s%s", calls, plural((size_t)calls), share, path),
		      x->poll_path ? mem_printf("tau-report waits %s", run)
				   : mem_printf("tau-report threads %s %s", word, run));
	free(run);
	free(name);
	free(word);
	free(share);
	free(path);
}

/* Calls in which threads wait for devices, over all threads. */
static void add_device_waits(struct overview *x)
{
	const struct region_row *most = NULL;
	double sum = 0, calls = 0;
	char *run, *name, *word;

	for (size_t i = 0; i < x->rows.kind_n[TIMER_MEASURED]; i++) {
		const struct region_row *r = &x->rows.v[i];

		if (!region_waits_for_device(x->p->timer[x->p->path[r->path].timer].name))
			continue;
		sum += r->excl;
		calls += r->calls;
		most = most ? most : r;
	}
	if (!most || !(sum > 0))
		return;
	run = overview_run(x);
	name = region_name_short(x->p->timer[x->p->path[most->path].timer].name);
	word = overview_word(x, x->p->timer[x->p->path[most->path].timer].name);
	overview_add(x, "waiting", mem_string("for devices"), UNIT_TIME, sum,
		     mem_printf("%.0f call%s, most time in %s", calls, plural((size_t)calls),
				overview_brief(name)));
	overview_find(x, "devices", mem_string("waiting for devices"), UNIT_TIME, sum,
		      mem_printf("%.0f call%s, most in %s", calls, plural((size_t)calls), name),
		      mem_printf("tau-report callers %s %s", word, run));
	free(run);
	free(name);
	free(word);
}

/* The kind of report that shows most about the largest region of a kind of work; NULL: threads, with that region. */
static const char *report_of(const struct overview *x, enum region_work work, const char *largest)
{
	enum team_role role = runtime_team(largest);

	if (work == WORK_FILES && x->transfers &&
	    (strstr(largest, "read") || strstr(largest, "write")))
		return "io";
	if (work == WORK_THREADS && role == TEAM_IDLE)
		return "timeline";
	if (work == WORK_THREADS && role == TEAM_BARRIER && x->teams)
		return "waits";
	if (work == WORK_THREADS && x->locks && !runtime_openmp(largest))
		return "locks";
	return NULL;
}

/*
 * Regions of a kind of work as a finding, without those that are findings above: their time, of messages without
 * what others explain by waiting, and the largest of them. startup: those that begin and end it, or
 * others. command: NULL: it depends on the largest.
 */
static void find_work(struct overview *x, enum region_work work, int startup, const char *item,
		      const char *command)
{
	const struct region_row *most = NULL;
	double sum = 0;
	char *run, *name, *word;

	for (size_t i = 0; i < x->rows.kind_n[TIMER_MEASURED]; i++) {
		const struct region_row *r = &x->rows.v[i];
		const struct profile_timer *t = &x->p->timer[x->p->path[r->path].timer];

		if (region_work_of(t->name, t->groups) != work || region_polls(t->name) ||
		    region_waits_for_device(t->name) ||
		    (work == WORK_MESSAGES && is_startup(t->name) != startup))
			continue;
		sum += r->excl;
		most = most ? most : r;
	}
	if (work == WORK_MESSAGES && !startup)
		sum -= x->waited;
	if (!most || !(sum > 0))
		return;
	run = overview_run(x);
	name = region_name_short(x->p->timer[x->p->path[most->path].timer].name);
	word = overview_word(x, x->p->timer[x->p->path[most->path].timer].name);
	command = command ? command : report_of(x, work, name);
	/* Start and recorder take much of short runs, whatever else is wrong with them. */
	overview_find(x, startup || work == WORK_TOOL ? NULL : item, mem_string(item), UNIT_TIME,
		      sum,
		      mem_printf("most in %s", overview_brief(name)),
		      command ? mem_printf("tau-report %s %s", command, run)
			      : mem_printf("tau-report threads %s %s", word, run));
	free(run);
	free(name);
	free(word);
}

void overview_work(struct overview *x, int waits)
{
	add_polling(x);
	add_device_waits(x);
	find_work(x, WORK_FILES, 0, "reading and writing files", NULL);
	find_work(x, WORK_TOOL, 0, "the recorder's own work", NULL);
	find_work(x, WORK_THREADS, 0, "synchronisation of threads and child processes", NULL);
	if (waits)
		find_work(x, WORK_MESSAGES, 0, "exchanging messages beyond waiting", "profile");
	else
		find_work(x, WORK_MESSAGES, 0, "calls that exchange messages", "profile --by rank");
	find_work(x, WORK_MESSAGES, 1, "beginning and ending the runtime of messages", "tree");
}

/* The first row of a kind that is not the time outside of all regions, if there is one. */
static const struct region_row *largest(const struct overview *x, enum profile_timer_kind kind)
{
	size_t first = region_rows_first(&x->rows, kind), n = x->rows.kind_n[kind], i = 0;

	while (i < n && !strcmp(x->p->timer[x->p->path[x->rows.v[first + i].path].timer].name,
				REGION_ROOT))
		i++;
	return i < n ? &x->rows.v[first + i] : NULL;
}

void overview_most(struct overview *x)
{
	const struct region_row *r = largest(x, TIMER_SAMPLE);
	int sampled = r != NULL;
	const char *full;
	char *run, *name, *word;

	r = r ? r : largest(x, TIMER_MEASURED);
	if (!r)
		return;
	full = x->p->timer[x->p->path[r->path].timer].name;
	run = overview_run(x);
	word = overview_word(x, full);
	name = region_name_short(full + (sampled ? strlen(OVERVIEW_SAMPLE) : 0));
	overview_find(x, NULL, mem_printf("most time in %s", overview_brief(name)), UNIT_TIME,
		      r->excl,
		      mem_printf("%.0f %s%s", r->calls, sampled ? "sample" : "call",
				 plural((size_t)r->calls)),
		      sampled ? mem_printf("tau-report profile %s", run)
			      : mem_printf("tau-report callers %s %s", word, run));
	free(run);
	free(name);
	free(word);
}
