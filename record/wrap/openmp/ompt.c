/*
 * ompt.c: the constructs of LLVM's OpenMP runtime, which calls a tool at each of them (OMPT).
 * Regions have the names and the nesting that openmp.c gives to those of GNU's; in place of
 * outlined functions there are implicit and explicit tasks.
 *
 * Each thread keeps a stack of what it has open: the end of a construct names neither its region
 * nor the address of its begin, the end of a task may come without a begin, and a worker's closing
 * barrier ends with its next parallel region.
 */
#include "ompt.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdlib.h>

#include "construct.h"
#include "holders.h"
#include "outlined.h"
#include "own/own.h"
#include "tau.h"

#define EXPORT __attribute__((visibility("default")))
#define OPEN   192 /* deeper ones are not recorded */

/* ---- what a thread has open ---- */

/* OPEN_WORKER: the implicit task of a thread that has not begun the team. */
enum open_kind {
	OPEN_PARALLEL,
	OPEN_IMPLICIT,
	OPEN_WORKER,
	OPEN_EXPLICIT,
	OPEN_IDLE,
	OPEN_WORK,
	OPEN_SYNC,
	OPEN_GROUP,
	OPEN_MASKED,
	OPEN_MUTEX,
	OPEN_BODY
};

struct ompt_open {
	uint32_t region;
	enum open_kind kind;
	const void *object; /* of tasks: their data; of a parallel region: the address that the
			       runtime gave */
	const void *site;
	uint32_t team; /* of implicit tasks: its number */
};

static __thread struct ompt_open stack[OPEN];
static __thread uint32_t stack_n, stack_over;

static void push(enum open_kind kind, const void *object, enum construct what, const void *site,
		 uint32_t region)
{
	if (stack_n == OPEN) {
		stack_over++;
		return;
	}
	stack[stack_n].region = region ? region : construct_region(what, site);
	stack[stack_n].kind = kind;
	stack[stack_n].object = object;
	stack[stack_n].site = site;
	stack[stack_n].team = omp_thread.in;
	tau_begin(stack[stack_n++].region);
}

/* Closes all above the first n. */
static void pop_to(uint32_t n)
{
	while (stack_n > n)
		tau_leave(stack[--stack_n].region);
}

static int is_task(const struct ompt_open *o)
{
	return o->kind == OPEN_IMPLICIT || o->kind == OPEN_WORKER || o->kind == OPEN_EXPLICIT;
}

/* Closes the innermost of a kind in the current task; one that is not there was closed before. */
static void pop(enum open_kind kind)
{
	uint32_t i = stack_n;

	if (stack_over) {
		stack_over--;
		return;
	}
	while (i && stack[i - 1].kind != kind && !is_task(&stack[i - 1]))
		i--;
	if (i && stack[i - 1].kind == kind)
		pop_to(i - 1);
}

/* The place of a task on the stack, from 1; 0: none. */
static uint32_t task_find(const void *object)
{
	uint32_t i = stack_n;

	while (i && (!is_task(&stack[i - 1]) || stack[i - 1].object != object))
		i--;
	return i;
}

static void task_pop(const void *object)
{
	uint32_t i = task_find(object);

	if (i)
		pop_to(i - 1);
	else if (stack_over)
		stack_over--;
}

/*
 * ---- places: code of gcc calls the runtime through functions of openmp.c, which keep where from.
 * Some calls of the runtime by itself have an address inside it. ----
 */

static uintptr_t runtime_first, runtime_last;

static void runtime_find(uintptr_t inside)
{
	struct tau_object o;
	const ElfW(Phdr) * p;

	if (tau_object(inside, &o) != 1)
		return;
	p = o.headers;
	for (uint32_t i = 0; i < o.header_n; i++)
		if (p[i].p_type == PT_LOAD && p[i].p_flags & PF_X) {
			runtime_first = o.base + p[i].p_vaddr;
			runtime_last = runtime_first + p[i].p_memsz;
		}
}

static const void *site_of(const void *ra)
{
	uintptr_t at = (uintptr_t)ra;

	if (!ra || is_ours(ra) || (at >= runtime_first && at < runtime_last))
		return omp_thread.site;
	return ra;
}

/* ---- parallel regions and implicit tasks ---- */

/* The data of a parallel region: the address that began it, and the number of its team above that. */
#define TEAM_SHIFT 48
#define SITE_MASK  ((UINT64_C(1) << TEAM_SHIFT) - 1)

