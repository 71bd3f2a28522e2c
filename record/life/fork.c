/*
 * fork.c: gives a forked child an identity and files of its own, whichever of its threads records first.
 *
 * The kernel clears the gate in a child that has its own memory (fork, _Fork, clone). The first thread that finds the gate closed
 * makes the child a process of its own; others wait for it. The parent's files are mapped in the child, too, and must not be
 * written to again. In the child of fork() or _Fork() the calling thread gives up its stream before the child can begin other
 * threads. In a child of clone() none of our code runs before the program does: there the thread that made the child must record
 * first, and events of other threads before that are counted as lost.
 */
#include "record/life/fork.h"
#include "record/base/clock.h"
#include "record/base/control.h"
#include "record/base/gate.h"
#include "record/base/lock.h"
#include "record/base/process.h"
#include "record/base/thread.h"
#include "record/control/commands.h"
#include "record/event/heap_events.h"
#include "record/life/identity.h"
#include "record/life/threads.h"
#include "record/metric/timer.h"
#include "record/own/own.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool wiped;	/* the kernel clears the gate in a child */

/* Was the child made in a signal handler that interrupted the recorder, which will resume? */
static bool interrupted(void)
{
	return self.live && (self.hidden ? self.hidden_ready : self.ready) == READY_BUSY;
}

/* The child has one thread. A function that ran before may have made the child a process already. */
void fork_happened(void)
{
	if (process.over || !process.generation)
		return;
	if (!wiped || (tau_gate.value != GATE_FORKED && getpid() != (pid_t)process.pid))
		tau_gate = (struct gate_page){ .value = GATE_FORKED };
	if (tau_gate.value != GATE_FORKED || interrupted())
		return;
	stream_leave();
	process.lock = 0;
	tau_gate.apart = true;
}

/* Kernels before 4.14 do not clear the gate, and qemu only claims to: there only fork() is noticed. */
void fork_watch(void)
{
	pthread_atfork(NULL, NULL, fork_happened);
	wiped = madvise(&tau_gate, sizeof(tau_gate), MADV_WIPEONFORK) == 0;
}

static void become_process(void)
{
	int closed = GATE_FORKED;
	sigset_t saved;

	signals_mask(NULL, &saved);
	process.begin_cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	if (!tau_gate.apart) {
		stream_leave();
		process.lock = 0;
	}
	process.generation++;
	process.meta_written = false;
	process.unmatched = process.class_mismatches = 0;
	process.sample_unarmed = 0;
	process.memory_stopped = false;
	process.memory_was_off = process.memory_off;
	process.parent_id = process.id;
	new_identity();
	control_after_fork();
	commands_after_fork();
	streams_forget();
	track_after_fork();
	__atomic_compare_exchange_n(&tau_gate.value, &closed,
				    control.off ? GATE_OFF : gate_open(), false, __ATOMIC_SEQ_CST,
				    __ATOMIC_SEQ_CST);
	signals_mask(&saved, NULL);
	timer_resumes();
}

/* A thread that the child has begun must not touch what the thread that made the child may still use. */
static bool may_begin(void)
{
	return tau_gate.apart || system_call(SYS_gettid) == system_call(SYS_getpid);
}

void fork_begin(void)
{
	uintptr_t me = (uintptr_t)&self, begins;

	begins = __atomic_load_n(&tau_gate.begins, __ATOMIC_ACQUIRE);
	if (!begins && !may_begin()) {
		__atomic_add_fetch(&tau_gate.lost, 1, __ATOMIC_RELAXED);
		return;
	}
	if (!begins && __atomic_compare_exchange_n(&tau_gate.begins, &begins, me, false,
						   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		become_process();
		return;
	}
	while (begins != me && tau_gate.value == GATE_FORKED)
		sched_yield();
}
