/*
 * share.c: what one process finds in a census is used by those of the job that have the same blocks.
 *
 * Processes of a parallel job often have equal blocks before finalize: as many of each type, call site and size. The first of
 * them on a host searches, and writes what it has found into a file of the run. The others wait for it, and give as many blocks
 * of each type, call site and size the same types and owners. (Which of several equal blocks has which owner is in no report.)
 * Where they have more or fewer, they do so only if all blocks of the type and call site are the same there. The first that has
 * others searches, too, and writes the next file.
 *
 * A node is described by names, and by where its call site is in its library, because addresses differ between processes.
 */
#include "census.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "area.h"
#include "block.h"
#include "class.h"
#include "kind.h"
#include "library.h"
#include "node.h"
#include "rule_table.h"
#include "share_file.h"
#include "stack.h"
#include "tau.h"

#define NAME_BYTES 64
#define FILES	   8
#define NONE	   UINT32_MAX

/* Of the file that this process has made, "": none. */
static char shared[NAME_BYTES];
/* Of what the search adds to. */
static struct memory_tally before;

static uint64_t mixed(uint64_t a, uint64_t b)
{
	a = (a ^ b) * 0x9e3779b97f4a7c15ULL;
	return (a ^ a >> 29) * 0xbf58476d1ce4e5b9ULL;
}

static uint64_t text_key(const char *text)
{
	uint64_t h = 0xcbf29ce484222325ULL;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3ULL;
	return mixed(h, 1);
}

/* ---- the keys of nodes ---- */

struct share_keys {
	uint64_t *node, *library; /* 0: not known yet */
};

static uint64_t library_key(struct share_keys *k, unsigned library)
{
	if (!k->library[library])
		k->library[library] = text_key(library_get(library)->name);
	return k->library[library];
}

/* The code may be unloaded, and another object in its place. Objects begin on pages. */
static uint64_t site_key(struct share_keys *k, const struct node *n)
{
	const struct library_segment *s = segment_known(n->site - 1);

	return s && s->place == n->place ? mixed(library_key(k, s->library), n->site - s->base)
					 : n->site & 4095;
}

static uint64_t node_key(struct share_keys *k, uint32_t node)
{
	const struct node *n = &nodes[node];
	uint64_t h;

	if (!node || k->node[node])
		return k->node[node];
	h = n->owner ? node_key(k, n->owner) : 2;
	if (n->kind == NODE_UNTYPED || n->kind == NODE_VARIABLE)
		h = mixed(h, library_key(k, n->id));
	else
		h = mixed(h, text_key(classes[n->id].name) + classes[n->id].size);
	if (n->site)
		h = mixed(h, n->kind == NODE_VARIABLE ? text_key((const char *)n->site)
						      : site_key(k, n));
	return k->node[node] = mixed(h, n->kind) | 1;
}

static int keys_make(struct share_keys *k)
{
	k->node = area_map(NODE_MAX * sizeof(*k->node));
	k->library = area_map(LIBRARY_MAX * sizeof(*k->library));
	return k->node && k->library;
}

static void keys_release(struct share_keys *k)
{
	if (k->node)
		area_unmap(k->node, NODE_MAX * sizeof(*k->node));
	if (k->library)
		area_unmap(k->library, LIBRARY_MAX * sizeof(*k->library));
}

/* ---- what is given ---- */

/* Groups by the before and after of their blocks. */
struct publish {
	struct share_keys keys;
	struct share_write *out;
	uint32_t *hash, mask; /* of groups, plus one */
	uint32_t *owner;      /* of nodes: the number in the file, plus one */
	uint32_t *class;      /* of classes, the same */
	uint32_t *library;    /* of libraries: the place of the name, plus one */
};

static uint32_t library_put(struct publish *g, unsigned library)
{
	if (!g->library[library])
		g->library[library] = share_text(g->out, library_get(library)->name) + 1;
	return g->library[library] - 1;
}

