/* screen_draw.h: draws the interactive view. */
#ifndef SCREEN_DRAW_H
#define SCREEN_DRAW_H

#include "cmd/monitor/host_news.h"
#include "cmd/monitor/look_cells.h"
#include "cmd/monitor/look_print.h"
#include "cmd/monitor/look_read.h"

#define VIEW_DEPTH 16 /* views that Esc leads back through */

/* CELLS has no key: it is what a row of another view has. */
enum view_kind {
	VIEW_REGIONS,
	VIEW_PATHS,
	VIEW_THREADS,
	VIEW_MEMORY,
	VIEW_PROCESSES,
	VIEW_WAITS,
	VIEW_HOSTS,
	VIEW_CELLS,
	VIEW_KINDS
};

/* Their keys: "rctmpwh". */
extern const char view_keys[VIEW_KINDS + 1];

/* What a region had when the user set the mark. */
struct view_mark {
	double calls, excl, incl;
};

/* A view that another one was opened from. */
struct view_place {
	enum view_kind kind;
	size_t at, top;
	char filter[200];
	struct look_chosen chosen; /* of VIEW_CELLS; owns its function */
};

/* Lines of a table. */
struct view_rows {
	char *header;
	char **line;
	size_t line_n, line_cap;
	int columns; /* of the terminal for which they were made; 0: they are to be made */
};

struct view {
	struct look_run *run;
	struct look look; /* the last one */
	enum view_kind kind, mark_kind;
	enum look_order order;
	int64_t interval_ns;
	size_t at, top; /* the selected row, and the first that is shown, of those that pass the filter */
	int frozen, help;
	char filter[200]; /* part of the name that rows have; "": all */
	char message[1100];
	char *alarm; /* what the run waits for; NULL: nothing */
	int alarmed; /* it hangs */
	struct view_rows rows;	   /* of processes, waits and cells */
	struct look_chosen chosen; /* of cells; owns its function */
	struct look_cells cells;
	struct profile *profile; /* of cells, at several hosts; NULL: that of the look */
	struct view_place before[VIEW_DEPTH];
	size_t before_n;
	struct host_news news;
	struct view_mark *mark; /* by name; */
	size_t mark_n;		/* 0: counted from the beginning of the run */
	double mark_now;	/* time of the mark in s */
};

/* Draws all of it, with the lines of v->rows; v->at and v->top are brought into what there is. */
void view_draw(struct view *v);
/* The number of the selected row; SIZE_MAX: there is none. */
size_t view_selected(const struct view *v);
/* Lines above the rows. */
int view_head(const struct view *v);

#endif
