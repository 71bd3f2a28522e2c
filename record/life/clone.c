/*
 * clone.c: tasks that the program makes by clone() and _Fork() itself.
 *
 * A task that shares its parent's thread-local storage shares the recorder's variables there: neither is recorded from then on.
 * If the parent waits for the task to end or to execute another program, its events are recorded as the parent's, and the regions
 * that it has not left are ended.
 *
 * A task that shares the memory, but has thread-local storage made by the program itself (CLONE_SETTLS), may lack the recorder's
 * variables and errno. If its parent waits for it (CLONE_VFORK), the gate is GATE_STRANGER meanwhile: each entry of the recorder
 * reads the gate before it accesses thread-local storage, and returns. Events of other threads in that time are lost and counted.
 * If the parent does not wait, recording ends. A child that has such storage and its own memory is not recorded either.
 */
#include "record/life/clone.h"
#include "record/api.h"
#include "record/base/compiler.h"
#include "record/base/failure.h"
#include "record/base/frame.h"
#include "record/base/gate.h"
#include "record/base/object.h"
#include "record/base/process.h"
#include "record/base/thread.h"
#include "record/enter/repair.h"
#include "record/life/end.h"
#include "record/life/fork.h"
#include "record/own/own.h"

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
	*(void **)&fork_next = own_next_at_start("_Fork");
	*(void **)&clone_next = own_next_at_start("clone");
}

/* Is this the C library's block of thread-local storage? That contains its own address in its first and third word. */
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

/* Closes the gate while a child without our storage runs, and returns its value before; -1: this is not such a child. */
static int stranger_begin(int flags, const void *tls)
{
	int gate = tau_gate.value;

	if (!(flags & CLONE_VM) || !(flags & CLONE_SETTLS) || gate == GATE_DEAD ||
	    gate == GATE_STRANGER || gate == GATE_FORKED || is_proper(tls))
		return -1;
	if (!(flags & CLONE_VFORK)) {
		record_no_more("a task made by clone() has thread-local storage of its own making");
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
	if (thread_recording() && shared == CLONE_VM) {
		message_print("a task made by clone() shares its parent's thread-local storage; "
			      "recording of "
			      "both ends");
		tau_hide();
	}
	if (thread_recording() && shared == (CLONE_VM | CLONE_VFORK))
		height = stack_height();
	gate = stranger_begin(flags, tls);
	/* A child with its own memory finds the gate cleared; process.over ends recording there. */
	apart = shared == CLONE_SETTLS && !process.over && !is_proper(tls);
	if (apart)
		process.over = true;
	result = clone_next(function, stack, flags, argument, parent_tid, tls, child_tid);
	if (apart)
		process.over = false;
	/* The gate may have been closed for good meanwhile. */
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
