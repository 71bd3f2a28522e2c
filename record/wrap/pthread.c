/*
 * pthread.c: the wrapper of POSIX and C11 threads: which thread created a thread, what it runs, and
 * how long it waits for others.
 *
 * Locks and semaphores are tried first. If the attempt succeeds, it costs one test and leaves no
 * record: the profile counts the times that a thread had to wait, and the time of the wait, on each
 * call path. A successful attempt is equivalent to locking, for recursive, robust, error-checking,
 * priority-inheriting and -protecting mutexes too; if the lock is taken, the real call decides
 * again.
 *
 * Each such wait contains a value of the lock (lock_record.h): the thread that holds it, by what
 * libc keeps in a mutex and in a lock that is held for writing.
 *
 * Each new thread gives a sample of the event "Parent thread": the number of the stream that its
 * parent recorded into when it created the thread. Its start routine is a region, unless the module
 * that holds it was compiled with hooks and so records it itself.
 *
 * Cancellation and pthread_exit end a start routine, and leave wrapped calls inside it without a
 * leave; the recorder repairs that.
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <threads.h>

#include "tau.h"
#include "locks/lock_record.h"
#include "own/own.h"

#define SITE __builtin_return_address(0)

/* glibc keeps the owner for its own checks, in mutexes of every type; the mtx_t of C11 is one. */
static inline int mutex_holder(const void *mutex)
{
	const pthread_mutex_t *m = mutex;
	int owner = __atomic_load_n(&m->__data.__owner, __ATOMIC_RELAXED);

	return owner ? tau_stream_of(owner) : HOLDER_UNKNOWN;
}

/* Readers leave no owner. */
static inline int rwlock_holder(const pthread_rwlock_t *lock)
{
	int owner = __atomic_load_n(&lock->__data.__cur_writer, __ATOMIC_RELAXED);

	return owner ? tau_stream_of(owner) : HOLDER_UNKNOWN;
}

typedef void *(*start_routine)(void *);
#include "pthread.gen.c"

/* For a function that this libc does not have: no program can be linked with it. */
static int missing(void)
{
	return ENOSYS;
}

void *wrap_find(const char *symbol)
{
	void *real = own_next(symbol);

	return real ? real : (void *)missing;
}

/* Functions are looked up before the program has threads. */
static __attribute__((constructor)) void begin(void)
{
	for (int i = 0; i < WRAP_FUNCTIONS; i++)
		wrap_real(&wrap_table[i]);
}

/* ---- condition variables and barriers, whose calls are waits ---- */

struct meet_call {
	char unused;
};

static inline int meet_enter(struct meet_call *c, uint32_t id, const char *kind, const void *lock,
			     const void *site)
{
	(void)c;
	if (!tau_call(id))
		return 0;
	lock_record(kind, lock, HOLDER_NONE, site);
	return 1;
}

static inline void meet_leave(struct meet_call *c, uint32_t id, int after)
{
	(void)c;
	(void)after;
	tau_leave(id);
}

#define WRAP_ENTRIES
#include "pthread.gen.c"

/* ---- locks: tried first ---- */

