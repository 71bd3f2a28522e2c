/* native_snapshot.c: what holds at the beginning of a chunk. */
#include <stdlib.h>
#include <string.h>

#include "convert/io/bytes.h"
#include "convert/native/file/native_columns.h"
#include "convert/native/native_run.h"
#include "convert/native/events/native_snapshot.h"

static int snapshot_stack(const struct native_stream *s, const struct native_clock *clock,
			  uint64_t first, struct bytes b, struct event_state *state)
{
	uint64_t n = bytes_varint(&b);

	if (n > bytes_left(&b))
		return -1;
	for (uint64_t i = 0; i < n; i++) {
		uint32_t region = native_id(&s->region, bytes_varint(&b));
		uint64_t since = bytes_varint(&b);
		struct event_frame *f;

		if (b.bad || region == TRACE_NONE)
			return -1;
		f = array_add(state, frame);
		f->region = region;
		f->enter = native_time(clock, since < first ? first - since : 0);
	}
	return 0;
}

static int snapshot_memory(const struct native_stream *s, struct bytes b, struct event_state *state)
{
	uint64_t n = bytes_varint(&b);

	if (n > bytes_left(&b))
		return -1;
	for (uint64_t i = 0; i < n; i++) {
		struct event_memory m = { .type = native_id(&s->memtype, bytes_varint(&b)) };

		m.bytes = bytes_zigzag(&b);
		m.blocks = bytes_zigzag(&b);
		if (b.bad || m.type == TRACE_NONE)
			return -1;
		*array_add(state, memory) = m;
	}
	return 0;
}

/* Values of the chunk's metrics; *rest: where those at the enters of open regions are. */
static int snapshot_metrics(const struct native_stream *s, const struct native_columns *c,
			    struct bytes b, int64_t *value, struct bytes *rest)
{
	for (uint32_t i = 0; i < c->head.metrics; i++) {
		uint32_t metric = native_id(&s->metric, i);
		int64_t v = bytes_zigzag(&b);

		if (metric == TRACE_NONE || b.bad)
			return -1;
		value[metric] = v;
	}
	*rest = b;
	return 0;
}

/* Prices that no machine has are none. */
static void snapshot_cost(struct bytes b, struct event_state *state)
{
	uint64_t inside = bytes_varint(&b), outside = bytes_varint(&b);

	if (b.bad || inside > EVENT_COST_MOST || outside > EVENT_COST_MOST)
		return;
	state->cost_inside = (int64_t)inside;
	state->cost_outside = (int64_t)outside;
}

/* What is not there did not change since. */
static void snapshot_entered(const struct native_stream *s, const struct native_columns *c,
			     struct bytes b, struct event_state *state)
{
	size_t want = state->frame_n * state->metric_n;

	if (state->entered_cap < want) {
		state->entered_cap = 2 * want;
		state->entered =
			mem_resize(state->entered, state->entered_cap, sizeof(*state->entered));
	}
	for (size_t f = 0; f < state->frame_n; f++) {
		int64_t *to = state->entered + f * state->metric_n;

		memcpy(to, state->metric, state->metric_n * sizeof(*to));
		for (uint32_t i = 0; i < c->head.metrics; i++) {
			uint32_t metric = native_id(&s->metric, i);
			int64_t d = bytes_zigzag(&b);

			if (!b.bad)
				to[metric] = (int64_t)((uint64_t)to[metric] - (uint64_t)d);
		}
	}
}

/* Frees what an earlier chunk recorded: it belongs to other frames, and may cover fewer. */
static void snapshot_entered_none(struct event_state *state)
{
	free(state->entered);
	state->entered = NULL;
	state->entered_cap = 0;
}

int native_snapshot(const struct native_stream *s, const struct native_clock *clock,
		    const struct native_columns *c, struct event_state *state, struct bytes *rest)
{
	struct bytes b = bytes_of(c->data[TAU_ARGS], c->length[TAU_ARGS]);
	uint64_t n = bytes_varint(&b);
	struct bytes entered = {0};
	int metrics = 0;

	state->frame_n = state->memory_n = 0;
	state->in_use = state->cut = 0;
	state->sealed = 0;
	state->cost_inside = state->cost_outside = 0;
	state->first = c->head.seq == 0;
	state->time = native_time(clock, c->head.first_tick);
	for (uint64_t i = 0; i < n && !b.bad; i++) {
		uint64_t tag = bytes_varint(&b);
		struct bytes section = bytes_string(&b);

		if (b.bad)
			break;
		if (tag == TAU_SNAP_STACK &&
		    snapshot_stack(s, clock, c->head.first_tick, section, state))
			return -1;
		if (tag == TAU_SNAP_MEMORY && snapshot_memory(s, section, state))
			return -1;
		if (tag == TAU_SNAP_METRICS && state->metric) {
			if (snapshot_metrics(s, c, section, state->metric, &entered))
				return -1;
			metrics = 1;
		}
		if (tag == TAU_SNAP_THREAD)
			state->in_use = 1;
		if (tag == TAU_SNAP_SEAL)
			state->sealed =
				(int64_t)((unsigned __int128)(bytes_varint(&section) & INT64_MAX) *
						  clock->mult >>
					  clock->shift) &
				INT64_MAX;
		if (tag == TAU_SNAP_COST)
			snapshot_cost(section, state);
		if (tag == TAU_SNAP_CUT)
			state->cut = 1;
	}
	if (c->head.metrics && !metrics)
		return -1;
	if (metrics)
		snapshot_entered(s, c, entered, state);
	else
		snapshot_entered_none(state);
	state->in_use |= state->frame_n > 0;
	*rest = b;
	return b.bad ? -1 : 0;
}
