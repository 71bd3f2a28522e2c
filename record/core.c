/*
 * core.c: the life of the recorder in a process: start, fork, failure, end. The only globals of the recorder
 * are here.
 *
 * The process is recorded when TAU_RECORD_DIR names the directory of a run (tau-record sets it). Everything
 * starts lazily, at the first event or at our constructor, whichever comes first, because constructors of
 * other objects may run before ours.
 */
#include "core.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

struct process process = { .rank = -1 };
__thread struct thread self;
struct gate_page tau_gate __attribute__((aligned(4096)));

/* By the kernel's own call, because the library's leaves out the signal that cancels threads. */
void signals_mask(const sigset_t *mask, sigset_t *before)
{
	static const uint64_t all = UINT64_MAX;

	syscall(SYS_rt_sigprocmask, SIG_SETMASK, mask ? (const void *)mask : &all, before,
		sizeof(all));
}

/* A spin lock: held for moments, with all signals blocked so that a handler cannot wait for its own thread. */
void lock_take(sigset_t *saved)
{
	signals_mask(NULL, saved);
	while (__atomic_exchange_n(&process.lock, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}

void lock_drop(const sigset_t *saved)
{
	__atomic_store_n(&process.lock, 0, __ATOMIC_RELEASE);
	signals_mask(saved, NULL);
}

/* The recorder's memory comes from the kernel, never from the program's allocator. */
void *map_alloc(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

void map_free(void *p, size_t bytes)
{
	munmap(p, bytes);
}

void *map_larger(const void *p, size_t *cap, size_t size, size_t want)
{
	size_t n = *cap ? *cap : 4096 / size;
	void *q;

	while (n < want)
		n *= 2;
	q = map_alloc(n * size);
	if (!q)
		return NULL;
	if (p)
		memcpy(q, p, *cap * size);
	*cap = n;
	return q;
}

void *map_grow(void *p, size_t *cap, size_t size, size_t want)
{
	size_t old = *cap * size;
	void *q = map_larger(p, cap, size, want);

	if (q && p)
		munmap(p, old);
	return q;
}

char *arena_copy(const void *bytes, size_t length)
{
	char *p;

	if (length > process.arena_left) {
		size_t size = length > 65536 ? (length + 4095) & ~(size_t)4095 : 65536;

		p = map_alloc(size);
		if (!p)
			return NULL;
		process.arena = p;
		process.arena_left = size;
	}
	p = process.arena;
	process.arena += length;
	process.arena_left -= length;
	return memcpy(p, bytes, length);
}

/* One line on stderr, in one write, whatever state stdio is in. */
void say(const char *format, ...)
{
	char line[1024];
	va_list args;
	int n, saved = errno;

	n = snprintf(line, sizeof(line), "tau: ");
	va_start(args, format);
	n += vsnprintf(line + n, sizeof(line) - (size_t)n - 1, format, args);
	va_end(args);
	if (n > (int)sizeof(line) - 2)
		n = sizeof(line) - 2;
	line[n++] = '\n';
	if (write(STDERR_FILENO, line, (size_t)n) < 0)
		errno = saved;
	errno = saved;
}

/* Switches the recorder off for good: law 1. What was recorded stays readable. */
void process_fail(int error, const char *what, const char *path)
{
	process.error = error;
	tau_gate.value = GATE_DEAD;
	if (self.live) {
		self.live->error = (uint32_t)error;
		self.live->state = TAU_LIVE_STOPPED;
	}
	if (__atomic_exchange_n(&process.failed, true, __ATOMIC_RELAXED))
		return;
	say("recording of process %u stopped: %s%s%s: %s; the program goes on", process.pid, what,
	    path ? " " : "", path ? path : "", strerror(error));
}

int gate_open(void)
{
	return process.rich ? GATE_RICH : process.picks ? GATE_PICK : GATE_OPEN;
}

#if defined(__x86_64__)
#include <cpuid.h>
/* The time stamp counter serves as clock where it runs at one rate in all power states (CPUID 8000_0007h, EDX 8). */
static bool tsc_is_invariant(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8);
}
#else
static bool tsc_is_invariant(void)
{
	return false;
}
#endif

static void choose_clock(void)
{
	const char *hz = getenv("TAU_RECORD_TICKS_HZ");
	uint64_t rate;

	process.clock = TAU_CLOCK_MONOTONIC;
	process.shift = SHIFT_MONOTONIC;
	process.ticks_hz = 1000000000;
	if (!tsc_is_invariant() || getenv("TAU_RECORD_MONOTONIC"))
		return;
	process.clock = TAU_CLOCK_TSC;
	rate = hz ? strtoull(hz, NULL, 10) : 0;
	process.shift = TSC_SHIFT;
	process.ticks_hz = rate >> process.shift;
}

/* host.pid, made safe for a file name. */
static void make_prefix(void)
{
	struct utsname u;
	char *c;

	if (uname(&u) < 0)
		strcpy(u.nodename, "host");
	snprintf(process.prefix, sizeof(process.prefix), "%.64s.%u", u.nodename, process.pid);
	for (c = process.prefix; *c; c++)
		if (*c == '/' || *c <= ' ' || *c == 127)
			*c = '_';
}

static void new_identity(void)
{
	struct timespec now;

	process.pid = (uint32_t)getpid();
	if (getrandom(&process.id, sizeof(process.id), GRND_NONBLOCK) != sizeof(process.id)) {
		clock_gettime(CLOCK_REALTIME, &now);
		process.id =
			((uint64_t)now.tv_sec << 32 ^ (uint64_t)now.tv_nsec) * 0x9e3779b97f4a7c15u +
			process.pid;
	}
	make_prefix();
	process.start_tick = ticks(process.shift);
}

/* At the very end: the calling thread's stream and the idle ones are completed; others stay live, readable. */
__attribute__((destructor)) static void process_end(void)
{
	int saved = errno;

	if (recorder_abandoned(UINT64_MAX))
		self.ready = READY_OPEN;	/* exit() in a handler that interrupted the recorder */
	track_end();
	if (GATE_RECORDS(tau_gate.value) || tau_gate.value == GATE_OFF)
		stream_finish_all();
	errno = saved;
}

/*
 * A child of vfork runs in its parent's memory: the streams are not its own to close. One of fork that has not
 * recorded yet has none.
 */
int tau_ending(void)
{
	int saved = errno;
	bool mine = (GATE_RECORDS(tau_gate.value) || tau_gate.value == GATE_OFF) &&
		    (uint32_t)syscall(SYS_getpid) == process.pid;

	if (mine)
		stream_finish_all();
	errno = saved;
	return mine;
}

static void forked(void)
{
	tau_gate.value = GATE_FORKED;
}

/*
 * The kernel wipes the gate in any child that has memory of its own (fork, _Fork, clone), and costs nothing.
 * Kernels before 4.14 cannot: there only fork() is seen.
 */
static void watch_forks(void)
{
	if (madvise(&tau_gate, sizeof(tau_gate), MADV_WIPEONFORK) < 0)
		pthread_atfork(NULL, NULL, forked);
}

/* Called with no lock, possibly by several threads at once: one wins, the others do not record meanwhile. */
void process_start(void)
{
	static int starting;
	const char *directory;
	size_t n;

	if (tau_gate.value != GATE_FORKED || __atomic_exchange_n(&starting, 1, __ATOMIC_ACQ_REL))
		return;
	directory = getenv("TAU_RECORD_DIR");
	n = directory ? strlen(directory) : 0;
	/* A program that runs with more rights than its user must not write where the user says. */
	if (!n || n >= sizeof(process.directory) || directory[0] != '/' || getauxval(AT_SECURE)) {
		process.generation = 1;
		tau_gate.value = GATE_DEAD;
		return;
	}
	memcpy(process.directory, directory, n + 1);
	directory = getenv("TAU_RECORD_LIVE_DIR");
	if (directory && directory[0] == '/' && strlen(directory) < sizeof(process.live_directory))
		strcpy(process.live_directory, directory);
	choose_clock();
	new_identity();
	control_start();
	self.hidden++;
	process.metrics = metric_start();
	self.hidden--;
	process.rich |= process.metrics > 0;
	control.careful |= process.metrics > 0;
	codec_load();
	select_start();
	group_start();
	stream_start();
	sample_start();
	if (process.generation == 0)
		process.generation = 1;
	watch_forks();
	tau_gate.value = control.off ? GATE_OFF : gate_open();
}

/*
 * The gate was wiped: this is a forked child, with one thread. It gets an identity and files of its own; the
 * parent's files are mapped here too and must not be touched again.
 */
void process_after_fork(void)
{
	process.lock = 0;
	process.generation++;
	process.meta_written = false;
	process.lost_outside = process.unmatched = process.class_mismatches = 0;
	process.sample_unarmed = 0;
	process.memory_stopped = false;
	process.parent_id = process.id;
	new_identity();
	control_after_fork();
	tau_gate.value = control.off ? GATE_OFF : gate_open();
	stream_after_fork();
	track_after_fork();
}

/*
 * Where every entry goes that finds the gate not open or its thread not ready. True: `self` is now ready and
 * the gate open. False: this event is not to be recorded.
 */
bool enter_slow(void)
{
	int saved = errno;
	bool good = false;

	if (tau_gate.value == GATE_FORKED) {
		if (process.generation == 0)
			process_start();
		else
			process_after_fork();
	}
	if (GATE_RECORDS(tau_gate.value) || tau_gate.value == GATE_OFF) {
		if (self.ready == READY_OFF && tau_gate.value != GATE_OFF)
			record_on();
		if (self.ready)
			good = true;
		else if (self.hidden)
			good = false;
		else if (self.live)	/* a signal handler interrupted the recorder */
			self.live->lost++;
		else if (self.ended && process.attached)	/* code that runs after the thread's last destructor */
			__atomic_add_fetch(&process.lost_outside, 1, __ATOMIC_RELAXED);
		else
			good = stream_attach();
	} else if (tau_gate.value == GATE_DEAD && process.failed && self.live) {
		self.live->lost++;
	}
	errno = saved;
	return good;
}

__attribute__((constructor)) static void process_begin(void)
{
	jumps_find();
	confine_find();
	if (!self.ready)
		enter_slow();
	track_start();
}
