/*
 * window_read.h: reads the text of one window.
 *
 *	WINDOW	 POINT:POINT | POINT..POINT		from one to the other; either may be missing
 *		 RUN					its instances or iterations, one window each
 *		 RUN#* | LOOP=*				all together
 *		 RUN#N[@RANK] | LOOP=N			one
 *		 RUN#N..M | LOOP=N..M			some, together
 *		 NAME..NAME				phases: from an enter of the first to the end of the second's next instance
 *		 NAME..NAME#N				one of them
 *		 snapshot:MARK[#N]			up to a snapshot of the program
 *		 snapshot:MARK[#N]..snapshot:MARK[#N]	from one to another
 *	RUN	 NAME | LOOP
 *	LOOP	 iter | iter(NAME)
 *	POINT	 TIME | -TIME | +TIME | PERCENT | WALL | NAME#N[@RANK][OFFSET] | LOOP=N[OFFSET]
 *	OFFSET	 +TIME | -TIME | +PERCENT | -PERCENT
 *	MARK	 the name of a snapshot; the first of this name in each process, or the Nth
 *	NAME	 as in region_names.h, or the same in double quotes with \ before " and \
 *
 * Names may contain every character that has a meaning here. So a text can have several readings,
 * which may depend on the regions of the trace: readings with existing regions are preferred.
 */
#ifndef WINDOW_READ_H
#define WINDOW_READ_H

#include "analyze/base/quantity.h"
#include "analyze/trace/trace.h"
#include "analyze/window/window_types.h"

#define SHARE_ONE QUANTITY_ONE_PERCENT

enum point_kind {
	POINT_OPEN,		/* not given */
	POINT_TIME,		/* value: ns since the start of the run */
	POINT_FROM_END,		/* value: ns before its end */
	POINT_LENGTH,		/* value: ns after the begin; only for an end */
	POINT_LENGTH_SHARE,	/* value: percent of the run after the begin, times 10^9; only
				 * for an end */
	POINT_SHARE,		/* value: percent of the run, times 10^9 */
	POINT_WALL,		/* value: ns since 1970 */
	POINT_CLOCK,		/* value: ns since midnight, on the day of the run */
	POINT_INSTANCE,		/* an instance or iteration: as begin its begin, as end its end */
};

/* Distance from the begin (+) or the end (-) of an instance. */
enum point_offset { OFFSET_NONE, OFFSET_AFTER_BEGIN, OFFSET_BEFORE_END };

/* The region or loop of instances. */
struct window_text_of {
	char *region;		/* NULL: the loop that is found automatically */
	int loop;		/* iterations of a loop, not instances */
};

struct window_text_point {
	enum point_kind kind;
	int64_t value;
	struct window_text_of of;
	uint64_t instance;	/* from 1 */
	int64_t rank;		/* rank of the instance; -1: each process has its own */
	enum point_offset offset;
	int64_t offset_value;	/* ns, or percent times 10^9 */
	int offset_share;
};

enum window_text_kind {
	WINDOW_BETWEEN,   /* begin and end */
	WINDOW_INSTANCES, /* of `of`, from first to last */
	WINDOW_PHASES,    /* from region `of` to region `to` */
	WINDOW_SNAPSHOTS, /* from snapshot `from` (NULL: the start), number `first`, to
			   * snapshot `to`, number `last` */
};

struct window_text {
	char *text;
	enum window_text_kind kind;
	struct window_text_point begin, end;
	struct window_text_of of;
	char *to, *from;
	uint64_t first, last;	/* from 1; last 0: to the last one */
	int64_t rank;		/* as for a point */
	int together;		/* one window for all, not one for each */
};

/*
 * Parses a text. trace NULL: only checks the syntax. Returns 0, ERROR_USAGE, or ERROR_INPUT: the
 * trace has no region with which the text has a meaning. On success release out.
 */
int window_text_parse(const char *text, const struct trace *t, struct window_text *out,
		      struct error *e);
/* The same for a window that is known; release out. */
void window_text_between(const struct window_between *b, struct window_text *out);
void window_text_release(struct window_text *r);

/* Parses a time or a percentage (quantity.h). 1: *value is the time in ns or, with *share, percent times 10^9. 0: it is neither. */
int window_time(const char *s, size_t n, int64_t *value, int *share);

/*
 * Parses the argument of --every into out, which is all 0: a time with its unit, or a number.
 * ERROR_USAGE: it is neither.
 */
int window_every(const char *text, struct window_series *out, struct error *e);

#endif
