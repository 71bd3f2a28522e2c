/* hang.c: releases what can go on, until nothing changes. */
#include "analyze/hang/hang.h"

#include <string.h>

#include "analyze/hang/ends.h"
#include "analyze/messages/channels.h"
#include "analyze/messages/runtime_regions.h"

struct pass {
	struct hang *x;
	const struct thread_ends *ends;
	const struct trace *trace;
	unsigned char *free;	/* by thread: it may go on */
	size_t *first;		/* by process: its first thread; [n]: the end */
	unsigned char *asks;	/* by process: some thread of it has called the runtime */
	int64_t *rank;		/* of processes that have one, ascending */
	size_t rank_n, rank_cap;
	const struct ends_channel **open;	/* with messages that were not received */
	size_t open_n, open_cap;
};

/* ---- processes ---- */

static int acts(const struct pass *p, size_t i)
{
	const struct ends_thread *t = &p->ends->thread[i];

	return p->x->thread[i].state != HANG_ENDED &&
	       (t->calls_runtime || !p->asks[t->process]);
}

/* May some thread of the process go on? Of one without a trace this is unknown, so it may. */
static int process_free(const struct pass *p, uint32_t process)
{
	if (process == TRACE_NONE)
		return 1;
	for (size_t i = p->first[process]; i < p->first[process + 1]; i++)
		if (acts(p, i) && p->free[i])
			return 1;
	return 0;
}

static int rank_free(const struct pass *p, int64_t rank)
{
	return process_free(p, ends_process(p->ends, rank));
}

/* ---- members of communicators ---- */

static int by_number(const void *va, const void *vb)
{
	const int64_t *a = va, *b = vb;

	return (*a > *b) - (*a < *b);
}

static void ranks_find(struct pass *p)
{
	for (size_t i = 0; i < p->trace->process_n; i++)
		if (p->trace->process[i].rank >= 0)
			*array_add(p, rank) = p->trace->process[i].rank;
	if (p->rank_n)
		qsort(p->rank, p->rank_n, sizeof(*p->rank), by_number);
}

/* Of the world, those in the trace: its size may be any number. */
static size_t members_n(const struct pass *p, uint32_t comm)
{
	return comm < p->trace->comm_n ? p->trace->comm[comm].n : p->rank_n;
}

static int64_t member(const struct pass *p, uint32_t comm, size_t i)
{
	return comm < p->trace->comm_n ? (int64_t)p->trace->comm[comm].rank[i] : p->rank[i];
}

/* Has the world ranks that have no trace? */
static int is_partial(const struct pass *p, const struct ends_thread *t)
{
	return p->trace->process[t->process].size > (int64_t)p->rank_n;
}

/* Is a thread of the process in an operation of the communicator? */
static int has_entered(const struct pass *p, uint32_t process, uint32_t known, uint64_t nth)
{
	if (ends_met(p->ends, process, known) > nth)
		return 1;
	for (size_t i = p->first[process]; i < p->first[process + 1]; i++) {
		const struct ends_thread *t = &p->ends->thread[i];

		for (size_t k = 0; k < t->wait_n; k++)
			if (t->wait[k].kind == ENDS_MEMBERS && !t->wait[k].begun &&
			    t->wait[k].nth >= nth &&
			    channels_comm(&p->ends->channels, t->wait[k].comm) == known)
				return 1;
	}
	return 0;
}

static int is_needed(enum meeting_kind kind, const struct ends_wait *w, int64_t me, int64_t rank)
{
	if (kind == MEETING_FROM || (kind == MEETING_TO && me != w->peer))
		return w->peer < 0 || rank == w->peer || me == w->peer;
	return kind != MEETING_SCAN || rank < me;
}

static void missing_find(struct pass *p, size_t i)
{
	const struct ends_thread *t = &p->ends->thread[i];
	struct hang_thread *h = &p->x->thread[i];
	int64_t me = p->trace->process[t->process].rank;

	for (size_t k = 0; k < t->wait_n; k++) {
		const struct ends_wait *w = &t->wait[k];
		const char *name = p->trace->region[t->region[t->call]].name;
		uint32_t known = channels_comm(&p->ends->channels, w->comm);
		size_t n = w->kind == ENDS_MEMBERS ? members_n(p, w->comm) : 0;
		int last = runtime_finalizes(name);

		for (size_t m = 0; m < n; m++) {
			int64_t rank = member(p, w->comm, m);
			uint32_t process = ends_process(p->ends, rank);

			if (process == TRACE_NONE || process == t->process ||
			    !is_needed(runtime_meeting(name, w->op), w, me, rank))
				continue;
			if (last ? !p->ends->finalized[process]
				 : !has_entered(p, process, known, w->nth))
				*array_add(h, missing) = process;
		}
	}
}

