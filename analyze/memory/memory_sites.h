/*
 * memory_sites.h: what call sites of several runs say of each other. An array of few objects has no type of its own, because too
 * little in it shows one (tau-memory.7); what the same site allocates in a larger run may have.
 */
#ifndef MEMORY_SITES_H
#define MEMORY_SITES_H

#include "analyze/memory/memory.h"

struct memory_sites;

/* Of the runs, by live or cumulative bytes. They are not kept; the rows that memory_sites_type() returns are theirs. */
struct memory_sites *memory_sites_new(const struct memory *const *run, size_t run_n,
				      enum memory_measure measure);
void memory_sites_free(struct memory_sites *m);

/*
 * What an untyped row with a site is by the other runs: a row of an array (slab) whose type it has, where the site has nothing else
 * in some other run and nothing but untyped blocks, as many a PE, in run k. NULL: nothing is known.
 */
const struct memory_row *memory_sites_type(const struct memory_sites *m, size_t k,
					   const struct memory_row *r);

#endif