static uint32_t class_put(struct publish *g, unsigned class)
{
	const struct class *c = &classes[class];
	uintptr_t at = (uintptr_t)c->descriptor;
	const struct library_segment *s = segment_known(at);

	if (!g->class[class])
		g->class[class] = 1 + share_class(g->out, &(struct share_class){
			.name = share_text(g->out, c->name),
			.library = library_put(g, s ? s->library : 0),
			.at = s ? at - s->base : 0,
			.size = c->size,
			.family = c->family,
		});
	return g->class[class] - 1;
}

static uint32_t what_put(struct publish *g, const struct node *n)
{
	if (n->kind == NODE_UNTYPED || n->kind == NODE_VARIABLE)
		return library_put(g, n->id);
	return class_put(g, n->id);
}

/* The number of an owner in the file, plus one; 0: none. */
static uint32_t owner_put(struct publish *g, uint32_t node)
{
	const struct node *n = &nodes[node];
	struct share_owner o = {.kind = n->kind};

	if (!node || g->owner[node])
		return g->owner[node];
	o.owner = owner_put(g, n->owner);
	o.what = what_put(g, n);
	o.name = n->kind == NODE_VARIABLE && n->site ? share_text(g->out, (const char *)n->site)
						     : NONE;
	return g->owner[node] = 1 + share_owner(g->out, &o);
}

static void block_put(struct publish *g, const struct census_block *b)
{
	uint64_t key = node_key(&g->keys, b->node);
	const struct node *now = &nodes[b->now];
	/* Of a block with an owner no report depends on that. */
	unsigned rooted = b->rooted && !now->owner;
	uint64_t h = mixed(mixed(key, b->size), (uint64_t)b->now << 1 | rooted);
	uint32_t at = (uint32_t)(h >> 32) & g->mask, i;

	for (; (i = g->hash[at]); at = (at + 1) & g->mask) {
		struct share_group *k = &g->out->group[i - 1];

		if (k->key == key && k->size == b->size && k->node == b->now &&
		    k->rooted == rooted) {
			k->n++;
			return;
		}
	}
	g->hash[at] = 1 + share_group(g->out, &(struct share_group){
		.key = key,
		.size = b->size,
		.n = 1,
		.node = b->now,
		.rooted = rooted,
		.kind = now->kind,
		.what = what_put(g, now),
		.owner = owner_put(g, now->owner),
	});
}

void share_publish(const struct census *c)
{
	struct publish g = {.mask = 1};
	size_t i, words;
	uint32_t *area;

	while (g.mask < 2 * c->n)
		g.mask = 2 * g.mask + 1;
	words = g.mask + 1ul + NODE_MAX + CLASS_MAX + LIBRARY_MAX;
	area = area_map(words * sizeof(*area));
	g.out = share_write_new(c->n);
	if (area && g.out && keys_make(&g.keys)) {
		g.hash = area;
		g.owner = g.hash + g.mask + 1;
		g.class = g.owner + NODE_MAX;
		g.library = g.class + CLASS_MAX;
		for (i = 0; i < c->n; i++)
			block_put(&g, &c->at[i]);
		g.out->head.unread = c->bytes_unread;
		g.out->head.edges = c->edges;
		g.out->head.agree = c->agree;
		g.out->head.disagree = c->disagree;
		g.out->head.claims = tally.claims - before.claims;
		g.out->head.wrong = tally.wrong - before.wrong;
		g.out->head.missed = tally.missed - before.missed;
		g.out->head.unchecked = tally.unchecked - before.unchecked;
		share_write(g.out, shared);
	}
	keys_release(&g.keys);
	share_write_free(g.out);
	if (area)
		area_unmap(area, words * sizeof(*area));
}

/* ---- what is used ---- */

