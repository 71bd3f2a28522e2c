/*
 * repair.c: frames whose functions ended without a leave: by longjmp, an exception, setcontext, or a signal handler that
 * never returned. A frame is dead when the stack pointer stands above its own, on the same stack.
 *
 * Jumps are seen as they happen (jump.c), so that what they end, ends then. Jumps that nobody can see leave frames
 * behind until a function below them returns, or until they are so many that they are looked for.
 */
#include "core.h"

#include <signal.h>
#include <string.h>

/* The alternate signal stack, where the thread runs on it; empty otherwise. */
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

	fold_tell_all();
	/* No chunk may begin between frames that go and the record that says so. */
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
}

/*
 * How many frames a jump from `here` (0: not known) to sp ends. The kernel is asked about alternate stacks only where the order of
 * addresses is not what it is on one stack. A jump down, to another stack, ends none that are known.
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

/*
 * Where ARGS ends and time stands after the last whole record of the live chunk, as a reader finds it: a record that
 * was not finished may have left arguments behind.
 */
static void chunk_mend(struct tau_live_header *live)
{
	const uint8_t *record = (const uint8_t *)live->base[TAU_TIMES],
		      *end = (const uint8_t *)live->cur[TAU_TIMES];
	const uint8_t *p = (const uint8_t *)live->base[TAU_ARGS];
	uint64_t tick = live->first_tick, n;

	for (n = get_varint(&p); n; n--) {
		get_varint(&p);
		p += get_varint(&p);
	}
	for (; record < end; record += 4) {
		uint32_t word, time, token;

		memcpy(&word, record, 4);
		time = word & 0xffff;
		token = word >> 16;
		if (token && token < TAU_TOKEN_REGION) {
			p += get_varint(&p);
		} else if (!token || TAU_TOKEN_IS_REGION(token)) {
			if (token == TAU_TOKEN_FAR)
				get_varint(&p);
			for (uint32_t m = 0; m < live->metrics; m++)
				get_varint(&p);
		}
		tick += time == TAU_TIME_LONG ? get_varint(&p) : time;
	}
	live->cur[TAU_ARGS] = (uint64_t)p;
	live->last_tick = tick;
}

/*
 * A signal handler that interrupted the recorder and then jumps never comes back to it, unless it jumps inside itself:
 * then it stays below what called the recorder. Deep work is not interrupted (aside.c), so that all there is to mend is a
 * record begun.
 */
bool recorder_abandoned(uint64_t sp)
{
	struct alternate a;

	if (!self.live || self.ready != READY_BUSY || self.hidden || self.stream->aside_busy ||
	    sp <= self.sp)
		return false;
	a = alternate_get();
	if (on(&a, sp) && !on(&a, self.sp))
		return false;
	chunk_mend(self.live);
	chunk_adopt(self.stream);
	return true;
}

/* What the reader knows of the stack is not what it is: after a leave that was not written, or an enter. */
static void stack_tell(void)
{
	if (GATE_RECORDS(tau_gate.value))
		record_on();
	else
		self.ready = READY_OFF;
}

/* The n innermost frames end, at `here`; abandoned: whoever entered the recorder last never comes back to it. */
static void stack_end(size_t n, uint64_t here, bool abandoned)
{
	if (abandoned) {
		frames_drop(n);
		self.stream->repaired += n;
		for (struct rich_frame *r = self.stream->rich;
		     r && r < self.stream->rich + (self.top - self.stream->frames); r++)
			r->at = NULL;
		stack_tell();
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
	bool abandoned = recorder_abandoned(sp);

	if (sp && self.live && (self.ready != READY_BUSY || abandoned))
		stack_end(count_dead(here, sp), here, abandoned);
}

size_t stack_height(void)
{
	return self.live && self.ready != READY_BUSY ? (size_t)(self.top - self.stream->frames)
						     : SIZE_MAX;
}

void stack_cut(size_t height, uint64_t here)
{
	bool abandoned = self.ready == READY_BUSY;
	size_t now = (size_t)(self.top - self.stream->frames);

	if (abandoned) {
		chunk_mend(self.live);
		chunk_adopt(self.stream);
	}
	if (abandoned || now > height)
		stack_end(now > height ? now - height : 0, here, abandoned);
}

/* ---- jumps that nobody saw ---- */

#define SWEEP_FROM 1000
#define SWEEP_EQUAL 256

/*
 * From the innermost frame outwards stack pointers grow. One below the largest so far is dead; so is one equal to it,
 * when those are more than can have been inlined into one another. Returns the stack pointer that so many have, 0 if none.
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

/* Marks the dead by sp 0. A frame that is bound to no function shares the fate of the one below it. */
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
 * The stack is full: looks for the dead before it grows. Never loses a call; the frames of a stack that some library of
 * coroutines keeps for later may be taken for dead, which costs them their times.
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
	fold_tell_all();
	for (struct frame *f = s->frames; f < self.top; f++) {
		if (!f->sp) {
			s->repaired += frame_recorded(s, f);
			if (s->rich)
				rich_popped(&s->rich[f - s->frames]);
			continue;
		}
		if (s->rich)
			s->rich[to - s->frames] = s->rich[f - s->frames];
		*to++ = *f;
	}
	to->sp = sp;
	for (struct frame *f = s->frames; process.metrics && f < to; f++)
		metric_entered((size_t)(f - s->frames));
	self.top = to;
	if (GATE_RECORDS(tau_gate.value))
		record_on();
	self.ready = READY_BUSY;
}
