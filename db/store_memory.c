/*
 * store_memory.c: memory by type -> rows: objects, their names, and what was counted of them. PEs
 * that follow each other and on which all numbers of an object are the same share a row.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "analyze/profile/memory_object.h"
#include "db/bulk.h"
#include "db/private.h"
#include "db/store.h"

#define FETCH 12 /* samples that are fetched from memory ahead of their use */

/* Columns of memory_value after its key: four states, then these of each kind of blocks that are
 * counted. */
enum { STATES = 4, BLOCK_NUMBERS = 5, COLUMNS = STATES + 3 * BLOCK_NUMBERS };

/* What was counted of one object on one thread. */
struct amount {
	int32_t node, context, thread;
	uint32_t known; /* bit k: column k */
	int64_t v[COLUMNS];
};

struct amounts {
	struct amount *v;
	size_t v_n, v_cap;
};

/* The first column of a number; -1: it has none. */
static int column_of(enum memory_number n)
{
	switch (n) {
	case NUMBER_LIVE:
		return 0;
	case NUMBER_LIVE_OBJECTS:
		return 1;
	case NUMBER_PEAK:
		return 2;
	case NUMBER_PEAK_OBJECTS:
		return 3;
	case NUMBER_ALLOC:
	case NUMBER_FREE:
	case NUMBER_RETYPED:
		return STATES + (int)(n - NUMBER_ALLOC) * BLOCK_NUMBERS;
	default:
		return -1;
	}
}

static int is_whole(double x, double most)
{
	return fabs(x) < most && x == nearbyint(x) && !(x == 0 && signbit(x));
}

/* Does a row of a counter follow, bit by bit, from the integers that memory_value keeps? */
static int fits(const struct profile_sample *s, int column)
{
	const double exact = 9007199254740992.0, integers = 9.2e18;

	if (s->path != PROFILE_FLAT || !is_whole(s->max, exact) || !is_whole(s->min, exact))
		return 0;
	if (column < STATES)
		return s->n == 1 && s->max == s->mean && s->min == s->mean &&
		       s->sumsq == s->mean * s->mean;
	return s->n >= 1 && is_whole(s->n, exact) && is_whole(s->sumsq, integers) &&
	       fabs(s->n * s->mean) < exact && nearbyint(s->n * s->mean) / s->n == s->mean &&
	       !(s->mean == 0 && signbit(s->mean));
}

unsigned char *memory_counters(const struct profile *p)
{
	unsigned char *taken = mem_alloc(p->counter_n + 1);

	for (size_t c = 0; c < p->counter_n; c++)
		taken[c] = column_of(p->counter[c].number) >= 0;
	for (size_t t = 0; t < p->thread_n; t++)
		for (size_t i = 0; i < p->thread[t].sample_n; i++) {
			const struct profile_sample *s = &p->thread[t].sample[i];

			if (taken[s->counter])
				taken[s->counter] =
					p->thread[t].node >= 0 &&
					fits(s, column_of(p->counter[s->counter].number));
		}
	return taken;
}

static void blocks_put(int64_t *v, const struct profile_sample *s)
{
	v[0] = (int64_t)s->n;
	v[1] = (int64_t)nearbyint(s->n * s->mean);
	v[2] = (int64_t)s->min;
	v[3] = (int64_t)s->max;
	v[4] = (int64_t)s->sumsq;
}

int memory_blocks(const struct profile_sample *s, int64_t v[BLOCK_NUMBERS])
{
	if (!fits(s, STATES))
		return 0;
	blocks_put(v, s);
	return 1;
}

static void amount_put(struct amount *a, unsigned column, const struct profile_sample *s)
{
	if (column < STATES) {
		a->v[column] = (int64_t)s->mean;
		a->known |= 1U << column;
		return;
	}
	assert(column <= COLUMNS - BLOCK_NUMBERS);
	blocks_put(&a->v[column], s);
	a->known |= ((1U << BLOCK_NUMBERS) - 1) << column;
}