/* ---- messages ---- */

static int by_receiver(const void *va, const void *vb)
{
	const struct ends_channel *a = *(const struct ends_channel *const *)va;
	const struct ends_channel *b = *(const struct ends_channel *const *)vb;

	return (a->to > b->to) - (a->to < b->to);
}

/* The channels with messages that were not received, by receiver. */
static void open_find(struct pass *p)
{
	for (size_t i = 0; i < p->ends->channel_n; i++)
		if (p->ends->channel[i].open > 0)
			*array_add(p, open) = &p->ends->channel[i];
	if (p->open_n)
		qsort(p->open, p->open_n, sizeof(*p->open), by_receiver);
}

static size_t first_to(const struct pass *p, int64_t rank)
{
	size_t least = 0, most = p->open_n;

	while (least < most) {
		size_t middle = least + (most - least) / 2;

		if (p->open[middle]->to < rank)
			least = middle + 1;
		else
			most = middle;
	}
	return least;
}

/* Was a message sent that this wait would receive? other: one from that rank with another tag. */
static int was_sent(const struct pass *p, int64_t me, const struct ends_wait *w, int64_t *other,
		    int *has_other)
{
	uint32_t known = channels_comm(&p->ends->channels, w->comm);

	for (size_t i = first_to(p, me); i < p->open_n && p->open[i]->to == me; i++) {
		const struct ends_channel *c = p->open[i];

		if (c->comm != known || (w->peer >= 0 && c->from != w->peer))
			continue;
		if (w->tag < 0 || c->tag == w->tag)
			return 1;
		*other = c->tag;
		*has_other = 1;
	}
	return 0;
}

/* Does a thread of the process wait for that message, or was a receive posted that may be for it? */
static int is_received(const struct pass *p, uint32_t process, int64_t from,
		       const struct ends_wait *w)
{
	uint32_t known = channels_comm(&p->ends->channels, w->comm);

	if (p->ends->posted[process] > 0)
		return 1;
	for (size_t i = p->first[process]; i < p->first[process + 1]; i++) {
		const struct ends_thread *t = &p->ends->thread[i];

		for (size_t k = 0; k < t->wait_n; k++) {
			const struct ends_wait *r = &t->wait[k];

			if (r->kind == ENDS_RECEIVE && (r->peer < 0 || r->peer == from) &&
			    (r->tag < 0 || r->tag == w->tag) &&
			    channels_comm(&p->ends->channels, r->comm) == known)
				return 1;
		}
	}
	return 0;
}

/* ---- one wait ---- */

static int anyone_free(const struct pass *p, const struct ends_thread *t, uint32_t comm)
{
	int64_t me = p->trace->process[t->process].rank;

	for (size_t i = 0; i < members_n(p, comm); i++) {
		int64_t rank = member(p, comm, i);

		if (rank != me && rank_free(p, rank))
			return 1;
	}
	return comm >= p->trace->comm_n && is_partial(p, t);
}

/* The other threads of the process. all: each of them; otherwise one. */
static int threads_free(const struct pass *p, size_t me, int all)
{
	uint32_t process = p->ends->thread[me].process;
	int any = 0, each = 1;

	for (size_t i = p->first[process]; i < p->first[process + 1]; i++) {
		if (i == me || p->x->thread[i].state == HANG_ENDED)
			continue;
		any |= p->free[i];
		each &= p->free[i] || (p->ends->thread[i].wait_n &&
				       p->ends->thread[i].wait[0].kind == ENDS_THREADS);
	}
	return all ? each : any;
}

static int holder_free(const struct pass *p, size_t me, int64_t holder)
{
	uint32_t process = p->ends->thread[me].process;

	for (size_t i = p->first[process]; i < p->first[process + 1]; i++)
		if (p->trace->stream[p->ends->thread[i].stream].thread == (uint64_t)holder)
			return p->free[i];
	return 1;
}

