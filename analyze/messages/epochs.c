/* epochs.c: queues of posts and completes by window and pair of processes, and rings of unlocks. */
#include "analyze/messages/epochs.h"

#include <string.h>

#include "analyze/base/map.h"
#include "analyze/messages/channels.h"

/* A synchronisation of a call, a transfer (op SYNCS), or the last transfer to peer (AIMED). */
struct call_sync {
	struct call_sync *next;
	uint32_t op, comm;
	int64_t peer, rank; /* of the call's process */
	int64_t last;	    /* ns: of AIMED, its end */
};

enum { AIMED = SYNCS + 1 };

enum { ALL = -1, ANY_EXCLUSIVE = -2 }; /* in place of a peer */

/* ---- queues ---- */

static uint64_t key_of(uint32_t comm, int64_t a, int64_t b)
{
	uint64_t h = (uint64_t)comm * 0x9e3779b97f4a7c15u;

	h = (h ^ h >> 29 ^ (uint64_t)a) * 0xc2b2ae3d27d4eb4fu;
	return (h ^ h >> 29 ^ (uint64_t)b) * 0x165667b19e3779f9u;
}

static struct epoch_pair *pair_of(struct epochs *x, uint32_t comm, int64_t target, int64_t origin)
{
	uint64_t key = key_of(comm, target, origin);
	uint32_t at = map_get(&x->pair_at, key);

	if (at != MAP_NONE)
		return &x->pair[at];
	map_set(&x->pair_at, key, (uint32_t)x->pair_n);
	return array_add(x, pair);
}

static struct epoch_unlocks *unlocks_of(struct epochs *x, uint32_t comm, int64_t peer)
{
	uint64_t key = key_of(comm, peer, peer);
	uint32_t at = map_get(&x->unlocks_at, key);

	if (at != MAP_NONE)
		return &x->unlocks[at];
	map_set(&x->unlocks_at, key, (uint32_t)x->unlocks_n);
	return array_add(x, unlocks);
}

static void calls_put(struct epochs *e, struct epoch_calls *q, struct matched_call c)
{
	c.call->held++;
	if (q->owed) {
		q->owed--;
		if (q->late.call)
			matching_let(e->matching, q->late.call);
		q->late = c;
		return;
	}
	if (q->first == q->v_n)
		q->first = q->v_n = 0;
	*array_add(q, v) = c;
}

static void aimed_at(struct message_call *c, int64_t last)
{
	if (last > c->enter && last - c->enter > c->aimed)
		c->aimed = last - c->enter;
}

/*
 * The first call becomes a message of c if it began before c ends; if there is none, the one that
 * came late, if that began in c: then it is the call before that the trace lacks.
 */
static int calls_pass(struct epochs *e, struct epoch_calls *q, struct message_call *c,
		      enum message_source source)
{
	const int is_late = q->first == q->v_n;
	const struct matched_call x = is_late ? q->late : q->v[q->first];
	struct message_call *first = x.call;

	if (!first || first->enter > c->leave || (is_late && first->enter <= c->enter))
		return 0;
	if (is_late)
		q->late.call = NULL;
	else
		q->first++;
	aimed_at(c, x.last);
	matching_note(e->matching, first, c, source);
	matching_let(e->matching, first);
	return 1;
}

/* The same at the end of the epoch, after which a call that comes later is for no call. */
static void calls_end(struct epochs *e, struct epoch_calls *q, struct message_call *c,
		      enum message_source source)
{
	if (calls_pass(e, q, c, source))
		return;
	if (q->first < q->v_n)
		matching_let(e->matching, q->v[q->first++].call);
	else
		q->owed++;
}

/* ---- locks ---- */

static void unlocks_put(struct epochs *e, struct epoch_unlocks *u, struct epoch_unlock unlock)
{
	struct epoch_unlock *at = &u->v[u->n++ % UNLOCKS_KEPT];

	if (at->call)
		matching_let(e->matching, at->call);
	*at = unlock;
	unlock.call->held++;
}

