/* processor_waits.c: adds up the waiting of threads for processors by process and host. */
#include "analyze/profile/processor_waits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/profile/profile.h"
#include "record/metadata.h"

#define CROWDED 1.05 /* times the processors */

struct waiting_place { /* a process, or a host with all its processes */
	double us;		/* waiting for a processor */
	double time, longest;	/* of its threads, without their waiting */
	double all;		/* of all its threads */
	double threads;		/* number of all of them */
	double begin, end;	/* us since 1970 */
	double processors;
	uint32_t host, thread;	/* id of its host; a thread of it in the profile */
};

struct waiting_places {
	struct waiting_place *v;
	size_t v_n, v_cap;
};

static void place_add(struct waiting_place *to, const struct waiting_place *from)
{
	to->us += from->us;
	to->time += from->time;
	to->longest = fmax(to->longest, from->longest);
	to->all += from->all;
	to->threads += from->threads;
	to->begin = fmin(to->begin, from->begin);
	to->end = fmax(to->end, from->end);
	to->processors = fmax(to->processors, from->processors);
}

static struct waiting_place *place_new(struct waiting_places *all, uint32_t host, uint32_t thread)
{
	struct waiting_place *v = array_add(all, v);

	v->begin = INFINITY;
	v->end = -INFINITY;
	v->host = host;
	v->thread = thread;
	return v;
}

/* Of a process, `processors` are those that it may use. fmax() and fmin() skip what is unknown. */
static void thread_add(struct processor_waits *w, struct waiting_place *to, const struct profile *p,
		       uint32_t thread, const struct thread_row *row)
{
	double us = isnan(row->to_run) ? 0 : row->to_run;
	double busy = row->waits	    ? row->did
		      : isnan(row->asleep) ? row->time
					   : fmax(0, row->time - row->asleep);
	struct waiting_place one = {.us = us,
			    .time = busy,
			    .longest = busy,
			    .all = row->time,
			    .threads = row->time > 0,
			    .begin = profile_meta_number_of(p, thread, TAU_META_STARTING_TIMESTAMP),
			    .end = profile_meta_number_of(p, thread, TAU_META_ENDING_TIMESTAMP),
			    .processors = profile_meta_number_of(p, thread, TAU_META_CPUS_ALLOWED)};

	place_add(to, &one);
	w->us += us;
	w->threads += !isnan(row->to_run);
}

static void add_threads(struct processor_waits *w, struct waiting_places *processes,
			struct names *hosts, const struct profile *p, const struct thread_rows *r)
{
	size_t at = 0;

	for (uint32_t i = 0; i < p->thread_n && at < r->v_n; i++) {
		const struct thread_row *row = &r->v[at];
		const char *host = profile_meta_of(p, i, TAU_META_HOSTNAME);

		if (p->thread[i].node < 0)
			continue;
		if (!host)
			host = "";
		if (!at || row->node != row[-1].node)
			place_new(processes, names_add(hosts, host, strlen(host)), i);
		thread_add(w, &processes->v[processes->v_n - 1], p, i, row);
		at++;
	}
}

/* Of all, or of one host. NULL: there is none. */
static const struct waiting_place *with_most(const struct waiting_places *all,
					     const struct waiting_place *host)
{
	const struct waiting_place *most = NULL;

	for (size_t i = 0; i < all->v_n; i++)
		if ((!host || all->v[i].host == host->host) && (!most || all->v[i].us > most->us))
			most = &all->v[i];
	return most;
}

static void judge(struct processor_waits *w, const struct profile *p,
		  const struct waiting_place *host, const struct waiting_place *process)
{
	double of_host = host->time / (host->end - host->begin),
	       of_process = process->time / process->longest, in_turn; /* in_turn: us, at most */

	w->host = profile_meta_of(p, host->thread, TAU_META_HOSTNAME);
	w->node = p->thread[process->thread].node;
	if (process->processors > 0 && of_process > CROWDED * process->processors &&
	    !(host->processors <= process->processors && of_host > CROWDED * host->processors)) {
		w->crowd = CROWD_PROCESS;
		w->at_once = of_process;
		w->processors = process->processors;
	} else if (host->processors > 0 && of_host > CROWDED * host->processors) {
		w->crowd = CROWD_HOST;
		w->at_once = of_host;
		w->processors = host->processors;
		in_turn = host->all * fmax(0, 1 - host->processors / host->threads);
		w->other = fmax(0, host->us - in_turn);
	} else {
		w->processors = host->processors;
	}
}

void processor_waits_make(struct processor_waits *w, const struct profile *p,
			  const struct thread_rows *r)
{
	struct waiting_places processes = {0}, hosts = {0};
	struct names names = {0};
	const struct waiting_place *host;

	*w = (struct processor_waits){0};
	add_threads(w, &processes, &names, p, r);
	for (uint32_t i = 0; i < names.name_n; i++)
		place_new(&hosts, i, 0);
	for (size_t i = 0; i < processes.v_n; i++) {
		struct waiting_place one = processes.v[i], *to = &hosts.v[one.host];

		one.processors = profile_meta_number_of(p, one.thread, TAU_META_CPU_CORES);
		to->thread = one.thread;
		place_add(to, &one);
	}
	host = with_most(&hosts, NULL);
	if (host && w->threads)
		judge(w, p, host, with_most(&processes, host));
	free(processes.v);
	free(hosts.v);
	names_release(&names);
}