static int wait_free(const struct pass *p, size_t i, const struct ends_wait *w)
{
	const struct ends_thread *t = &p->ends->thread[i];
	const struct hang_thread *h = &p->x->thread[i];
	int64_t me = p->trace->process[t->process].rank, tag;
	uint32_t process = ends_awaited(p->ends, w);
	int has;

	switch (w->kind) {
	case ENDS_RECEIVE:
		if (was_sent(p, me, w, &tag, &has))
			return 1;
		return w->peer < 0 ? anyone_free(p, t, w->comm) : rank_free(p, w->peer);
	case ENDS_SEND:
		return process == TRACE_NONE || is_received(p, process, me, w) ||
		       process_free(p, process);
	case ENDS_MEMBERS:
		for (size_t k = 0; k < h->missing_n; k++)
			if (!process_free(p, h->missing[k]))
				return 0;
		return 1;
	case ENDS_WINDOW:
		return w->peer < 0 ? anyone_free(p, t, w->comm) : rank_free(p, w->peer);
	case ENDS_MEMORY:
		return anyone_free(p, t, w->comm);
	case ENDS_LOCK:
		return w->peer >= 0 ? holder_free(p, i, w->peer)
		       : w->peer == HOLDER_NONE ? threads_free(p, i, 0)
						: 1;
	case ENDS_THREADS:
		return threads_free(p, i, 1);
	default:
		return w->kind == ENDS_UNKNOWN || process_free(p, process);
	}
}

static int thread_free(const struct pass *p, size_t i)
{
	const struct ends_thread *t = &p->ends->thread[i];
	size_t free = 0;

	if (t->any && t->rest)
		return 1;
	for (size_t k = 0; k < t->wait_n; k++)
		free += (size_t)wait_free(p, i, &t->wait[k]);
	return t->any ? free > 0 : free == t->wait_n;
}

static void release(struct pass *p, int64_t least)
{
	int64_t latest = ends_known(p->ends) - least;
	int more = 1;

	for (size_t i = 0; i < p->ends->thread_n; i++)
		p->free[i] = p->x->thread[i].state == HANG_RUNS || p->x->thread[i].since > latest;
	while (more) {
		more = 0;
		for (size_t i = 0; i < p->ends->thread_n; i++)
			if (p->x->thread[i].state == HANG_WAITS && !p->free[i] && thread_free(p, i))
				more = p->free[i] = 1;
	}
}

/* ---- who waits for whom ---- */

/* Calls the function for each thread of a process that acts. */
static void each_of(const struct pass *p, uint32_t process, void (*f)(void *, size_t), void *to)
{
	if (process == TRACE_NONE)
		return;
	for (size_t i = p->first[process]; i < p->first[process + 1]; i++)
		if (acts(p, i))
			f(to, i);
}

/* The threads for which thread i waits, by its waits that have not come true. */
static void each_awaited(const struct pass *p, size_t i, void (*f)(void *, size_t), void *to)
{
	const struct ends_thread *t = &p->ends->thread[i];
	const struct hang_thread *h = &p->x->thread[i];
	int64_t me = p->trace->process[t->process].rank, tag;
	int has;

	for (size_t k = 0; k < t->wait_n; k++) {
		const struct ends_wait *w = &t->wait[k];

		if (wait_free(p, i, w) && p->x->thread[i].state == HANG_BLOCKED)
			continue;
		if (w->kind == ENDS_MEMBERS) {
			for (size_t m = 0; m < h->missing_n; m++)
				each_of(p, h->missing[m], f, to);
		} else if (w->kind == ENDS_RECEIVE && was_sent(p, me, w, &tag, &has)) {
			continue;
		} else if (w->kind == ENDS_LOCK || w->kind == ENDS_THREADS) {
			for (size_t m = p->first[t->process]; m < p->first[t->process + 1]; m++)
				if (m != i && p->x->thread[m].state != HANG_ENDED &&
				    (w->kind == ENDS_THREADS || w->peer < 0 ||
				     p->trace->stream[p->ends->thread[m].stream].thread ==
					     (uint64_t)w->peer))
					f(to, m);
		} else if (w->peer >= 0) {
			each_of(p, ends_awaited(p->ends, w), f, to);
		} else if (w->kind < ENDS_LOCK) { /* for ranks */
			for (size_t m = 0; m < members_n(p, w->comm); m++)
				if (member(p, w->comm, m) != me)
					each_of(p, ends_process(p->ends, member(p, w->comm, m)), f,
						to);
		}
	}
}

