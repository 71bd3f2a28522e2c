/* lane_order.h: the lanes by the end of their last call: a heap, the earliest first. */
#ifndef LANE_ORDER_H
#define LANE_ORDER_H

#include "analyze/messages/lane.h"

/* Moves entry `at`, which may be too early in the heap, to its place. */
static inline void lane_order_down(struct messages_pass *p, size_t at)
{
	struct lane_next *v = p->order, l = v[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= p->order_n)
			break;
		if (child + 1 < p->order_n && v[child + 1].time < v[child].time)
			child++;
		if (v[child].time >= l.time)
			break;
		v[at] = v[child];
		at = child;
	}
	v[at] = l;
}

#endif
