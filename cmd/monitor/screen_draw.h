/* screen_draw.h: draws the interactive view. */
#ifndef SCREEN_DRAW_H
#define SCREEN_DRAW_H

#include "cmd/monitor/host_news.h"
#include "cmd/monitor/look_print.h"
#include "cmd/monitor/look_read.h"

#define VIEW_HEAD 4 /* lines above the rows */

enum view_kind { VIEW_REGIONS, VIEW_PATHS, VIEW_THREADS, VIEW_MEMORY, VIEW_PROCESSES, VIEW_HOSTS, VIEW_KINDS };

/* Their keys: "rctmph". */
extern const char view_keys[VIEW_KINDS + 1];

/* What a region had when the user set the mark. */
struct view_mark {
	double calls, excl, incl;
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
	struct host_news news;
	struct view_mark *mark; /* by name; */
	size_t mark_n;		/* 0: counted from the beginning of the run */
	double mark_now;	/* time of the mark in s */
};

/* Draws all of it; v->at and v->top are brought into what there is. */
void view_draw(struct view *v);
/* The name of the selected row of regions or call paths; NULL: there is none. */
const char *view_selected(const struct view *v);

#endif
