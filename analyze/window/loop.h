/*
 * loop.h: finds the loop in a list of calls: the calls of one activation of a region, in order. A
 * trace does not record iterations, so a loop is identified by what its iterations have in common:
 *
 * A region that was called at least LOOP_LEAST times is a candidate for the head, the first call of
 * an iteration; an iteration is from one call of the head to the next. Regions that most iterations
 * call, in any number and order, are common; a candidate is regular if most iterations have all
 * common regions. Most are 60 %. Only the 64 regions called most are checked. A candidate that takes
 * less than 0.75 of the time of the longest regular one whose other calls take little is before or
 * after the loop, such as calls that prepare it, and is excluded. Of the other regular
 * candidates, the one that is called most often is the head if the calls that are not common take
 * little of the time (an output at each tenth step is not an outer loop); otherwise the next one is
 * checked; if none is accepted, the one that is called least is the head. Of candidates with about
 * the same number of calls, the more regular one is used, then the one called first. The loop
 * begins with the first and ends with the last iteration that has all common regions.
 *
 * If the head is named, each call of it begins an iteration. Method of this project.
 */
#ifndef LOOP_H
#define LOOP_H

#include "analyze/trace/spans.h"

#define LOOP_LEAST 3
#define LOOP_ANY UINT32_MAX

struct loop_call {
	uint32_t region;
	int64_t begin, end;	/* ns */
};

/*
 * Finds the iterations among n calls, each from its head to the next; the last one ends with its
 * last call. head: LOOP_ANY, or the named head. *found: the head. out: empty; gets the spans in ns,
 * and the caller frees out->v. Returns 1, or 0 if there is no loop.
 */
int loop_find(const struct loop_call *call, size_t n, uint32_t head, uint32_t *found, struct window_spans *out);

#endif
