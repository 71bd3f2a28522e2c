/* overview_waits.c: wait states of a trace in an overview: the patterns with most time, and who
 * waits longest; efficiency and anomalies come from the same pass. */
#include <math.h>
#include <string.h>

#include "analyze/anomalies/anomalies.h"
#include "analyze/anomalies/instance_times.h"
#include "analyze/anomalies/rising_memory.h"
#include "analyze/messages/awaited.h"
#include "analyze/messages/efficiency.h"
#include "analyze/messages/files.h"
#include "analyze/messages/locks.h"
#include "analyze/messages/phases.h"
#include "analyze/messages/runtime_regions.h"
#include "analyze/messages/waits.h"
#include "analyze/stream/counters.h"
#include "analyze/trace/region_work.h"
#include "analyze/trace/trace.h"
#include "cmd/report/events/anomaly_text.h"
#include "cmd/report/overview/overview.h"
#include "cmd/report/overview/overview_memory.h"
#include "cmd/report/events/report_locks.h"
#include "cmd/report/events/report_trace.h"
#include "cmd/report/events/report_waits.h"
#include "cmd/report/report.h"
#include "cmd/table/region_name.h"
#include "cmd/shared/shell_word.h"
#include "convert/formats.h"
#include "convert/io/input.h"

#define PATH_WIDTH 160 /* of a call path that a finding names: two lines */

#define PATTERNS 3

#define WORTH	       0.0002 /* of the time: what an anomaly costs at least */
#define LEAST_INSTANCE 1e4    /* ns that an instance of a function takes that is slow once */
#define LEAST_GROWTH   200    /* and one whose calls take longer and longer */

/* All waits of a pattern, and the process and path with the most. */
struct pattern_waits {
	enum wait_pattern pattern;
	double ns, worst_ns;
	uint64_t n;
	uint32_t process, path;
};

static int longest(const void *va, const void *vb)
{
	const struct pattern_waits *a = va, *b = vb;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return (int)a->pattern - (int)b->pattern;
}

static void sum_up(const struct waits *w, struct pattern_waits v[WAIT_PATTERNS])
{
	for (int i = 0; i < WAIT_PATTERNS; i++)
		v[i] = (struct pattern_waits){.pattern = (enum wait_pattern)i};
	for (size_t i = 0; i < w->waits.v_n; i++) {
		const struct wait_row *r = &w->waits.v[i];
		struct pattern_waits *p = &v[r->pattern];

		if (!wait_is_caused(r->pattern))
			continue;
		p->ns += r->ns;
		p->n += r->n;
		if (r->ns > p->worst_ns) {
			p->worst_ns = r->ns;
			p->process = r->process;
			p->path = r->path;
		}
	}
	qsort(v, WAIT_PATTERNS, sizeof(*v), longest);
}

/* A wait for another thread is not one for a rank. */
static enum overview_topic topic_of(enum wait_pattern p)
{
	return p == WAIT_TEAM          ? TOPIC_THREADS
	       : p <= WAIT_WINDOW_LOCK ? TOPIC_MESSAGES
				       : TOPIC_COLLECTIVE;
}

static void add_sums(struct overview *x, const struct messages_found *found,
		     const struct pattern_waits v[WAIT_PATTERNS])
{
	double team = 0, all = 0;

	for (int i = 0; i < WAIT_PATTERNS; i++)
		*(v[i].pattern == WAIT_TEAM ? &team : &all) += v[i].ns;
	x->waited_threads = team / 1000;
	if (found->matched || found->meetings)
		overview_add(x, SECTION_WAITING, mem_string("for other PEs"), UNIT_TIME, all / 1000,
			     NULL);
	if (found->teams)
		overview_add(x, SECTION_WAITING, mem_string("for other threads"), UNIT_TIME,
			     team / 1000, NULL);
}

