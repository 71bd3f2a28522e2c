/*
 * region_names.h: finds the region of a trace that a user means by a name. The better of these holds; a name may stand for several
 * regions only when these have the same full name:
 *
 *	the full name			double Solver<float>::solve(int) [{solver.cc} {17}]
 *	without its place		double Solver<float>::solve(int)
 *	without its arguments		double Solver<float>::solve
 *	without what it returns		Solver<float>::solve
 *	only the innermost name		solve
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
 * 1: found, and out holds the regions (the caller frees out->v); 0: there is none; ERROR_INPUT: names that are not the same answer
 * equally well, and the sentence, which begins with `where`, names two.
 */
int region_find(const struct trace *t, const char *name, struct regions *out, const char *where, struct error *e);

int region_find_in(const struct region_list *l, const char *name, struct regions *out, const char *where, struct error *e);

/* The region whose name comes nearest, for "did you mean"; NULL: none comes near. */
const char *region_near(const struct trace *t, const char *name);
const char *region_near_in(const struct region_list *l, const char *name);

#endif
