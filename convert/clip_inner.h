/* clip_inner.h: what clip.c and clip_values.c share: values of metrics, and what they were when what is open was entered. */
#ifndef CLIP_INNER_H
#define CLIP_INNER_H

#include "convert/clip_types.h"

/* Values of event i of the batch; NULL: it has none. */
static inline const int64_t *clip_row(const struct clip *c, size_t i)
{
	if (!c->batch || !c->batch->metric || !event_has_metrics(c->batch->event[i].kind))
		return NULL;
	return c->batch->metric + i * c->trace->metric_n;
}

/* The last values among the first n events of the batch, or those of its state. */
void clip_value_keep(struct clip *c, size_t n);
/*
 * Sets the values at an edge of the window, which is before event c->at: those of a state after the
 * edge, otherwise interpolated linearly between the last values and the next ones.
 */
void clip_value_edge(struct clip *c, int64_t edge);

/* The number of frames of a state, outermost first, that are open. */
size_t clip_frames_same(const struct clip *c, const struct event_state *s);
/*
 * Frames from `same` on are open before the window begins, which they were not before: as old as the last values, `row` or
 * those that are kept.
 */
void clip_entered_copy(struct clip *c, size_t same, const int64_t *row);
/*
 * The same for the frames of a state. first: reading begins there, and the state itself has the
 * values at the enters.
 */
void clip_entered_state(struct clip *c, const struct event_state *s, size_t same, int first);

#endif
