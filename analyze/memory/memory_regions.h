/*
 * memory_regions.h: in which regions memory was allocated and freed.
 *
 * Counters read (man/tau-trace2profile.1, MEMORY): the context events "Heap Allocate" and "Heap Free", one sample a block, with
 * the call path it was allocated on; a row is the innermost region of the path. What was allocated outside any region is
 * a row of its own. Where the heap was recorded at the entry and exit of regions (heap_at_regions.h), a row has how much larger and smaller
 * it was each time that the region was left, what it called included. Units: bytes and blocks of the job.
 */
#ifndef MEMORY_REGIONS_H
#define MEMORY_REGIONS_H

#include "analyze/profile/profile.h"

struct memory_region {
	const char *name;	/* borrowed from the profile */
	double allocated, blocks, freed, blocks_freed;
	double grown, shrunk, most;	/* most: the heap of a process when it was entered or left */
};

struct memory_regions {
	struct memory_region *row;	/* most bytes allocated first, then by name */
	size_t row_n;
	struct memory_region all;	/* grown and shrunk: 0, because regions are inside of each other */
	int blocks, heap;	/* there is anything about them */
};

void memory_regions_init(struct memory_regions *g, const struct profile *p);
void memory_regions_release(struct memory_regions *g);
void memory_region_add(struct memory_region *sum, const struct memory_region *r);

#endif
