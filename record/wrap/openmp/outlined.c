/*
 * outlined.c: outlined functions as regions. The data of a parallel region or task is passed on as
 * it is, because the runtime reads it (the first word of a reduction with tasks is its table of
 * reductions) or copies it. So what must be known of the function is found by the entry that is
 * called in its place: each team that runs has one, and each function of tasks.
 */
#include "outlined.h"

#include <pthread.h>
#include <stddef.h>

#include "construct.h"
#include "metadata.h"
#include "tau.h"

__thread struct omp_thread omp_thread;

void __cyg_profile_func_enter(void *function, void *call_site) __attribute__((weak));
void __cyg_profile_func_exit(void *function, void *call_site) __attribute__((weak));

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

int is_ours(const void *address)
{
	return (const char *)address >= __ehdr_start && (const char *)address < _end;
}

const void *site_of_call(const void *site)
{
	return omp_thread.fn && is_ours(site) ? (const char *)omp_thread.fn + 1 : site;
}

/* Is the call of fn recorded? */
static int function_enter(outlined fn)
{
	if (!__cyg_profile_func_enter || !tau_active() || tau_inside())
		return 0;
	__cyg_profile_func_enter((void *)fn, NULL);
	return 1;
}

static void function_leave(outlined fn)
{
	__cyg_profile_func_exit((void *)fn, NULL);
}

/* ---- threads that end while they are idle ---- */

static pthread_key_t idle_key;

static void idle_over(void *thread)
{
	struct omp_thread *me = thread;

	if (me->idle)
		tau_leave(me->idle);
	me->idle = 0;
}

/* The wrapper pthread calls this, if it is there, before it leaves the region of the start routine. */
__attribute__((visibility("default"))) void tau_openmp_idle_over(void)
{
	idle_over(&omp_thread);
}

static __attribute__((constructor)) void begin(void)
{
	pthread_key_create(&idle_key, idle_over);
}

static void idle_begin(struct omp_thread *me)
{
	me->idle = construct_region(IDLE, NULL);
	tau_begin(me->idle);
	if (!me->seen)
		pthread_setspecific(idle_key, me);
	me->seen = 1;
}

/* ---- numbers of teams: only for those that are not alone ---- */

static uint32_t active, numbers;

uint32_t teams_number(void)
{
	uint32_t n;

	if (!__atomic_fetch_add(&active, 1, __ATOMIC_RELAXED))
		return 0;
	do
		n = __atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED) & 0xffff;
	while (!n);
	return n;
}

void teams_over(void)
{
	__atomic_sub_fetch(&active, 1, __ATOMIC_RELAXED);
}

void teams_in(uint32_t number)
{
	static uint32_t event;
	uint32_t e = __atomic_load_n(&event, __ATOMIC_RELAXED);

	if (omp_thread.in == number || !tau_active() || tau_inside())
		return;
	if (!e) {
		e = tau_lock(TAU_LOCK_TEAM, NULL, NULL);
		__atomic_store_n(&event, e, __ATOMIC_RELAXED);
	}
	tau_trigger(e, number);
	omp_thread.in = number;
}

static void team_run(const struct team *t, void *data)
{
	struct omp_thread *me = &omp_thread, before = *me;
	int worker = me != t->master, on;

	if (worker && me->idle) {
		tau_leave(me->idle);
		me->idle = 0;
	}
	teams_in(t->number);
	me->work = me->end = me->held_n = 0;
	me->fn = t->fn;
	on = function_enter(t->fn);
	t->fn(data);
	if (on)
		function_leave(t->fn);
	before.in = me->in;
	*me = before;
	if (worker)
		idle_begin(me);
	else if (t->closes)
		tau_begin(me->end = construct_region(IMPLICIT_BARRIER, t->site));
}

static void task_run(outlined fn, void *data)
{
	struct omp_thread *me = &omp_thread, before = *me;
	int on = function_enter(fn);

	me->work = me->end = me->held_n = 0;
	me->fn = fn;
	fn(data);
	if (on)
		function_leave(fn);
	before.in = me->in;
	*me = before;
}

