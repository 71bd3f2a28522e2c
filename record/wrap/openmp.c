/*
 * openmp.c: the wrapper of OpenMP. GNU's libgomp has no interface for tools: the functions that
 * code of gcc calls are wrapped here (openmp.list). LLVM's library has one (openmp/ompt.c): if it is
 * called by these names, calls are passed on. Locks are recorded here for both.
 *
 * What is recorded: a parallel region in the thread that begins it; inside it, the outlined
 * function in each thread of the team, and after it the closing barrier in the thread that began
 * it. A thread of the runtime is idle from the end of its outlined function to its next one.
 * Work-sharing constructs are open from their start to their end in each thread; tasks where they
 * are created and where their code runs. Everything that waits is a region of its own. Locks are
 * tried first: a lock that is free costs one test and a note of its holder, and leaves no record.
 *
 * A wait for a lock, and one for a critical section that another thread had, contains a value of the
 * lock (locks/lock_record.h): the thread that took it last, which is noted here (openmp/holders.h).
 *
 * The compiler leaves no call for loops with a static schedule, master, the end of single, and most
 * atomics.
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "format.h"
#include "next.h"
#include "own/own.h"
#include "tau.h"
#include "locks/lock_record.h"
#include "openmp/construct.h"
#include "openmp/holders.h"
#include "openmp/ompt.h"
#include "openmp/outlined.h"

typedef void (*copier)(void *, void *);
typedef unsigned long long ull;
typedef void *omp_lock;
#include "openmp.gen.c"

#define SITE    __builtin_return_address(0)
#define UNNAMED ((const void *)TAU_LOCK_UNNAMED)
#define AT(fn) ((const char *)(fn) + 1) /* as if a call that ended in the first byte of fn */

static int missing(void)
{
	return ENOSYS;
}

/* ---- the real functions ---- */

/* A runtime that was loaded for a library alone is found, too, and must not be unloaded then. */
void *wrap_find(const char *symbol)
{
	void *real = own_next(symbol);

	if (real)
		wrap_keep(real);
	return real ? real : (void *)missing;
}

/* Is GNU's library the one that is called? Decided once, at the first call. */
static int known_gnu; /* 1 no, 2 yes */

/* Out of line: a caller with this variable on its stack could not end by a jump. */
static __attribute__((noinline)) int find_gnu(void)
{
	Dl_info info;
	int k = dladdr(wrap_real(&wrap_table[WRAP_GOMP_barrier]), &info) && info.dli_fname &&
				strstr(info.dli_fname, "libgomp")
			? 2
			: 1;

	__atomic_store_n(&known_gnu, k, __ATOMIC_RELAXED);
	return k;
}

static inline int is_gnu(void)
{
	int k = __atomic_load_n(&known_gnu, __ATOMIC_RELAXED);

	return (k ? k : find_gnu()) == 2;
}

static inline uint32_t region_of(enum construct what, const void *site)
{
	if (is_gnu())
		return construct_region(what, site_of_call(site));
	omp_thread.what = what;
	omp_thread.site = site;
	return 0;
}

/* ---- calls that wait ---- */

struct wait_call {
	uint32_t region;
};

static inline int wait_enter(struct wait_call *c, uint32_t id, enum construct what,
			     const void *site)
{
	(void)id;
	c->region = region_of(what, site);
	return c->region && tau_call(c->region);
}

static inline void wait_leave(struct wait_call *c, uint32_t id, int after)
{
	(void)id;
	(void)after;
	tau_leave(c->region);
}

/* ---- critical sections: the wait, and at the highest level what is done inside ---- */

struct inside_call {
	struct wait_call wait;
	enum construct body;
	const void *site, *lock;
	uint64_t mark; /* of the lock, before the wait */
};

static inline int inside_enter(struct inside_call *c, uint32_t id, enum construct what,
			       enum construct body, const void *lock, const void *site)
{
	c->body = body;
	c->site = site_of_call(site);
	c->lock = omp_thread.lock = lock;
	c->mark = lock_mark(lock);
	return wait_enter(&c->wait, id, what, site);
}

static inline void inside_leave(struct inside_call *c, uint32_t id, int after)
{
	struct omp_thread *me = &omp_thread;
	uint32_t region;

	critical_acquired(c->lock, c->mark, c->site);
	wait_leave(&c->wait, id, after);
	region = construct_region(c->body, c->site);
	if (!region)
		return;
	if (me->held_n < OMP_HELD) {
		me->held[me->held_n] = region;
		tau_begin(region);
	}
	me->held_n++;
}

struct outside_call {
	uint32_t region;
};

static inline int outside_enter(struct outside_call *c, uint32_t id, const void *lock)
{
	struct omp_thread *me = &omp_thread;

	(void)id;
	critical_freed(lock);
	c->region = 0;
	if (me->held_n && --me->held_n < OMP_HELD)
		c->region = me->held[me->held_n];
	return c->region != 0;
}

static inline void outside_leave(struct outside_call *c, uint32_t id, int after)
{
	(void)id;
	(void)after;
	tau_leave(c->region);
}

/* Of LLVM's runtime, for its interface for tools, which gives an address in the heap instead. The
 * runtime may call these itself for code of gcc. */
struct named_call {
	char unused;
};

static inline int named_enter(struct named_call *c, uint32_t id, const void *lock, int begins,
			      const void *site)
{
	(void)c;
	(void)id;
	if (!begins) {
		critical_freed(lock);
	} else if (!omp_thread.lock) {
		omp_thread.lock = lock;
		omp_thread.site = site;
	}
	return 0;
}

static inline void named_leave(struct named_call *c, uint32_t id, int after)
{
	(void)c;
	(void)id;
	(void)after;
}

