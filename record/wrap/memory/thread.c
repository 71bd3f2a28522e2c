/* thread.c: memory and locks of the wrapper's own, the slots of the threads, and what a fork does to them. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include "memory.h"

#define SLOTS 4096
#define SPINS 64
#define BYTES_CHUNK (256 * 1024)

__thread struct thread self;

/* Slot 0 is shared by threads that have ended their own or never got one: its gate makes that safe. */
static struct slot *slots;
static unsigned slots_high = 1;	/* slots below this one have been used */
static pthread_key_t slot_key;
static volatile int slot_key_made;
static int slots_lock;		/* who has which slot; held by a census from beginning to end */
static int bytes_lock;
static char *bytes_at;
static size_t bytes_left;

void *area_map(size_t bytes)
{
	int e = errno;
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	/* Sparse tables: a huge page for one touched cell would cost the program real memory. */
	if (p != MAP_FAILED && bytes >= 2u << 20)
		madvise(p, bytes, MADV_NOHUGEPAGE);
	errno = e;
	return p == MAP_FAILED ? NULL : p;
}

void area_unmap(void *area, size_t bytes)
{
	int e = errno;

	munmap(area, bytes);
	errno = e;
}

void *area_bytes(size_t bytes)
{
	char *p = NULL;

	bytes = (bytes + 15) & ~(size_t)15;
	if (bytes > BYTES_CHUNK)
		return area_map(bytes);
	lock_take(&bytes_lock);
	if (bytes_left < bytes) {
		p = area_map(BYTES_CHUNK);
		if (p) {
			bytes_at = p;
			bytes_left = BYTES_CHUNK;
		}
	}
	p = NULL;
	if (bytes_left >= bytes) {
		p = bytes_at;
		bytes_at += bytes;
		bytes_left -= bytes;
	}
	lock_drop(&bytes_lock);
	return p;
}

void lock_wait(int *lock)
{
	unsigned i = 0;
	int e = errno;

	while (__atomic_load_n(lock, __ATOMIC_RELAXED) ||
	       __atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE)) {
		if (++i < SPINS)
			__builtin_ia32_pause();
		else
			sched_yield();
	}
	errno = e;
}

/* The thread ends. Destructors of other keys may still allocate: they use slot 0 from here on. */
static void slot_end(void *value)
{
	struct slot *s = value;

	if (self.slot != s)
		return;
	if (!self.busy) {
		self.busy = 1;
		lock_take(&s->gate);
		pending_flush(s);
		memset(&s->filling, 0, sizeof(s->filling));
		s->building = 0;
		self.slot = &slots[0];
		lock_drop(&s->gate);
		__atomic_store_n(&s->used, 0, __ATOMIC_RELEASE);
		self.busy = 0;
	}
}

/* First call of a thread. Waits for a census: no slot may appear while all gates are taken. */
struct slot *thread_slot_slow(void)
{
	unsigned i;

	lock_take(&slots_lock);
	for (i = 1; i < SLOTS && slots[i].used; i++)
		;
	self.slot = &slots[i < SLOTS ? i : 0];
	self.slot->used = 1;
	self.slot->stack = (uintptr_t)__builtin_frame_address(0);
	self.slot->tls = (uintptr_t)__builtin_thread_pointer();
	if (i < SLOTS && slots_high <= i)
		__atomic_store_n(&slots_high, i + 1, __ATOMIC_RELEASE);
	lock_drop(&slots_lock);
	/* May allocate a second level of keys; busy is set, so that passes through. */
	if (self.slot != slots && slot_key_made)
		pthread_setspecific(slot_key, self.slot);
	return self.slot;
}

struct slot *thread_slot(unsigned i)
{
	return i < __atomic_load_n(&slots_high, __ATOMIC_ACQUIRE) ? &slots[i] : NULL;
}

void thread_stop_all(void)
{
	struct slot *s;
	unsigned i;

	lock_take(&slots_lock);
	for (i = 0; (s = thread_slot(i)); i++)
		lock_take(&s->gate);
}

void thread_resume_all(void)
{
	struct slot *s;
	unsigned i;

	for (i = 0; (s = thread_slot(i)); i++)
		lock_drop(&s->gate);
	lock_drop(&slots_lock);
}

int thread_steal(uintptr_t address, struct pending *out)
{
	struct slot *s;
	unsigned i;
	int found = 0;

	for (i = 0; !found && (s = thread_slot(i)); i++) {
		if (__atomic_load_n(&s->pending.address, __ATOMIC_ACQUIRE) != address)
			continue;
		lock_take(&s->gate);
		if (s->pending.address == address) {
			*out = s->pending;
			s->pending.address = 0;
			found = 1;
		}
		lock_drop(&s->gate);
	}
	return found;
}

int thread_drop(uintptr_t address)
{
	struct slot *s;
	unsigned i;

	for (i = 0; (s = thread_slot(i)); i++) {
		if (__atomic_load_n(&s->pending.address, __ATOMIC_ACQUIRE) != address ||
		    !lock_try(&s->gate))
			continue;
		if (s->pending.address == address) {
			s->pending.address = 0;
			lock_drop(&s->gate);
			return 1;
		}
		lock_drop(&s->gate);
	}
	return 0;
}

/*
 * The child has one thread and a recorder of its own, which knows of no block. What the parent allocated is not the
 * child's allocation: the table starts empty, and frees of inherited blocks pass in silence.
 */
static void fork_child(void)
{
	struct slot *mine = self.slot;
	unsigned high = slots_high;

	self.busy = 1;
	memset(slots, 0, high * sizeof(*slots));
	slots_high = mine ? (unsigned)(mine - slots) + 1 : 1;
	if (mine)
		mine->used = 1;
	bytes_lock = slots_lock = 0;
	live_clear();
	node_forget_memtypes();
	recording = 0;
	self.busy = 0;
}

static __attribute__((constructor)) void thread_prepare(void)
{
	self.busy++;
	if (!slots)
		thread_init();
	slot_key_made = pthread_key_create(&slot_key, slot_end) == 0;
	if (slot_key_made && self.slot && self.slot != slots)
		pthread_setspecific(slot_key, self.slot);
	pthread_atfork(NULL, NULL, fork_child);
	self.busy--;
}

int thread_init(void)
{
	if (!slots)
		slots = area_map(SLOTS * sizeof(*slots));
	return slots ? 0 : -1;
}