/* The last unlock during c after which the lock can be granted; best: found so far. */
static struct message_call *unlock_in(struct epochs *x, const struct message_call *c,
				      const struct epoch_open *lock, int first, int64_t peer,
				      struct message_call *best)
{
	const struct epoch_unlocks *u = unlocks_of(x, lock->comm, peer);

	for (size_t i = 0; i < UNLOCKS_KEPT; i++) {
		const struct epoch_unlock *v = &u->v[i];

		if (!v->call || v->call->process == c->process ||
		    (!v->exclusive && !lock->exclusive) || (!first && v->asked > lock->asked) ||
		    v->call->enter <= c->enter || v->call->enter >= c->leave)
			continue;
		if (!best || v->call->enter > best->enter)
			best = v->call;
	}
	return best;
}

/* first: c is the call that locks. */
static void lock_wait(struct epochs *e, struct message_call *c, const struct epoch_open *lock,
		      int first)
{
	struct message_call *u = NULL;

	if (lock->peer == ALL) {
		u = unlock_in(e, c, lock, first, ANY_EXCLUSIVE, u);
	} else {
		u = unlock_in(e, c, lock, first, lock->peer, u);
		u = unlock_in(e, c, lock, first, ALL, u);
	}
	if (u)
		matching_note(e->matching, u, c, SOURCE_UNLOCK);
}

static void unlock(struct epochs *e, struct message_call *c, const struct epoch_open *lock)
{
	struct epoch_unlock u = {c, lock->exclusive, lock->asked};

	unlocks_put(e, unlocks_of(e, lock->comm, lock->peer), u);
	if (lock->exclusive)
		unlocks_put(e, unlocks_of(e, lock->comm, ANY_EXCLUSIVE), u);
}

/* ---- epochs of a process ---- */

static struct epoch_open *open_find(struct epoch_process *p, uint32_t comm, int64_t peer, int lock)
{
	for (size_t i = 0; i < p->open_n; i++)
		if (p->open[i].comm == comm && p->open[i].peer == peer && p->open[i].lock == lock)
			return &p->open[i];
	return NULL;
}

/* MPI allows one of a kind at a time. */
static void open_add(struct epoch_process *p, struct epoch_open o)
{
	struct epoch_open *at = open_find(p, o.comm, o.peer, o.lock);

	if (!at)
		at = p->open_n < OPEN_MOST ? array_add(p, open) : &p->open[0];
	*at = o;
}

static void open_drop(struct epoch_process *p, struct epoch_open *o)
{
	*o = p->open[--p->open_n];
}

void epochs_init(struct epochs *e, struct matching *x)
{
	*e = (struct epochs){.matching = x};
}

static struct epoch_process *process_of(struct epochs *e, uint32_t process)
{
	if (!e->of) {
		e->of_n = e->matching->channels.trace->process_n;
		e->of = mem_alloc(e->of_n * sizeof(*e->of));
	}
	return &e->of[process];
}

/* ---- the last transfers ---- */

int epochs_ends(const struct epochs *e, uint32_t process)
{
	return e->of && e->of[process].ends;
}

static uint32_t last_find(const struct epochs *e, uint32_t process, int64_t peer)
{
	return map_get(&e->last_at, key_of(process, peer, peer));
}

uint32_t epochs_aimed(struct epochs *e, uint32_t process, int64_t peer, int64_t time)
{
	struct epoch_process *p = process_of(e, process);
	uint32_t at = last_find(e, process, peer);

	if (at == MAP_NONE) {
		at = (uint32_t)e->last_n;
		map_set(&e->last_at, key_of(process, peer, peer), at);
		*array_add(e, last) = (struct epoch_last){peer, time, 1};
	}
	if (e->last[at].fenced)
		*array_add(p, aimed) = at;
	e->last[at].fenced = 0;
	epochs_aimed_until(e, at, time);
	return at;
}

