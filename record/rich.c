/*
 * rich.c: entering and leaving where more is wanted than two records: each frame has a second half that says whether
 * it is recorded and where its ENTER stands.
 *
 * The gate is GATE_RICH and the thread ready when these functions are called.
 */
#include "core.h"

/* The region's token in this file, 0: it is not recorded. */
static inline uint32_t key_token(uint64_t key, uint32_t *region)
{
	struct thread *t = &self;

	if (KEY_IS_REGION(key)) {
		uint32_t id = (uint32_t)key;
		struct local *l = id < t->local_cap ? &t->local[id] : NULL;

		if (unlikely(!l || !l->token))
			l = region_local(id);
		*region = l ? l->region : 0;
		return l ? l->token : 0;
	} else {
		size_t i = address_hash(key);
		struct slot *slot = &t->slots[i & t->slot_mask];

		while (unlikely(slot->address != key) && slot->address)
			slot = &t->slots[++i & t->slot_mask];
		if (unlikely(!slot->address))
			slot = address_slot(key);
		*region = slot ? slot->region : 0;
		return slot ? slot->token : 0;
	}
}

void rich_enter(uint64_t key, uint64_t sp)
{
	struct thread *t = &self;
	struct rich_frame *r;
	uint32_t token, region;
	uint64_t now;

	t->ready = READY_BUSY;
	barrier();
	if (KEY_IS_REGION(key) && unlikely(process.groups_touched) && region_skipped((uint32_t)key)) {
		record_end();
		return;
	}
	token = key_token(key, &region);
	if (!token || (unlikely(t->top == t->frames_end) && !frames_grow())) {
		record_end();
		return;
	}
	if (unlikely(token == TAU_TOKEN_FAR))
		region_far(region);
	now = ticks(t->shift);
	r = &t->stream->rich[t->top - t->stream->frames];
	*r = (struct rich_frame){ .recorded = true, .region = region, .seq = t->stream->seq, .at = t->cur,
				  .args = t->live->cur[TAU_ARGS], .last = t->last };
	t->top->key = key;
	t->top->time = now;
	t->top->sp = sp;
	t->top++;
	record_put(now, token);
	record_end();
}

void rich_leave(uint64_t key)
{
	struct thread *t = &self;
	uint32_t region;

	t->ready = READY_BUSY;
	barrier();
	if (KEY_IS_REGION(key) && unlikely(process.groups_touched) && leave_skipped((uint32_t)key)) {
		record_end();
		return;
	}
	if (likely(t->top[-1].key == key)) {
		t->top--;
		if (t->stream->rich[t->top - t->stream->frames].recorded)
			record_put(ticks(t->shift), TAU_TOKEN_LEAVE);
	} else if (key_token(key, &region)) {
		leave_key(key);
	}
	record_end();
}
