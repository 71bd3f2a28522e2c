/*
 * activity.h: what each thread does over time: the time of the innermost regions, by cell of a row of
 * equal spans of time. Cells add up to the exclusive times of the regions.
 */
#ifndef ACTIVITY_H
#define ACTIVITY_H

#include "analyze/messages/messages.h"

#define ACTIVITY_MESSAGES 1000 /* kept; more of them cannot be distinguished */

#define ACTIVITY_NEAR 64

struct activity_part { /* a region in a cell */
	uint32_t cell, region;
	uint64_t visits; /* spans of time in it as the innermost region that begin in the cell */
	int64_t ns;
};

struct activity_row { /* a stream */
	struct activity_part *part; /* of the cells before the current one; a region can have several in a cell */
	size_t part_n, part_cap;
	struct activity_part *now; /* of the current cell, [from, until) */
	size_t now_n, now_cap, merged;
	size_t cell;
	int64_t from, until;
	uint32_t near[ACTIVITY_NEAR]; /* where a region's part in the current cell may be */
	int shown;		      /* it has a row even without parts */
};

struct activity_message {
	uint32_t from, to; /* streams */
	int64_t sent, received;
};

struct activity {
	const struct messages *m;
	size_t cell_n;
	int64_t begin, end;	  /* ns */
	struct activity_row *row; /* by stream */
	/*
	 * shared: by stream, the stream whose row has its parts; NULL: each has its own. Rows have cell_n * category_n
	 * parts then, each of a category instead of a region; category: by region, category_n or more: not kept.
	 */
	const uint32_t *shared, *category;
	size_t category_n;
	struct activity_message message[ACTIVITY_MESSAGES];
	uint64_t message_n; /* number of messages, also of those that are not kept */
};

/*
 * The use for messages_read() that fills x with `cells` cells, at least 1, over the time of the
 * processes in the window. Regions are those of messages.region; m must stay. Release x.
 */
struct messages_use activity_use(struct activity *x, const struct messages *m, size_t cells);
/*
 * Cells of `length` ns, above 0, on a grid: they begin at multiples of it, and the first and the last one reach beyond the window. Before
 * events are read.
 */
void activity_align(struct activity *x, int64_t length);
/* Adds a cell of the grid to a stream, of whose events none are read; after the last one activity_keep(). */
struct activity_stream { /* where it is added */
	struct activity *to;
	uint32_t stream;
};
void activity_add_cell(void *to, const struct trace_cell *c); /* to: a struct activity_stream; trace_cells.take */
void activity_keep(struct activity *x, uint32_t stream);
/* Removes the cells that were added so. */
void activity_drop(struct activity *x, uint32_t stream);
/* Adds time at a moment, such as of a sample; moments of a stream never decrease. */
void activity_add(struct activity *x, uint32_t stream, uint32_t region, int64_t time, int64_t ns);
/* After events are read. */
void activity_end(struct activity *x);
/* Adds the time of each region to ns[]. */
void activity_regions(const struct activity *x, int64_t *ns);
/* Gives the stream a row, even if it has no time. */
void activity_show(struct activity *x, uint32_t stream);
/* Adds a line from one stream to another. sent, received: ns. */
void activity_line(struct activity *x, uint32_t from, uint32_t to, int64_t sent, int64_t received);
void activity_release(struct activity *x);

/* The begin of a cell in ns; cell cell_n: the end of the last one. */
int64_t activity_edge(const struct activity *x, size_t cell);

#endif
