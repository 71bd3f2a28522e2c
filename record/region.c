/*
 * region.c: entering and leaving regions that a program or a wrapper names, the slow half of every leave, and
 * what is kept of calls while recording is off: the stack.
 */
#include "core.h"

#include <string.h>

/* OFF comes once, with the time when recording went off; from then on only the stack is kept. */
void record_off(void)
{
	uint64_t now = ticks(self.shift);
	uint64_t off = __atomic_load_n(&control.off_tick, __ATOMIC_RELAXED);

	self.ready = READY_BUSY;
	fold_tell_all();
	if (off && off < now)
		now = off > self.live->last_tick ? off : self.live->last_tick;
	record_extended_at(TAU_REC_OFF, NULL, 0, now);
	self.ready = READY_OFF;
}

void record_on(void)
{
	size_t depth = (size_t)(self.top - self.stream->frames), room = 10 + depth * 5;
	uint64_t now = ticks(self.shift);
	uint8_t small[256], *bytes = small, *p;

	self.ready = READY_BUSY;
	if (room > sizeof(small))
		bytes = map_alloc(room);
	if (bytes) {
		for (struct frame *f = self.stream->frames; f < self.top; f++)
			depth -= !frame_recorded(self.stream, f);
		p = put_varint(bytes, depth);
		for (struct frame *f = self.stream->frames; f < self.top; f++) {
			if (!frame_recorded(self.stream, f))
				continue;
			if (KEY_IS_REGION(f->key))
				region_local((uint32_t)f->key);
			else
				address_slot(f->key);
			p = put_varint(p, frame_region(self.stream, f->key));
			if (self.stream->rich)
				self.stream->rich[f - self.stream->frames].region =
					frame_region(self.stream, f->key);
			if (f->time > now)
				f->time = now;
		}
		record_extended(TAU_REC_ON, bytes, (size_t)(p - bytes));
		if (bytes != small)
			map_free(bytes, room);
	}
	self.ready = READY_OPEN;
}

/* Is what was entered kept out by name? Such a frame never stands on the stack. */
static bool key_excluded(uint64_t key)
{
	const uint64_t *slot;

	if (KEY_IS_REGION(key))
		return process.groups_touched && region_skipped((uint32_t)key);
	slot = address_slot(key);
	return slot && !SLOT_TOKEN(*slot);
}

void enter_off(uint64_t key, uint64_t sp)
{
	struct stream *s = self.stream;

	if (process.rich && control_wakes(key)) {
		if (enter_slow() && tau_gate.value == GATE_RICH)
			rich_enter(key, sp);
		return;
	}
	if (self.ready == READY_OPEN)
		record_off();
	self.ready = READY_BUSY;
	self.sp = sp;
	if (!key_excluded(key) && (self.top != self.frames_end || frames_grow(sp))) {
		if (s->rich)
			rich_push_off(key);
		*self.top++ = (struct frame){ key, ticks(self.shift), sp };
	}
	self.ready = READY_OFF;
}

/* How many open frames, from the innermost, must end for `key` to be left; 0: it is not open. */
size_t frames_to(uint64_t key)
{
	for (struct frame *f = self.top; f > self.stream->frames; f--)
		if (f[-1].key == key)
			return (size_t)(self.top - f) + 1;
	return 0;
}

void frames_drop(size_t n)
{
	struct stream *s = self.stream;

	while (n--) {
		self.top--;
		if (s->rich)
			rich_popped(&s->rich[self.top - s->frames]);
	}
}

void leave_off(uint64_t key)
{
	if (process.rich && control_wakes(0)) {
		if (enter_slow() && tau_gate.value == GATE_RICH)
			rich_leave(key);
		return;
	}
	if (self.ready == READY_OPEN)
		record_off();
	if (!KEY_IS_REGION(key) || !process.groups_touched || !leave_skipped((uint32_t)key))
		frames_drop(frames_to(key));
}

/*
 * A leave that is not the innermost region's: frames above it ended without one (longjmp, an exception, a
 * lost hook), or it was never entered. Inside record_begin/record_end.
 */