/* Blocks of one type, site and size: how many there are here and how many there, where they are in one group or more. */
struct like_size {
	uint64_t key, size;
	uint32_t here, there;
	uint32_t group; /* the first with blocks left, plus one */
};
/* All of one type and site: a group of them, and whether the others are the same. */
struct like_site {
	uint64_t key;
	uint32_t group; /* plus one */
	uint32_t alike;
};
/* What blocks of one kind are here: most blocks have one, and there are few kinds. */
struct like_kind {
	uint32_t slot;	/* plus one; NONE: there is none in the file */
	uint32_t group;	/* the last one that a block was given, plus one */
	uint32_t now;	/* and its node then */
};
struct match {
	struct share_keys keys;
	const struct share_read *in;
	uint32_t *class, *owner; /* of those in the file: the class, the node */
	struct like_size *slot;
	struct like_site *site;
	struct like_kind *kind;
	uint32_t slot_n, site_n, *slot_hash, *site_hash; /* rows without gaps have fewer pages */
	uint32_t mask;	/* of both */
	uint32_t *next; /* groups of a slot, plus one */
	uint32_t *left; /* of each group: blocks that it has yet to be given */
};

/* The library of that name, 0: it is not loaded. */
static const struct library_segment *library_named(const char *name)
{
	const struct library_segments *s = segments_known();
	unsigned i;

	for (i = 0; s && i < s->n; i++)
		if (!strcmp(library_get(s->at[i].library)->name, name))
			return &s->at[i];
	return NULL;
}

/* A class whose descriptor may be unloaded; 0: none. */
static unsigned class_named(const char *name, const struct share_class *k)
{
	unsigned c;

	for (c = class_n; c; c--)
		if (classes[c].family == k->family && classes[c].size == k->size &&
		    !strcmp(classes[c].name, name))
			break;
	return c;
}

static unsigned class_here(const struct share_read *in, const struct share_class *k)
{
	const struct library_segment *s = library_named(share_name(in, k->library));
	const char *name = share_name(in, k->name);
	uintptr_t at = s ? s->base + k->at : 0;
	unsigned c = 0;

	if (k->family == FAMILY_CXX || k->family == FAMILY_PYTHON)
		return class_add_foreign(at, name, k->family);
	if (s && k->family < FAMILIES)
		c = class_there((const void *)at, k->family);
	return c && classes[c].size == k->size && !strcmp(classes[c].name, name)
		       ? c
		       : class_named(name, k);
}

/* What a class or a library is here; 0: unknown. */
static unsigned what_here(const struct match *t, uint32_t kind, uint32_t what)
{
	const struct library_segment *s;

	if (kind == NODE_CLASS || kind == NODE_SLAB)
		return what < t->in->head->class_n ? t->class[what] : 0;
	if (kind != NODE_UNTYPED && kind != NODE_VARIABLE)
		return 0;
	s = library_named(share_name(t->in, what));
	return s ? s->library : 0;
}

static uint32_t owner_here(const struct match *t, const struct share_owner *o, uint32_t number)
{
	unsigned what = what_here(t, o->kind, o->what);
	uint32_t owner = 0;
	uintptr_t name = 0;

	if (!what || o->owner > number)
		return 0;
	if (o->owner)
		owner = t->owner[o->owner - 1];
	if (o->name != NONE) {
		const char *from = share_name(t->in, o->name);
		char *copy = area_bytes(strlen(from) + 1);

		if (!copy)
			return 0;
		name = (uintptr_t)strcpy(copy, from);
	}
	return node_get_at(o->kind, what, owner, name, 0);
}

/* Everything that the file speaks of is here, too. */
static int names_find(struct match *t)
{
	const struct share_head *h = t->in->head;
	uint32_t i;

	for (i = 0; i < h->class_n; i++)
		if (!(t->class[i] = class_here(t->in, &t->in->class[i])))
			return 0;
	for (i = 0; i < h->owner_n; i++)
		if (!(t->owner[i] = owner_here(t, &t->in->owner[i], i)))
			return 0;
	return 1;
}