/* kind, address: of the lock; holder: of lock_record(). */
#define LOCK(name, parameters, arguments, try, taken, kind, address, holder)                       \
	WRAP_EXPORT int name parameters                                                            \
	{                                                                                          \
		struct wrap_function *f = &wrap_table[WRAP_##name];                                \
		int ret = try, saved;                                                              \
\
		if (__builtin_expect(ret != (taken), 1))                                           \
			return ret;                                                                \
		if (!wrap_begin(f))                                                                \
			return real_##name arguments;                                              \
		lock_record(kind, address, holder, SITE);                                          \
		ret = real_##name arguments;                                                       \
		saved = errno;                                                                     \
		wrap_end(f, saved);                                                                \
		return ret;                                                                        \
	}
#define UNTIL const struct timespec *until
#define MUTEX(name, parameters, arguments)                                                         \
	LOCK(name, parameters, arguments, real_pthread_mutex_trylock(m), EBUSY, "mutex", m,        \
	     mutex_holder(m))
MUTEX(pthread_mutex_lock, (pthread_mutex_t * m), (m))
MUTEX(pthread_mutex_timedlock, (pthread_mutex_t * m, UNTIL), (m, until))
MUTEX(pthread_mutex_clocklock, (pthread_mutex_t * m, clockid_t clock, UNTIL), (m, clock, until))

#define RWLOCK(name, parameters, arguments, try)                                                   \
	LOCK(name, parameters, arguments, try(l), EBUSY, "rwlock", l, rwlock_holder(l))
#define READ  real_pthread_rwlock_tryrdlock
#define WRITE real_pthread_rwlock_trywrlock
RWLOCK(pthread_rwlock_rdlock, (pthread_rwlock_t * l), (l), READ)
RWLOCK(pthread_rwlock_timedrdlock, (pthread_rwlock_t * l, UNTIL), (l, until), READ)
RWLOCK(pthread_rwlock_clockrdlock, (pthread_rwlock_t * l, clockid_t clock, UNTIL),
       (l, clock, until), READ)
RWLOCK(pthread_rwlock_wrlock, (pthread_rwlock_t * l), (l), WRITE)
RWLOCK(pthread_rwlock_timedwrlock, (pthread_rwlock_t * l, UNTIL), (l, until), WRITE)
RWLOCK(pthread_rwlock_clockwrlock, (pthread_rwlock_t * l, clockid_t clock, UNTIL),
       (l, clock, until), WRITE)

LOCK(pthread_spin_lock, (pthread_spinlock_t * l), (l), real_pthread_spin_trylock(l), EBUSY,
     "spin lock", (const void *)l, HOLDER_UNKNOWN)
LOCK(mtx_lock, (mtx_t * m), (m), real_mtx_trylock(m), thrd_busy, "mutex", m, mutex_holder(m))
LOCK(mtx_timedlock, (mtx_t * m, UNTIL), (m, until), real_mtx_trylock(m), thrd_busy, "mutex", m,
     mutex_holder(m))

/* Waiting for a semaphore is a cancellation point also when it does not wait. errno stays as it was
 * unless this fails. */
static inline int semaphore_try(sem_t *s)
{
	int saved = errno, ret;

	pthread_testcancel();
	ret = real_sem_trywait(s);
	if (ret == 0 || errno != EAGAIN)
		return ret;
	errno = saved;
	return 1;
}
#define SEMAPHORE(name, parameters, arguments)                                                     \
	LOCK(name, parameters, arguments, semaphore_try(s), 1, "semaphore", s, HOLDER_NONE)
SEMAPHORE(sem_wait, (sem_t * s), (s))
SEMAPHORE(sem_timedwait, (sem_t * s, UNTIL), (s, until))
SEMAPHORE(sem_clockwait, (sem_t * s, clockid_t clock, UNTIL), (s, clock, until))

/* ---- how threads begin ---- */

void __cyg_profile_func_enter(void *function, void *call_site) __attribute__((weak));
void __cyg_profile_func_exit(void *function, void *call_site) __attribute__((weak));

/* What a thread that has not begun yet must know. Where all are taken, a thread begins unseen. */
#define STARTS 1024
static struct thread_start {
	int taken;
	int parent;
	start_routine routine; /* one of the two */
	thrd_start_t c11_routine;
	void *argument;
} starts[STARTS];

static struct thread_start *start_claim(void)
{
	static unsigned hint;
	unsigned first = __atomic_fetch_add(&hint, 1, __ATOMIC_RELAXED);

	for (unsigned i = 0; i < STARTS; i++) {
		struct thread_start *s = &starts[(first + i) % STARTS];
		int no = 0;

		if (__atomic_compare_exchange_n(&s->taken, &no, 1, 0, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return s;
	}
	return NULL;
}

static void start_release(struct thread_start *s)
{
	__atomic_store_n(&s->taken, 0, __ATOMIC_RELEASE);
}

struct hooks_search {
	uintptr_t address;
	int found;
};

/* Does the module that holds the address ask for the functions that compiler hooks call? */
static int module_hooks(struct dl_phdr_info *info, size_t size, void *data)
{
	static const char name[] = "\0__cyg_profile_func_enter";
	struct hooks_search *search = data;
	const ElfW(Dyn) *dynamic = NULL;
	const char *strings = NULL;
	size_t length = 0;
	int here = 0;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD &&
		    search->address - info->dlpi_addr - p->p_vaddr < p->p_memsz)
			here = 1;
		if (p->p_type == PT_DYNAMIC)
			dynamic = (const void *)(info->dlpi_addr + p->p_vaddr);
	}
	if (!here)
		return 0;
	for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
		if (dynamic->d_tag == DT_STRTAB)
			strings = (const char *)dynamic->d_un.d_ptr;
		if (dynamic->d_tag == DT_STRSZ)
			length = dynamic->d_un.d_val;
	}
	search->found = strings && (uintptr_t)strings > info->dlpi_addr &&
			memmem(strings, length, name, sizeof(name)) != NULL;
	return 1;
}

/* Whether the start routine is recorded by itself; remembered, because programs start the same few
 * again and again. */
static int has_hooks(const void *routine)
{
	static uintptr_t known[64]; /* address << 1 | answer */
	uintptr_t *at = &known[(uintptr_t)routine >> 4 & 63],
		  seen = __atomic_load_n(at, __ATOMIC_RELAXED);
	struct hooks_search search = {(uintptr_t)routine, 0};

	if (seen >> 1 == ((uintptr_t)routine & ~0ul >> 1))
		return (int)(seen & 1);
	tau_hide();
	dl_iterate_phdr(module_hooks, &search);
	tau_show();
	__atomic_store_n(at, (uintptr_t)routine << 1 | (unsigned)search.found, __ATOMIC_RELAXED);
	return search.found;
}

/* ---- threads of C++, which all begin with the same function of libstdc++ ---- */

