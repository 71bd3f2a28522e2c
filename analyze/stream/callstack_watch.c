/* callstack_watch.c: runs events and reports when regions begin and end. */
#include "analyze/stream/callstack.h"

size_t callstack_run_watched(struct callstack *m, const struct event *event, size_t n)
{
	struct callstack_frame *frame = m->frame, *top = frame + m->frame_n - 1;
	const struct callstack_frame *limit = frame + m->frame_cap - 1;
	const struct callstack_watch *w = m->watch;
	size_t i;

	for (i = 0; i < n; i++) {
		const struct event *ev = &event[i];

		if (ev->kind == EVENT_ENTER) {
			if (top == limit)
				break;
			top++;
			top->region = ev->ref;
			callstack_watch_begin(w, ev->ref, (size_t)(top - frame), ev->time);
		} else if (ev->kind == EVENT_LEAVE) {
			if (top == frame)
				break;
			callstack_watch_end(w, top->region, (size_t)(top - frame), ev->time);
			top--;
		} else {
			break;
		}
		m->last = ev->time;
		if (w->stop && *w->stop) {
			i++;
			break;
		}
	}
	m->frame_n = (size_t)(top - frame) + 1;
	return i;
}