/* 1: the region of a construct has begun; 0: it is not recorded. */
static inline int construct_begin(uint32_t *region, enum construct what, const void *site)
{
	*region = region_of(what, site);
	if (!*region || tau_inside())
		return 0;
	tau_begin(*region);
	return 1;
}

/* ---- work-sharing ---- */

struct work_call {
	uint32_t region;
};

static inline int work_enter(struct work_call *c, uint32_t id, enum construct what,
			     const void *site)
{
	(void)id;
	return construct_begin(&c->region, what, site);
}

static inline void work_leave(struct work_call *c, uint32_t id, int after)
{
	(void)id;
	(void)after;
	omp_thread.work = c->region;
}

/* ---- target regions: what their code calls is recorded inside ---- */

struct target_call {
	uint32_t region;
};

static inline int target_enter(struct target_call *c, uint32_t id, enum construct what,
			       const void *site)
{
	(void)id;
	return construct_begin(&c->region, what, site);
}

static inline void target_leave(struct target_call *c, uint32_t id, int after)
{
	(void)id;
	(void)after;
	tau_leave(c->region);
}

/* A combined construct has no start. */
static inline void work_over(void)
{
	tau_leave(omp_thread.work);
	omp_thread.work = 0;
}

struct loop_end_call {
	struct wait_call wait;
};

static inline int loop_end_enter(struct loop_end_call *c, uint32_t id, const void *site)
{
	return wait_enter(&c->wait, id, IMPLICIT_BARRIER, site);
}

static inline void loop_end_leave(struct loop_end_call *c, uint32_t id, int after)
{
	wait_leave(&c->wait, id, after);
	work_over();
}

struct loop_over_call {
	char unused;
};

static inline int loop_over_enter(struct loop_over_call *c, uint32_t id)
{
	(void)c;
	(void)id;
	work_over();
	return 0;
}

static inline void loop_over_leave(struct loop_over_call *c, uint32_t id, int after)
{
	(void)c;
	(void)id;
	(void)after;
}

/* ---- parallel regions and tasks ---- */

struct parallel_call {
	struct team *team;
	uint32_t region;
};

static inline int parallel_enter(struct parallel_call *c, uint32_t id, enum construct what,
				 outlined *fn)
{
	const void *site = AT(*fn);

	(void)id;
	c->region = region_of(what, site);
	if (!c->region || !tau_call(c->region))
		return 0;
	c->team = team_claim(*fn);
	if (!c->team)
		return 1;
	c->team->site = site;
	c->team->closes = what != TEAMS;
	*fn = outlined_of_team(c->team);
	return 1;
}

static inline void parallel_leave(struct parallel_call *c, uint32_t id, int after)
{
	(void)id;
	(void)after;
	tau_leave(omp_thread.end);
	omp_thread.end = 0;
	if (c->team)
		team_release(c->team);
	tau_leave(c->region);
}

/* The code of a task is recorded wherever it runs, its creation at level 2 of --openmp. */
struct task_call {
	struct wait_call wait;
};

static inline int task_enter(struct task_call *c, uint32_t id, enum construct what, outlined *fn)
{
	const void *site = AT(*fn);

	if (is_gnu() && tau_active())
		*fn = outlined_of_task(*fn);
	return wait_enter(&c->wait, id, what, site);
}

static inline void task_leave(struct task_call *c, uint32_t id, int after)
{
	wait_leave(&c->wait, id, after);
}

/* Functions are looked up before the program has threads; the runtime of a library that is opened
 * later, at its first call. */
static __attribute__((constructor)) void begin(void)
{
	if (!own_next("GOMP_barrier"))
		return;
	for (int i = 0; i < WRAP_FUNCTIONS; i++)
		wrap_real(&wrap_table[i]);
	is_gnu();
}

#define WRAP_ENTRIES
#include "openmp.gen.c"

/* ---- locks: tried first ---- */

static __attribute__((noinline)) void lock_wait(const char *kind, omp_lock lock,
						void (*set)(omp_lock), const void *site)
{
	uint64_t mark = lock_mark(lock);
	struct wait_call wait = {construct_region(LOCK, site)};
	int on = wait.region && tau_call(wait.region), saved;

	if (on)
		lock_record(kind, lock, lock_holder(mark), site);
	set(lock);
	saved = errno;
	lock_acquired(lock); /* before the record, meanwhile others look who has it */
	if (on)
		wait_leave(&wait, 0, 1);
	errno = saved;
}

/* LLVM's library may have another tool, which is given the address that the call returns to: then the
 * call ends by a jump. */
static inline int lock_passed(void)
{
	return !is_gnu() && !ompt_is_ours();
}

#define LOCKS(name, kind)                                                                          \
	WRAP_EXPORT void omp_set_##name(omp_lock lock)                                             \
	{                                                                                          \
		if (lock_passed())                                                                 \
			real_omp_set_##name(lock);                                                 \
		else if (real_omp_test_##name(lock))                                               \
			lock_acquired(lock);                                                       \
		else                                                                               \
			lock_wait(kind, lock, real_omp_set_##name, site_of_call(SITE));            \
	}                                                                                          \
	WRAP_EXPORT int omp_test_##name(omp_lock lock)                                             \
	{                                                                                          \
		int got;                                                                           \
\
		if (lock_passed())                                                                 \
			return real_omp_test_##name(lock);                                         \
		got = real_omp_test_##name(lock);                                                  \
		if (got)                                                                           \
			lock_acquired(lock);                                                       \
		return got;                                                                        \
	}
LOCKS(lock, "omp lock")
LOCKS(nest_lock, "omp nest lock")
LOCKS(lock_, "omp lock")
LOCKS(nest_lock_, "omp nest lock")
