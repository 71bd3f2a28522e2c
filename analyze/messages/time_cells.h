/*
 * time_cells.h: what streams do by cells of time on a grid, so that a picture of a long run costs what it shows. A format keeps them beside the
 * trace (trace_ops.index). Here: making them while streams are read, and which cells of time they can answer for.
 */
#ifndef TIME_CELLS_H
#define TIME_CELLS_H

#include "analyze/messages/messages.h"

#define CELLS_RUN    4000000 /* records of a run from which its cells are kept */
#define CELLS_STREAM 64	     /* a stream needs the same number, divided by this: fewer are read quickly */
/*
 * Records that the smallest cells have on average, at least, in a run of up to CELLS_FEW streams, and of more: a picture with smaller cells
 * reads the events of all its rows.
 */
#define CELLS_SHARE	 1024
#define CELLS_SHARE_MANY 512
#define CELLS_FEW	 8

struct level_cell; /* of a stream, while it is read */
struct cells_row {
	struct trace_cells_sink *sink; /* NULL: its cells are not kept */
	struct level_cell *level;
	uint32_t *slot;		/* by region: 1 + its place in level[0]; 0: it has none */
	uint32_t *slot_above;	/* by region, of the level above that is added to: zero between uses */
	int64_t cells_most;	/* of level[0] */
	int failed;
};
struct time_cells {
	const struct messages *m;
	struct cells_row *row; /* by stream */
	size_t kept;	       /* number of rows with a sink */
};

/*
 * Begins to keep the cells of the streams of m for which there are none. The use that does it, for a messages_read() without a window and
 * without a selection. least: records of a run for which it is done. x->kept 0: there is nothing to do, and the use need not be passed. Call time_cells_end() in any case.
 * Several passes may each read some of the streams: each has a copy of x, whose m is its own, and of the use.
 */
struct messages_use time_cells_use(struct time_cells *x, const struct messages *m, uint64_t least);
/* complete 0: the trace was not read to its end. */
void time_cells_end(struct time_cells *x, int complete);

/* Are cells of `length` ns those of a level? */
static inline int time_cells_power(int64_t length, unsigned *power)
{
	*power = length > 0 ? (unsigned)__builtin_ctzll((uint64_t)length) : 0;
	return length > 0 && length == INT64_C(1) << *power;
}

#endif