static void thread_end(union ompt_data *thread)
{
	(void)thread;
	pop_to(0);
}

static void parallel_begin(union ompt_data *task, const void *frame, union ompt_data *parallel,
			   unsigned requested, int flags, const void *ra)
{
	(void)task;
	(void)frame;
	(void)requested;
	if (parallel)
		parallel->value = ((uint64_t)(uintptr_t)site_of(ra) & SITE_MASK) |
				  (uint64_t)teams_number() << TEAM_SHIFT;
	push(OPEN_PARALLEL, ra, flags & OMPT_PARALLEL_LEAGUE ? TEAMS : PARALLEL, site_of(ra), 0);
}

static void parallel_end(union ompt_data *parallel, union ompt_data *task, int flags,
			 const void *ra)
{
	uint32_t i = stack_n;

	(void)task;
	(void)flags;
	(void)ra;
	if (parallel)
		teams_over();
	while (i && stack[i - 1].kind != OPEN_PARALLEL)
		i--;
	teams_in(i ? stack[i - 1].team : 0);
	pop(OPEN_PARALLEL);
}

static void implicit_task(int point, union ompt_data *parallel, union ompt_data *task,
			  unsigned team, unsigned index, int flags)
{
	(void)team;
	if (flags & OMPT_TASK_INITIAL)
		return;
	if (point != OMPT_BEGIN) {
		if (task_find(task))
			task_pop(task);
		return;
	}
	if (index)
		pop_to(0);
	teams_in(parallel ? (uint32_t)(parallel->value >> TEAM_SHIFT) : 0);
	push(index ? OPEN_WORKER : OPEN_IMPLICIT, task, IMPLICIT_TASK,
	     parallel ? (const void *)(uintptr_t)(parallel->value & SITE_MASK) : NULL, 0);
}

/* ---- explicit tasks ---- */

#define EXPLICIT (1ull << 32) /* the data of a task: this and its region */

static void task_create(union ompt_data *task, const void *frame, union ompt_data *made, int flags,
			int depends, const void *ra)
{
	(void)task;
	(void)frame;
	(void)depends;
	if (flags & OMPT_TASK_EXPLICIT)
		made->value = EXPLICIT | construct_region(TASK_BODY, site_of(ra));
}

/* Tasks above the next one on the stack have ended or go on elsewhere. */
static void task_schedule(union ompt_data *before, int status, union ompt_data *next)
{
	uint32_t i;

	if (before && before->value & EXPLICIT &&
	    (status == OMPT_TASK_COMPLETE || status == OMPT_TASK_CANCEL ||
	     status == OMPT_TASK_DETACH))
		task_pop(before);
	if (!next || stack_over)
		return;
	for (i = task_find(next); i && i < stack_n; i++)
		if (stack[i].kind == OPEN_EXPLICIT)
			pop_to(i);
	if (next->value & EXPLICIT && !task_find(next))
		push(OPEN_EXPLICIT, next, TASK_BODY, NULL, (uint32_t)next->value);
}

/* ---- what waits ---- */

static int is_implicit(int kind)
{
	return kind == OMPT_BARRIER_IMPLICIT ||
	       (kind >= OMPT_BARRIER_WORKSHARE && kind <= OMPT_BARRIER_TEAMS);
}

/* Is it the barrier at the end of the parallel region? A worker's has no address. Returns the place
 * of the implicit task on the stack, from 1. */
static uint32_t closing(int kind, const void *ra)
{
	uint32_t i = stack_n;

	while (i && !is_task(&stack[i - 1]))
		i--;
	if (!i || !is_implicit(kind) || stack[i - 1].kind == OPEN_EXPLICIT)
		return 0;
	return !ra || (i > 1 && stack[i - 2].kind == OPEN_PARALLEL && stack[i - 2].object == ra)
		       ? i
		       : 0;
}

static void closing_begin(uint32_t implicit)
{
	struct ompt_open task = stack[implicit - 1];

	pop_to(implicit - 1);
	if (task.kind == OPEN_WORKER)
		push(OPEN_IDLE, NULL, IDLE, NULL, 0);
	else
		push(OPEN_SYNC, NULL, IMPLICIT_BARRIER, task.site, 0);
}

