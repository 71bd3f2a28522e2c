/* overview_culprits.c: who makes others wait, and in which call path: findings about the cause,
 * in place of those about who waits. */
#include <string.h>

#include "analyze/base/mem_stream.h"
#include "analyze/anomalies/anomalies.h"
#include "analyze/messages/culprits.h"
#include "analyze/messages/waits.h"
#include "analyze/profile/profile.h"
#include "analyze/profile/waiting_threads.h"
#include "analyze/trace/region_work.h"
#include "cmd/report/events/culprit_text.h"
#include "cmd/report/events/report_trace.h"
#include "cmd/report/overview/overview.h"
#include "cmd/report/times/time_tables.h"

#define PATH_WIDTH 60

/* The regions in which the culprit is late explain their imbalance. */
static void late_add(struct overview *x, const char *region, double us)
{
	for (size_t i = 0; i < x->late_n; i++)
		if (!strcmp(x->late[i].region, region)) {
			x->late[i].us += us;
			return;
		}
	*array_add(x, late) = (struct overview_waited){mem_string(region), us};
}

double overview_late(const struct overview *x, const char *region)
{
	for (size_t i = 0; i < x->late_n; i++)
		if (!strcmp(x->late[i].region, region))
			return x->late[i].us;
	return 0;
}

static void note_late(struct overview *x, const struct report_trace *r, const struct culprits *c)
{
	for (size_t i = 0; i < c->part_n; i++) {
		const struct culprit_origin *o = &c->origin[c->part[i].origin];

		late_add(x,
			 o->path ? r->trace->region[r->messages.paths.v[o->path].region].name
				 : REGION_ROOT,
			 c->part[i].ns / 1000);
	}
}

/* The inclusive time of a region: on one thread, and the mean of the others that count. */
struct own_time {
	double us, calls, others;
	uint32_t n; /* others */
};

static void own_add(const struct overview *x, struct own_time *t, const char *region,
		    struct profile_thread *thread, int own)
{
	for (size_t k = 0; k < thread->row_n; k++) {
		const struct profile_row *row = &thread->row[k];
		const struct profile_path *path = &x->p->path[row->path];
		double us;

		if (path->parent != PROFILE_FLAT ||
		    strcmp(x->p->timer[path->timer].name, region) != 0)
			continue;
		us = profile_incl(thread, row)[x->metric];
		if (own) {
			t->us = us;
			t->calls = row->calls;
		} else {
			t->others += us;
		}
	}
}

static struct own_time own_time(const struct overview *x, const struct report_trace *r,
				uint32_t stream, const char *region)
{
	const struct trace_stream *s = &r->trace->stream[stream];
	struct own_time t = {0};

	for (uint32_t i = 0; i < x->p->thread_n; i++) {
		struct profile_thread *thread = &x->p->thread[i];
		int own = thread->node == r->trace->process[s->process].node &&
			  (uint32_t)thread->thread == s->thread;

		if (thread->node < 0 || waiting_is(x->waiting, thread))
			continue;
		own_add(x, &t, region, thread, own);
		t.n += !own;
	}
	t.others /= t.n ? t.n : 1;
	return t;
}

#define FUNCTIONS     12 /* of a call stack, at most */
#define SAMPLES_LEAST 4

/* "main => work (a.c)": the functions at these codes, with the file of the last one. */
static char *functions_text(const struct report_trace *r, const uint32_t *code, size_t n)
{
	const struct trace_code *f = NULL;
	const char *file;
	size_t size;
	char *text = NULL;
	FILE *out = mem_stream(&text, &size);

	for (size_t i = 0; i < n; i++) {
		struct trace_place place = trace_place(r->trace, code[i]);

		f = &place.code[place.n - 1];
		fprintf(out, "%s%s", i ? " => " : "", f->name);
	}
	file = f && f->file && strrchr(f->file, '/') ? strrchr(f->file, '/') + 1
	       : f				      ? f->file
						      : NULL;
	if (file)
		fprintf(out, " (%s)", file);
	fclose(out);
	return text;
}

/* "; 31 of its 40 samples outside of all regions are in main => work (a.c)": of the latest thread. */
static char *function_there(const struct overview *x, const struct report_trace *r,
			    const struct culprits *c, const struct culprit *v)
{
	uint32_t code[FUNCTIONS];
	uint64_t n, all;
	size_t found;
	char *functions, *text;

	if (!x->rows.kind_n[TIMER_SAMPLE])
		return mem_string("; tau-record without --sample=none shows the functions there");
	found = culprits_functions(c, c->who[v->who].stream, code, FUNCTIONS, &n, &all);
	if (!found || all < SAMPLES_LEAST)
		return mem_string("");
	functions = functions_text(r, code, found);
	text = mem_printf("; %llu of its %llu sample%s outside of all regions %s in %s",
			  (unsigned long long)n, (unsigned long long)all, plural(all),
			  n == 1 ? "is" : "are", functions);
	free(functions);
	return text;
}

