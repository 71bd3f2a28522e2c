/*
 * sample.c: samples: where each thread is whenever it has used another period of CPU time, written as SAMPLE records.
 *
 * Each thread has a timer of its own on CLOCK_THREAD_CPUTIME_ID, so a thread that waits is not disturbed. Its signal is one of
 * the last real-time signals, which programs leave alone; libtau-sample.so, preloaded beside us, keeps the two apart where a
 * program does use it. The handler blocks all signals and works on a stack of ours, because the program's may be small.
 *
 * What is not taken is counted: periods that ended while the thread was inside the recorder, and periods that went by
 * before their signal came: while the program blocked it, was in a long system call, or the machine stood still. Periods of
 * a time when recording was off are not missed.
 */
#include "record/sample/sample.h"
#include "record/api.h"
#include "record/base/calls_up.h"
#include "record/base/clock.h"
#include "record/base/compiler.h"
#include "record/base/control.h"
#include "record/base/failure.h"
#include "record/base/gate.h"
#include "record/base/lock.h"
#include "record/base/memory_map.h"
#include "record/base/object.h"
#include "record/base/own_stack.h"
#include "record/base/permit.h"
#include "record/base/process.h"
#include "record/base/stream.h"
#include "record/base/thread.h"
#include "record/define/define.h"
#include "record/define/module.h"
#include "record/encode/begin.h"
#include "record/encode/define_write.h"
#include "record/encode/record.h"
#include "record/encode/varint.h"
#include "record/enter/on_off.h"
#include "record/format.h"
#include "record/metadata.h"
#include "record/metric/extended.h"
#include "record/own/own.h"
#include "record/sample/cpu_timer.h"
#include "record/sample/unwind.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

/* The C library's own, whatever is interposed before `sigaction`. */
int __sigaction(int signal, const struct sigaction *action, struct sigaction *old);

/*
 * The kernel looks at CPU timers at its clock tick, 1 to 10 ms apart and later on a virtual machine that has to wait: a
 * shorter period may have ended several times at once. Periods beyond this are missed: it is unknown where the program was.
 */
#define LATE_NS 50000000u
#define STACK (128 * 1024)
#define CODE_TEXT 4096	/* most bytes of names of code of an interpreter */

/* What taking a sample needs: a stack follows. Most threads end before their first period, so it is mapped by the first sample. */
struct sample_room {
	uint64_t pc[SAMPLE_DEPTH], sp[SAMPLE_DEPTH];
	uint8_t fields[40 + 10 * SAMPLE_DEPTH];
};

static void sample_record(struct sampler *p, uint64_t ns, size_t n)
{
	uint8_t few[40], *fields = n ? p->room->fields : few, *to = fields;
	uint64_t before = 0;

	to = put_varint(to, ns);
	to = put_varint(to, p->inside);
	to = put_varint(to, p->missed);
	to = put_varint(to, n);
	for (size_t i = 0; i < n; i++) {
		to = put_zigzag(to, (int64_t)(p->room->pc[i] - before));
		before = p->room->pc[i];
	}
	p->inside = p->missed = 0;
	record_extended(TAU_REC_SAMPLE, fields, (size_t)(to - fields));
}

/* Is the code there the recorder's or a wrapper's? Those lie in one folder and begin alike. */
static bool is_ours(uint64_t address)
{
	struct dl_find_object here, there;
	const char *ours, *its;
	size_t folder;

	if (!object_at((uint64_t)is_ours, &here) || !object_at(address, &there))
		return false;
	ours = here.dlfo_link_map->l_name;
	its = there.dlfo_link_map->l_name;
	if (!ours || !its || !strrchr(ours, '/'))
		return false;
	folder = (size_t)(strrchr(ours, '/') - ours) + 1;
	return !strncmp(ours, its, folder) && !strncmp(its + folder, "libtau", 6) &&
	       !strchr(its + folder, '/');
}

