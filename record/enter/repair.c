/*
 * repair.c: ends frames whose functions ended without a leave: by longjmp, an exception, setcontext, or a signal handler
 * that never returned. A frame is dead if the stack pointer is above the frame's own, on the same stack.
 *
 * jump.c notices jumps when they happen, so that the frames they end, end then. A jump that is not noticed leaves dead
 * frames until a function that called them returns, or until the stack is so full that the recorder looks for them.
 */
#include "record/enter/repair.h"
#include "record/base/compiler.h"
#include "record/base/control.h"
#include "record/base/frame.h"
#include "record/base/gate.h"
#include "record/base/process.h"
#include "record/base/stream.h"
#include "record/base/thread.h"
#include "record/encode/chunk.h"
#include "record/encode/record.h"
#include "record/encode/varint.h"
#include "record/enter/fold.h"
#include "record/enter/on_off.h"
#include "record/enter/sums.h"
#include "record/format.h"
#include "record/metric/extended.h"
#include "record/metric/metric.h"

#include <signal.h>
#include <string.h>

/* The alternate signal stack, if the thread runs on it; otherwise empty. */
struct alternate {
	uint64_t begin, end;
};

static struct alternate alternate_get(void)
{
	struct alternate a = { 0, 0 };
	stack_t s;

	if (sigaltstack(NULL, &s) == 0 && s.ss_flags & SS_ONSTACK) {
		a.begin = (uint64_t)s.ss_sp;
		a.end = a.begin + s.ss_size;
	}
	return a;
}

static inline bool on(const struct alternate *a, uint64_t sp)
{
	return sp > a->begin && sp <= a->end;
}

static inline bool is_dead(const struct frame *f, uint64_t sp, const struct alternate *a)
{
	if (on(a, sp))
		return on(a, f->sp) && f->sp < sp;
	return on(a, f->sp) || f->sp < sp;
}

/* The n innermost frames end without leaves; the thread is busy. */
void frames_lost(size_t n)
{
	struct stream *s = self.stream;
	size_t lost = 0;
	uint8_t bytes[10];

	fold_write_all();
	/* No chunk may begin between removing the frames and the record of that. */
	if ((uint8_t *)self.live->cur[TAU_ARGS] + 4 * MARGIN_ARGS > self.args_end &&
	    !chunk_room(0, 6 * MARGIN_ARGS))
		return;
	while (n--) {
		lost += frame_recorded(s, self.top - 1);
		frames_drop(1);
	}
	s->repaired += lost;
	if (lost && GATE_RECORDS(tau_gate.value))
		record_extended(TAU_REC_UNWIND, bytes, (size_t)(put_varint(bytes, lost) - bytes));
	if (control.sums)
		sums_follow(self.live->last_tick);
}

/*
 * The number of frames that a jump from `here` (0: not known) to sp ends. The system call for the alternate stack is made only if
 * the order of addresses differs from that on one stack. A jump down, to another stack, ends no frames that are known.
 */
static size_t count_dead(uint64_t here, uint64_t sp)
{
	struct frame *keep = self.top, *f = self.top;
	struct alternate a = { 0, 0 };

	while (f > self.stream->frames && f[-1].sp == SP_NONE)
		f--;
	if (f == self.stream->frames)
		return 0;
	if (sp < here || here > f[-1].sp) {
		a = alternate_get();
		if (!a.end)
			return 0;
	}
	for (f = self.top - 1; f >= self.stream->frames; f--) {
		if (f->sp == SP_NONE)
			continue;
		if (!is_dead(f, sp, &a))
			break;
		keep = f;
	}
	return (size_t)(self.top - keep);
}

static uint64_t get_varint(const uint8_t **p)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = *(*p)++;
		v |= shift < 64 ? (uint64_t)(byte & 0x7f) << shift : 0;
		shift += 7;
	} while (byte & 0x80);
	return v;
}

static int64_t get_zigzag(const uint8_t **p)
{
	uint64_t v = get_varint(p);

	return (int64_t)(v >> 1 ^ (0 - (v & 1)));
}

/* The state of a reader after the last whole record of the live chunk. */
struct mended {
	const uint8_t *args;
	uint64_t tick;
	uint64_t open;			/* recorded regions */
	uint32_t metrics;
	int64_t value[TAU_METRICS];
};

