/*
 * stack.c: the call stacks by which blocks were allocated: each is stored once; nodes hold its
 * address in place of the address of a call.
 */
#include <string.h>
#include "area.h"
#include "hints.h"
#include "library.h"
#include "stack.h"
#include "tau.h"
#include "thread.h"
#include "walk.h"

#define HASH (1u << 16)
#define OWN 12 /* frames of this library at most */

unsigned stacks;
static struct stack **hash;
static int stack_lock;
static uint32_t stack_n, stack_cut_n;
static uint32_t unloads;

int stack_init(unsigned most)
{
	struct tau_frame f;

	if (walk_init())
		return -1;
	if (!hash)
		hash = area_map(HASH * sizeof(*hash));
	if (!hash)
		return -1;
	/* Asks the dynamic linker how it finds modules, once. */
	tau_frame((uintptr_t)__builtin_return_address(0), &f);
	stacks = most < WALK_MOST ? most : WALK_MOST;
	return 0;
}

static uint64_t places_of(const uintptr_t *pc, unsigned n)
{
	uint64_t h = 0;

	for (unsigned i = 0; i < n; i++)
		h = stack_hash(h, library_place(pc[i] - 1));
	return h;
}

void stacks_forget(void)
{
	__atomic_fetch_add(&unloads, 1, __ATOMIC_ACQ_REL);
}

/* Is the code of a stack the same that it was then? */
static int is_there(struct stack *s)
{
	uint32_t now = __atomic_load_n(&unloads, __ATOMIC_ACQUIRE);

	if (unlikely(__atomic_load_n(&s->checked, __ATOMIC_RELAXED) != now)) {
		if (s->places != places_of(s->pc, s->n))
			return 0;
		__atomic_store_n(&s->checked, now, __ATOMIC_RELAXED);
	}
	return 1;
}

static int same(struct stack *s, uint64_t h, const uintptr_t *pc, unsigned n, int whole)
{
	unsigned i = n;

	if (s->hash != h || s->n != n || s->whole != whole)
		return 0;
	while (i && s->pc[i - 1] == pc[i - 1])
		i--;
	return !i && is_there(s);
}

/* The stack of n addresses with that hash; added if it is new; NULL without memory. */
static struct stack *stack_get(const uintptr_t *pc, unsigned n, int whole, uint64_t h)
{
	struct stack *s, **first = &hash[h >> 48];
	uint32_t now = __atomic_load_n(&unloads, __ATOMIC_ACQUIRE);
	uint64_t places;

	for (s = __atomic_load_n(first, __ATOMIC_ACQUIRE); s; s = s->next)
		if (same(s, h, pc, n, whole))
			return s;
	places = places_of(pc, n);
	lock_acquire(&stack_lock);
	for (s = *first; s && !same(s, h, pc, n, whole); s = s->next)
		;
	if (!s && (s = area_bytes(sizeof(*s) + n * sizeof(*pc)))) {
		*s = (struct stack){.next = *first, .hash = h, .places = places, .checked = now, .n = n, .whole = whole};
		memcpy(s->pc, pc, n * sizeof(*pc));
		stack_n++;
		stack_cut_n += !whole;
		__atomic_store_n(first, s, __ATOMIC_RELEASE);
	}
	lock_release(&stack_lock);
	return s;
}

static struct stack *stack_of_site(uintptr_t caller)
{
	return stack_get(&caller, 1, 0, stack_hash(0, caller));
}

/* What was walked ends in this library; the program's part ends with the return to `caller`. */
static struct stack *stack_of(const struct walk *w, uintptr_t caller)
{
	unsigned n = w->n, i;
	uint64_t h = 0;

	while (n && w->pc[n - 1] != caller)
		n--;
	if (!n)
		return stack_of_site(caller);
	if (n <= stacks)
		return stack_get(w->pc, n, w->whole, w->hash[n - 1]);
	for (i = n - stacks; i < n; i++)
		h = stack_hash(h, w->pc[i]);
	return stack_get(w->pc + n - stacks, stacks, 0, h);
}

/* Walks from the frame of this function. */
__attribute__((noinline)) struct stack *stack_here(uintptr_t caller)
{
	uintptr_t *frame = __builtin_frame_address(0);
	struct walk_registers r = {
		.pc = (uintptr_t)__builtin_return_address(0),
		.sp = (uintptr_t)__builtin_dwarf_cfa(),
		.fp = frame[0],
	};
	struct slot *s = likely(self.slot != NULL) ? self.slot : thread_slot_slow();
	struct walk *w = s->walk;

	if (unlikely(s == thread_slot(0)))
		return stack_of_site(caller);
	if (unlikely(!w) && !(w = s->walk = area_map(sizeof(*w))))
		return stack_of_site(caller);
	if (walk(w, r, stacks + OWN) && w->caller == caller)
		return w->stack;
	w->caller = caller;
	w->stack = stack_of(w, caller);
	return w->stack;
}

uint32_t stack_number(struct stack *s)
{
	uint32_t number = __atomic_load_n(&s->number, __ATOMIC_RELAXED);
	unsigned i;

	if (number)
		return number;
	number = s->whole ? 0 : tau_stack(0, 0);
	for (i = 0; i < s->n; i++)
		number = tau_stack(number, s->pc[i]);
	__atomic_store_n(&s->number, number, __ATOMIC_RELAXED);
	return number;
}

uint32_t stack_count(uint32_t *cut)
{
	*cut = stack_cut_n;
	return stack_n;
}

void stack_unlock(void)
{
	stack_lock = 0;
	walk_unlock();
}