/* Which part of their time regions wait; kinds of work have findings about the rest. */
static void note_waited(struct overview *x, const struct report_trace *t, const struct waits *w)
{
	for (size_t i = 0; i < t->trace->region_n; i++)
		if (w->region_ns[i] > 0)
			*array_add(x, waited) = (struct overview_waited){
				mem_string(t->trace->region[i].name), w->region_ns[i] / 1000};
}

/* A table lists its first rows only: the option that lists all of them, where it does not list the named one. */
static const char *all_rows(int listed)
{
	return listed ? "" : "--top 0 ";
}

static void add(struct overview *x, const struct report_trace *t, const struct waits *w)
{
	struct pattern_waits v[WAIT_PATTERNS];
	double left[WAIT_PATTERNS];
	char *run = overview_run(x);

	note_waited(x, t, w);
	sum_up(w, v);
	add_sums(x, &t->messages.found, v);
	for (int i = 0; i < WAIT_PATTERNS; i++)
		left[v[i].pattern] = v[i].ns;
	overview_culprits(x, t, w, left);
	for (int i = 0; i < PATTERNS && v[i].ns > 0; i++) {
		int rest = left[v[i].pattern] < v[i].ns;
		char *full = report_trace_path(t, v[i].path);
		char *path = overview_name(x, full, PATH_WIDTH);
		int64_t node = t->trace->process[v[i].process].node;

		overview_add(x, SECTION_WAITING, mem_string(wait_name(v[i].pattern)), UNIT_TIME,
			     v[i].ns / 1000,
			     mem_printf("%llu wait%s, longest sum on rank %lld",
					(unsigned long long)v[i].n, plural(v[i].n),
					(long long)node));
		overview_find(x, rest ? TOPIC_WAIT_REST : topic_of(v[i].pattern),
			      mem_printf("waiting: %s%s", wait_name(v[i].pattern),
					 rest ? ", of other causes" : ""),
			      UNIT_TIME, left[v[i].pattern] / 1000,
			      mem_printf("rank %lld waits longest, in %s", (long long)node, path),
			      mem_printf("tau-report waits %s%s",
					 all_rows(waits_lists(w, v[i].pattern, v[i].path)), run));
		free(full);
		free(path);
	}
	free(run);
}

/* A call that waits for a lock has a region of its own; its time is in the finding about locks. */
static void note_lock_region(struct overview *x, const struct report_trace *t, uint32_t path)
{
	const char *name;

	if (!path)
		return;
	name = t->trace->region[t->messages.paths.v[path].region].name;
	if (!overview_is_lock(x, name))
		*array_add(x, lock_region) = mem_string(name);
}

/* "omp lock table, mostly held by thread 2.0"; the caller frees it. */
static char *lock_most(const struct report_trace *t, const struct locks_row *r)
{
	const struct trace_lock *lock = t->trace->event[r->lock].lock;
	const struct trace_stream *s;

	if (r->holder == TRACE_NONE)
		return mem_printf("%s %s", lock->kind, lock->name);
	s = &t->trace->stream[r->holder];
	return mem_printf("%s %s, mostly held by thread %d.%d", lock->kind, lock->name,
			  t->trace->process[s->process].node, s->thread);
}

/* Are the waits of a row of this kind? kind NULL: for a lock that a thread can hold. */
static int is_of_kind(const struct report_trace *t, const struct locks_row *r, const char *kind)
{
	return kind ? r->none && !strcmp(t->trace->event[r->lock].lock->kind, kind) : !r->none;
}

