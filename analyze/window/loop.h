/*
 * loop.h: finds the loop in a list of calls: what one activation of a region called, in order. A loop is told from what its
 * iterations have in common, as nothing in a trace says where one begins:
 *
 * A region that was called at least LOOP_LEAST times is a candidate for the head, the first call of an iteration; an iteration
 * goes from one call of it to the next. What most iterations call, how often and in which order ever, is common; a candidate is
 * regular when most iterations have all that is common. One that takes less than 0.75 of the time of the longest regular one stands
 * beside the loop, as calls that prepare it do, and is none. Of the other regular candidates the one that is called most often holds if what
 * is not common takes little of the time (an output at each tenth step is no outer loop of its own); otherwise the next;
 * if that is so for none, the one that is called least. Of candidates that are called about equally often, the more regular
 * holds, then the one called first. Iterations before the first and behind the last that have all that is common do not
 * belong to the loop.
 *
 * Where the head is named, each call of it begins an iteration.
 */
#ifndef LOOP_H
#define LOOP_H

#include "analyze/window/window.h"

#define LOOP_LEAST 3
#define LOOP_ANY UINT32_MAX

struct loop_call {
	uint32_t region;
	int64_t begin, end;	/* ns */
};

/* The iterations, each from its head to the next; the last one to the end of its last call. Returns 0 when there is no loop. */
int loop_find(const struct loop_call *call, size_t n, uint32_t head, uint32_t *found, struct window_spans *out);

#endif
