/*
 * threads.c: gives each thread a stream and takes it back when the thread ends.
 *
 * Streams are reused: a thread that begins takes over the stream of one that ended, so that ten thousand
 * short-lived threads need as many files as lived at once.
 */
#include "record/life/threads.h"
#include "record/api.h"
#include "record/base/clock.h"
#include "record/base/control.h"
#include "record/base/failure.h"
#include "record/base/frame.h"
#include "record/base/gate.h"
#include "record/base/lives.h"
#include "record/base/lock.h"
#include "record/base/own_stack.h"
#include "record/base/process.h"
#include "record/base/stream.h"
#include "record/base/stream_memory.h"
#include "record/base/stream_time.h"
#include "record/base/thread.h"
#include "record/define/define.h"
#include "record/encode/begin.h"
#include "record/encode/chunk.h"
#include "record/encode/varint.h"
#include "record/enter/budget.h"
#include "record/enter/fold.h"
#include "record/enter/frames_room.h"
#include "record/enter/on_off.h"
#include "record/enter/repair.h"
#include "record/enter/sums.h"
#include "record/event/measure.h"
#include "record/event/thread_name.h"
#include "record/format.h"
#include "record/life/meta.h"
#include "record/metric/extended.h"
#include "record/metric/metric.h"
#include "record/own/own.h"
#include "record/sample/sample.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_key_t thread_key;
static bool stream_inherit(void);

/* The thread sanitizer destroys its own state of a thread in the last round of destructors. */
#ifdef __SANITIZE_THREAD__
#define LAST_ROUND (PTHREAD_DESTRUCTOR_ITERATIONS - 1)
#else
#define LAST_ROUND PTHREAD_DESTRUCTOR_ITERATIONS
#endif

/* The lock is held. */
static struct stream *stream_new(void)
{
	struct stream *s = stream_memory();

	if (s) {
		s->number = process.stream_n++;
		s->next = process.streams;
		__atomic_store_n(&process.streams, s, __ATOMIC_RELEASE);
	}
	return s;
}

/* An unused stream, or a new one. */
static struct stream *stream_claim(void)
{
	sigset_t saved;
	struct stream *s;

	lock_acquire(&saved);
	s = process.idle;
	if (s)
		process.idle = s->next_idle;
	else
		s = stream_new();
	lock_release(&saved);
	return s;
}

static void stream_release(struct stream *s)
{
	sigset_t saved;

	stream_to_run_end(s);
	lock_acquire(&saved);
	stream_time_end(s);
	__atomic_store_n(&s->tid, 0, __ATOMIC_RELAXED);
	s->next_idle = process.idle;
	process.idle = s;
	lock_release(&saved);
}

/* Allocates what a stream still needs besides its files. */
static bool stream_equip(struct stream *s)
{
	if (!s->slots)
		s->slots = slots_new(1024);
	if (s->slots && frames_equip(s))
		return true;
	process_fail(ENOMEM, "cannot get memory for a thread", NULL);
	return false;
}

/* A thread ends with frames open: their folded calls are written, and recording that they started ends. */
static void frames_end(struct stream *s)
{
	fold_write_all();
	for (struct frame *f = s->frames; f < self.top; f++)
		filtered_popped(&s->filtered[f - s->frames]);
}

/* Recording is off at the end of the thread or process: records the time without recording from its begin until now. */
static void off_end(int ready)
{
	if (ready != READY_OPEN || !control_over())
		return;
	record_off();
	self.ready = READY_BUSY;
}

/*
 * pthread calls this when a thread ends. Other destructors may run later and still call instrumented
 * code, so ours asks to be called again until the last round.
 */
