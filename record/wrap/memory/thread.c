/* thread.c: the slots of the threads. */
#include <errno.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "area.h"
#include "hints.h"
#include "own/own.h"
#include "thread.h"

#define SLOTS 4096
#define SPINS 64

__thread struct memory_thread self = { .closed = CLOSED_SLOW };

int recording, census_only, heap_counted;
int64_t heap_shared;

struct slot *slots;
static unsigned slots_high = 1;	/* slots below this one have been used */
static pthread_key_t slot_key;
static volatile int slot_key_made;
static int slots_lock;		/* who has which slot; held by a census from beginning to end */
static int hold_lock;		/* held by a thread that holds other threads' slots */
static int shared_lock;		/* of slot 0 */
static int gates_fenced;	/* no membarrier: the short way stays closed, and the long one has a fence */

/* ---- gates ---- */

/* Other threads, wherever they are, see what this one has stored before, and it sees what they have. */
static void gates_settle(void)
{
	if (!gates_fenced)
		system_call(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* The first call comes before there is a second thread. */
static void gates_prepare(void)
{
	if (system_call(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) < 0)
		gates_fenced = 1;
}

void gate_wait(struct slot *s)
{
	unsigned i = 0;
	int e = errno;

	do {
		gate_leave(s);
		while (__atomic_load_n(&s->stop, __ATOMIC_ACQUIRE)) {
			if (++i < SPINS)
				cpu_pause();
			else
				sched_yield();
		}
		++*(volatile int *)&s->gate;
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
	} while (__atomic_load_n(&s->stop, __ATOMIC_ACQUIRE));
	errno = e;
}

/* The owner has left: he will not enter while `stop` is set. */
static void gate_until_open(struct slot *s)
{
	unsigned i = 0;

	while (__atomic_load_n(&s->gate, __ATOMIC_ACQUIRE))
		if (++i >= SPINS)
			sched_yield();
}

int slot_hold(struct slot *s, int wait)
{
	int e = errno, held = 1;

	if (wait)
		lock_acquire(&hold_lock);
	else if (!lock_try(&hold_lock))
		return 0;
	__atomic_store_n(&s->stop, 1, __ATOMIC_RELEASE);
	gates_settle();
	if (wait)
		gate_until_open(s);
	else if (__atomic_load_n(&s->gate, __ATOMIC_ACQUIRE))
		held = 0;
	if (!held)
		slot_release(s);
	errno = e;
	return held;
}

void slot_release(struct slot *s)
{
	__atomic_store_n(&s->stop, 0, __ATOMIC_RELEASE);
	lock_release(&hold_lock);
}

struct slot *thread_enter(void)
{
	struct slot *s;

	busy_begin();
	s = likely(self.slot != NULL) ? self.slot : thread_slot_slow();
	if (unlikely(s == slots))
		lock_acquire(&shared_lock);
	if (unlikely(gates_fenced)) {
		++*(volatile int *)&s->gate;
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		if (__atomic_load_n(&s->stop, __ATOMIC_ACQUIRE))
			gate_wait(s);
	} else {
		gate_enter(s);
	}
	return s;
}

void thread_leave(struct slot *s)
{
	int why = CLOSED_SLOW;

	if ((recording || census_only) && !gates_fenced && s != slots && !s->pending.address &&
	    !s->building && !s->deferred_n)
		why = heap_counted || !recording ? CLOSED_ASIDE : 0;
	self.closed = (self.closed & (CLOSED_SLOW - 1)) | why;
	gate_leave(s);
	if (unlikely(s == slots))
		lock_release(&shared_lock);
	busy_end();
}

/* ---- slots ---- */

/* First call of a thread. Waits for a census: no slot may appear while all are held. */
struct slot *thread_slot_slow(void)
{
	unsigned i;

	lock_acquire(&slots_lock);
	for (i = 1; i < SLOTS && slots[i].used; i++)
		;
	self.slot = &slots[i < SLOTS ? i : 0];
	self.slot->used = 1;
	self.slot->stack = (uintptr_t)__builtin_frame_address(0);
	self.slot->tls = thread_pointer();
	if (i < SLOTS && slots_high <= i)
		__atomic_store_n(&slots_high, i + 1, __ATOMIC_RELEASE);
	lock_release(&slots_lock);
	/* May allocate a second level of keys; busy is set, so that passes through. */
	if (self.slot != slots && slot_key_made)
		pthread_setspecific(slot_key, self.slot);
	return self.slot;
}

const unsigned *thread_slots(void)
{
	return &slots_high;
}

struct slot *thread_slot(unsigned i)
{
	return i < __atomic_load_n(&slots_high, __ATOMIC_ACQUIRE) ? &slots[i] : NULL;
}

/* A slot that a thread leaves to the next while this goes on has nothing in it. */
void thread_stop_all(void)
{
	struct slot *s;
	unsigned i;

	lock_acquire(&slots_lock);
	lock_acquire(&hold_lock);
	for (i = 0; (s = thread_slot(i)); i++)
		__atomic_store_n(&s->stop, 1, __ATOMIC_RELEASE);
	gates_settle();
	for (i = 0; (s = thread_slot(i)); i++)
		gate_until_open(s);
}

void thread_resume_all(void)
{
	struct slot *s;
	unsigned i;

	for (i = 0; (s = thread_slot(i)); i++)
		__atomic_store_n(&s->stop, 0, __ATOMIC_RELEASE);
	lock_release(&hold_lock);
	lock_release(&slots_lock);
}

int thread_steal(uintptr_t address, struct pending *out)
{
	struct slot *s;
	unsigned i;
	int found = 0;

	for (i = 0; !found && (s = thread_slot(i)); i++) {
		if (__atomic_load_n(&s->pending.address, __ATOMIC_ACQUIRE) != address)
			continue;
		slot_hold(s, 1);
		if (s->pending.address == address) {
			*out = s->pending;
			s->pending.address = 0;
			found = 1;
		}
		slot_release(s);
	}
	return found;
}

int thread_drop(uintptr_t address, size_t *size)
{
	struct slot *s;
	unsigned i;
	int found = 0;

	for (i = 0; !found && (s = thread_slot(i)); i++) {
		if (__atomic_load_n(&s->pending.address, __ATOMIC_ACQUIRE) != address ||
		    !slot_hold(s, 0))
			continue;
		if (s->pending.address == address) {
			*size = s->pending.size;
			s->pending.address = 0;
			found = 1;
		}
		slot_release(s);
	}
	return found;
}

void thread_after_fork(void)
{
	struct slot *mine = self.slot;
	unsigned high = slots_high;

	self.closed |= CLOSED_SLOW;
	self.passed = NULL;
	memset(slots, 0, high * sizeof(*slots));
	slots_high = mine ? (unsigned)(mine - slots) + 1 : 1;
	if (mine) {
		mine->used = 1;
		mine->stack = (uintptr_t)__builtin_frame_address(0);
		mine->tls = thread_pointer();
	}
	slots_lock = hold_lock = shared_lock = 0;
	gates_prepare();
	heap_shared = 0;
	recording = 0;
}

void thread_on_end(void (*end)(void *slot))
{
	slot_key_made = pthread_key_create(&slot_key, end) == 0;
	if (slot_key_made && self.slot && self.slot != slots)
		pthread_setspecific(slot_key, self.slot);
}

int thread_init(void)
{
	if (!slots) {
		slots = area_map(SLOTS * sizeof(*slots));
		gates_prepare();
	}
	return slots ? 0 : -1;
}
