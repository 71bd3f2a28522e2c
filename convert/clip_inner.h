/* clip_inner.h: what clip.c and clip_values.c share: values of metrics, and what they were when what is open was entered. */
#ifndef CLIP_INNER_H
#define CLIP_INNER_H

#include "convert/clip.h"

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
 * The values at an edge of the window, which lies before event c->at: what a state behind it says, otherwise between the
 * last values and the next ones, as they change evenly.
 */
void clip_value_edge(struct clip *c, int64_t edge);

/* So many frames of a state are those that are open. */
size_t clip_frames_same(const struct clip *c, const struct event_state *s);
/*
 * Frames from `same` on are open before the window begins, which they were not before: as old as the last values, `row` or
 * those that are kept.
 */
void clip_entered_take(struct clip *c, size_t same, const int64_t *row);
/* The same of the frames of a state: where the reading begins it says so itself. */
void clip_entered_state(struct clip *c, const struct event_state *s, size_t same, int first);

#endif