void epochs_aimed_until(struct epochs *e, uint32_t last, int64_t time)
{
	if (time > e->last[last].end)
		e->last[last].end = time;
}

void epochs_fence(struct epochs *e, struct message_call *c)
{
	struct epoch_process *p = process_of(e, c->process);

	p->ends = 1;
	for (size_t i = 0; i < p->aimed_n; i++) {
		struct epoch_last *l = &e->last[p->aimed[i]];
		struct call_sync *s = mem_alloc(sizeof(*s));

		l->fenced = 1;
		*s = (struct call_sync){c->syncs, AIMED, 0, l->to, -1, l->end};
		c->syncs = s;
	}
	p->aimed_n = 0;
}

void epochs_fence_met(const struct epochs *e, const struct meeting *m)
{
	const struct trace *t = e->matching->channels.trace;
	struct {
		struct message_call **v;
		size_t v_n, v_cap;
	} call = {0};
	struct map of_rank = {0};
	int any = 0;

	if (m->first_leave != INT64_MAX || m->joined < m->members)
		return;
	for (const struct message_call *c = m->first; c; c = c->next_in_meeting)
		any |= c->syncs != NULL;
	if (!any)
		return;
	for (struct message_call *c = m->first; c; c = c->next_in_meeting) {
		map_set(&of_rank, (uint64_t)t->process[c->process].node, (uint32_t)call.v_n);
		*array_add(&call, v) = c;
	}
	for (const struct message_call *c = m->first; c; c = c->next_in_meeting)
		for (const struct call_sync *s = c->syncs; s; s = s->next) {
			uint32_t at = map_get(&of_rank, (uint64_t)s->peer);

			if (s->op == AIMED && at != MAP_NONE)
				aimed_at(call.v[at], s->last);
		}
	map_release(&of_rank);
	free(call.v);
}

/* ---- synchronisations ---- */

void epochs_sync(struct epochs *e, struct message_call *c, int64_t rank, const struct event_args *a)
{
	uint32_t comm = channels_comm(&e->matching->channels, a->sync.comm);
	struct call_sync *s = mem_alloc(sizeof(*s));
	struct epoch_process *p = process_of(e, c->process);
	uint32_t last = last_find(e, c->process, a->sync.peer);
	struct matched_call post = {c, INT64_MIN};
	struct matched_call complete = {c, last != MAP_NONE ? e->last[last].end : INT64_MIN};
	struct epoch_open *lock;

	*s = (struct call_sync){c->syncs, a->sync.op, comm, a->sync.peer, rank, 0};
	c->syncs = s;
	p->ends |= s->op == SYNC_START;
	if (s->op == SYNC_POST)
		calls_put(e, &pair_of(e, comm, rank, s->peer)->posts, post);
	if (s->op == SYNC_COMPLETE)
		calls_put(e, &pair_of(e, comm, s->peer, rank)->completes, complete);
	lock = s->op == SYNC_UNLOCK ? open_find(p, comm, s->peer, 1) : NULL;
	if (lock)
		unlock(e, c, lock);
}

int epochs_has(const struct epochs *e, uint32_t process)
{
	return e->of && e->of[process].open_n > 0;
}

void epochs_transfer(struct message_call *c, int64_t peer)
{
	struct call_sync *s = mem_alloc(sizeof(*s));

	*s = (struct call_sync){c->syncs, SYNCS, 0, peer, -1, 0};
	c->syncs = s;
}

static void start_end(struct epochs *e, struct message_call *c, const struct call_sync *s)
{
	if (!calls_pass(e, &pair_of(e, s->comm, s->peer, s->rank)->posts, c, SOURCE_POST))
		open_add(&e->of[c->process], (struct epoch_open){s->comm, s->peer, 0, 0, c->enter});
}

