/*
 * memory_regions.h: the regions in which memory was allocated and freed.
 *
 * Counters read (man/tau-trace2profile.1, MEMORY): the context events "Heap Allocate" and "Heap
 * Free", one sample per block, with the call path of the allocation. A row is the innermost region
 * of the path. Memory that was allocated outside of all regions is a row of its own. If the heap
 * was recorded at the entry and exit of regions (heap_at_regions.h), a row also has by how much the
 * heap was larger and smaller at each exit than at the entry, including called regions. Units:
 * bytes and blocks of the job. Derived threads do not count, so a summary has no rows.
 */
#ifndef MEMORY_REGIONS_H
#define MEMORY_REGIONS_H

#include "analyze/profile/profile.h"

struct memory_region {
	const char *name;	/* borrowed from the profile */
	double allocated, blocks, freed, blocks_freed;
	double grown, shrunk, most;	/* most: the largest heap of a process at an entry or
					 * exit */
};

struct memory_regions {
	struct memory_region *row;	/* most bytes allocated first, then by name */
	size_t row_n;
	struct memory_region all;	/* sum; grown and shrunk are 0, because regions are
					 * inside of each other */
	int blocks, heap;	/* which of the two kinds of counters there are */
};

/* p must stay until g is released. O(samples). */
void memory_regions_init(struct memory_regions *g, const struct profile *p);
void memory_regions_release(struct memory_regions *g);
/* Adds a row to a sum; `most` becomes the larger one. The name stays. */
void memory_region_add(struct memory_region *sum, const struct memory_region *r);

#endif
