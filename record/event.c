/*
 * event.c: writes records: entering and leaving regions, samples, messages, memory, and the repairs of stacks
 * whose leaves got lost.
 */
#include "core.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* The thread is not ready to record what is no call. True: now it is, where need be because a delay is over or a command came. */
static out_of_line bool begin_slow(void)
{
	return enter_slow() && (GATE_RECORDS(tau_gate.value) ||
				(process.rich && control_wakes(0) && enter_slow()));
}

/* Recording is on; may it stay so? A program may never make a call that asks. */
static out_of_line bool begin_asked(void)
{
	bool on = true;

	self.ready = READY_BUSY;
	if (control_changed())
		on = control_poll();
	if (on && control_next() != UINT64_MAX)
		on = control_time(ticks(self.shift));
	self.ready = READY_OPEN;
	return on;
}

bool record_begin(void)
{
	if (unlikely(!GATE_RECORDS(tau_gate.value) || self.ready != READY_OPEN) && !begin_slow())
		return false;
	if (unlikely(tau_gate.value == GATE_RICH && control.careful) && !begin_asked())
		return false;
	self.ready = READY_BUSY;
	barrier();
	self.sp = sp_of_caller();
	return true;
}

/* As record_begin (-1: not recording), also while instrumentation is disabled: for what must be known all the same. */
int keep_begin(void)
{
	int ready;

	if (unlikely(!GATE_RECORDS(tau_gate.value) || self.ready != READY_OPEN))
		if (!enter_slow())
			return -1;
	ready = self.ready;
	self.ready = READY_BUSY;
	barrier();
	self.sp = sp_of_caller();
	return ready;
}

void keep_end(int ready)
{
	barrier();
	self.ready = ready;
}

void record_end(void)
{
	barrier();
	self.ready = READY_OPEN;
}

/* A time that does not fit 16 bits goes to ARGS; a clock that went back (no invariant TSC) is stopped. */
uint32_t record_long(uint64_t delta)
{
	uint8_t *p;

	if ((int64_t)delta < 0) {
		self.live->last_tick -= delta;
		return 0;
	}
	p = put_varint((uint8_t *)self.live->cur[TAU_ARGS], delta);
	barrier();
	self.live->cur[TAU_ARGS] = (uint64_t)p;
	if (p > self.args_end)
		self.end = (uint8_t *)self.live->cur[TAU_TIMES];	/* full: seal after this record */
	return TAU_TIME_LONG;
}

/* The argument of an ENTER whose region does not fit the token. */
void region_far(uint32_t region)
{
	if ((uint8_t *)self.live->cur[TAU_ARGS] > self.args_end && !chunk_room(0, 2 * MARGIN_ARGS))
		return;
	self.live->cur[TAU_ARGS] =
		(uint64_t)put_varint((uint8_t *)self.live->cur[TAU_ARGS], region);
}

void record_extended_at(enum tau_record_kind kind, const uint8_t *fields, size_t length,
			uint64_t now)
{
	uint8_t values[10 * TAU_METRICS], *p;
	size_t n = 0;

	if (unlikely((uint8_t *)self.live->cur[TAU_ARGS] + length + sizeof(values) + 10 >
		     self.args_end) &&
	    !chunk_room(0, length + sizeof(values) + 2 * MARGIN_ARGS))
		return;
	if (process.metrics && TAU_KIND_HAS_METRICS(kind)) {
		if (!metric_read())
			return;
		n = (size_t)(metric_put(values) - values);
	}
	p = put_varint((uint8_t *)self.live->cur[TAU_ARGS], n + length);
	memcpy(p, values, n);
	p += n;
	if (length)
		memcpy(p, fields, length);
	barrier();
	self.live->cur[TAU_ARGS] = (uint64_t)(p + length);
	record_put(now, kind);
}

void record_extended(enum tau_record_kind kind, const uint8_t *fields, size_t length)
{
	record_extended_at(kind, fields, length, ticks(self.shift));
}

/* OFF comes once, with the time when recording went off; from then on only the stack is kept. */
static void record_off(void)
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