static void mend_snapshot(struct mended *m)
{
	for (uint64_t n = get_varint(&m->args); n; n--) {
		uint64_t tag = get_varint(&m->args), length = get_varint(&m->args);
		const uint8_t *p = m->args;

		if (tag == TAU_SNAP_STACK)
			m->open = get_varint(&p);
		for (uint32_t i = 0; tag == TAU_SNAP_METRICS && i < m->metrics; i++)
			m->value[i] = get_zigzag(&p);
		m->args += length;
	}
}

static void mend_metrics(struct mended *m, const uint8_t **p)
{
	for (uint32_t i = 0; i < m->metrics; i++)
		m->value[i] = (int64_t)((uint64_t)m->value[i] + (uint64_t)get_zigzag(p));
}

static void mend_extended(struct mended *m, uint32_t kind)
{
	uint64_t length = get_varint(&m->args), n;
	const uint8_t *p = m->args;

	m->args += length;
	if (m->metrics && TAU_KIND_HAS_METRICS(kind))
		mend_metrics(m, &p);
	if (kind == TAU_REC_THREAD_END) {
		m->open = 0;
	} else if (kind == TAU_REC_ON) {
		m->open = get_varint(&p);
	} else if (kind == TAU_REC_UNWIND) {
		n = get_varint(&p);
		m->open -= n < m->open ? n : m->open;
	}
}

/*
 * Removes a record that was begun and not finished: sets the end of ARGS, the time, and the values of metrics to those that a
 * reader has after the last whole record. Returns the end of the call stack that the reader has; frames that were just popped
 * are still in memory above the top.
 */
static struct frame *chunk_mend(struct stream *s, struct tau_live_header *live)
{
	const uint8_t *record = (const uint8_t *)live->base[TAU_TIMES],
		      *end = (const uint8_t *)live->cur[TAU_TIMES];
	struct mended m = {.args = (const uint8_t *)live->base[TAU_ARGS],
			   .tick = live->first_tick,
			   .metrics = live->metrics};
	struct frame *seen = s->frames;

	mend_snapshot(&m);
	for (; record < end; record += 4) {
		uint32_t word, time, token;

		memcpy(&word, record, 4);
		time = word & 0xffff;
		token = word >> 16;
		if (token && token < TAU_TOKEN_REGION) {
			mend_extended(&m, token);
		} else if (!token || TAU_TOKEN_IS_REGION(token)) {
			if (token == TAU_TOKEN_FAR)
				get_varint(&m.args);
			mend_metrics(&m, &m.args);
			m.open += token ? 1 : m.open ? UINT64_MAX : 0;
		}
		m.tick += time == TAU_TIME_LONG ? get_varint(&m.args) : time;
	}
	live->cur[TAU_ARGS] = (uint64_t)m.args;
	live->last_tick = m.tick;
	if (m.metrics)
		metric_restore(m.value);
	while (m.open && seen < self.frames_end)
		m.open -= frame_recorded(s, seen++);
	return seen;
}

/*
 * A signal handler that interrupted the recorder and then jumps never returns to it, unless the target is in the handler
 * itself: then sp is below that of the recorder's caller. Deep work is not interrupted (own_stack.c), so that only an unfinished
 * record must be repaired.
 */
static struct frame *abandoned_mend(uint64_t sp)
{
	struct alternate a;
	struct frame *seen;

	if (!self.live || self.ready != READY_BUSY || self.hidden || self.stream->on_own_stack ||
	    sp <= self.sp)
		return NULL;
	a = alternate_get();
	if (on(&a, sp) && !on(&a, self.sp))
		return NULL;
	seen = chunk_mend(self.stream, self.live);
	chunk_adopt(self.stream);
	return seen;
}

bool recorder_abandoned(uint64_t sp)
{
	return abandoned_mend(sp) != NULL;
}

/* The reader's call stack, up to `seen`, differs from the real one after an unwritten leave or enter: records the real one. */
static void stack_write(struct frame *seen)
{
	if (GATE_RECORDS(tau_gate.value))
		record_on(seen);
	else
		self.ready = READY_OFF;
}

/*
 * The n innermost frames end, at `here`. seen: not NULL if the last call of the recorder was abandoned: the end of the
 * call stack that a reader has.
 */
