/* ends.c: what happens when a thread ends, and in the child of a fork. */
#include <pthread.h>
#include <string.h>
#include "area.h"
#include "block.h"
#include "budget.h"
#include "kind.h"
#include "live.h"
#include "map.h"
#include "node.h"
#include "stack.h"
#include "tau.h"
#include "thread.h"

/* The thread ends. Destructors of other keys may still allocate: they use slot 0 from here on. */
static void slot_end(void *value)
{
	struct slot *s = value;

	if (self.slot != s)
		return;
	if (!is_busy()) {
		busy_begin();
		gate_enter(s);
		pending_flush(s);
		memset(&s->filling, 0, sizeof(s->filling));
		s->building = 0;
		self.closed |= CLOSED_SLOW;
		self.slot = &slots[0];
		self.passed = NULL;
		gate_leave(s);
		__atomic_store_n(&s->used, 0, __ATOMIC_RELEASE);
		busy_end();
	}
}

/*
 * The child has one thread and a recorder of its own, which knows of no block. What the parent allocated is not the
 * child's allocation: the table starts empty, and frees of inherited blocks pass in silence.
 */
static void fork_child(void)
{
	busy_begin();
	area_unlock();
	thread_after_fork();
	live_clear();
	kind_unlock();
	stack_unlock();
	map_forget();
	node_forget_memtypes();
	budget_after_fork();
	busy_end();
}

static __attribute__((constructor)) void prepare(void)
{
	if (!tau_permitted())
		return;
	busy_begin();
	if (!slots)
		thread_init();
	thread_on_end(slot_end);
	pthread_atfork(NULL, NULL, fork_child);
	busy_end();
}