/* All waits of a kind: a fact and a finding. */
static void add_locks_of(struct overview *x, const struct report_trace *t, const struct locks *l,
			 const char *kind)
{
	const struct locks_row *most = NULL;
	size_t more = 0; /* rows that wait longer than the longest of the kind */
	uint64_t n = 0;
	double ns = 0;
	char *what, *detail, *run;

	for (size_t i = 0; i < l->row_n; i++) {
		const struct locks_row *r = &l->row[i];

		if (!is_of_kind(t, r, kind))
			continue;
		n += r->waits;
		ns += (double)r->ns;
		most = !most || r->ns > most->ns ? r : most;
	}
	if (!most)
		return;
	for (size_t i = 0; i < l->row_n; i++)
		more += l->row[i].ns > most->ns ||
			(l->row[i].ns == most->ns && l->row[i].lock < most->lock);
	run = overview_run(x);
	detail = lock_most(t, most);
	what = mem_printf("for %ss", kind ? kind : "lock");
	overview_add(
		x, SECTION_WAITING, mem_string(what), UNIT_TIME, ns / 1000,
		mem_printf("%llu wait%s, most for %s", (unsigned long long)n, plural(n), detail));
	overview_find(x, TOPIC_LOCKS, mem_printf("waiting %s", what), UNIT_TIME, ns / 1000,
		      mem_printf("most for %s", detail),
		      mem_printf("tau-report locks %s%s",
				 all_rows(more < LOCKS_LISTED), run));
	free(what);
	free(detail);
	free(run);
}

/* Locks first, then what no thread can hold: condition variables, semaphores, barriers. */
static void add_locks(struct overview *x, const struct report_trace *t, struct locks *l)
{
	locks_waits(l);
	for (size_t i = 0; i < l->wait_n; i++)
		note_lock_region(x, t, l->wait[i].path);
	add_locks_of(x, t, l, NULL);
	for (size_t i = 0; i < l->row_n; i++) {
		const char *kind = t->trace->event[l->row[i].lock].lock->kind;
		size_t k = 0;

		if (!l->row[i].none)
			continue;
		while (!is_of_kind(t, &l->row[k], kind))
			k++;
		if (k == i)
			add_locks_of(x, t, l, kind);
	}
}

/* The rank and path with most time in calls that poll. */
static void note_polling(struct overview *x, const struct report_trace *t, const struct waits *w)
{
	const struct wait_row *r = NULL;
	char *full;

	x->tests = w->tests;
	x->completed = w->completed;
	x->tests_found = w->tests_found;
	x->probes = w->probes;
	x->probes_found = w->probes_found;
	for (size_t i = 0; i < w->waits.v_n && !r; i++)
		if (w->waits.v[i].pattern == WAIT_POLLING)
			r = &w->waits.v[i];
	if (!r)
		return;
	full = report_trace_path(t, r->path);
	x->poll_path = overview_name(x, full, PATH_WIDTH);
	x->poll_top = all_rows(waits_lists(w, WAIT_POLLING, r->path));
	x->poll_node = t->trace->process[r->process].node;
	free(full);
}

static char *anomaly_command(const struct overview *x, const struct instance_times *times,
			     const struct anomaly *a)
{
	char *window = anomaly_window(times, a), *run = overview_run(x), *word, *command;

	word = shell_word(window ? window : "");
	command = window ? mem_printf("tau-report profile %s-w %s %s",
				      a->loop ? "--by rank " : "", word, run)
			 : mem_printf("tau-report anomalies %s", run);
	free(window);
	free(word);
	free(run);
	return command;
}