struct wait_search {
	const struct pass *p;
	size_t *from, *queue;	/* from: 1 + the thread through which it was reached */
	size_t n, now, start, found;
	size_t budget;	/* edges that may still be followed; 0: only those of the start */
	int blocked;	/* go on over threads in this state alone */
};

static void reach(void *to, size_t i)
{
	struct wait_search *s = to;

	s->budget -= s->budget > 0;
	if (s->blocked && s->p->x->thread[i].state != HANG_BLOCKED)
		return;
	if (i == s->start && s->found == SIZE_MAX)
		s->found = s->now;
	if (s->from[i] || i == s->start)
		return;
	s->from[i] = s->now + 1;
	s->queue[s->n++] = i;
}

/* Breadth first from s->start, until that is reached again if `circle`. */
static void search(struct wait_search *s, int circle)
{
	memset(s->from, 0, s->p->ends->thread_n * sizeof(*s->from));
	s->found = SIZE_MAX;
	s->queue[0] = s->start;
	s->n = 1;
	for (size_t k = 0; k < s->n && (!k || s->budget); k++) {
		if (circle && s->found != SIZE_MAX)
			break;
		s->now = s->queue[k];
		each_awaited(s->p, s->now, reach, s);
	}
}

#define STARTS 64	/* threads from which a shortest circle is looked for */
#define BUDGET (1u << 28)	/* edges that each of the two searches follows: about a second */

static void circle_keep(struct hang *x, const struct wait_search *s)
{
	size_t n = 1;

	for (size_t i = s->found; i != s->start; i = s->from[i] - 1)
		n++;
	if (x->circle && n >= x->circle_n)
		return;
	free(x->circle);
	x->circle = mem_resize(NULL, n, sizeof(*x->circle));
	x->circle_n = n;
	for (size_t i = s->found; n; i = s->from[i] - 1) {
		x->circle[--n] = i;
		if (i == s->start)
			break;
	}
}

static int32_t node_of(const struct hang *x, size_t i)
{
	return x->ends->trace->process[x->ends->thread[i].process].node;
}

/* The same circle, with its first thread at the begin. */
static void circle_turn(struct hang *x)
{
	size_t *turned = mem_resize(NULL, x->circle_n + 1, sizeof(*turned)), least = 0;

	for (size_t i = 1; i < x->circle_n; i++)
		if (node_of(x, x->circle[i]) < node_of(x, x->circle[least]))
			least = i;
	for (size_t i = 0; i < x->circle_n; i++)
		turned[i] = x->circle[(least + i) % x->circle_n];
	free(x->circle);
	x->circle = turned;
}

/* Threads that all wait for one that does not wait for another: that one. */
static void behind_count(struct pass *p, struct wait_search *s)
{
	struct hang *x = p->x;
	size_t most = 0;

	s->budget = BUDGET;
	for (size_t i = 0; i < p->ends->thread_n; i++) {
		if (x->thread[i].state != HANG_WAITS)
			continue;
		s->start = i;
		search(s, 0);
		for (size_t k = 1; k < s->n; k++)
			x->thread[s->queue[k]].behind++;
	}
	x->root = p->ends->thread_n;
	for (size_t i = 0; i < p->ends->thread_n; i++) {
		int outside = ends_waits_outside(&p->ends->thread[i]);
		size_t n = x->thread[i].state == HANG_RUNS || outside ? x->thread[i].behind : 0;

		if (!n || n < most || (n == most && node_of(x, i) > node_of(x, x->root)))
			continue;
		most = n;
		x->root = i;
	}
}

static int by_node(const void *va, const void *vb, void *to)
{
	const struct hang *x = to;
	size_t a = *(const size_t *)va, b = *(const size_t *)vb;
	int32_t m = node_of(x, a), n = node_of(x, b);

	return m != n ? (m > n) - (m < n) : (a > b) - (a < b);
}

