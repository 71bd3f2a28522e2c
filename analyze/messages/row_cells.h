/*
 * row_cells.h: what rows of many streams do by cells of time on a grid, so that a picture of a run of thousands of processes costs what it
 * shows. Each stream is too short for cells of its own (time_cells.h); a row has the sums of its streams. A format keeps them beside the run
 * (trace_ops.index).
 */
#ifndef ROW_CELLS_H
#define ROW_CELLS_H

#include "analyze/messages/messages.h"

#define ROW_CELLS_RUN	4000000 /* records of a run from which its rows are kept */
#define ROW_CELLS_MOST	4096	/* cells of a row, */
#define ROW_CELLS_LEAST 64	/* with more regions at least these, or rows are not kept, */
#define ROW_CELLS_SHARE 8	/* times in all cells of all rows, at most: the records of the run, divided by this, */
#define ROW_CELLS_PARTS_LEAST (UINT32_C(1) << 16)
#define ROW_CELLS_PARTS_MOST (UINT32_C(1) << 23) /* but never more */

struct row_cells_row {
	uint32_t *stream;	/* in order of the trace */
	size_t stream_n, stream_cap;
	uint32_t *region;	/* with time in it */
	int64_t **ns;		/* by place in `region`, by cell */
	size_t region_n, region_cap, ns_n, ns_cap;
	uint32_t *place;	/* by region: 1 + its place in `region`; 0: it has none. While events are read */
	int64_t *visits, *crosses; /* by cell, as in struct trace_cell */
};

struct row_cells {
	const struct messages *m;
	unsigned power;		/* a cell has 2^power ns; cell 0 begins at 0 */
	size_t cell_n;
	struct row_cells_row *row;
	size_t row_n, row_cap;
	uint32_t *row_of;	/* by stream; TRACE_NONE: it has none */
	size_t parts, parts_most; /* in all ns[] */
	int failed;
};

/*
 * Begins to add up the rows of m: `shared` is, by stream, one of its row, the same for all of them; `named`: has it a row? The use that does
 * it, for a messages_read() without a window and without a selection. Release x in any case.
 */
struct messages_use row_cells_use(struct row_cells *x, const struct messages *m, const uint32_t *shared, const char *named);
/*
 * After a part of the streams has been read into `part`, which was begun like x, with the same shared and named: moves its rows to x, into
 * which no events are read. All streams of a row are in one part. Cells of x are then as long as the longest ones of a part.
 */
void row_cells_join(struct row_cells *x, struct row_cells *part);
/* After events are read: keeps the rows beside the run. 1: they are kept; 0: they cannot be, but can be used if !x->failed. */
int row_cells_keep(const struct row_cells *x, struct trace *t);
/* The rows that are kept for the trace as it is. 1: x has them; 0: there are none, and x is empty. */
int row_cells_get(struct row_cells *x, struct trace *t);
/*
 * Passes the cells of a row, as TRACE_INDEX_CELLS does. ask->power is not below x->power.
 */
void row_cells_pass(const struct row_cells *x, size_t row, const struct trace_cells *ask);
void row_cells_release(struct row_cells *x);

#endif