static int amount_order(const void *x, const void *y)
{
	const struct amount *a = x, *b = y;

	return a->context != b->context ? (a->context > b->context) - (a->context < b->context)
	       : a->thread != b->thread ? (a->thread > b->thread) - (a->thread < b->thread)
					: (a->node > b->node) - (a->node < b->node);
}

static int follows(const struct amount *a, const struct amount *b)
{
	return a->context == b->context && a->thread == b->thread && a->node + 1 == b->node &&
	       a->known == b->known && !memcmp(a->v, b->v, sizeof(a->v));
}

/* The rows of one object in one window. */
static int store_amounts(struct db_store *s, struct amounts *all, int64_t object, int64_t range)
{
	int code = 0;

	qsort(all->v, all->v_n, sizeof(*all->v), amount_order);
	for (size_t i = 0, last; code == 0 && i < all->v_n; i = last + 1) {
		const struct amount *a = &all->v[i];
		const int64_t place[] = {a->context, a->thread, a->node};

		for (last = i; last + 1 < all->v_n && follows(&all->v[last], &all->v[last + 1]);)
			last++;
		bulk_integer(&s->memory, object);
		bulk_known(&s->memory, range);
		for (size_t k = 0; k < sizeof(place) / sizeof(*place); k++)
			bulk_integer(&s->memory, place[k]);
		bulk_integer(&s->memory, all->v[last].node);
		for (int k = 0; k < COLUMNS; k++)
			if (a->known & 1U << k)
				bulk_integer(&s->memory, a->v[k]);
			else
				bulk_known(&s->memory, 0);
		code = bulk_row(&s->memory, s->e);
	}
	all->v_n = 0;
	return code;
}

struct memory_place {
	uint32_t thread, sample;
};

/* The samples that are taken, by object; those of an object in the order of threads. next: by
 * object, the end of its own. */
static struct memory_place *order_places(const struct profile *p, const unsigned char *taken,
					 size_t *next)
{
	struct memory_place *place;
	size_t total = 0;

	for (size_t t = 0; t < p->thread_n; t++)
		for (size_t i = 0; i < p->thread[t].sample_n; i++) {
			uint32_t c = p->thread[t].sample[i].counter;

			if (taken[c] == TAKEN_MEMORY) {
				next[p->counter[c].object + 1]++;
				total++;
			}
		}
	for (size_t o = 0; o < p->object.v_n; o++)
		next[o + 1] += next[o];
	place = mem_resize(NULL, total + 1, sizeof(*place));
	for (size_t t = 0; t < p->thread_n; t++)
		for (size_t i = 0; i < p->thread[t].sample_n; i++) {
			uint32_t c = p->thread[t].sample[i].counter;

			if (taken[c] == TAKEN_MEMORY)
				place[next[p->counter[c].object]++] =
					(struct memory_place){(uint32_t)t, (uint32_t)i};
		}
	return place;
}

int store_memory(struct db_store *s, const struct profile *p, const struct joined *j, int64_t range,
		 const unsigned char *taken)
{
	size_t *end = mem_alloc((p->object.v_n + 2) * sizeof(*end)), i = 0;
	struct memory_place *place = order_places(p, taken, end);
	const size_t total = p->object.v_n ? end[p->object.v_n - 1] : 0;
	struct amounts all = {0};
	int code = 0;

	for (size_t o = 0; code == 0 && o < p->object.v_n; o++) {
		int64_t object = 0;

		for (; i < end[o]; i++) {
			const struct profile_thread *t = &p->thread[place[i].thread];
			const struct profile_sample *v = &t->sample[place[i].sample];
			const struct profile_counter *c = &s->all->counter[j->counter[v->counter]];

			/* the samples of an object are far apart in memory */
			if (i + FETCH < total)
				__builtin_prefetch(&p->thread[place[i + FETCH].thread]
							    .sample[place[i + FETCH].sample]);
			object = s->object.v[c->object];
			if (!all.v_n || place[i - 1].thread != place[i].thread)
				*array_add(&all, v) = (struct amount){.node = t->node,
								      .context = t->context,
								      .thread = t->thread};
			amount_put(&all.v[all.v_n - 1], (unsigned)column_of(c->number), v);
		}
		if (all.v_n)
			code = store_amounts(s, &all, object, range);
	}
	free(all.v);
	free(place);
	free(end);
	return code;
}

