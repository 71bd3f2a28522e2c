/* timeline_rows.h: the rows and categories that tau-report timeline shows. */
#ifndef TIMELINE_ROWS_H
#define TIMELINE_ROWS_H

#include "analyze/messages/activity.h"
#include "analyze/messages/time_cells.h"
#include "analyze/stream/moments.h"
#include "cmd/picture/svg.h"
#include "cmd/report/events/report_trace.h"
#include "cmd/report/events/rows_option.h"

#define CATEGORIES (SVG_COLOURS + 1) /* the last one is all others */

struct timeline_category {
	char *name;
	char letter;
	int64_t ns;
};

/* One or several streams. */
struct timeline_row {
	char *name; /* "3", "3.1" with several threads, "0..7" of several PEs */
	const char *queue; /* name of the queue of a device, borrowed from the trace; NULL: of none */
	int32_t first, last; /* PEs */
	const char *host, *last_host; /* of these, borrowed from the trace */
	enum row_level level, last_level;
	size_t streams;
	uint32_t thread;
	int64_t *ns; /* [cell * category_n + category] */
	uint64_t *events;
};

struct timeline_rows {
	struct timeline_category category[CATEGORIES];
	size_t category_n;
	uint32_t *of;	/* by region: its category */
	struct timeline_row *row;
	size_t row_n, row_cap;
	uint32_t *row_of; /* by stream; TRACE_NONE: it has none */
	uint32_t *order;  /* the streams with a row */
	uint32_t *shared; /* by stream: the first one of its row */
	const struct rows_wanted *wanted; /* NULL: each stream has a row */
	char *begins;	  /* by place in `order`: it begins a row */
	size_t groups;	  /* rows that begin */
	size_t per;	  /* groups of streams in a row */
	size_t streams;	  /* in all rows */
	int sampled;	  /* they are of samples, */
	int no_regions;	  /* because the run has no regions */
	int queues;	  /* some of them are queues of devices */
};

/*
 * The streams whose events a picture does not need: their cells are kept beside the trace, or they are not selected. Numbers do not
 * depend on it.
 */
struct timeline_kept {
	char *skip;	     /* by stream: its events are not read */
	char *known;	     /* by stream: its cells are known; all 0: of none */
	struct trace_cells ask; /* the cells of the picture, */
	int on_grid;		/* if they are cells of a level */
};

/* timeline_kept.c: which cells of `a` are kept. Release it in any case. */
void timeline_kept_begin(struct timeline_kept *k, const struct report_trace *r,
			 const struct activity *a);
/* Adds the time of each region that is kept to ns[]. */
void timeline_kept_sum(struct timeline_kept *k, const struct report_trace *r, struct activity *a, int64_t *ns);
/* Adds the cells that are kept. */
void timeline_kept_fill(struct timeline_kept *k, const struct report_trace *r, struct activity *a);
void timeline_kept_release(struct timeline_kept *k);
/* Chooses the groups, or (regions) regions, with the most time. ns: of each region. */
void timeline_choose(struct timeline_rows *x, const struct trace *t, const int64_t *ns,
		     int regions);
/* The same for things with names of their own, by number. */
void timeline_choose_names(struct timeline_rows *x, const char *const *name, size_t name_n,
			   const int64_t *ns);
/* timeline_samples.c: fills `a` and chooses the categories from samples: functions, or (functions 0) binaries. */
int timeline_samples(struct timeline_rows *x, struct report_trace *r, struct activity *a,
		     int functions, struct error *e);
/* Rows of a picture, and of text or data: more threads share rows, so that it fits on a screen. */
#define TIMELINE_ROWS_SVG 320
#define TIMELINE_ROWS_TABLE 64
#define TIMELINE_SHARED 512 /* a run of more streams has timeline_rows_share() called */
/*
 * Before the events are read that fill `a`, and after timeline_choose(): streams of a row share its parts in `a`, so that memory depends on
 * what is shown. named: by stream, has it time in a region in the window? It can be called again. Release x after a.
 */
void timeline_rows_share(struct timeline_rows *x, const struct report_trace *r, struct activity *a,
			 const char *named, size_t most);
/* Makes rows of streams, most of them at most. */
void timeline_rows_make(struct timeline_rows *x, const struct report_trace *r,
			const struct activity *a, size_t most);
void timeline_rows_release(struct timeline_rows *x);

/* timeline_groups.c */
/* Orders the streams that have a row, and finds which share one: those that x->wanted names, and more if there would be more than `most`. */
void timeline_groups_make(struct timeline_rows *x, const struct report_trace *r, size_t most);
/* By stream: can it have a row? It does not depend on the window, so that rows stay where they are. free(). */
char *timeline_streams_named(const struct report_trace *r);
/* threads: processes have several. free(). */
char *timeline_row_name(const struct timeline_rows *x, const struct timeline_row *r, int threads);
/* Prints the rows of x. */
int timeline_row_list(const struct timeline_rows *x, struct report_trace *r, FILE *f, size_t width);

/*
 * timeline_shared.c: the rows and categories of a run of many streams, and the cells, if they were kept beside the run. *filled: they were, or
 * are now; otherwise events are to be read. kept: NULL: nothing is kept.
 */
int timeline_shared(struct timeline_rows *x, struct activity *a, struct report_trace *r, struct timeline_kept *kept, int regions,
		    int *filled, struct error *e);

/*
 * timeline_parts.c: report_trace_read() for these uses, on as many threads as o->load has if that is possible. use[0] fills `a`, use[1] the cells,
 * if there is one.
 */
int timeline_parts_read(struct activity *a, struct report_trace *r, struct messages_use *use, size_t use_n, const struct time_cells *cells,
			struct error *e);

/* The notes of a picture. */
struct timeline_words {
	const char *title, *colours, *lines, *blank;
};

/* timeline_picture.c */
void timeline_picture(FILE *f, const struct timeline_rows *x, const struct report_trace *r,
		      const struct activity *a, const struct stream_moments *moments, const struct timeline_words *words);

#endif