static const unsigned char syncs[OMPT_SYNCS] = {
	[OMPT_BARRIER] = BARRIER,
	[OMPT_BARRIER_IMPLICIT] = IMPLICIT_BARRIER,
	[OMPT_BARRIER_EXPLICIT] = BARRIER,
	[OMPT_BARRIER_IMPLEMENTATION] = IMPLICIT_BARRIER,
	[OMPT_TASKWAIT] = TASKWAIT,
	[OMPT_BARRIER_WORKSHARE] = IMPLICIT_BARRIER,
	[OMPT_BARRIER_PARALLEL] = IMPLICIT_BARRIER,
	[OMPT_BARRIER_TEAMS] = IMPLICIT_BARRIER,
};

static void sync_region(int kind, int point, union ompt_data *parallel, union ompt_data *task,
			const void *ra)
{
	enum construct what;
	uint32_t end;

	(void)parallel;
	(void)task;
	if (kind <= 0 || kind >= OMPT_SYNCS || !syncs[kind])
		return;
	if (point != OMPT_BEGIN) {
		pop(OPEN_SYNC);
		return;
	}
	end = closing(kind, ra);
	if (end) {
		closing_begin(end);
		return;
	}
	what = (enum construct)syncs[kind];
	if (site_of(ra) == omp_thread.site && omp_thread.what == BARRIER)
		what = BARRIER;
	push(OPEN_SYNC, NULL, what, site_of(ra), 0);
}

/* The wait at the end of a task group. */
static void sync_wait(int kind, int point, union ompt_data *parallel, union ompt_data *task,
		      const void *ra)
{
	(void)parallel;
	(void)task;
	if (kind != OMPT_TASKGROUP)
		return;
	if (point == OMPT_BEGIN)
		push(OPEN_GROUP, NULL, TASKGROUP, site_of(ra), 0);
	else
		pop(OPEN_GROUP);
}

static const unsigned char mutexes[OMPT_MUTEXES] = {
	[OMPT_CRITICAL] = CRITICAL, [OMPT_ATOMIC] = ATOMIC, [OMPT_ORDERED] = ORDERED};

/*
 * Locks are recorded by openmp.c. The functions that code calls for critical sections are wrapped there, too, so that the lock has
 * the address of its variable; that of the runtime is used where they were not called by their names.
 */
static int is_mutex(int kind)
{
	return kind >= OMPT_CRITICAL && kind < OMPT_MUTEXES &&
	       construct_wanted((enum construct)mutexes[kind]);
}

static void mutex_acquire(int kind, unsigned hint, unsigned how, uint64_t id, const void *ra)
{
	(void)hint;
	(void)how;
	if (!is_mutex(kind))
		return;
	push(OPEN_MUTEX, NULL, (enum construct)mutexes[kind], site_of(ra), 0);
	if (kind != OMPT_CRITICAL)
		return;
	if (!omp_thread.lock)
		omp_thread.lock = (const void *)(uintptr_t)id;
	omp_thread.mark = lock_mark(omp_thread.lock);
}

static void mutex_acquired(int kind, uint64_t id, const void *ra)
{
	(void)id;
	if (!is_mutex(kind))
		return;
	if (kind == OMPT_CRITICAL && omp_thread.lock) {
		critical_acquired(omp_thread.lock, omp_thread.mark, site_of(ra));
		omp_thread.lock = NULL;
	}
	pop(OPEN_MUTEX);
	if (kind == OMPT_CRITICAL && construct_wanted(CRITICAL_BODY))
		push(OPEN_BODY, NULL, CRITICAL_BODY, site_of(ra), 0);
}

static void mutex_released(int kind, uint64_t id, const void *ra)
{
	(void)ra;
	if (kind != OMPT_CRITICAL)
		return;
	critical_freed((const void *)(uintptr_t)id);
	if (construct_wanted(CRITICAL_BODY))
		pop(OPEN_BODY);
}

/* ---- work-sharing ---- */

