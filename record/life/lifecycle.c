/*
 * lifecycle.c: start of the recorder in a process, and of each thread in it.
 *
 * The process is recorded when TAU_RECORD_DIR names the directory of a run (tau-record sets it). Everything starts at the
 * first event or at our constructor, whichever comes first, because constructors of other objects may run before ours.
 */
#include "record/life/lifecycle.h"
#include "record/api.h"
#include "record/base/clock.h"
#include "record/base/compiler.h"
#include "record/base/control.h"
#include "record/base/failure.h"
#include "record/base/gate.h"
#include "record/base/live.h"
#include "record/base/object.h"
#include "record/base/permit.h"
#include "record/base/process.h"
#include "record/base/stream.h"
#include "record/base/thread.h"
#include "record/control/commands.h"
#include "record/control/dump.h"
#include "record/define/group.h"
#include "record/define/module.h"
#include "record/define/select.h"
#include "record/encode/deflate.h"
#include "record/enter/jump.h"
#include "record/enter/on_off.h"
#include "record/enter/sums.h"
#include "record/event/heap_events.h"
#include "record/format.h"
#include "record/life/clone.h"
#include "record/life/fork.h"
#include "record/life/identity.h"
#include "record/life/mlockall.h"
#include "record/life/syscalls.h"
#include "record/life/threads.h"
#include "record/metric/metric.h"
#include "record/own/own.h"
#include "record/sample/sample.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(TAU_COUNTER_SHIFT)
#define SHIFT TAU_COUNTER_SHIFT
#else
#define SHIFT SHIFT_MONOTONIC
#endif

#if defined(__x86_64__)
#include <cpuid.h>
/* The time stamp counter is the clock if it runs at one rate in all power states (CPUID 8000_0007h, EDX bit 8). */
static bool counter_is_invariant(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8);
}
#else
/* On aarch64 the architecture demands it. */
static bool counter_is_invariant(void)
{
	return SHIFT != SHIFT_MONOTONIC;
}
#endif

static void choose_clock(void)
{
	const char *hz = getenv("TAU_RECORD_TICKS_HZ");
	uint64_t rate;

	process.clock = TAU_CLOCK_MONOTONIC;
	process.shift = SHIFT_MONOTONIC;
	process.ticks_hz = 1000000000;
	if (!counter_is_invariant() || getenv("TAU_RECORD_MONOTONIC"))
		return;
	process.clock = TAU_CLOCK_TSC;
	rate = hz ? strtoull(hz, NULL, 10) : 0;
	process.shift = SHIFT;
	process.ticks_hz = rate >> process.shift;
}

void tau_print(const char *sentence)
{
	if (getenv("TAU_RECORD_SPEAKS"))
		message_print("%s", sentence);
}

/*
 * Called without a lock, possibly by several threads at once: one starts the recorder, the others do not record meanwhile. Nothing
 * is decided before the environment is known: a later event tries again.
 */
void process_start(void)
{
	static int starting;
	const char *directory;
	size_t n;

	if (tau_gate.value != GATE_FORKED || !environment_known() ||
	    __atomic_exchange_n(&starting, 1, __ATOMIC_ACQ_REL))
		return;
	directory = getenv("TAU_RECORD_DIR");
	n = directory ? strlen(directory) : 0;
	if (n >= sizeof(process.directory) && tau_permitted())
		message_print("the path of the run has %zu characters, more than %zu; nothing is "
			      "recorded",
			      n, sizeof(process.directory) - 1);
	/* A program with more rights than its user must not write to a directory that the user selects. */
	if (!n || n >= sizeof(process.directory) || directory[0] != '/' || getauxval(AT_SECURE) ||
	    !tau_permitted()) {
		process.generation = 1;
		tau_gate.value = GATE_DEAD;
		return;
	}
	errors_begin();
	memcpy(process.directory, directory, n + 1);
	directory = getenv("TAU_RECORD_LIVE_DIR");
	if (directory && directory[0] == '/' && strlen(directory) < sizeof(process.live_directory))
		strcpy(process.live_directory, directory);
	process.file_mode = getenv("TAU_RECORD_SHARED") ? 0666 : 0600;
	process.begin_cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	choose_clock();
	new_identity();
	module_start();
	fork_watch();
	self.hidden++;		/* loading libraries allocates and reads files */
	sums_start();
	control_start();
	commands_start();
	dump_start();
	process.metrics = metric_start();
	process.filtered |= process.metrics > 0;
	control.careful |= process.metrics > 0;
	codec_load();
	select_start();
	group_start();
	stream_start();
	sample_start();
	self.hidden--;
	if (process.generation == 0)
		process.generation = 1;
	tau_gate.value = control.off ? GATE_OFF : gate_open();
}

/* Executes commands that were sent before the process began, with its first event. */
static bool process_looks(void)
{
	if (self.ready && control_changed()) {
		self.ready = READY_BUSY;
		commands_look();
		self.ready = READY_OPEN;
	}
	return true;
}

/*
 * An event after recording stopped for a failure: counted in the live chunk of its thread, or in any other if it has none. The
 * live chunks are not written otherwise any more.
 */
static void count_lost_after(void)
{
	struct tau_live_header *live = self.live;

	if (!process.failed || process.over)
		return;
	for (struct stream *s = process.streams; s && !live; s = s->next)
		live = s->live;
	if (live)
		__atomic_add_fetch(&live->lost, 1, __ATOMIC_RELAXED);
}

/*
 * A thread without a stream tries to get one. An event that comes too early for the next try is lost like one that tries in vain.
 */
static bool thread_attach(void)
{
	if (self.attach_wait)
		self.attach_wait--;
	else if (stream_attach())
		return true;
	if (tau_gate.value == GATE_DEAD)
		count_lost_after();
	else
		lost_without_file();
	return false;
}

/*
 * Called by every entry that finds the gate not open or its thread not ready. True: `self` is now ready and
 * the gate open. False: this event must not be recorded.
 */
bool thread_ready(void)
{
	bool good = false;
	int saved;

	if (unlikely(tau_gate.value == GATE_STRANGER)) {
		__atomic_add_fetch(&tau_gate.lost, 1, __ATOMIC_RELAXED);
		return false;
	}
	if (unlikely(tau_gate.value == GATE_FORKED && process.over))
		tau_gate.value = GATE_DEAD;
	if (tau_gate.value == GATE_DEAD) {
		count_lost_after();
		return false;
	}
	saved = errno;
	if (tau_gate.value == GATE_FORKED) {
		if (process.generation == 0)
			process_start();
		else
			fork_begin();
	}
	if (GATE_RECORDS(tau_gate.value) || tau_gate.value == GATE_OFF) {
		if (self.ready == READY_OFF && tau_gate.value != GATE_OFF)
			record_on(self.top);
		if (self.ready)
			good = true;
		else if (self.hidden)
			good = false;
		else if (self.live)	/* a signal handler interrupted the recorder */
			live_lost(self.live, 1);
		else if (self.ended && process.attached)	/* code that runs after the thread's last destructor */
			lost_without_file();
		else
			good = thread_attach() && process_looks();
	} else if (tau_gate.value == GATE_FORKED && process.generation == 0) {
		__atomic_add_fetch(&tau_gate.lost, 1, __ATOMIC_RELAXED);
	}
	errno = saved;
	return good;
}

__attribute__((constructor)) static void process_begin(void)
{
	environment_ready();
	jumps_find();
	syscalls_find();
	mlockall_find();
	objects_start();
	clone_find();
	if (!self.ready)
		thread_ready();
	dump_begin();
	track_start();
}