static void stack_end(size_t n, uint64_t here, struct frame *seen)
{
	if (seen) {
		frames_drop(n);
		self.stream->repaired += n;
		for (struct filtered_frame *r = self.stream->filtered;
		     r && r < self.stream->filtered + (self.top - self.stream->frames); r++)
			r->at = NULL;
		stack_write(seen);
	} else if (n) {
		int ready = self.ready;

		self.ready = READY_BUSY;
		barrier();
		self.sp = here;
		frames_lost(n);
		barrier();
		self.ready = ready;
	}
}

void stack_unwind(uint64_t here, uint64_t sp)
{
	struct frame *seen = abandoned_mend(sp);

	if (sp && self.live && (self.ready != READY_BUSY || seen))
		stack_end(count_dead(here, sp), here, seen);
}

size_t stack_height(void)
{
	return self.live && self.ready != READY_BUSY ? (size_t)(self.top - self.stream->frames)
						     : SIZE_MAX;
}

void stack_cut(size_t height, uint64_t here)
{
	struct frame *seen = NULL;
	size_t now = (size_t)(self.top - self.stream->frames);

	if (self.ready == READY_BUSY) {
		seen = chunk_mend(self.stream, self.live);
		chunk_adopt(self.stream);
	}
	if (seen || now > height)
		stack_end(now > height ? now - height : 0, here, seen);
}

/* ---- jumps that were not noticed ---- */

#define SWEEP_FROM 1000
#define SWEEP_EQUAL 256

/*
 * From the innermost frame outwards stack pointers grow. A frame below the largest so far is dead; so is one equal to it, if
 * more frames have it than can have been inlined into one function. Returns the stack pointer of that many frames, 0 if none.
 */
static uint64_t crowd_find(uint64_t sp, const struct alternate *a)
{
	uint64_t most = sp;
	size_t equal = 0;

	for (const struct frame *f = self.top - 1; f >= self.stream->frames; f--) {
		if (f->sp == SP_NONE || on(a, f->sp) != on(a, sp) || f->sp < most)
			continue;
		equal = f->sp == most ? equal + 1 : 0;
		most = f->sp;
		if (equal > SWEEP_EQUAL)
			return most;
	}
	return 0;
}

/* Marks dead frames by sp 0. A frame that is not tied to a function is dead if the frame that it was called from is. */
static size_t dead_mark(uint64_t sp, uint64_t crowd, const struct alternate *a)
{
	uint64_t most = sp;
	bool dead = false;
	size_t n = 0;

	for (struct frame *f = self.top - 1; f >= self.stream->frames; f--) {
		if (f->sp == SP_NONE || on(a, f->sp) != on(a, sp))
			continue;
		dead = f->sp < most || (f->sp == most && f->sp == crowd);
		most = f->sp > most ? f->sp : most;
		if (dead)
			f->sp = 0;
	}
	dead = false;
	for (struct frame *f = self.stream->frames; f < self.top; f++) {
		if (f->sp != SP_NONE)
			dead = !f->sp;
		else if (dead)
			f->sp = 0;
		n += !f->sp;
	}
	return n;
}

/*
 * The stack is full: ends dead frames before it grows. It never loses a call; the frames of a stack that a library of
 * coroutines resumes later may be ended too early, which makes their times too short.
 */
void frames_sweep(uint64_t sp)
{
	struct stream *s = self.stream;
	struct alternate a;
	struct frame *to = s->frames;

	if (self.top - s->frames < SWEEP_FROM || sp == SP_NONE)
		return;
	a = alternate_get();
	if (!dead_mark(sp, crowd_find(sp, &a), &a))
		return;
	fold_write_all();
	if (!record_on_room((size_t)(self.top - s->frames)))
		return;
	for (struct frame *f = s->frames; f < self.top; f++) {
		if (!f->sp) {
			s->repaired += frame_recorded(s, f);
			if (s->filtered)
				filtered_popped(&s->filtered[f - s->frames]);
			continue;
		}
		if (s->filtered)
			s->filtered[to - s->frames] = s->filtered[f - s->frames];
		*to++ = *f;
	}
	to->sp = sp;
	for (struct frame *f = s->frames; process.metrics && f < to; f++)
		metric_entered((size_t)(f - s->frames));
	self.top = to;
	if (GATE_RECORDS(tau_gate.value))
		record_on(to);
	self.ready = READY_BUSY;
}