/* Of circles of equal length, that of the first rank. */
static void circles_find(struct pass *p, struct wait_search *s)
{
	size_t *order = mem_resize(NULL, p->ends->thread_n + 1, sizeof(*order)), tried = 0;

	for (size_t i = 0; i < p->ends->thread_n; i++)
		order[i] = i;
	qsort_r(order, p->ends->thread_n, sizeof(*order), by_node, p->x);
	s->blocked = 1;
	s->budget = BUDGET;
	for (size_t k = 0; k < p->ends->thread_n && tried < STARTS; k++) {
		size_t i = order[k];

		if (p->x->thread[i].state != HANG_BLOCKED)
			continue;
		tried++;
		s->start = i;
		search(s, 1);
		if (s->found != SIZE_MAX)
			circle_keep(p->x, s);
	}
	if (p->x->circle)
		circle_turn(p->x);
	free(order);
}

/* ---- all of it ---- */

static void states_set(struct pass *p)
{
	for (size_t i = 0; i < p->ends->thread_n; i++) {
		const struct ends_thread *t = &p->ends->thread[i];
		struct hang_thread *h = &p->x->thread[i];

		h->since = t->call < t->region_n ? t->enter[t->call] : t->acted;
		h->for_ended = TRACE_NONE;
		if (!t->in_use || p->ends->ended[t->process])
			h->state = HANG_ENDED;
		else
			h->state = t->wait_n ? HANG_WAITS : HANG_RUNS;
	}
}

/* What makes a blocked thread's wait vain, besides others that wait. */
static void reasons_find(struct pass *p, size_t i)
{
	const struct ends_thread *t = &p->ends->thread[i];
	struct hang_thread *h = &p->x->thread[i];

	for (size_t k = 0; k < t->wait_n; k++) {
		const struct ends_wait *w = &t->wait[k];
		uint32_t process = w->kind == ENDS_MEMBERS ? TRACE_NONE
							   : ends_awaited(p->ends, w);

		if (w->kind == ENDS_RECEIVE)
			was_sent(p, p->trace->process[t->process].rank, w, &h->other_tag,
				 &h->has_other_tag);
		if (w->kind != ENDS_LOCK && w->kind != ENDS_THREADS && process != TRACE_NONE &&
		    p->ends->ended[process])
			h->for_ended = process;
	}
	for (size_t m = 0; m < h->missing_n; m++)
		if (p->ends->ended[h->missing[m]])
			h->for_ended = h->missing[m];
}

void hang_find(struct hang *x, const struct thread_ends *ends, int64_t least)
{
	const struct trace *t = ends->trace;
	struct pass p = {.x = x, .ends = ends, .trace = t};
	struct wait_search s = {.p = &p};

	*x = (struct hang){.ends = ends, .root = ends->thread_n};
	x->thread = mem_alloc((ends->thread_n + 1) * sizeof(*x->thread));
	p.free = mem_alloc(ends->thread_n + 1);
	p.asks = mem_alloc(t->process_n + 1);
	p.first = mem_alloc((t->process_n + 2) * sizeof(*p.first));
	p.first[t->process_n] = ends->thread_n;
	for (size_t q = t->process_n, i = ends->thread_n; q--;) {
		while (i && ends->thread[i - 1].process == q)
			i--;
		p.first[q] = i;
	}
	for (size_t i = 0; i < ends->thread_n; i++)
		p.asks[ends->thread[i].process] |= (unsigned char)ends->thread[i].calls_runtime;
	ranks_find(&p);
	open_find(&p);
	states_set(&p);
	for (size_t i = 0; i < ends->thread_n; i++)
		if (x->thread[i].state == HANG_WAITS)
			missing_find(&p, i);
	release(&p, least);
	for (size_t i = 0; i < ends->thread_n; i++)
		if (x->thread[i].state == HANG_WAITS && !p.free[i])
			x->thread[i].state = HANG_BLOCKED;
	for (size_t i = 0; i < ends->thread_n; i++)
		if (x->thread[i].state == HANG_BLOCKED)
			reasons_find(&p, i);
	for (size_t i = 0; i < ends->thread_n; i++)
		x->in_state[x->thread[i].state]++;
	s.from = mem_alloc((ends->thread_n + 1) * sizeof(*s.from));
	s.queue = mem_alloc((ends->thread_n + 1) * sizeof(*s.queue));
	circles_find(&p, &s);
	s.blocked = 0;
	behind_count(&p, &s);
	free(s.from);
	free(s.queue);
	free(p.open);
	free(p.rank);
	free(p.free);
	free(p.asks);
	free(p.first);
}

void hang_release(struct hang *x)
{
	for (size_t i = 0; x->thread && i < x->ends->thread_n; i++)
		free(x->thread[i].missing);
	free(x->thread);
	free(x->circle);
}
