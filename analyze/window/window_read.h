/*
 * window_read.h: reads the text of one window.
 *
 *	WINDOW	 POINT:POINT | POINT..POINT		from one to the other; either may be left out
 *		 RUN					its instances or iterations, one window each
 *		 RUN#* | LOOP=*				all together
 *		 RUN#N[@RANK] | LOOP=N			one
 *		 RUN#N..M | LOOP=N..M			some, together
 *		 NAME..NAME				phases: from each enter of the first to the next leave of the second
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
 * Names may hold every character that has a meaning here. So a text has several readings; which one holds may depend on which
 * regions there are: readings with regions that exist win.
 */
#ifndef WINDOW_READ_H
#define WINDOW_READ_H

#include "analyze/trace/trace.h"

#define SHARE_ONE 1000000000ll	/* one percent */

enum point_kind {
	POINT_OPEN,		/* left out */
	POINT_TIME,		/* value: ns since the start of the run */
	POINT_FROM_END,		/* value: ns before its end */
	POINT_LENGTH,		/* value: ns behind the begin; of an end only */
	POINT_LENGTH_SHARE,	/* value: percent of the run behind the begin; likewise */
	POINT_SHARE,		/* value: percent of the run, times 10^9 */
	POINT_WALL,		/* value: ns since 1970 */
	POINT_CLOCK,		/* value: ns since midnight, on the day of the run */
	POINT_INSTANCE,		/* an instance or iteration: its beginning as begin, its end as end */
};

/* Moves away from the beginning (+) or the end (-) of an instance. */
enum point_offset { OFFSET_NONE, OFFSET_AFTER_BEGIN, OFFSET_BEFORE_END };

/* What instances are of. */
struct reading_of {
	char *region;		/* NULL: the loop that is found */
	int loop;		/* iterations */
};

struct reading_point {
	enum point_kind kind;
	int64_t value;
	struct reading_of of;
	uint64_t instance;	/* counted from 1 */
	int64_t rank;		/* whose instance; -1: each process its own */
	enum point_offset offset;
	int64_t offset_value;	/* ns, or percent times 10^9 */
	int offset_share;
};

enum reading_kind {
	READING_BETWEEN,	/* begin and end */
	READING_INSTANCES,	/* of `of`, from first to last */
	READING_PHASES,		/* from region `of` to region `to` */
	READING_SNAPSHOTS,	/* from snapshot `from`, number `first` (NULL: the start), to `to`, number `last` */
};

struct reading {
	char *text;
	enum reading_kind kind;
	struct reading_point begin, end;
	struct reading_of of;
	char *to, *from;
	uint64_t first, last;	/* counted from 1; last 0: to the last there is */
	int64_t rank;		/* as of a point */
	int together;		/* one window, not one for each */
};

/*
 * Reads a text. trace NULL: only looks whether it can be read. Returns 0, or a negative code: ERROR_USAGE, or ERROR_INPUT where
 * the trace has no region that would give it a meaning.
 */
int window_reading_parse(const char *text, const struct trace *t, struct reading *out, struct error *e);
void window_reading_release(struct reading *r);

/* A text as a time: decimal digits and a unit (ns, us, ms, s, m, h) or %. 1: it is one (*share: of percent times 10^9), 0: not. */
int window_time(const char *s, size_t n, int64_t *value, int *share);

#endif