struct code_search {
	uintptr_t address;
	int found; /* the address is in code */
};

static int module_code(struct dl_phdr_info *info, size_t size, void *data)
{
	struct code_search *search = data;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_X &&
		    search->address - info->dlpi_addr - p->p_vaddr < p->p_memsz)
			search->found = 1;
	}
	return search->found;
}

/* Is the start routine that of std::thread? libstdc++ has no other that threads begin with. The last answers are remembered. */
static int is_of_cxx(const void *routine)
{
	static const void *known[2]; /* one that is not, one that is */
	const char *name;
	Dl_info info;
	int is;

	for (is = 0; is < 2; is++)
		if (__atomic_load_n(&known[is], __ATOMIC_RELAXED) == routine)
			return is;
	if (!dladdr(routine, &info) || !info.dli_fname)
		return 0;
	name = strrchr(info.dli_fname, '/');
	is = !strncmp(name ? name + 1 : info.dli_fname, "libstdc++.so", 12);
	__atomic_store_n(&known[is], routine, __ATOMIC_RELAXED);
	return is;
}

/*
 * What a thread of C++ runs: the third function of its argument's class, as std::thread::_State has it: two destructors, then
 * _M_run(). Its name contains std::thread's arguments. If the entry is no code: the routine itself.
 */
static void *cxx_body(void *routine, void *argument)
{
	struct code_search search = {0, 0};
	uintptr_t *const *object = argument;

	tau_hide();
	if (is_of_cxx(routine) && object && *object) {
		search.address = (*object)[2];
		dl_iterate_phdr(module_code, &search);
	}
	tau_show();
	return search.found ? (void *)search.address : routine;
}

static void parent_record(int parent)
{
	static uint32_t event;
	uint32_t id = __atomic_load_n(&event, __ATOMIC_RELAXED);

	if (!id) {
		id = tau_event("Parent thread", 0);
		__atomic_store_n(&event, id, __ATOMIC_RELAXED);
	}
	tau_trigger(id, parent);
}

/* Takes over what the parent left; returns the routine if it is to be a region, else NULL. */
static void *start_begin(struct thread_start *in, struct thread_start *out)
{
	int saved = errno;
	void *routine;

	*out = *in;
	start_release(in);
	routine = out->routine ? (void *)out->routine : (void *)out->c11_routine;
	if (tau_active()) {
		parent_record(out->parent);
		if (out->routine)
			routine = cxx_body(routine, out->argument);
		if (__cyg_profile_func_enter && !has_hooks(routine))
			__cyg_profile_func_enter(routine, NULL);
		else
			routine = NULL;
	} else {
		routine = NULL;
	}
	errno = saved;
	return routine;
}

/* Of the wrapper openmp: a thread of the runtime that ends is idle until now. */
void tau_openmp_idle_over(void) __attribute__((weak));

static void start_end(void *region)
{
	if (!region)
		return;
	if (tau_openmp_idle_over)
		tau_openmp_idle_over();
	__cyg_profile_func_exit(region, NULL);
}

static void *thread_main(void *start)
{
	struct thread_start s;
	void *region = start_begin(start, &s), *result;

	pthread_cleanup_push(start_end, region);
	result = s.routine(s.argument);
	pthread_cleanup_pop(1);
	return result;
}

static int thread_main_c11(void *start)
{
	struct thread_start s;
	void *region = start_begin(start, &s);
	int result;

	pthread_cleanup_push(start_end, region);
	result = s.c11_routine(s.argument);
	pthread_cleanup_pop(1);
	return result;
}

WRAP_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			       start_routine routine, void *argument)
{
	struct wrap_function *f = &wrap_table[WRAP_pthread_create];
	struct thread_start *s = NULL;
	int ret, saved;

	if (!wrap_begin(f))
		return real_pthread_create(thread, attributes, routine, argument);
	s = start_claim();
	if (s) {
		s->parent = Tau_get_thread();
		s->routine = routine;
		s->c11_routine = NULL;
		s->argument = argument;
		ret = real_pthread_create(thread, attributes, thread_main, s);
	} else {
		ret = real_pthread_create(thread, attributes, routine, argument);
	}
	saved = errno;
	if (ret && s)
		start_release(s);
	wrap_end(f, saved);
	return ret;
}

WRAP_EXPORT int thrd_create(thrd_t *thread, thrd_start_t routine, void *argument)
{
	struct wrap_function *f = &wrap_table[WRAP_thrd_create];
	struct thread_start *s;
	int ret, saved;

	if (!wrap_begin(f))
		return real_thrd_create(thread, routine, argument);
	s = start_claim();
	if (s) {
		s->parent = Tau_get_thread();
		s->routine = NULL;
		s->c11_routine = routine;
		s->argument = argument;
		ret = real_thrd_create(thread, thread_main_c11, s);
	} else {
		ret = real_thrd_create(thread, routine, argument);
	}
	saved = errno;
	if (ret != thrd_success && s)
		start_release(s);
	wrap_end(f, saved);
	return ret;
}