static void thread_end(void *round)
{
	struct stream *s = self.stream;
	uintptr_t n = (uintptr_t)round;
	int ready;

	if (n < LAST_ROUND) {
		pthread_setspecific(thread_key, (void *)(n + 1));
		return;
	}
	if (recorder_abandoned(UINT64_MAX))
		self.ready = READY_OPEN;	/* cancelled, or left by pthread_exit() in a handler, inside the recorder */
	if (!self.live && self.timer) {
		sample_leave();
		self.ended = true;
		return;
	}
	ready = keep_begin();
	if (ready < 0)
		return;
	if (!self.live) {
		self.ended = true;
		return;
	}
	off_end(ready);
	thread_name_follow();
	sample_disarm(s);
	if (s->filtered)
		frames_end(s);
	budget_end(s);
	/* The last record may fill the chunk: no region is open in the next chunk, which must not begin before the record. */
	chunk_room(0, 10 * TAU_METRICS + 2 * MARGIN_ARGS);
	self.top = s->frames;
	if (control.sums)
		sums_on(ticks(self.shift));
	s->off_tick = 0;
	record_extended(TAU_REC_THREAD_END, NULL, 0);
	metric_detach(s);
	s->out += self.out;
	s->silent += self.silent;
	self.out = self.silent = 0;
	self.live = NULL;
	self.ended = true;
	stream_release(s);
	__atomic_sub_fetch(&process.attached, 1, __ATOMIC_RELAXED);
}

void stream_start(void)
{
	pthread_key_create(&thread_key, thread_end);
}

void tau_sample_thread(void)
{
	if (tau_gate.value == GATE_STRANGER)
		return;
	if (!sample_watch())
		tau_attach();
	else if (self.timer)
		pthread_setspecific(thread_key, (void *)1);
}

/* The calling thread starts to use stream s, whose live chunk is open. */
static void thread_adopt(struct stream *s)
{
	bool again = self.stream == s;

	self.stream = s;
	if (!again)
		self.top = s->frames;
	self.frames_end = s->frames + s->frame_cap;
	self.slots = s->slots;
	self.local = s->local;
	self.local_cap = s->local_cap;
	self.shift = process.shift;
	chunk_adopt(s);
}

static void process_begins(struct stream *s)
{
	meta_write();
	stream_time_begin(s);	/* without the recorder's own work at the start */
	measure_begins();
}

/* The calling thread gets stream *argument. */
static bool attach_work(void *argument)
{
	struct stream *s = argument;
	bool again = self.stream == s, fresh = !s->live, ready;
	uint8_t tid[10];

	if (!stream_equip(s))
		return false;
	__atomic_store_n(&s->tid, (uint32_t)system_call(SYS_gettid), __ATOMIC_RELAXED);
	self.hidden++;		/* a library of counters opens and reads files, and the thread has no stream yet */
	if (!again)
		stream_time_begin(s);
	metric_attach(s);
	s->off_tick = 0;
	ready = !fresh || chunk_open(s, again ? self.top : s->frames);
	self.hidden--;
	if (!ready)
		return false;
	thread_adopt(s);
	__atomic_add_fetch(&process.attached, 1, __ATOMIC_RELAXED);
	if (!self.ended)
		pthread_setspecific(thread_key, (void *)1);
	if (!fresh)
		record_extended(TAU_REC_THREAD_BEGIN, tid, (size_t)(put_varint(tid, s->tid) - tid));
	thread_name_define(s->tid);
	if (!__atomic_exchange_n(&process.meta_written, true, __ATOMIC_RELAXED))
		process_begins(s);
	if (!again)
		sample_arm(s);
	budget_begin(s);
	self.ready = READY_OPEN;
	return tau_gate.value != GATE_DEAD;
}

/* The stream has no file yet: the next thread that needs one, or this one, tries again. */
static void attach_later(struct stream *s)
{
	sigset_t saved;

	__atomic_store_n(&s->tid, 0, __ATOMIC_RELAXED);
	if (self.stream != s) {
		lock_acquire(&saved);
		s->next_idle = process.idle;
		process.idle = s;
		lock_release(&saved);
	}
	if (self.attach_failed < 8)
		self.attach_failed++;
	self.attach_wait = 1u << self.attach_failed;
}

static bool attach_blocked(void)
{
	bool again = self.stream && self.stream->closed;	/* events after the end of the recorder */
	struct stream *s = again ? self.stream : stream_claim();

	if (!s)
		return false;
	if (own_stack_run(s, attach_work, s)) {
		self.attach_failed = 0;
		return true;
	}
	attach_later(s);
	return false;
}

bool stream_attach(void)
{
	sigset_t saved;
	bool good;

	if (self.inherits)
		return stream_inherit();
	signals_block(&saved);
	/* a handler may have run before, and may have called code that needed a stream */
	good = self.live || attach_blocked();
	signals_restore(&saved);
	return good;
}