/* "; 40 calls take 899.9 ms there, the mean of others is 0 s", if the region takes longer there. */
static char *why(const struct overview *x, const struct report_trace *r, const struct culprits *c,
		 const struct culprit *v)
{
	char own[QUANTITY_TEXT], others[QUANTITY_TEXT];
	struct own_time t;

	if (!v->path)
		return function_there(x, r, c, v);
	if (!v->path || !profile_is_time(x->p, x->metric))
		return mem_string("");
	t = own_time(x, r, c->who[v->who].stream,
		     r->trace->region[r->messages.paths.v[v->path].region].name);
	if (!(t.calls > 0) || !t.n || t.us <= t.others)
		return mem_string("");
	return mem_printf("; %.0f call%s take%s %s there, the mean of others is %s", t.calls,
			  plural((size_t)t.calls), t.calls > 1 ? "" : "s",
			  time_short(x->o, x->p, x->metric, t.us, own),
			  time_short(x->o, x->p, x->metric, t.others, others));
}

/* Is it late for no reason of its own? Its ranks wait for each other, or it is late inside of the library that sends messages. */
static int is_mutual(const struct report_trace *r, const struct culprits *c,
		     const struct culprit *v)
{
	const struct trace_region *in;

	if (v->pattern_ns[WAIT_TEAM] > 0)
		return 0;
	if (culprit_is_mutual(r, c, v))
		return 1;
	in = v->path ? &r->trace->region[r->messages.paths.v[v->path].region] : NULL;
	return in && region_work_of(in->name, in->groups) == WORK_MESSAGES;
}

/* Is the region one of the path's? */
static int is_in(const struct report_trace *r, uint32_t path, const char *region)
{
	const struct callstack_path *v = r->messages.paths.v;

	for (; path; path = v[path].parent)
		if (!strcmp(r->trace->region[v[path].region].name, region))
			return 1;
	return 0;
}

/*
 * At most this long do threads wait for the one with the slow instance: each as much as its own time exceeds the typical one by
 * less. Where the instance is slow on all of them alike, none waits.
 */
static double slow_waited(const struct overview *x)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < x->p->thread_n; i++)
		n += x->p->thread[i].node >= 0 && !waiting_is(x->waiting, &x->p->thread[i]);
	return n * x->slow_most_us - x->slow_us;
}

/* Is most of it because of the slow instance, which is a finding of its own? */
static int is_slow(const struct overview *x, const struct report_trace *r,
		   const struct culprits *c, const struct culprit *v)
{
	const struct trace_stream *s = &r->trace->stream[c->who[v->who].stream];

	return x->slow_region && 2 * slow_waited(x) >= v->ns / 1000 &&
	       r->trace->process[s->process].node == x->slow_node &&
	       (!strcmp(x->slow_region, REGION_ROOT) || is_in(r, v->path, x->slow_region));
}

/* Then its finding has both. */
static int slow_add(struct overview *x, const char *who, const char *where, const char *waiting,
		    double ns)
{
	char time[QUANTITY_TEXT], *detail;

	for (size_t i = 0; i < x->finding_n; i++) {
		struct overview_fact *f = &x->finding[i];

		if (f->topic != TOPIC_ANOMALY + ANOMALY_INSTANCE)
			continue;
		time_short(x->o, x->p, x->metric, ns / 1000, time);
		detail = mem_printf("%s; %s %s makes %s wait %s", f->detail, who, where, waiting,
				    time);
		free(f->detail);
		f->detail = detail;
		return 1;
	}
	return 0;
}

void overview_culprits(struct overview *x, const struct report_trace *r, const struct waits *w,
		       double *left)
{
	const struct culprits *c = &w->culprits;
	char *run = overview_run(x);

	note_late(x, r, c);
	for (size_t i = 0; i < c->v_n; i++) {
		const struct culprit *v = &c->v[i];
		char *where = culprit_where_text(r, v, x->width ? PATH_WIDTH : 0);
		char *who = culprit_who_text(r, c, v), *waiting = culprit_waiting_text(r, c, v);
		char *states = culprit_states_text(r, v), *reason = why(x, r, c, v);
		int mutual = is_mutual(r, c, v), one = culprit_is_one(r, c, v);

		for (enum wait_pattern p = 0; p <= WAIT_TEAM; p++)
			left[p] -= v->pattern_ns[p];
		if (mutual || !one || !is_slow(x, r, c, v) ||
		    !slow_add(x, who, where, waiting, v->ns))
			overview_find(x, mutual ? TOPIC_MUTUAL : TOPIC_CULPRIT,
				      mem_printf("%s %s make%s %s wait", who, where,
						 one ? "s" : "", waiting),
				      UNIT_TIME, v->ns / 1000,
				      mem_printf("shows as %s%s", states, reason),
				      mem_printf("tau-report waits --by culprit %s", run));
		free(where);
		free(who);
		free(waiting);
		free(states);
		free(reason);
	}
	free(run);
}
