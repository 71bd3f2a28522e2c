/*
 * end.c: end of the recorder in a process: the streams are completed.
 */
#include "record/life/end.h"
#include "record/api.h"
#include "record/base/failure.h"
#include "record/base/gate.h"
#include "record/base/process.h"
#include "record/base/thread.h"
#include "record/enter/repair.h"
#include "record/event/heap_events.h"
#include "record/life/threads.h"
#include "record/own/own.h"
#include "record/sample/cpu_timer.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

int __cxa_atexit(void (*function)(void *), void *argument, void *library);	/* no header of libc declares it */

/* Completes the calling thread's stream and the idle ones; the others keep their live files, which are readable. */
static void streams_end(void)
{
	if (GATE_RECORDS(tau_gate.value) || tau_gate.value == GATE_OFF)
		stream_finish_all();
}

/* Runs after the destructors of all libraries: completes the stream once more if one of them recorded something. */
static void process_last(void *unused)
{
	int saved = errno;

	(void)unused;
	streams_end();
	errno = saved;
}

/*
 * Destructors of libraries that are loaded after ours run after this one. A function that is registered now, for no library, runs
 * after them. Both close the streams, because a program may be killed in between.
 */
__attribute__((destructor)) static void process_end(void)
{
	int saved = errno;

	if (recorder_abandoned(UINT64_MAX))
		self.ready = READY_OPEN;	/* exit() in a handler that interrupted the recorder */
	track_end();
	streams_end();
	self.hidden++;		/* it may allocate */
	__cxa_atexit(process_last, NULL, NULL);
	self.hidden--;
	errno = saved;
}

/*
 * A child of vfork runs in its parent's memory: it must not close the streams. A child of fork that has not
 * recorded yet has none.
 */
int tau_ending(void)
{
	int saved;
	bool mine;

	if (!GATE_RECORDS(tau_gate.value) && tau_gate.value != GATE_OFF)
		return 0;
	saved = errno;
	mine = (uint32_t)system_call(SYS_getpid) == process.pid;
	if (mine)
		stream_finish_all();
	errno = saved;
	return mine;
}

/*
 * A forked child in which nothing was recorded has no streams, but a timer, with whose first sample
 * it would begin. A child of vfork finds the gate of its parent.
 */
void record_no_more(const char *why)
{
	int saved = errno;

	track_end();
	if (tau_gate.value == GATE_FORKED || tau_ending()) {
		process.over = true;
		tau_gate.value = GATE_DEAD;
		cpu_timers_end();
		message_print("%s; recording of process %u ends here", why,
			      (unsigned)system_call(SYS_getpid));
	}
	errno = saved;
}