out_of_line void leave_key(uint64_t key)
{
	size_t n = frames_to(key);
	bool recorded;

	if (!n) {
		__atomic_add_fetch(&process.unmatched, 1, __ATOMIC_RELAXED);
		return;
	}
	frames_lost(n - 1);
	if (process.metrics && !metric_read())
		return;
	recorded = frame_recorded(self.stream, self.top - 1);
	frames_drop(1);
	if (!recorded)
		return;
	if (process.metrics)
		metric_write();
	record_put(ticks(self.shift), TAU_TOKEN_LEAVE);
}

/* ---- regions ---- */

uint32_t tau_region(const char *name, const char *groups, const char *file, uint32_t line)
{
	size_t n = strlen(name), g = groups ? strlen(groups) : 0, f = file ? strlen(file) : 0;
	uint8_t small[512], *bytes = small, *p;
	size_t room = n + g + f + 60;
	uint32_t id;

	if (tau_gate.value == GATE_DEAD)
		return 0;
	if (room > sizeof(small)) {
		bytes = map_alloc(room);
		if (!bytes)
			return 0;
	}
	p = put_string(bytes, name, n);
	p = put_string(p, groups, g);
	p = put_string(p, file, f);
	p = put_varint(p, line);
	id = define(REG_REGION, bytes, (size_t)(p - bytes));
	if (bytes != small)
		map_free(bytes, room);
	return id;
}

static out_of_line bool skipped_first(uint32_t region)
{
	const struct definition *d = definition_get(REG_REGION, region);
	struct local *l = d && d->off ? region_local(region) : NULL;

	if (l)
		l->skipped++;
	return d && d->off;
}

static inline bool known_here(uint32_t region)
{
	return likely(region < self.local_cap) && likely(self.local[region].token);
}

/* What the file knows is defined, and nothing has to be looked up. Changes no more than a count of the thread's own. */
static inline bool skipped_known(uint32_t region)
{
	uint32_t at = region - 1;

	if (!process.registry[REG_REGION].block[at / BLOCK][at % BLOCK].off)
		return false;
	self.local[region].skipped++;
	return true;
}

/* Regions of disabled groups: entries are counted a region and thread, so that their leaves are told apart. */
bool region_skipped(uint32_t region)
{
	return known_here(region) ? skipped_known(region) : skipped_first(region);
}

bool leave_skipped(uint32_t region)
{
	if (region >= self.local_cap || !self.local[region].skipped)
		return false;
	self.local[region].skipped--;
	return true;
}

static __attribute__((noinline)) void enter_rare(uint32_t region, uint64_t sp)
{
	if (likely(tau_gate.value == GATE_RICH && self.ready == READY_OPEN)) {
		rich_enter(REGION_KEY(region), sp);
		return;
	}
	if (!enter_slow())
		return;
	if (tau_gate.value == GATE_OFF && definition_get(REG_REGION, region))
		enter_off(REGION_KEY(region), sp);
	else if (tau_gate.value == GATE_RICH)
		rich_enter(REGION_KEY(region), sp);
	else if (GATE_PLAIN(tau_gate.value) && self.ready == READY_OPEN)
		region_enter(region, sp);
}

/* The gate is plain, the thread ready: all that is not the commonest. */
static __attribute__((noinline)) void enter_any(uint32_t region, uint64_t sp)
{
	struct local *l = NULL;
	uint32_t token;
	uint64_t now;

	self.ready = READY_BUSY;
	barrier();
	self.sp = sp == SP_NONE ? sp_of_caller() : sp;
	if (likely(known_here(region)))
		l = &self.local[region];
	else if (likely(!process.groups_touched || !skipped_first(region)))
		l = region_local(region);
	if (likely(l) && (likely(self.top != self.frames_end) || frames_grow(sp))) {
		struct frame *top = self.top;

		token = l->token;
		if (unlikely(token == TAU_TOKEN_FAR))
			region_far(l->region);
		now = ticks_plain();
		*top = (struct frame){REGION_KEY(region), now, sp};
		self.top = top + 1;
		record_put(now, token);
	}
	record_end();
}