/* ---- objects ---- */

/* Statements and the numbers of names that were looked up already. */
struct naming {
	struct db_store *s;
	sqlite3_stmt *find, *add, *element, *object;
	struct names names;
	struct ids id;
};

/* The number of a name in memory_name, 0 for none. */
static int name_id(struct naming *n, const char *name, int64_t *id)
{
	uint32_t known;
	int code;

	*id = 0;
	if (!name)
		return 0;
	known = names_add(&n->names, name, strlen(name));
	if (known < n->id.v_n) {
		*id = n->id.v[known];
		return 0;
	}
	db_bind_text(n->find, 1, name);
	code = db_step(n->s->db, n->find, n->s->e);
	*id = code == 1 ? sqlite3_column_int64(n->find, 0) : 0;
	sqlite3_reset(n->find);
	if (code == 0) {
		db_bind_text(n->add, 1, name);
		code = db_insert(n->s->db, n->add, id, n->s->e);
	}
	*array_add(&n->id, v) = *id;
	return code < 0 ? code : 0;
}

/* The number of a chain of owners, whose elements are stored with it. */
static int chain_id(struct naming *n, const struct memory_object *o, int64_t *id)
{
	char *chain = memory_object_owners(o, o->owner_n);
	int code = name_id(n, chain, id);

	free(chain);
	for (size_t i = 0; code == 0 && i < o->owner_n; i++) {
		int64_t name;

		code = name_id(n, o->owner[i], &name);
		if (code < 0)
			break;
		sqlite3_bind_int64(n->element, 1, *id);
		sqlite3_bind_int64(n->element, 2, (int64_t)i);
		sqlite3_bind_int64(n->element, 3, name);
		code = db_insert(n->s->db, n->element, NULL, n->s->e);
	}
	return code;
}

static int store_object(struct naming *n, const struct memory_object *o, int64_t *id)
{
	int64_t type, library, owner, site;
	int code = name_id(n, o->type, &type);

	if (code == 0)
		code = name_id(n, o->library, &library);
	if (code == 0)
		code = chain_id(n, o, &owner);
	if (code == 0)
		code = name_id(n, o->site, &site);
	if (code < 0)
		return code;
	sqlite3_bind_int64(n->object, 1, n->s->trial);
	db_bind_known(n->object, 2, type);
	sqlite3_bind_int64(n->object, 3, o->kind);
	sqlite3_bind_int64(n->object, 4, o->family);
	db_bind_known(n->object, 5, library);
	db_bind_known(n->object, 6, owner);
	db_bind_known(n->object, 7, site);
	return db_insert(n->s->db, n->object, id, n->s->e);
}

int store_objects(struct db_store *s)
{
	struct naming n = {.s = s};
	const struct {
		sqlite3_stmt **q;
		const char *sql;
	} statements[] = {
		{&n.find, "SELECT id FROM memory_name WHERE name = ? LIMIT 1"},
		{&n.add, "INSERT INTO memory_name (name) VALUES (?)"},
		{&n.element,
		 "INSERT OR IGNORE INTO memory_owner (chain, position, name) VALUES (?, ?, ?)"},
		{&n.object,
		 "INSERT INTO memory_object (trial, type, kind, family, library, owner, site) "
		 "VALUES (?, ?, ?, ?, ?, ?, ?)"},
	};
	int code = 0;

	for (size_t i = 0; code == 0 && i < sizeof(statements) / sizeof(*statements); i++)
		code = db_prepare(s->db, statements[i].q, s->e, statements[i].sql);
	for (size_t i = 0; code == 0 && i < s->all->object.v_n; i++)
		code = store_object(&n, &s->all->object.v[i], array_add(&s->object, v));
	for (size_t i = 0; i < sizeof(statements) / sizeof(*statements); i++)
		sqlite3_finalize(*statements[i].q);
	names_release(&n.names);
	free(n.id.v);
	return code;
}
