/*
 * native_cells.h: FILE.cells beside a FILE.tau: the time of regions by cells of 2^k ns, for pictures of long streams. It is made from
 * the trace, is valid as long as the trace does not change, and can be deleted at any time. tau-trace(5) describes the format.
 */
#ifndef NATIVE_CELLS_H
#define NATIVE_CELLS_H

#include "analyze/trace/trace.h"

#define CELLS_MAJOR	2 /* 1: the cells of a level are four times as long as those of the level before */
#define CELLS_BLOCK	8	/* a block has the cells with the same number without its lowest 8 bits */
#define CELLS_LEVELS	32

/* One for each level, the finest first, then the blocks of all levels. */
struct cells_level {
	uint32_t power;		/* a cell has 2^power ns */
	uint32_t blocks;
	int64_t first;		/* number of the first block: of its first cell, divided by 256 */
};
struct cells_block {
	uint64_t offset;
	uint32_t length;	/* 0: all its cells are empty */
	uint32_t crc;
};
_Static_assert(sizeof(struct cells_level) == 16 && sizeof(struct cells_block) == 16, "files contain them as they are in memory");

/* As TRACE_INDEX_CELLS and TRACE_INDEX_CELLS_KEEP have it. */
int native_cells_get(struct trace *t, uint32_t stream, const struct trace_cells *c);
int native_cells_keep(struct trace *t, struct trace_index *x);

#endif
