/* epochs.c: queues of posts and completes by window and pair of processes, and rings of unlocks. */
#include "analyze/messages/epochs.h"

#include <string.h>

#include "analyze/base/map.h"
#include "analyze/messages/channels.h"

/* A synchronisation of a call, or a transfer (op SYNCS). */
struct call_sync {
	struct call_sync *next;
	uint32_t op, comm;
	int64_t peer, rank; /* of the call's process */
};

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

static void calls_put(struct epochs *e, struct epoch_calls *q, struct message_call *c)
{
	c->held++;
	if (q->owed) {
		q->owed--;
		if (q->late)
			matching_let(e->matching, q->late);
		q->late = c;
		return;
	}
	if (q->first == q->v_n)
		q->first = q->v_n = 0;
	*array_add(q, v) = c;
}

/*
 * The first call becomes a message of c if it began before c ends; if there is none, the one that
 * came late, if that began in c: then it is the call before that the trace lacks.
 */
static int calls_give(struct epochs *e, struct epoch_calls *q, struct message_call *c,
		      enum message_source source)
{
	struct message_call *first = q->first < q->v_n ? q->v[q->first] : q->late;

	if (!first || first->enter > c->leave || (first == q->late && first->enter <= c->enter))
		return 0;
	if (first == q->late)
		q->late = NULL;
	else
		q->first++;
	matching_note(e->matching, first, c, source);
	matching_let(e->matching, first);
	return 1;
}

/* The same at the end of the epoch, after which a call that comes later is for no call. */
static void calls_end(struct epochs *e, struct epoch_calls *q, struct message_call *c,
		      enum message_source source)
{
	if (calls_give(e, q, c, source))
		return;
	if (q->first < q->v_n)
		matching_let(e->matching, q->v[q->first++]);
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

void epochs_sync(struct epochs *e, struct message_call *c, int64_t rank, const struct event_args *a)
{
	uint32_t comm = channels_comm(&e->matching->channels, a->sync.comm);
	struct call_sync *s = mem_alloc(sizeof(*s));
	struct epoch_open *lock;

	*s = (struct call_sync){c->syncs, a->sync.op, comm, a->sync.peer, rank};
	c->syncs = s;
	if (!e->of) {
		e->of_n = e->matching->channels.trace->process_n;
		e->of = mem_alloc(e->of_n * sizeof(*e->of));
	}
	if (s->op == SYNC_POST)
		calls_put(e, &pair_of(e, comm, rank, s->peer)->posts, c);
	if (s->op == SYNC_COMPLETE)
		calls_put(e, &pair_of(e, comm, s->peer, rank)->completes, c);
	lock = s->op == SYNC_UNLOCK ? open_find(&e->of[c->process], comm, s->peer, 1) : NULL;
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

	*s = (struct call_sync){c->syncs, SYNCS, 0, peer, -1};
	c->syncs = s;
}

static void start_end(struct epochs *e, struct message_call *c, const struct call_sync *s)
{
	if (!calls_give(e, &pair_of(e, s->comm, s->peer, s->rank)->posts, c, SOURCE_POST))
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
		else if (calls_give(e, &pair_of(e, o->comm, peer, rank)->posts, c,
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
		matching_let(x, q->v[q->first++]);
	if (q->late)
		matching_let(x, q->late);
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
	for (size_t i = 0; i < e->of_n; i++)
		free(e->of[i].open);
	free(e->pair);
	free(e->unlocks);
	free(e->of);
	map_release(&e->pair_at);
	map_release(&e->unlocks_at);
}