static void complete_end(struct epochs *e, struct message_call *c, const struct call_sync *s)
{
	struct epoch_open *o = open_find(&e->of[c->process], s->comm, s->peer, 0);
	struct epoch_pair *p = pair_of(e, s->comm, s->peer, s->rank);

	if (!o)
		return;
	open_drop(&e->of[c->process], o);
	calls_end(e, &p->posts, c, SOURCE_POST);
}

static void wait_end(struct epochs *e, struct message_call *c, const struct call_sync *s)
{
	calls_end(e, &pair_of(e, s->comm, s->rank, s->peer)->completes, c, SOURCE_COMPLETE);
}

static void lock_end(struct epochs *e, struct message_call *c, const struct call_sync *s)
{
	struct epoch_open lock = {s->comm, s->peer, 1, s->op == SYNC_LOCK, c->enter};

	lock_wait(e, c, &lock, 1);
	open_add(&e->of[c->process], lock);
}

static void unlock_end(struct epochs *e, struct message_call *c, const struct call_sync *s)
{
	struct epoch_process *p = &e->of[c->process];
	struct epoch_open *lock = open_find(p, s->comm, s->peer, 1);

	if (!lock)
		return;
	lock_wait(e, c, lock, 0);
	open_drop(p, lock);
}

/* A transfer to a target, which may wait for what the begin of its epoch did not wait for. */
static void transfer_end(struct epochs *e, struct message_call *c, int64_t peer, int64_t rank)
{
	struct epoch_process *p = &e->of[c->process];

	for (size_t i = p->open_n; i-- > 0;) {
		struct epoch_open *o = &p->open[i];

		if (o->peer != peer && o->peer != ALL)
			continue;
		if (o->lock)
			lock_wait(e, c, o, 0);
		else if (calls_pass(e, &pair_of(e, o->comm, peer, rank)->posts, c,
				    SOURCE_POST))
			open_drop(p, o);
	}
}

void epochs_end(struct epochs *e, struct message_call *c)
{
	int64_t rank = e->matching->channels.trace->process[c->process].node;

	for (const struct call_sync *s = c->syncs; s; s = s->next)
		switch (s->op) {
		case SYNC_START:
			start_end(e, c, s);
			break;
		case SYNC_COMPLETE:
			complete_end(e, c, s);
			break;
		case SYNC_WAIT:
			wait_end(e, c, s);
			break;
		case SYNC_LOCK:
		case SYNC_LOCK_SHARED:
			lock_end(e, c, s);
			break;
		case SYNC_UNLOCK:
			unlock_end(e, c, s);
			break;
		case SYNCS:
			transfer_end(e, c, s->peer, rank);
			break;
		default:
			break;
		}
}

void epochs_drop(struct message_call *c)
{
	while (c->syncs) {
		struct call_sync *s = c->syncs;

		c->syncs = s->next;
		free(s);
	}
}

static void calls_release(struct matching *x, struct epoch_calls *q)
{
	while (q->first < q->v_n)
		matching_let(x, q->v[q->first++].call);
	if (q->late.call)
		matching_let(x, q->late.call);
	free(q->v);
}

void epochs_release(struct epochs *e)
{
	struct matching *x = e->matching;

	for (size_t i = 0; i < e->pair_n; i++) {
		calls_release(x, &e->pair[i].posts);
		calls_release(x, &e->pair[i].completes);
	}
	for (size_t i = 0; i < e->unlocks_n; i++)
		for (size_t k = 0; k < UNLOCKS_KEPT; k++)
			if (e->unlocks[i].v[k].call)
				matching_let(x, e->unlocks[i].v[k].call);
	for (size_t i = 0; i < e->of_n; i++) {
		free(e->of[i].open);
		free(e->of[i].aimed);
	}
	free(e->pair);
	free(e->unlocks);
	free(e->last);
	free(e->of);
	map_release(&e->pair_at);
	map_release(&e->unlocks_at);
	map_release(&e->last_at);
}