/* Where its number is, or belongs. */
static uint32_t *slot_find(const struct match *t, uint64_t key, uint64_t size)
{
	uint32_t at = (uint32_t)(mixed(key, size) >> 32) & t->mask, i;

	while ((i = t->slot_hash[at]) && (t->slot[i - 1].key != key || t->slot[i - 1].size != size))
		at = (at + 1) & t->mask;
	return &t->slot_hash[at];
}

static uint32_t *site_find(const struct match *t, uint64_t key)
{
	uint32_t at = (uint32_t)(key >> 32) & t->mask, i;

	while ((i = t->site_hash[at]) && t->site[i - 1].key != key)
		at = (at + 1) & t->mask;
	return &t->site_hash[at];
}

/* NULL: there is none in the file. */
static struct like_size *slot_of(struct match *t, const struct census_block *b)
{
	uint32_t *known = b->kind ? &t->kind[b->kind].slot : NULL, i = known ? *known : 0;

	if (!i) {
		i = *slot_find(t, node_key(&t->keys, b->node), b->size) ?: NONE;
		if (known)
			*known = i;
	}
	return i != NONE ? &t->slot[i - 1] : NULL;
}

static struct like_site *site_of(const struct match *t, uint64_t key)
{
	uint32_t i = *site_find(t, key);

	return i ? &t->site[i - 1] : NULL;
}

static struct like_size *slot_enter(struct match *t, uint64_t key, uint64_t size)
{
	uint32_t *i = slot_find(t, key, size);

	if (!*i) {
		t->slot[t->slot_n] = (struct like_size){.key = key, .size = size};
		*i = ++t->slot_n;
	}
	return &t->slot[*i - 1];
}

static struct like_site *site_enter(struct match *t, uint64_t key)
{
	uint32_t *i = site_find(t, key);

	if (!*i) {
		t->site[t->site_n] = (struct like_site){.key = key};
		*i = ++t->site_n;
	}
	return &t->site[*i - 1];
}

static int groups_alike(const struct share_group *a, const struct share_group *b)
{
	return a->kind == b->kind && a->what == b->what && a->owner == b->owner &&
	       a->rooted == b->rooted;
}

static void groups_enter(struct match *t)
{
	uint32_t i;

	for (i = 0; i < t->in->head->group_n; i++) {
		const struct share_group *g = &t->in->group[i];
		struct like_size *slot = slot_enter(t, g->key, g->size);
		struct like_site *site = site_enter(t, g->key);

		slot->there += g->n;
		t->next[i] = slot->group;
		slot->group = i + 1;
		t->left[i] = g->n;
		site->alike =
			!site->group ||
			(site->alike && groups_alike(&t->in->group[site->group - 1], g));
		site->group = i + 1;
	}
}

static int block_is(const struct match *t, struct census_block *b, const struct share_group *g)
{
	struct like_kind *k = b->kind ? &t->kind[b->kind] : NULL;
	uint32_t group = (uint32_t)(g - t->in->group) + 1;
	unsigned what;

	b->rooted = g->rooted;
	if (k && k->group == group) {
		b->now = k->now;
		return 1;
	}
	what = g->kind == NODE_UNTYPED ? nodes[b->node].id : what_here(t, g->kind, g->what);
	if (!what || g->owner > t->in->head->owner_n ||
	    (g->kind == NODE_UNTYPED && nodes[b->node].kind != NODE_UNTYPED))
		return 0;
	b->now = node_change(b->node, g->kind, what, g->owner ? t->owner[g->owner - 1] : 0);
	if (k) {
		k->group = group;
		k->now = b->now;
	}
	return 1;
}

/* As many of the same size, or all of the type and site are alike there: only the owner may be that of another size. */
static int block_match(struct match *t, struct census_block *b)
{
	struct like_size *slot = slot_of(t, b);
	const struct like_site *site;
	const struct share_group *g;

	if (slot && slot->here == slot->there) {
		while (!t->left[slot->group - 1])
			slot->group = t->next[slot->group - 1];
		t->left[slot->group - 1]--;
		return block_is(t, b, &t->in->group[slot->group - 1]);
	}
	site = site_of(t, node_key(&t->keys, b->node));
	g = site && site->alike ? &t->in->group[site->group - 1] : NULL;
	if (!g || (!slot && g->kind != nodes[b->node].kind))
		return 0;
	return block_is(t, b, g);
}