/* Regions of disabled groups: entries are counted a region and thread, so that their leaves are told apart. */
bool region_skipped(uint32_t region)
{
	struct definition *d = definition_get(REG_REGION, region);
	struct local *l = d && d->off ? region_local(region) : NULL;

	if (l)
		l->skipped++;
	return d && d->off;
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

/* The gate is plain, the thread ready. */
static inline __attribute__((always_inline)) void enter_plain(uint32_t region, uint64_t sp)
{
	struct local *l = NULL;
	uint32_t token;
	uint64_t now;

	self.ready = READY_BUSY;
	barrier();
	self.sp = sp == SP_NONE ? sp_of_caller() : sp;
	if (unlikely(process.groups_touched) && region_skipped(region)) {
		record_end();
		return;
	}
	if (likely(region < self.local_cap))
		l = &self.local[region];
	if (unlikely(!l || !l->token))
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

int tau_call(uint32_t region)
{
	if (likely(GATE_PLAIN(tau_gate.value) && self.ready == READY_OPEN)) {
		enter_plain(region, sp_of_caller());
		return 1;
	}
	if (!tau_active() || tau_inside())
		return 0;
	if (region)
		enter_rare(region, sp_of_caller());
	return 1;
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

/* The plain way's time of a leave. */
static inline uint64_t ticks_left(void)
{
	uint64_t told = self.told;

	if (told != self.live->last_tick)
		return ticks_plain();
	self.told = 0;
	return told;
}

void tau_leave(uint32_t region)
{
	if (unlikely(!region))
		return;
	if (unlikely(!GATE_PLAIN(tau_gate.value) || self.ready != READY_OPEN)) {
		leave_rare(region);
		return;
	}
	self.ready = READY_BUSY;
	barrier();
	self.sp = sp_of_caller();
	if (unlikely(process.groups_touched) && leave_skipped(region)) {
		record_end();
		return;
	}
	/* Below the first frame stands one whose key is no region's. */
	if (likely(self.top[-1].key == REGION_KEY(region))) {
		self.top--;
		record_put(ticks_left(), TAU_TOKEN_LEAVE);
	} else {
		leave_key(REGION_KEY(region));
	}
	record_end();
}

/* ---- events ---- */

uint32_t tau_event(const char *name, unsigned flags)
{
	uint8_t bytes[1100], *p;
	size_t n = strlen(name);

	if (tau_gate.value == GATE_DEAD)
		return 0;
	p = put_varint(bytes, flags);
	p = put_string(p, name, n < 1024 ? n : 1024);
	return define(REG_EVENT, bytes, (size_t)(p - bytes));
}

/*
 * Fields of a record are written where they stay. There is room for MARGIN_ARGS bytes, of which fields take
 * less than 128, so that their length is one byte; NULL when the chunk cannot be turned.
 */
static inline uint8_t *fields_begin(void)
{
	if (unlikely((uint8_t *)self.live->cur[TAU_ARGS] > self.args_end) &&
	    !chunk_room(0, 2 * MARGIN_ARGS))
		return NULL;
	return (uint8_t *)self.live->cur[TAU_ARGS] + 1;
}

static inline void fields_end(uint8_t *end, enum tau_record_kind kind, uint64_t now)
{
	uint8_t *begin = (uint8_t *)self.live->cur[TAU_ARGS];

	*begin = (uint8_t)(end - begin - 1);
	barrier();
	self.live->cur[TAU_ARGS] = (uint64_t)end;
	record_put(now, kind);
}

/* What a wrapper says right after it entered a region happens then: the clock need not be read again. */
static inline uint64_t ticks_entered(void)
{
	return self.top[-1].time == self.live->last_tick ? self.top[-1].time : ticks(self.shift);
}

void tau_trigger(uint32_t event, double value)
{
	enum tau_record_kind kind = TAU_REC_EVENT_INT;
	uint8_t *p;

	if (!event || !record_begin())
		return;
	p = define_here(REG_EVENT, event) ? fields_begin() : NULL;
	if (p) {
		p = put_varint(p, event);
		if (value == (double)(int64_t)value && fabs(value) < 9007199254740992.0 &&
		    !(value == 0 && signbit(value))) {
			p = put_zigzag(p, (int64_t)value);
		} else {
			kind = TAU_REC_EVENT_F64;
			memcpy(p, &value, 8);
			p += 8;
		}
		fields_end(p, kind, ticks(self.shift));
	}
	record_end();
}

/* ---- messages ---- */

static inline uint8_t *comm_begin(uint32_t comm)
{
	return !comm || define_here(REG_COMM, comm) ? fields_begin() : NULL;
}

static inline __attribute__((always_inline)) void message(enum tau_record_kind kind, int peer,
							  int tag, uint32_t comm, uint64_t bytes,
							  bool last)
{
	uint64_t now;
	uint8_t *p;

	if (!record_begin())
		return;
	p = comm_begin(comm);
	if (p) {
		p = put_zigzag(p, peer);
		p = put_zigzag(p, tag);
		p = put_varint(p, comm);
		p = put_varint(p, bytes);
		now = kind == TAU_REC_SEND ? ticks_entered() : ticks(self.shift);
		if (last)
			self.told = now;
		fields_end(p, kind, now);
	}
	record_end();
}

void tau_send(int peer, int tag, uint32_t comm, uint64_t bytes)
{
	message(TAU_REC_SEND, peer, tag, comm, bytes, false);
}

void tau_recv(int peer, int tag, uint32_t comm, uint64_t bytes)
{
	message(TAU_REC_RECV, peer, tag, comm, bytes, false);
}

void tau_recv_last(int peer, int tag, uint32_t comm, uint64_t bytes)
{
	message(TAU_REC_RECV, peer, tag, comm, bytes, true);
}

void tau_coll(unsigned coll, uint32_t comm, int root, uint64_t bytes_sent, uint64_t bytes_received)
{
	uint8_t *p;

	if (!record_begin())
		return;
	p = comm_begin(comm);
	if (p) {
		p = put_varint(p, coll);
		p = put_varint(p, comm);
		p = put_zigzag(p, root);
		p = put_varint(p, bytes_sent);
		p = put_varint(p, bytes_received);
		fields_end(p, TAU_REC_COLL, ticks_entered());
	}
	record_end();
}

void tau_rma(unsigned rma, int target, uint64_t bytes)
{
	uint8_t *p;

	if (!record_begin())
		return;
	p = fields_begin();
	if (p) {
		p = put_varint(p, rma);
		p = put_zigzag(p, target);
		p = put_varint(p, bytes);
		fields_end(p, TAU_REC_RMA, ticks_entered());
	}
	record_end();
}

/* ---- files ---- */

void tau_io(uint32_t region, unsigned io, uint32_t file, uint64_t bytes)
{
	uint64_t now;
	uint8_t *p;

	if (!file || !record_begin())
		return;
	p = define_here(REG_EVENT, file) ? fields_begin() : NULL;
	if (p) {
		now = ticks(self.shift);
		p = put_varint(p, io);
		p = put_varint(p, file);
		p = put_varint(p, bytes);
		p = put_varint(p, self.top[-1].key == REGION_KEY(region) && now > self.top[-1].time
					  ? now - self.top[-1].time
					  : 0);
		fields_end(p, TAU_REC_IO, now);
	}
	record_end();
}

uint32_t tau_comm(const char *name, const uint32_t *world_ranks, uint32_t n)
{
	size_t length = name ? strlen(name) : 0, room = length + 30 + (size_t)n * 5;
	uint8_t *bytes = map_alloc(room), *p;
	uint32_t id;

	if (!bytes || tau_gate.value == GATE_DEAD)
		return 0;
	p = put_string(bytes, name, length);
	p = put_varint(p, n);
	for (uint32_t i = 0; i < n; i++)
		p = put_varint(p, world_ranks[i]);
	id = define(REG_COMM, bytes, (size_t)(p - bytes));
	map_free(bytes, room);
	return id;
}

/* ---- memory ---- */

void level_add(struct stream *s, uint32_t memtype, int64_t bytes, int64_t blocks)
{
	if (unlikely(memtype >= s->level_cap)) {
		void *p = map_grow(s->level, &s->level_cap, sizeof(*s->level), memtype + 1);

		if (!p)
			return;
		s->level = p;
	}
	s->level[memtype].bytes += bytes;
	s->level[memtype].blocks += blocks;
}

/*
 * The level changes before the record is written: if the write seals the chunk, the next snapshot must know. If
 * making room sealed after that, its snapshot would know too early; so room is made before.
 */
static void memory(enum tau_record_kind kind, uint32_t from, uint32_t to, size_t bytes)
{
	uint8_t *p = NULL;
	int ready;

	if (!from && !to)
		return;
	ready = keep_begin();
	if (ready < 0)
		return;
	if ((!from || define_here(REG_MEMTYPE, from)) && (!to || define_here(REG_MEMTYPE, to)))
		p = fields_begin();
	if (p) {
		if (from) {
			p = put_varint(p, from);
			level_add(self.stream, from, -(int64_t)bytes, -1);
		}
		if (to) {
			p = put_varint(p, to);
			level_add(self.stream, to, (int64_t)bytes, 1);
		}
		p = put_varint(p, bytes);
		fields_end(p, kind, memory_ticks());
	}
	keep_end(ready);
}

void tau_mem_alloc(uint32_t memtype, size_t bytes)
{
	memory(TAU_REC_ALLOC, 0, memtype, bytes);
}

void tau_mem_free(uint32_t memtype, size_t bytes)
{
	memory(TAU_REC_FREE, memtype, 0, bytes);
}

void tau_mem_retype(uint32_t from, uint32_t to, size_t bytes)
{
	if (from && to && from != to)
		memory(TAU_REC_RETYPE, from, to, bytes);
}

/* ---- what is known about the process ---- */

void tau_meta(const char *name, const char *value)
{
	int ready = keep_begin();

	if (ready < 0)
		return;
	define_meta(name, value);
	keep_end(ready);
}

void tau_rank(uint32_t rank, uint32_t size, unsigned source)
{
	uint8_t bytes[32], *p;
	int ready;

	if (process.rank_source && process.rank_source < TAU_RANK_USER && source == TAU_RANK_USER)
		return;
	ready = keep_begin();
	if (ready < 0)
		return;
	process.rank = (int)rank;
	process.rank_source = (int)source;
	p = put_varint(bytes, rank);
	p = put_varint(p, size);
	p = put_varint(p, source);
	define_raw(TAU_DEF_RANK, bytes, (size_t)(p - bytes));
	keep_end(ready);
}

void tau_thread_name(const char *name)
{
	uint8_t bytes[300], *p;
	size_t n = strlen(name);
	int ready = keep_begin();

	if (ready < 0)
		return;
	p = put_varint(bytes, self.stream->tid);
	p = put_string(p, name, n < 256 ? n : 256);
	define_raw(TAU_DEF_THREAD, bytes, (size_t)(p - bytes));
	keep_end(ready);
}

/* ---- control ---- */

int tau_active(void)
{
	return GATE_RECORDS(tau_gate.value) || tau_gate.value == GATE_OFF ||
	       (tau_gate.value == GATE_FORKED && process.generation);
}

void tau_attach(void)
{
	if (!self.live && !self.ready)
		enter_slow();
}

int tau_inside(void)
{
	return self.hidden || (self.live && self.ready == READY_BUSY);
}

/* While hidden a thread is never ready; what it was is kept beside. */
void tau_hide(void)
{
	if (!self.hidden)
		self.hidden_ready = self.ready;
	self.hidden++;
	self.ready = READY_BUSY;
}

void tau_show(void)
{
	if (self.hidden && !--self.hidden)
		self.ready = self.hidden_ready;
}

void tau_on_finalize(void (*function)(void))
{
	sigset_t saved;

	lock_take(&saved);
	if (process.on_finalize_n <
	    (int)(sizeof(process.on_finalize) / sizeof(*process.on_finalize)))
		process.on_finalize[process.on_finalize_n++] = function;
	lock_drop(&saved);
}

void tau_finalizing(void)
{
	int n = __atomic_exchange_n(&process.on_finalize_n, 0, __ATOMIC_ACQ_REL);

	for (int i = 0; i < n; i++)
		process.on_finalize[i]();
	if (!record_begin())
		return;
	chunk_seal();
	record_end();
}

void Tau_enable_instrumentation(void)
{
	control_on(OFF_API);
}

void Tau_disable_instrumentation(void)
{
	if (tau_gate.value == GATE_FORKED)
		enter_slow();
	control_off(OFF_API);
	if (tau_gate.value == GATE_OFF && self.ready == READY_OPEN)
		record_off();
}