void streams_of_devices_lock(void)
{
	sleep_lock(&process.device_lock);
}

void streams_of_devices_unlock(void)
{
	sleep_unlock(&process.device_lock);
}

static bool attach_device_work(void *argument)
{
	struct stream *s = argument;

	if (!stream_equip(s) || !chunk_open(s, s->frames))
		return false;
	thread_adopt(s);
	return true;
}

bool stream_attach_device(uint64_t tick)
{
	sigset_t saved;
	struct stream *s;

	lock_acquire(&saved);
	s = stream_new();
	lock_release(&saved);
	if (!s)
		return false;
	s->device = true;
	s->device_tick = tick;
	return own_stack_run(s, attach_device_work, s);
}

struct finish {
	struct stream *mine;
	int ready; /* of the thread before this */
};

static bool finish_work(void *argument)
{
	const struct finish *f = argument;
	struct stream *s, *mine = f->mine;
	sigset_t saved;

	if (self.live && mine) {
		fold_write_all();
		budget_end(mine);
		off_end(f->ready);
		/* The thread and its open regions end now and not with its last event. */
		if (f->ready == READY_OPEN || mine->off_tick || process.metrics)
			record_extended(TAU_REC_METRICS, NULL, 0);
		sample_disarm(mine);
		thread_name_follow();
		meta_end();
		chunk_close(mine);
		self.live = NULL;
	}
	lock_acquire(&saved);
	for (s = process.idle; s; s = s->next_idle)
		chunk_close(s);
	lock_release(&saved);
	streams_of_devices_lock();
	for (s = process.streams; s; s = s->next)
		if (s->device)
			chunk_close(s);
	streams_of_devices_unlock();
	lives_end();
	return true;
}

void stream_finish_all(void)
{
	struct finish f = { self.stream, self.ready };
	struct stream *any = f.mine ? f.mine : process.streams;

	if (self.live && !self.ready)
		return;			/* exit() from a signal handler inside the recorder: the live file is complete */
	self.ready = READY_BUSY;
	if (any)
		own_stack_run(any, finish_work, &f);
}

void stream_leave(void)
{
	const struct filtered_frame *filtered;
	uint32_t starts = 0;

	self.inherits |= self.live != NULL;
	filtered = self.inherits ? self.stream->filtered : NULL;
	for (size_t i = 0; filtered && self.stream->frames + i < self.top; i++)
		starts += filtered[i].starts;
	control.started = starts;
	self.live = NULL;
	self.ready = self.hidden_ready = READY_BUSY;
}

void streams_forget(void)
{
	struct stream *s;

	self.hidden++;
	for (s = process.streams; s; s = s->next) {
		chunk_forget(s);
		fold_forget(s);
		metric_forget(s);
	}
	lives_forget();
	metric_after_fork();
	self.hidden--;
	process.streams = process.idle = NULL;
	process.stream_n = 0;
	process.attached = 0;
	process.counter = NULL;
	process.device_lock = 0;
}

/* The open regions of the parent's stream continue in the new one; an ON record lists them for readers. */
static void frames_inherit(const struct stream *old, size_t depth)
{
	struct stream *s = self.stream;

	memcpy(s->frames, old->frames, depth * sizeof(*old->frames));
	for (size_t i = 0; old->filtered && i < depth; i++)
		s->filtered[i] = (struct filtered_frame){.recorded = old->filtered[i].recorded,
							 .starts = old->filtered[i].starts,
							 .depth = old->filtered[i].depth};
	for (size_t i = 0; process.metrics && i < depth; i++)
		metric_entered(i);
	self.top = s->frames + depth;
	record_on(s->frames);
}

/* The thread that made a forked child gets a stream of its own. */
static bool stream_inherit(void)
{
	const struct stream *old = self.stream;
	size_t depth = (size_t)(self.top - old->frames);

	self.inherits = self.ended = false;
	self.out = self.silent = 0;
	self.stream = NULL;
	if (!stream_attach())
		return false;
	self.ready = READY_BUSY;
	if (depth && frames_room(depth))
		frames_inherit(old, depth);
	self.ready = READY_OPEN;
	return tau_gate.value != GATE_DEAD;
}
