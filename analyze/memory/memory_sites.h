/*
 * memory_sites.h: finds the type of a call site's memory from other runs. An array of few objects
 * is untyped, because it contains too little to identify its type (tau-memory.7); the memory that
 * the same site allocates in a larger run may have a type.
 */
#ifndef MEMORY_SITES_H
#define MEMORY_SITES_H

#include "analyze/memory/memory.h"

struct memory_sites;

/*
 * From the runs, by live or cumulative bytes. The runs are borrowed: the rows that
 * memory_sites_type() returns belong to them. O(rows + sites * runs). memory_sites_free() frees the
 * result; m may be NULL.
 */
struct memory_sites *memory_sites_new(const struct memory *const *run, size_t run_n,
				      enum memory_measure measure);
void memory_sites_free(struct memory_sites *m);

/*
 * The type of an untyped row r with a site in run k, from the other runs: the row of an array
 * (slab) of that type, if the site has only this slab in some other run, and only untyped blocks in
 * run k, the same number per PE. NULL: unknown.
 */
const struct memory_row *memory_sites_type(const struct memory_sites *m, size_t k,
					   const struct memory_row *r);

#endif
