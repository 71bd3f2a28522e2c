/*
 * region_names.h: finds the region of a trace from a name that a user wrote. The first of these
 * forms that matches is used; a name may select several regions only if these have the same full
 * name, or are call sites of one function:
 *
 *	the full name			double Solver<float>::solve(int) [{solver.cc} {17}]
 *	without its source position	double Solver<float>::solve(int)
 *	also without its arguments	double Solver<float>::solve
 *	also without its return type	Solver<float>::solve
 *	only the innermost name		solve
 *	code without a name	libgomp.so.1+0x1cc40, for "addr=<0x1cc40> [libgomp.so.1]"
 *	of a call site, what is called	solve, for "solve [CALLSITE] [@] main [{main.cc} {7}]"
 */
#ifndef REGION_NAMES_H
#define REGION_NAMES_H

#include "analyze/trace/trace.h"

struct regions {
	uint32_t *v;		/* ascending */
	size_t v_n, v_cap;
};

/* Names to choose from: of a trace, a profile ... */
struct region_list {
	const void *of;
	size_t n;
	const char *(*name)(const void *of, size_t i);
};

/*
 * 1: found, *out holds the regions (the caller frees out->v). 0: no region has that name.
 * ERROR_INPUT: different regions match equally well; the message begins with `where` and names two
 * of them. O(regions).
 */
int region_find(const struct trace *t, const char *name, struct regions *out, const char *where, struct error *e);

int region_find_in(const struct region_list *l, const char *name, struct regions *out, const char *where, struct error *e);

/*
 * The region whose name is nearest to `name`, borrowed, for "did you mean"; NULL: no name is near.
 */
const char *region_near(const struct trace *t, const char *name);
const char *region_near_in(const struct region_list *l, const char *name);

#endif