/* Removes our frames, so that the stack is as it would be without wrappers, except for the innermost frame. */
static size_t ours_leave_out(uint64_t *pc, uint64_t *sp, size_t n)
{
	size_t kept = n > 0;

	for (size_t i = 1; i < n; i++)
		if (!is_ours(pc[i] - 1)) {
			sp[kept] = sp[i];
			pc[kept++] = pc[i];
		}
	return kept;
}

/* Of the wrapper that finds the frames of an interpreter; NULL: there is none. */
static size_t (*frames_of)(uint64_t *pc, const uint64_t *sp, size_t n, size_t most);

void tau_sample_frames(size_t (*frames)(uint64_t *pc, const uint64_t *sp, size_t n, size_t most))
{
	frames_of = frames;
}

uint64_t tau_code(const char *module, const char *name, const char *file, uint32_t line)
{
	size_t m = strlen(module), n = strlen(name), f = strlen(file);
	uint8_t bytes[CODE_TEXT + 64], *p = bytes;
	uint32_t id;

	if (m + n + f > CODE_TEXT)
		return 0;
	p = put_varint(p, 0); /* not inlined */
	p = put_string(p, module, m);
	p = put_string(p, name, n);
	p = put_string(p, file, f);
	p = put_varint(p, line);
	id = define(REG_CODE, bytes, (size_t)(p - bytes));
	return id && define_here(REG_CODE, id) ? CODE_ADDRESS(id) : 0;
}

/* On the stack of our own. */
static void sample_write(struct sampler *p)
{
	uint64_t *pc = p->room->pc, *sp = p->room->sp;
	size_t n = unwind(p->context, pc, sp, process.sample_depth);

	n = ours_leave_out(pc, sp, n);
	if (p->was_off) {
		record_on(self.top);
		self.ready = READY_BUSY;
	}
	if (frames_of)
		n = frames_of(pc, sp, n, process.sample_depth);
	for (size_t i = 0; i < n; i++)
		if (!IS_CODE_ADDRESS(pc[i]))
			module_cover_sampled(pc[i] - (i > 0));
	p->taken++;
	sample_record(p, p->weight * p->ns, n);
}