static int blocks_match(struct match *t, struct census *c)
{
	int good = 1;
	size_t i;

	for (i = 0; i < c->n; i++) {
		struct like_size *slot = slot_of(t, &c->at[i]);

		if (slot)
			slot->here++;
	}
	for (i = 0; i < c->n && good; i++)
		good = block_match(t, &c->at[i]);
	for (i = 0; i < c->n && !good; i++) {
		c->at[i].now = c->at[i].node;
		c->at[i].rooted = 0;
	}
	return good;
}

static void counts_copy(struct census *c, const struct share_head *h)
{
	c->of = h->pid;
	c->bytes_unread = h->unread;
	c->edges = h->edges;
	c->agree = h->agree;
	c->disagree = h->disagree;
	tally.claims += h->claims;
	tally.wrong += h->wrong;
	tally.missed += h->missed;
	tally.unchecked += h->unchecked;
}

static void match_release(const struct match *t, size_t bytes)
{
	if (t->slot)
		area_unmap(t->slot, bytes);
	if (t->kind)
		area_unmap(t->kind, KIND_MAX * sizeof(*t->kind));
}

static int match_all(struct census *c, const struct share_read *in, struct share_keys keys)
{
	struct match t = {.keys = keys, .in = in, .mask = 1};
	const struct share_head *h = in->head;
	size_t bytes;
	int good;

	while (t.mask < 2 * h->group_n)
		t.mask = 2 * t.mask + 1;
	bytes = h->group_n * (sizeof(*t.slot) + sizeof(*t.site)) +
		(2 * (t.mask + 1ul) + 2ul * h->group_n + h->class_n + h->owner_n) *
			sizeof(uint32_t);
	t.slot = area_map(bytes);
	t.kind = area_map(KIND_MAX * sizeof(*t.kind));
	if (!t.slot || !t.kind) {
		match_release(&t, bytes);
		return 0;
	}
	area_fill(t.slot, bytes);
	t.site = (struct like_site *)(t.slot + h->group_n);
	t.slot_hash = (uint32_t *)(t.site + h->group_n);
	t.site_hash = t.slot_hash + t.mask + 1;
	t.next = t.site_hash + t.mask + 1;
	t.left = t.next + h->group_n;
	t.class = t.left + h->group_n;
	t.owner = t.class + h->class_n;
	groups_enter(&t);
	good = names_find(&t) && blocks_match(&t, c);
	if (good)
		counts_copy(c, h);
	match_release(&t, bytes);
	return good;
}

/* ---- who searches ---- */

/* What processes have that are not alike is in several files. */
static enum share_part part_choose(struct census *c, struct share_keys *k)
{
	struct share_read in;
	char name[NAME_BYTES];
	int given, i;

	for (i = 0; i < FILES; i++) {
		snprintf(name, sizeof(name), TAU_SHARED_CENSUS "%d", i);
		if (share_create(name)) {
			memcpy(shared, name, sizeof(shared));
			return SHARE_FIRST;
		}
		if (errno != EEXIST || !share_await(&in, name))
			return SHARE_ALONE;
		given = match_all(c, &in, *k);
		share_read_end(&in);
		if (given)
			return SHARE_GIVEN;
	}
	return SHARE_ALONE;
}

enum share_part share_begin(struct census *c)
{
	struct share_keys keys = {0};
	enum share_part part = SHARE_ALONE;
	int e = errno;

	before = tally;
	if (library_any_flags() && !stacks && !rule_n && tau_share && keys_make(&keys))
		part = part_choose(c, &keys);
	keys_release(&keys);
	errno = e;
	return part;
}

void share_end(void)
{
	if (*shared)
		share_remove(shared);
	*shared = 0;
}