/* The worst of a kind. */
static void add_anomaly(struct overview *x, const struct instance_times *times,
			const struct anomaly *a, size_t n)
{
	const struct trace *t = times->m->trace;
	char *number = anomaly_place(t, a), *word = anomaly_region(t, a), *item, *detail;
	char *region = overview_name(x, word, OVERVIEW_REGION);
	char *place = mem_printf("%s %s", strchr(number, '.') ? "thread" : "rank", number);
	char value[QUANTITY_TEXT], typical[QUANTITY_TEXT];

	report_time(x->o, a->value, value);
	report_time(x->o, a->typical, typical);
	if (a->kind == ANOMALY_INSTANCE) {
		x->slow_region =
			mem_string(a->loop ? REGION_ROOT : t->region[a->region].name);
		x->slow_node = t->process[t->stream[a->stream].process].node;
		x->slow_most_us = (a->value - a->typical) / 1000;
		x->slow_us = a->cost / 1000;
	}
	if (a->kind == ANOMALY_GROWTH) {
		item = mem_printf(a->loop ? "iterations between calls of %s take longer over time"
					  : "%s takes longer over time",
				  region);
		detail = mem_printf("from %s to %s, on %s", typical, value, place);
	} else if (a->kind == ANOMALY_RANK) {
		item = mem_printf("%s is unlike others in %s", place, region);
		detail = mem_printf("%s, the median of ranks is %s", value, typical);
	} else {
		char *window = anomaly_window(times, a);

		item = mem_printf(a->loop ? "slow iteration between calls of %s"
					  : "slow instance of %s",
				  region);
		detail = mem_printf("number %llu on %s: %s, typically %s (-w %s)",
				    (unsigned long long)a->first, place, value, typical,
				    window ? window : "?");
		free(window);
	}
	overview_add(x, SECTION_ANOMALIES, mem_string(item), UNIT_TIME, fabs(a->cost) / 1000,
		     n > 1 ? mem_printf("%s; worst of %zu", detail, n) : mem_string(detail));
	if (a->cost > 0)
		overview_find(x, TOPIC_ANOMALY + (unsigned)a->kind, mem_string(item), UNIT_TIME,
			      a->cost / 1000, mem_string(detail), anomaly_command(x, times, a));
	free(item);
	free(detail);
	free(number);
	free(place);
	free(region);
	free(word);
}

/* Is the region called by another one? Then that one has the time as well, where a reader looks for it. */
static int is_called(const struct messages *m, uint32_t region)
{
	uint32_t p = 1;

	while (p < m->paths.v_n && (m->paths.v[p].region != region || !m->paths.v[p].parent))
		p++;
	return p < m->paths.v_n;
}

/*
 * An overview does not mention what costs less of the time, such as one slow step of 5,000. Nor
 * short calls whose caller has the time as well: a thread that is without a processor for a while
 * makes them slow, and so does recording.
 */
static int is_worth(const struct overview *x, const struct instance_times *times,
		    const struct anomaly *a)
{
	double least = a->kind == ANOMALY_INSTANCE ? LEAST_INSTANCE : LEAST_GROWTH;

	if (fabs(a->cost) / 1000 < WORTH * x->whole)
		return 0;
	return a->kind == ANOMALY_RANK || a->loop || a->typical >= least ||
	       !is_called(times->m, a->region);
}

/* The most expensive one of each kind. */
static void add_anomalies(struct overview *x, struct instance_times *times)
{
	struct anomalies a;
	size_t first = 0;

	anomalies_find(&a, times);
	for (enum anomaly_kind k = 0; k < ANOMALY_KINDS; first += a.n[k++])
		for (size_t i = 0; i < a.n[k]; i++)
			if (is_worth(x, times, &a.v[first + i])) {
				add_anomaly(x, times, &a.v[first + i], a.n[k]);
				break;
			}
	anomalies_release(&a);
}

/*
 * Can threads or processes wait for each other? Then the trace has calls of a library that sends messages,
 * counters of their sizes, or barriers of OpenMP.
 */
static int has_waits(const struct overview *x, const struct trace *t)
{
	int found = 0;

	for (size_t i = 0; i < t->region_n && !found; i++)
		found = runtime_region(&t->region[i]) || runtime_team(t->region[i].name);
	for (size_t i = 0; i < x->p->counter_n && !found; i++)
		found = counters_pathless(x->p->counter[i].name);
	return found;
}

/* For which reports of a trace there are events. Returns 1 if it has calls about files. */
static int what_is_there(struct overview *x, const struct trace *t)
{
	int has = 0;

	x->trace = 1;
	for (size_t i = 0; i < t->event_n; i++)
		x->locks |= t->event[i].lock && !trace_event_is_team(&t->event[i]);
	for (size_t i = 0; i < x->p->counter_n; i++)
		has |= counters_transfer(x->p->counter[i].name);
	for (size_t i = 0; i < x->p->timer_n; i++)
		has |= region_work_of(x->p->timer[i].name, x->p->timer[i].groups) == WORK_FILES;
	return has;
}

