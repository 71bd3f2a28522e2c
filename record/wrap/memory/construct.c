/*
 * construct.c: hooks around the constructors of a class: which object is under construction, what
 * was built where, what was allocated inside.
 *
 * A descriptor holds the constructors of its class and all parents as one array, run first to last
 * on a new object. The array is replaced by a copy with one of our functions at each end. So
 * construction is bracketed, constructors called by constructors nest, and every block allocated in
 * between has an owner, without changes to the code that creates objects. The original array stays
 * with its library, which frees it.
 *
 * opal_class_initialize and pmix_class_initialize are interposed for that.
 */
#include <string.h>
#include "area.h"
#include "block.h"
#include "class.h"
#include "construct.h"
#include "hints.h"
#include "live.h"
#include "node.h"
#include "thread.h"
#include "own/own.h"

static void begin(void *object, unsigned family)
{
	struct slot *s;
	unsigned class;

	if (is_busy())
		return;
	class = class_find(*(void **)((char *)object + family_offset[family]));
	if (!class)
		return;
	s = thread_enter();
	construct_seen(s, (uintptr_t)object, class);
	if (s->building < CONSTRUCT_DEPTH)
		s->built[s->building] = (struct built){.object = (uintptr_t)object, .class = class};
	s->building++;
	thread_leave(s);
}

static void begin_opal(void *object)
{
	begin(object, FAMILY_OPAL);
}

/* PMIx has had its class pointer in two places. The first object built shows where. */
static void begin_pmix(void *object)
{
	static int known;
	void **word = object;

	if (unlikely(!known)) {
		known = 1;
		if (class_find(word[0]))
			family_offset[FAMILY_PMIX] = 0;
	}
	begin(object, FAMILY_PMIX);
}

/* Closes down to the object: an inner one whose end never came is closed with it. */
static void end(void *object)
{
	struct slot *s;
	unsigned i;

	if (is_busy())
		return;
	s = thread_enter();
	if (s->building > CONSTRUCT_DEPTH) {
		s->building--;
	} else {
		for (i = s->building; i-- > 0;) {
			if (s->built[i].object == (uintptr_t)object) {
				s->building = i;
				break;
			}
		}
	}
	thread_leave(s);
}

static void (*const begins[FAMILIES])(void *) = { begin_opal, begin_pmix };

void construct_hook(struct descriptor *d, unsigned family)
{
	void (**array)(void *) = d->construct_array, (**ours)(void *);
	size_t n = 0;

	if (!array || array[0] == begins[family])
		return;
	while (array[n])
		n++;
	ours = area_bytes((n + 3) * sizeof(*ours));
	if (!ours)
		return;
	ours[0] = begins[family];
	memcpy(&ours[1], array, n * sizeof(*ours));
	ours[n + 1] = end;
	ours[n + 2] = NULL;
	__atomic_store_n(&d->construct_array, ours, __ATOMIC_RELEASE);
}

/* The block being filled has objects of one class at one distance for two thirds of its length: it is a slab. */
static void filling_settle(struct filling *f)
{
	struct live_block b;

	if (f->n < 3 || f->n * f->stride * 3 < f->size * 2)
		return;
	if (live_find(f->address, &b) && nodes[b.node].kind == NODE_UNTYPED)
		block_retype(f->address, b.size, b.node,
			     node_change(b.node, NODE_SLAB, f->class, nodes[b.node].owner));
	f->address = 0;
}

static void seen_inside_filling(struct filling *f, uintptr_t object, unsigned class)
{
	size_t stride = object - f->last;

	if (f->class == class && f->n == 1 && stride >= classes[class].size) {
		f->stride = stride;
		f->n = 2;
	} else if (f->class == class && f->n > 1 && stride == f->stride) {
		f->n++;
	} else if (object - f->last >= (f->class ? classes[f->class].size : 0)) {
		f->class = class;
		f->n = 1;
	} else {
		return;	/* a member of the newest object */
	}
	f->last = object;
	filling_settle(f);
}

/* A whole block is one object: constructed some time after it was allocated. */
static void seen_whole(uintptr_t object, unsigned class)
{
	struct live_block b;

	if (!live_find(object, &b) || !class_fits(class, b.size))
		return;
	tally_add(&tally.constructed);
	if (nodes[b.node].kind != NODE_CLASS || nodes[b.node].id != class)
		block_retype(object, b.size, b.node,
			     node_change(b.node, NODE_CLASS, class, nodes[b.node].owner));
}

void construct_seen(struct slot *s, uintptr_t object, unsigned class)
{
	struct pending *p = &s->pending;
	struct filling *f = &s->filling;

	if (object == p->address) {
		if (class_fits(class, p->size)) {
			tally_add(&tally.constructed);
			p->class = class;
		}
	} else if (f->address && object - f->address < f->size && object != f->address) {
		seen_inside_filling(f, object, class);
	} else {
		seen_whole(object, class);
	}
}

/* ---- the functions of the runtime ---- */

static void (*real_opal)(struct descriptor *), (*real_pmix)(struct descriptor *);

/*
 * The object for which the class is initialized was allocated a moment ago and has no class pointer
 * yet: its pending entry is kept apart, so that the allocations of the initialization do not push
 * it out too early.
 */
static void initialize(void (*real)(struct descriptor *), struct descriptor *d, unsigned family)
{
	struct pending kept = {0};
	struct slot *s;

	if (!is_busy()) {
		s = thread_enter();
		kept = s->pending;
		s->pending.address = 0;
		thread_leave(s);
	}
	real(d);
	if (is_busy())
		return;
	busy_begin();
	if (class_add(d, family))
		construct_hook(d, family);
	busy_end();
	s = thread_enter();
	pending_flush(s);
	s->pending = kept;
	thread_leave(s);
}

EXPORT void opal_class_initialize(struct descriptor *d);
EXPORT void pmix_class_initialize(struct descriptor *d);

void opal_class_initialize(struct descriptor *d)
{
	if (!real_opal)
		real_opal = (void (*)(struct descriptor *))own_next("opal_class_initialize");
	if (real_opal)
		initialize(real_opal, d, FAMILY_OPAL);
}

void pmix_class_initialize(struct descriptor *d)
{
	if (!real_pmix)
		real_pmix = (void (*)(struct descriptor *))own_next("pmix_class_initialize");
	if (real_pmix)
		initialize(real_pmix, d, FAMILY_PMIX);
}
