/*
 * clone.c: tasks that the program makes by clone() and _Fork() itself.
 *
 * One that shares its parent's thread-local storage shares what we keep there: neither is recorded from then on. Where the
 * parent waits for it to end or to become another program, what it does is recorded as the parent's, and what it had not
 * left has ended.
 *
 * One that shares the memory, but was given thread-local storage of the program's own making (CLONE_SETTLS), may not have ours
 * there at all, nor errno. Where its parent waits for it (CLONE_VFORK) the gate is GATE_STRANGER meanwhile: each entry of the
 * recorder looks at the gate before it touches what belongs to the thread, and passes. Other threads lose what they do in
 * that time, which is counted. Where nobody waits, recording ends. In a child that has its own memory, too, nothing is recorded.
 */
#include "record/core/clone.h"
#include "record/core/api.h"
#include "record/core/compiler.h"
#include "record/core/failure.h"
#include "record/core/fork.h"
#include "record/core/frame.h"
#include "record/core/gate.h"
#include "record/core/process.h"
#include "record/core/symbol.h"
#include "record/core/thread.h"
#include "record/enter/repair.h"
#include "record/sample/unwind.h"

#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdarg.h>

typedef int clone_function(int (*)(void *), void *, int, void *, ...);
EXPORT clone_function clone;

static clone_function *clone_next;

/* fork() without the handlers of pthread_atfork(). */
typedef pid_t fork_function(void);
EXPORT fork_function _Fork;

static fork_function *fork_next;

pid_t _Fork(void)
{
	pid_t pid;

	if (unlikely(!fork_next))
		clone_find();
	pid = fork_next();
	if (pid == 0)
		fork_happened();
	return pid;
}

void clone_find(void)
{
	*(void **)&fork_next = symbol_find(RTLD_NEXT, "_Fork");
	*(void **)&clone_next = dlsym(RTLD_NEXT, "clone");
}

/* Is there a stack of this thread to look after? */
static bool recording(void)
{
	return tau_gate.value != GATE_STRANGER && self.live && tau_gate.value != GATE_FORKED &&
	       tau_gate.value != GATE_DEAD;
}

/* The child has the C library's block of thread-local storage: that begins with its own address, twice. */
#if defined(__x86_64__)
static bool is_proper(const void *tls)
{
	uintptr_t word[3];

	return memory_copy(word, (uintptr_t)tls, sizeof(word)) && word[0] == (uintptr_t)tls &&
	       word[2] == (uintptr_t)tls;
}
#else
static bool is_proper(const void *tls __attribute__((unused)))
{
	return false;
}
#endif

/* The gate while a child without our storage runs; -1: this is not such a child. */
static int stranger_begin(int flags, const void *tls)
{
	int gate = tau_gate.value;

	if (!(flags & CLONE_VM) || !(flags & CLONE_SETTLS) || gate == GATE_DEAD ||
	    gate == GATE_STRANGER || gate == GATE_FORKED || is_proper(tls))
		return -1;
	if (!(flags & CLONE_VFORK)) {
		recording_over("a task made by clone() has thread-local storage of its own making");
		return -1;
	}
	tau_gate.value = GATE_STRANGER;
	return gate;
}

int clone(int (*function)(void *), void *stack, int flags, void *argument, ...)
{
	va_list more;
	int shared = flags & (CLONE_VM | CLONE_SETTLS | CLONE_VFORK), result, saved, gate;
	bool apart;
	void *parent_tid, *tls, *child_tid;
	size_t height = SIZE_MAX;

	va_start(more, argument);
	parent_tid = va_arg(more, void *);
	tls = va_arg(more, void *);
	child_tid = va_arg(more, void *);
	va_end(more);
	if (unlikely(!clone_next))
		clone_find();
	if (recording() && shared == CLONE_VM) {
		say("a task made by clone() shares its parent's thread-local storage; recording of "
		    "both ends");
		tau_hide();
	}
	if (recording() && shared == (CLONE_VM | CLONE_VFORK))
		height = stack_height();
	gate = stranger_begin(flags, tls);
	/* In a memory of its own the gate is wiped; such a child finds that recording is over. */
	apart = shared == CLONE_SETTLS && !process.over && !is_proper(tls);
	if (apart)
		process.over = true;
	result = clone_next(function, stack, flags, argument, parent_tid, tls, child_tid);
	if (apart)
		process.over = false;
	/* It may have been closed for good meanwhile. */
	if (gate >= 0)
		__sync_bool_compare_and_swap(&tau_gate.value, GATE_STRANGER, gate);
	if (tau_gate.value == GATE_STRANGER)
		return result;
	saved = errno;
	if (height != SIZE_MAX)
		stack_cut(height, sp_of_caller());
	errno = saved;
	return result;
}