static void work(int kind, int point, union ompt_data *parallel, union ompt_data *task,
		 uint64_t count, const void *ra)
{
	static const unsigned char what[OMPT_WORKS] = {[OMPT_LOOP] = FOR,
						       [OMPT_SECTIONS] = SECTIONS,
						       [OMPT_SINGLE] = SINGLE,
						       [OMPT_SINGLE_OTHER] = SINGLE,
						       [OMPT_WORKSHARE] = WORKSHARE,
						       [OMPT_DISTRIBUTE] = DISTRIBUTE,
						       [OMPT_TASKLOOP] = TASKLOOP,
						       [OMPT_SCOPE] = SCOPE,
						       [OMPT_LOOP_STATIC] = FOR,
						       [OMPT_LOOP_DYNAMIC] = FOR,
						       [OMPT_LOOP_GUIDED] = FOR,
						       [OMPT_LOOP_OTHER] = FOR};

	(void)parallel;
	(void)task;
	(void)count;
	if (kind <= 0 || kind >= OMPT_WORKS || !what[kind])
		return;
	if (point == OMPT_BEGIN)
		push(OPEN_WORK, NULL, (enum construct)what[kind], site_of(ra), 0);
	else
		pop(OPEN_WORK);
}

static void masked(int point, union ompt_data *parallel, union ompt_data *task, const void *ra)
{
	(void)parallel;
	(void)task;
	if (point == OMPT_BEGIN)
		push(OPEN_MASKED, NULL, MASKED, site_of(ra), 0);
	else
		pop(OPEN_MASKED);
}

/* ---- the tool ---- */

#define CALLED(f) (ompt_function)(void *)(f)

static int is_ours_started;

int ompt_is_ours(void)
{
	return __atomic_load_n(&is_ours_started, __ATOMIC_RELAXED);
}

/* What is not recorded at the level of --openmp is not called. */
static int initialize(ompt_lookup lookup, int device, union ompt_data *tool)
{
	const struct {
		enum construct what;
		enum ompt_callback callback;
		ompt_function function;
	} calls[] = {
		{PARALLEL, OMPT_THREAD_END, CALLED(thread_end)},
		{PARALLEL, OMPT_PARALLEL_BEGIN, CALLED(parallel_begin)},
		{PARALLEL, OMPT_PARALLEL_END, CALLED(parallel_end)},
		{PARALLEL, OMPT_IMPLICIT_TASK, CALLED(implicit_task)},
		{PARALLEL, OMPT_SYNC_REGION, CALLED(sync_region)},
		{TASK_BODY, OMPT_TASK_CREATE, CALLED(task_create)},
		{TASK_BODY, OMPT_TASK_SCHEDULE, CALLED(task_schedule)},
		{TASKGROUP, OMPT_SYNC_REGION_WAIT, CALLED(sync_wait)},
		{FOR, OMPT_WORK, CALLED(work)},
		{MASKED, OMPT_MASKED, CALLED(masked)},
		{CRITICAL, OMPT_MUTEX_ACQUIRE, CALLED(mutex_acquire)},
		{CRITICAL, OMPT_MUTEX_ACQUIRED, CALLED(mutex_acquired)},
		{CRITICAL, OMPT_MUTEX_RELEASED, CALLED(mutex_released)},
	};
	ompt_set set = (ompt_set)(void *)lookup("ompt_set_callback");

	(void)device;
	(void)tool;
	runtime_find((uintptr_t)set);
	for (size_t i = 0; set && i < sizeof(calls) / sizeof(*calls); i++)
		if (construct_wanted(calls[i].what))
			set((int)calls[i].callback, calls[i].function);
	__atomic_store_n(&is_ours_started, set != NULL, __ATOMIC_RELAXED);
	return set != NULL;
}

/* The runtime calls it after the program's exit handlers, when nothing is recorded any more. */
static void finalize(union ompt_data *tool)
{
	(void)tool;
}

/*
 * The runtime looks for this function at the program's first construct. A tool of the program comes
 * first: one that is linked, or one that the user has named.
 */
EXPORT struct ompt_tool *ompt_start_tool(unsigned version, const char *runtime);
struct ompt_tool *ompt_start_tool(unsigned version, const char *runtime)
{
	static struct ompt_tool tool = {initialize, finalize, {0}};
	struct ompt_tool *(*next)(unsigned, const char *) = NULL, *other = NULL;
	const char *named = getenv("OMP_TOOL_LIBRARIES");

	tau_hide();
	*(void **)&next = own_next("ompt_start_tool");
	tau_show();
	if (next)
		other = next(version, runtime);
	if (other)
		tau_print("the program has a tool of OpenMP of its own (ompt_start_tool); OpenMP "
			  "of LLVM is not recorded");
	if (other || (named && *named))
		return other;
	return tau_permitted() ? &tool : NULL;
}