#if defined(__x86_64__)
/* Calls take(p) with the stack that ends at `end`. */
static void call_on(void *end, void (*receive)(struct sampler *p), struct sampler *p)
{
	__asm__ volatile("movq %%rsp, %%rbx\n\t"
			 "movq %[end], %%rsp\n\t"
			 "call *%[receive]\n\t"
			 "movq %%rbx, %%rsp"
			 : "+D"(p)
			 : [end] "r"(end), [receive] "r"(receive)
			 : "rax", "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory",
			   "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
			   "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
}
#else
static void call_on(void *end __attribute__((unused)), void (*receive)(struct sampler *p),
		    struct sampler *p)
{
	receive(p);
}
#endif

static uint64_t periods_of(const siginfo_t *info)
{
	return 1 + (info->si_overrun > 0 ? (uint64_t)info->si_overrun : 0);
}

/* A program may never make a call that asks whether it is time to begin, or to end. */
static bool may_record(void)
{
	uint64_t now;

	if (tau_gate.value == GATE_DEAD)	/* the clock may be forbidden by now */
		return false;
	now = ticks(self.shift);
	if (unlikely(now >= control_next()) && self.ready != READY_BUSY)
		control_time(now);
	return GATE_RECORDS(tau_gate.value);
}

/*
 * CPU time of this thread. It is asked of the kernel itself: a sanitizer that looks at
 * clock_gettime() does not know the thread yet.
 */
static uint64_t cpu_ns(void)
{
	struct timespec t = {0};

	system_call(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* A period begins when a command changes its length: what had passed of the one before is in no sample, and is not missed. */
static void period_adopt(struct sampler *p, uint64_t gone)
{
	p->change = __atomic_load_n(&process.sample_changes, __ATOMIC_ACQUIRE);
	p->ns = __atomic_load_n(&process.sample_ns, __ATOMIC_RELAXED);
	p->cpu = cpu_ns() - gone * p->ns;
	p->recorded = 0;
}

/* false: there is no memory. */
static bool room_get(struct sampler *p)
{
	if (!p->room) {
		p->room = map_alloc(STACK);
		if (p->room)
			stack_announce(p->room, STACK);
	}
	return p->room;
}

static void commands_seek(struct sampler *p __attribute__((unused)))
{
	calls_up.look();
}

/* Samples were stopped by a command: the next command may come in a program that records nothing else. */
static void idle_look(struct sampler *p)
{
	if (self.ready != READY_OPEN || !room_get(p))
		return;
	self.ready = READY_BUSY;
	barrier();
	call_on((uint8_t *)p->room + STACK, commands_seek, p);
	record_end();
}

/* The stream's sampler. A thread gets its stream with its first sample, if it has recorded nothing before. */
static struct sampler *sampler_here(void)
{
	struct sampler *p;

	if (!self.live && process.sample_lazy && self.timer && !self.ended &&
	    tau_gate.value != GATE_DEAD && !process.over)
		enter_slow();
	p = self.stream ? &self.stream->sampler : NULL;
	return p && p->armed && self.timer ? p : NULL;
}

static void timer_fired(const siginfo_t *info, const void *context)
{
	struct sampler *p = sampler_here();
	uint64_t periods = periods_of(info), most, begin;

	if (!p)
		return;
	if (unlikely(p->change != __atomic_load_n(&process.sample_changes, __ATOMIC_ACQUIRE))) {
		/* The signal may be of the period before. */
		period_adopt(p, 0);
		if (p->ns)
			return;
	}
	p->recorded += periods;
	if (!self.live || !may_record())
		return;
	if (unlikely(!p->ns)) {
		idle_look(p);
		return;
	}
	most = LATE_NS / p->ns + 1;
	if (self.ready == READY_BUSY) {
		p->inside += periods;
		p->inside_all += periods;
		return;
	}
	if (!room_get(p)) {
		p->missed += periods;
		p->missed_all += periods;
		return;
	}
	p->was_off = self.ready == READY_OFF;
	self.ready = READY_BUSY;
	barrier();
	begin = ticks(self.shift);
	p->weight = periods < most ? periods : most;
	p->missed += periods - p->weight;
	p->missed_all += periods - p->weight;
	p->context = context;
	call_on((uint8_t *)p->room + STACK, sample_write, p);
	self.stream->sampled += ticks(self.shift) - begin;
	record_end();
}

/*
 * A thread that believes that it blocks the signal blocks it from now on, and it waits as the program expects: in the thread
 * if it was sent to the thread.
 */
static void signal_hold(int signal, siginfo_t *info, ucontext_t *context)
{
	sigaddset(&context->uc_sigmask, signal);
	self.sample_held = false;
	if (info->si_code == SI_TKILL)
		system_call(SYS_rt_tgsigqueueinfo, system_call(SYS_getpid), system_call(SYS_gettid),
			    signal, info);
	else
		system_call(SYS_rt_sigqueueinfo, system_call(SYS_getpid), signal, info);
}

/* The signal came from elsewhere: what the program wants of it happens. */
static void signal_of_program(int signal, siginfo_t *info, void *context)
{
	struct sigaction a = process.sample_program;

	if (self.sample_held) {
		signal_hold(signal, info, context);
		return;
	}
	if (a.sa_handler == SIG_IGN)
		return;
	if (a.sa_handler == SIG_DFL) {
		__sigaction(signal, &a, NULL);
		raise(signal);	/* blocked until we return; then it ends the process, as it would have without us */
	} else if (a.sa_flags & SA_SIGINFO) {
		a.sa_sigaction(signal, info, context);
	} else {
		a.sa_handler(signal);
	}
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
	int saved;

	if (tau_gate.value == GATE_STRANGER)
		return;
	saved = errno;
	if (tau_sample_ours(info))
		timer_fired(info, context);
	else
		signal_of_program(signal, info, context);
	errno = saved;
}

/* A forked child has no timer, and may never enter the recorder: so fork() calls this. */
static void forked(void)
{
	cpu_timers_forget();
	if (!sample_watch())
		enter_slow();
}

static bool handler_install(void)
{
	struct sigaction a = { .sa_sigaction = on_signal,
			       .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK };

	/* sigfillset() excludes the signal of cancellation, which must not unwind from our stack. */
	memset(&a.sa_mask, 0xff, sizeof(a.sa_mask));
	return __sigaction(SAMPLE_SIGNAL, &a, &process.sample_program) == 0;
}

static bool is_emulated(void)
{
	const char *preload = getenv("LD_PRELOAD");

	return preload && strstr(preload, "/vgpreload_");
}

/*
 * A debugger stops at each signal, a tracer of system calls prints it, and callgrind ends in an assertion if a handler
 * changes the stack. Without the user's request there are no samples then.
 */
static bool is_watched(void)
{
	return process_traced() || is_emulated();
}

void sample_start(void)
{
	const char *period = getenv("TAU_RECORD_SAMPLE");
	const char *depth = getenv("TAU_RECORD_UNWIND");
	uint64_t us = period ? strtoull(period, NULL, 10) : 0;
	uint64_t n = depth ? strtoull(depth, NULL, 10) : 1;

	if (!us || us > SAMPLE_MOST_NS / 1000)
		return;
	process.sample_traced = getenv("TAU_RECORD_SAMPLE_UNASKED") && is_watched();
	if (process.sample_traced)
		return;
	if (!objects_start()) {
		message_print("no samples are taken: they need the GNU C library 2.35 or later");
		return;
	}
	process.sample_lazy = getenv("TAU_RECORD_SAMPLE_UNASKED") && !process.metrics;
	process.sample_ns = us * 1000;
	if (is_emulated())	/* valgrind takes reading a stack for an error of the program */
		n = 1;
	process.sample_depth = n < 1 ? 1 : n > SAMPLE_DEPTH ? SAMPLE_DEPTH : (uint32_t)n;
	process.sample_handled = handler_install();
	if (process.sample_handled && pthread_atfork(NULL, NULL, forked) != 0)
		process.sample_handled = false;
	if (!process.sample_handled)
		process.sample_ns = 0;
}

void sample_period(uint64_t ns)
{
	sigset_t saved;

	if (!process.sample_handled)
		return;
	lock_acquire(&saved);
	__atomic_store_n(&process.sample_ns, ns, __ATOMIC_RELAXED);
	__atomic_add_fetch(&process.sample_changes, 1, __ATOMIC_SEQ_CST);
	cpu_timers_set(ns);
	lock_release(&saved);
}

static bool timer_get(void)
{
	uint32_t change = __atomic_load_n(&process.sample_changes, __ATOMIC_SEQ_CST);

	if (self.timer)
		return true;
	if (cpu_timer_begin(SAMPLE_SIGNAL, __atomic_load_n(&process.sample_ns, __ATOMIC_RELAXED))) {
		self.timer_change = change;
		self.timer_cpu = cpu_ns();
		/* A command that came meanwhile did not see this timer. */
		if (change != __atomic_load_n(&process.sample_changes, __ATOMIC_SEQ_CST))
			cpu_timers_set(__atomic_load_n(&process.sample_ns, __ATOMIC_RELAXED));
		return true;
	}
	return false;
}

static void timer_missing(int error)
{
	if (!__atomic_fetch_add(&process.sample_unarmed, 1, __ATOMIC_RELAXED))
		message_print("process %u: a thread has no samples, because it got no timer: %s "
			      "(limit of pending signals: ulimit -i)",
			      process.pid, strerrordesc_np(error));
}

bool sample_watch(void)
{
	int saved = errno;
	bool watch = process.sample_lazy && process.sample_handled && !self.live;

	if (watch && tau_gate.value != GATE_DEAD && !process.over && !timer_get())
		timer_missing(errno);
	errno = saved;
	return watch;
}

void sample_leave(void)
{
	if (tau_gate.value != GATE_DEAD)
		cpu_timer_end();
}

void sample_arm(struct stream *s)
{
	int saved = errno;
	struct sampler *p = &s->sampler;

	if (!process.sample_handled)
		return;
	if (!timer_get()) {
		timer_missing(errno);
	} else {
		p->change = self.timer_change;
		p->ns = __atomic_load_n(&process.sample_ns, __ATOMIC_RELAXED);
		p->cpu = self.timer_cpu;
		p->recorded = 0;
		p->armed = true;
	}
	errno = saved;
}

/* Periods that ended without a signal: usually the thread blocked it until its end. */
static void count_missed(struct sampler *p)
{
	uint64_t due;

	if (!p->ns || p->change != __atomic_load_n(&process.sample_changes, __ATOMIC_ACQUIRE))
		return;
	due = (cpu_ns() - p->cpu) / p->ns;
	if (due <= p->recorded + LATE_NS / p->ns)
		return;
	p->missed += due - p->recorded;
	p->missed_all += due - p->recorded;
}

void sample_disarm(struct stream *s)
{
	struct sampler *p = &s->sampler;
	int saved = errno;

	if (!p->armed)
		return;
	p->armed = false;
	cpu_timer_end();
	count_missed(p);
	if ((p->inside || p->missed) && GATE_RECORDS(tau_gate.value))
		sample_record(p, 0, 0);
	errno = saved;
}

void sample_meta(void)
{
	uint64_t taken = 0, inside = 0, missed = 0, cost = 0;
	sigset_t saved;

	if (process.sample_traced)
		meta_number(TAU_META_NO_SAMPLES_TRACED, 1);
	if (!process.sample_handled)
		return;
	lock_acquire(&saved);
	for (const struct stream *s = process.streams; s; s = s->next) {
		taken += s->sampler.taken;
		inside += s->sampler.inside_all;
		missed += s->sampler.missed_all;
		cost += s->sampled;
	}
	lock_release(&saved);
	if (process.ticks_hz)
		cost = (uint64_t)((double)cost * 1e9 / (double)process.ticks_hz);
	meta_number(TAU_META_SAMPLES, taken);
	meta_number(TAU_META_SAMPLING_COST_NS, process.ticks_hz ? cost : 0);
	meta_number(TAU_META_SAMPLING_PERIODS_INSIDE, inside);
	meta_number(TAU_META_SAMPLING_PERIODS_MISSED, missed);
	meta_number(TAU_META_THREADS_NOT_SAMPLED, process.sample_unarmed);
}

/* ---- for libtau-sample.so ---- */

int tau_sample_signal(void)
{
	return process.sample_handled && tau_gate.value != GATE_STRANGER ? SAMPLE_SIGNAL : 0;
}

int tau_sample_ours(const void *siginfo)
{
	const siginfo_t *info = siginfo;

	return info->si_code == SI_TIMER && info->si_value.sival_ptr == &process;
}

void tau_sample_missed(const void *siginfo)
{
	struct sampler *p = self.stream ? &self.stream->sampler : NULL;

	if (p && p->armed && p->ns &&
	    p->change == __atomic_load_n(&process.sample_changes, __ATOMIC_ACQUIRE)) {
		p->recorded += periods_of(siginfo);
		p->missed += periods_of(siginfo);
		p->missed_all += periods_of(siginfo);
	}
}

int tau_sample_hold(int hold)
{
	int before = self.sample_held;

	if (hold >= 0)
		self.sample_held = hold;
	return before;
}

void tau_sample_action(const struct sigaction *action, struct sigaction *old)
{
	struct sigaction before = process.sample_program;

	if (action)
		process.sample_program = *action;
	if (old)
		*old = before;
}