/* ---- entries ---- */

#define ENTRIES 512 /* of functions of tasks */
static outlined entry_fn[ENTRIES];
#define TEAMS_MAX 1024 /* that run at the same time */
static struct team teams[TEAMS_MAX];

#define ENTRY(i)                                                                                   \
	static void entry_##i(void *data)                                                          \
	{                                                                                          \
		task_run(entry_fn[0x##i], data);                                                   \
	}
#define TEAM_ENTRY(i)                                                                              \
	static void team_entry_##i(void *data)                                                     \
	{                                                                                          \
		team_run(&teams[0x##i], data);                                                     \
	}
#define NAME(i) entry_##i,
#define TEAM_NAME(i) team_entry_##i,
#define HEX(X, h)                                                                                  \
	X(h##0)                                                                                    \
	X(h##1) X(h##2) X(h##3) X(h##4) X(h##5) X(h##6) X(h##7) X(h##8) X(h##9) X(h##a) X(h##b)    \
		X(h##c) X(h##d) X(h##e) X(h##f)
#define PAGE(X, h)                                                                                 \
	HEX(X, h##0)                                                                               \
	HEX(X, h##1) HEX(X, h##2) HEX(X, h##3) HEX(X, h##4) HEX(X, h##5) HEX(X, h##6) HEX(X, h##7) \
		HEX(X, h##8) HEX(X, h##9) HEX(X, h##a) HEX(X, h##b) HEX(X, h##c) HEX(X, h##d)      \
			HEX(X, h##e) HEX(X, h##f)
PAGE(ENTRY, 0)
PAGE(ENTRY, 1)
static const outlined entry[ENTRIES] = {PAGE(NAME, 0) PAGE(NAME, 1)};
PAGE(TEAM_ENTRY, 0)
PAGE(TEAM_ENTRY, 1)
PAGE(TEAM_ENTRY, 2)
PAGE(TEAM_ENTRY, 3)
static const outlined team_entry[TEAMS_MAX] = {PAGE(TEAM_NAME, 0) PAGE(TEAM_NAME, 1)
						       PAGE(TEAM_NAME, 2) PAGE(TEAM_NAME, 3)};

/* A thread uses the same one again, unless a team inside a team has it. */
struct team *team_claim(outlined fn)
{
	struct omp_thread *me = &omp_thread;
	size_t first = me->team;

	if (!first)
		first = ((uintptr_t)me >> 12) * 0x9e3779b1u;
	for (size_t i = 0; i < TEAMS_MAX; i++) {
		size_t at = (first + i) % TEAMS_MAX;

		if (__atomic_load_n(&teams[at].taken, __ATOMIC_RELAXED) ||
		    __atomic_exchange_n(&teams[at].taken, 1, __ATOMIC_ACQUIRE))
			continue;
		me->team = (uint32_t)at;
		teams[at].fn = fn;
		teams[at].master = me;
		teams[at].around = me->in;
		teams[at].number = teams_number();
		return &teams[at];
	}
	return NULL;
}

void team_release(struct team *t)
{
	teams_over();
	teams_in(t->around);
	__atomic_store_n(&t->taken, 0, __ATOMIC_RELEASE);
}

outlined outlined_of_team(const struct team *t)
{
	return team_entry[t - teams];
}

outlined outlined_of_task(outlined fn)
{
	size_t first = ((uintptr_t)fn >> 4) * 0x9e3779b1u % ENTRIES;

	for (size_t i = 0; i < ENTRIES; i++) {
		size_t at = (first + i) % ENTRIES;
		outlined seen = __atomic_load_n(&entry_fn[at], __ATOMIC_ACQUIRE);

		if (!seen && __atomic_compare_exchange_n(&entry_fn[at], &seen, fn, 0,
							 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			seen = fn;
		if (seen == fn)
			return entry[at];
	}
	return fn;
}
