/*
 * store_messages.c: messages by peer -> rows. PEs that follow each other and whose messages with a peer have the same numbers
 * share a row.
 */
#include <string.h>

#include "db/bulk.h"
#include "db/private.h"
#include "db/store.h"

enum { NUMBERS_OF_BLOCKS = 5 };

/* The messages of one thread with the peer of a counter. */
struct stored_traffic {
	uint32_t counter;
	int32_t node, context, thread;
	int64_t v[NUMBERS_OF_BLOCKS]; /* as memory_blocks() has them */
};

struct traffic_list {
	struct stored_traffic *v;
	size_t v_n, v_cap;
};

void messages_counters(const struct profile *p, unsigned char *taken)
{
	int64_t v[NUMBERS_OF_BLOCKS];

	for (size_t c = 0; c < p->counter_n; c++)
		if (p->counter[c].message.kind != MESSAGE_KINDS)
			taken[c] = TAKEN_MESSAGES;
	for (size_t t = 0; t < p->thread_n; t++)
		for (size_t i = 0; i < p->thread[t].sample_n; i++) {
			const struct profile_sample *s = &p->thread[t].sample[i];

			if (taken[s->counter] == TAKEN_MESSAGES &&
			    (p->thread[t].node < 0 || !memory_blocks(s, v)))
				taken[s->counter] = 0;
		}
}

static int traffic_order(const void *x, const void *y)
{
	const struct stored_traffic *a = x, *b = y;

	return a->counter != b->counter   ? (a->counter > b->counter) - (a->counter < b->counter)
	       : a->context != b->context ? (a->context > b->context) - (a->context < b->context)
	       : a->thread != b->thread   ? (a->thread > b->thread) - (a->thread < b->thread)
					  : (a->node > b->node) - (a->node < b->node);
}

static int follows(const struct stored_traffic *a, const struct stored_traffic *b)
{
	return a->counter == b->counter && a->context == b->context && a->thread == b->thread &&
	       a->node + 1 == b->node && !memcmp(a->v, b->v, sizeof(a->v));
}

static int store_row(struct db_store *s, int64_t peer, int64_t range,
		     const struct stored_traffic *a, int32_t last)
{
	const int64_t place[] = {a->context, a->thread, a->node, last};

	bulk_integer(&s->messages, peer);
	bulk_known(&s->messages, range);
	for (size_t k = 0; k < sizeof(place) / sizeof(*place); k++)
		bulk_integer(&s->messages, place[k]);
	for (size_t k = 0; k < NUMBERS_OF_BLOCKS; k++)
		bulk_integer(&s->messages, a->v[k]);
	return bulk_row(&s->messages, s->e);
}

static void store_traffic(const struct profile *p, const unsigned char *taken,
			  struct traffic_list *all)
{
	for (size_t t = 0; t < p->thread_n; t++)
		for (size_t i = 0; i < p->thread[t].sample_n; i++) {
			const struct profile_thread *at = &p->thread[t];
			struct stored_traffic x = {.counter = at->sample[i].counter,
					    .node = at->node,
					    .context = at->context,
					    .thread = at->thread};

			if (taken[x.counter] == TAKEN_MESSAGES &&
			    memory_blocks(&at->sample[i], x.v))
				*array_add(all, v) = x;
		}
	if (all->v_n)
		qsort(all->v, all->v_n, sizeof(*all->v), traffic_order);
}

int store_messages(struct db_store *s, const struct profile *p, const struct joined *j,
		   int64_t range, const unsigned char *taken)
{
	struct traffic_list all = {0};
	int code = 0;

	store_traffic(p, taken, &all);
	for (size_t i = 0, last; code == 0 && i < all.v_n; i = last + 1) {
		for (last = i; last + 1 < all.v_n && follows(&all.v[last], &all.v[last + 1]);)
			last++;
		code = store_row(s, s->peer.v[j->counter[all.v[i].counter]], range, &all.v[i],
				 all.v[last].node);
	}
	free(all.v);
	return code;
}

int store_peers(struct db_store *s)
{
	sqlite3_stmt *q = NULL;
	int code = db_prepare(s->db, &q, s->e,
			      "INSERT INTO message_peer (trial, counter, kind, peer, size_class) "
			      "VALUES (?, ?, ?, ?, ?)");

	for (size_t i = 0; code == 0 && i < s->all->counter_n; i++) {
		const struct message_counter *m = &s->all->counter[i].message;
		int64_t *id = array_add(&s->peer, v);

		if (m->kind == MESSAGE_KINDS)
			continue;
		sqlite3_bind_int64(q, 1, s->trial);
		sqlite3_bind_int64(q, 2, s->counter.v[i]);
		db_bind_message(q, 3, m);
		code = db_insert(s->db, q, id, s->e);
	}
	sqlite3_finalize(q);
	return code;
}