/* The directory with most time in calls about names of files. */
static void note_directory(struct overview *x, const struct files *f)
{
	struct overview_files *to = &x->files;
	struct files directories;
	const struct files_row *most = NULL;

	to->name_op = IO_MOVES;
	for (uint32_t op = IO_MOVES; op < IO_OPS; op++)
		if (to->name_us[op] > to->name_us[to->name_op])
			to->name_op = op;
	files_by_directory(f, &directories);
	for (size_t i = 0; i < directories.row_n; i++)
		if (directories.row[i].op == to->name_op &&
		    (!most || directories.row[i].ns > most->ns))
			most = &directories.row[i];
	if (most) {
		to->directory = mem_string(directories.names.name[most->name]);
		to->directory_calls = (double)most->calls;
		to->directory_files = (double)most->files;
	}
	files_release(&directories);
}

static void note_files(struct overview *x, const struct files *f)
{
	for (size_t i = 0; i < f->row_n; i++) {
		uint32_t op = f->row[i].op;

		if (event_io_is_mpi(op)) /* which uses the others */
			continue;
		if (!event_io_moves(op)) {
			x->files.name_calls[op] += (double)f->row[i].calls;
			x->files.name_us[op] += (double)f->row[i].ns / 1000;
			continue;
		}
		x->files.calls += (double)f->row[i].calls;
		x->files.small += (double)f->row[i].small;
		x->files.unaligned += (double)f->row[i].unaligned;
		x->files.us += (double)f->row[i].ns / 1000;
	}
	note_directory(x, f);
}

int overview_waits(struct overview *x)
{
	struct report_trace t;
	struct waits w = {0};
	struct instance_times times = {0};
	struct locks locks = {0};
	struct files files = {0};
	struct rising_memory rising = {0};
	struct phases phases = {0};
	struct messages_use use[7];
	struct error none = {0};
	const struct messages_found *f = &t.messages.found;
	int found = 0, read = 0;

	if (x->o->db || x->o->operand_n != 1 ||
	    !trace_format_of(inputs_get(x->o->known, x->o->operand[0])) ||
	    (x->o->load && x->o->load->only))
		return 0;
	if (!report_trace_open(x->o, "overview", &t, &none)) {
		size_t n = 0;

		if (what_is_there(x, t.trace))
			use[n++] = files_use(&files, &t.messages);
		use[n++] = instance_times_use(&times, &t.messages);
		use[n++] = phases_use(&phases, &t.messages);
		if (t.trace->memtype_n)
			use[n++] = rising_memory_use(&rising, &t.messages);
		if (x->locks)
			use[n++] = locks_use(&locks, &t.messages);
		if (has_waits(x, t.trace)) {
			use[n++] = waits_use(&w, &t.messages);
			w.culprits.wanted = 1;
			use[n++] = efficiency_use(&x->efficiency, &t.messages);
		}
		read = !report_trace_read(&t, use, n, &none) && !overview_hang(x, &t, &none);
		found = read && (f->matched || f->meetings);
	}
	if (read) {
		phases_end(&phases, w.m ? &w.waits : NULL);
		overview_phases(x, &t, &phases);
		add_anomalies(x, &times);
	}
	if (found)
		efficiency_end(&x->efficiency);
	if (read && w.m) {
		waits_end(&w);
		waits_culprits(&w);
		note_polling(x, &t, &w);
		if (found || f->teams)
			add(x, &t, &w);
	}
	if (read && locks.m)
		add_locks(x, &t, &locks);
	if (read)
		note_files(x, &files);
	if (read && rising.m) {
		rising_memory_end(&rising);
		overview_rising(x, t.trace, &rising);
	}
	phases_release(&phases);
	rising_memory_release(&rising);
	files_release(&files);
	instance_times_release(&times);
	locks_release(&locks);
	waits_release(&w);
	report_trace_release(&t);
	return found;
}
