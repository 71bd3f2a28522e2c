/* clip_values.c: metrics of a stream on its way through a window. */
#include <string.h>

#include "analyze/stream/metrics.h"
#include "convert/clip_inner.h"

static void value_copy(struct clip *c, const int64_t *row, int64_t time)
{
	if (!row || !c->value)
		return;
	memcpy(c->value, row, c->trace->metric_n * sizeof(*row));
	c->value_time = time;
	c->metered = 1;
}

void clip_value_keep(struct clip *c, size_t n)
{
	size_t i = n;

	if (!c->batch || !c->value)
		return;
	while (i > 0 && !clip_row(c, i - 1))
		i--;
	if (i)
		value_copy(c, clip_row(c, i - 1), c->batch->event[i - 1].time);
	else if (c->batch->state)
		value_copy(c, c->batch->state->metric, c->batch->state->time);
}

void clip_value_edge(struct clip *c, int64_t edge)
{
	const struct event_batch *b = c->batch;
	size_t i = c->at;

	if (!c->value || !b)
		return;
	if (!c->at && b->state && b->state->metric && b->state->time >= edge) {
		value_copy(c, b->state->metric, edge);
		return;
	}
	clip_value_keep(c, c->at);
	while (i < b->n && !clip_row(c, i))
		i++;
	if (i == b->n || !clip_row(c, i))
		return;
	for (size_t k = 0; k < c->trace->metric_n; k++) {
		int64_t from = c->value_time, to = b->event[i].time, next = clip_row(c, i)[k];

		c->value[k] = c->metered && from < edge && edge < to
				      ? metrics_between(from, c->value[k], to, next, edge)
				      : next;
	}
	c->value_time = edge;
	c->metered = 1;
}

void clip_entered_copy(struct clip *c, size_t same, const int64_t *row)
{
	size_t n = c->state.frame_n, width = c->trace->metric_n;

	if (!c->value)
		return;
	if (row)
		value_copy(c, row, c->state.time);
	while (c->entered_cap < n * width)
		c->entered = array_grow(c->entered, &c->entered_cap, sizeof(*c->entered));
	for (size_t i = same; i < n; i++)
		memcpy(c->entered + i * width, c->value, width * sizeof(*c->value));
	c->entered_n = n;
}

size_t clip_frames_same(const struct clip *c, const struct event_state *s)
{
	size_t same = 0;

	while (same < s->frame_n && same < c->state.frame_n &&
	       c->state.frame[same].region == s->frame[same].region)
		same++;
	return same;
}

void clip_entered_state(struct clip *c, const struct event_state *s, size_t same, int first)
{
	clip_entered_copy(c, first ? 0 : same, s->metric);
	if (first && c->value && s->metric && s->entered)
		memcpy(c->entered, s->entered,
		       s->frame_n * c->trace->metric_n * sizeof(*s->entered));
}
