/*
 * clip.h: one stream through one window, event by event, for writers of traces: what is open when
 * the window begins, what happens in it, and what ends with it.
 *
 * With `plain` a writer gets enters and leaves that match, inside of a THREAD_BEGIN and a
 * THREAD_END: what was open when the window began is entered there, what is open when it ends is
 * left there; an UNWIND becomes leaves, and before an ON come leaves and enters. Without `plain`,
 * events are unchanged, and what was open at the begin is in `state`.
 */
#ifndef CLIP_H
#define CLIP_H

#include "analyze/window/window.h"
#include "convert/clip_types.h"

/*
 * Goes to where the window begins. The span: [begin, end) in ns; INT64_MIN and INT64_MAX: everything.
 * Returns 0 or an error of reading; clip_close() is necessary in both cases.
 */
int clip_open(struct clip *c, struct trace *t, uint32_t stream, struct window_span span, int plain, struct error *e);
/*
 * The same, not plain, without the chunks that the judge excludes; the judge must live as long as
 * the clip. `state` is the state before the span that it judges first; it judges the spans after
 * that one only as long as it excludes them.
 */
int clip_open_judged(struct clip *c, struct trace *t, uint32_t stream, struct window_span span, const struct trace_judge *judge,
		     struct error *e);
/* The same of the whole stream, from a chunk on, with `plain`. What is open when the chunk, or the part, begins is entered there. */
int clip_open_part(struct clip *c, struct trace *t, uint32_t stream, struct clip_part part, struct error *e);
/* Events that are read from the last chunk so far. */
static inline size_t clip_position(const struct clip *c)
{
	return c->records + c->at;
}
/*
 * 1: an event, 0: the end, or an error. What `out` points to is valid until the next call. 2:
 * chunks were skipped, there is no event, and `state` is the state after them.
 */
int clip_next(struct clip *c, struct clip_event *out, struct error *e);
/*
 * May be called in place of the next clip_next(): returns the next enters and leaves without values
 * that are in memory, at most `most`; 0: call clip_next(). *out is valid until the next call.
 */
size_t clip_run(struct clip *c, size_t most, const struct event **out);
void clip_close(struct clip *c);

#endif