/* Before the thread is busy: what is skipped costs little. */
static __attribute__((noinline)) void enter_unless_skipped(uint32_t region, uint64_t sp)
{
	if (!process.groups_touched || !known_here(region) || !skipped_known(region))
		enter_any(region, sp);
}

static __attribute__((noinline)) void seal_entered(void)
{
	chunk_seal();
	record_end();
}

/*
 * The same, the quick way: the file knows the region, there is a frame for it, and the time is one of 16 bits. Nothing rare
 * is called between, so that no register need be saved for it.
 */
static inline __attribute__((always_inline)) void enter_plain(uint32_t region, uint64_t sp)
{
	struct tau_live_header *live = self.live;
	uint32_t token = region < self.local_cap ? self.local[region].token : 0;
	struct frame *top;
	uint64_t now, delta;

	if (unlikely(token - 1 >= TAU_TOKEN_FAR - 1 || self.top == self.frames_end ||
		     process.groups_touched || sp == SP_NONE)) {
		enter_unless_skipped(region, sp);
		return;
	}
	self.ready = READY_BUSY;
	barrier();
	self.sp = sp;
	top = self.top;	/* until now a signal's handler may have made it move */
	now = ticks_plain();
	delta = now - live->last_tick;
	if (unlikely(delta >= TAU_TIME_LONG)) {
		enter_any(region, sp);
		return;
	}
	*top = (struct frame){REGION_KEY(region), now, sp};
	self.top = top + 1;
	live->last_tick = now;
	if (unlikely(record_publish(&self, live, (uint32_t)delta | token << 16)))
		seal_entered();
	else
		record_end();
}

void region_enter(uint32_t region, uint64_t sp)
{
	if (unlikely(!GATE_PLAIN(tau_gate.value) || self.ready != READY_OPEN)) {
		if (region)
			enter_rare(region, sp);
		return;
	}
	enter_plain(region, sp);
}

void tau_enter(uint32_t region)
{
	region_enter(region, sp_of_caller());
}

static __attribute__((noinline)) int call_asked(uint32_t region, uint64_t sp)
{
	if (!tau_active() || tau_inside())
		return 0;
	if (region)
		enter_rare(region, sp);
	return 1;
}

static __attribute__((noinline)) int call_rare(uint32_t region, uint64_t sp)
{
	if (control.budget_ppm && likely(region < self.local_cap) && self.local[region].out) {
		self.local[region].passed++;
		self.out++;
		return 0;
	}
	return call_asked(region, sp);
}

static inline int call_at(uint32_t region, uint64_t sp)
{
	if (unlikely(!GATE_PLAIN(tau_gate.value) || self.ready != READY_OPEN))
		return call_rare(region, sp);
	enter_plain(region, sp);
	return 1;
}

int tau_call(uint32_t region)
{
	return call_at(region, sp_of_caller());
}

int region_call(uint32_t region, uint64_t sp)
{
	return call_at(region, sp);
}

static __attribute__((noinline)) void leave_rare(uint32_t region)
{
	if (likely(tau_gate.value == GATE_RICH && self.ready == READY_OPEN)) {
		rich_leave(REGION_KEY(region));
		return;
	}
	if (!enter_slow())
		return;
	if (tau_gate.value == GATE_OFF)
		leave_off(REGION_KEY(region));
	else if (tau_gate.value == GATE_RICH)
		rich_leave(REGION_KEY(region));
	else if (GATE_PLAIN(tau_gate.value) && self.ready == READY_OPEN)
		tau_leave(region);
}

void tau_leave(uint32_t region)
{
	if (unlikely(!region))
		return;
	if (unlikely(!GATE_PLAIN(tau_gate.value) || self.ready != READY_OPEN)) {
		leave_rare(region);
		return;
	}
	if (unlikely(process.groups_touched) && leave_skipped(region))
		return;
	self.ready = READY_BUSY;
	barrier();
	self.sp = sp_of_caller();
	/* Below the first frame stands one whose key is no region's. */
	if (likely(self.top[-1].key == REGION_KEY(region))) {
		self.top--;
		record_put(ticks_plain(), TAU_TOKEN_LEAVE);
	} else {
		leave_key(REGION_KEY(region));
	}
	record_end();
}
