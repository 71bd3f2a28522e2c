/*
 * look_cells.h: what one thread has done in each function, or one function on each thread: calls and times of a look's profile as rows
 * of one table, which the view, text, CSV, JSON and answers to requests show.
 */
#ifndef LOOK_CELLS_H
#define LOOK_CELLS_H

#include <stdio.h>

#include "analyze/profile/profile.h"
#include "cmd/monitor/look.h"
#include "cmd/monitor/look_print.h"
#include "cmd/table/table.h"

enum look_cells_of {
	CELLS_NONE,
	CELLS_THREAD,	/* the functions of a thread, or of all threads of a node */
	CELLS_FUNCTION, /* a function on all threads */
};

struct look_chosen {
	enum look_cells_of of;
	int32_t node, context, thread; /* thread -1: all of the node */
	char *function;		       /* as region_find_in() reads it */
};

struct look_cell {
	int32_t node, context, thread;
	const char *name; /* of the function; of the profile */
	double calls, subrs;
	double excl, incl; /* us */
	double squares;	   /* us^2: the sum over calls of the squared exclusive time; NaN: unknown */
};

struct look_cells {
	struct look_cell *v;
	size_t v_n, v_cap;
	char *title;
};

/* "1", "1.2" or "1.0.2": a node, with a thread, with a context between them. ERROR_USAGE: it is none of these. */
int look_chosen_thread(struct look_chosen *c, const char *text, struct error *e);

/*
 * The rows, in order of their exclusive time, or of what `order` names; by name, those of a function are by node, context and thread.
 * p must stay. ERROR_INPUT: no such thread, no such function, or several; then there is nothing to release.
 */
int look_cells_make(struct look_cells *x, const struct profile *p, const struct look_chosen *c,
		    enum look_order order, struct error *e);
void look_cells_release(struct look_cells *x);

enum look_cells_for {
	CELLS_FOR_VIEW, /* each row of the table is one of the cells, in their order */
	CELLS_FOR_TEXT, /* with lines on top that have the sum, mean, deviation, smallest and largest value of the threads */
	CELLS_FOR_DATA, /* the same for programs: full names */
};

/* Free it with table_free(). most: rows of text. */
struct table *look_cells_table(const struct look_cells *x, const struct look_chosen *c,
			       enum look_cells_for for_whom, size_t most);

/* The rows as text, or as CSV, each row with the time of the look, the header first if it is requested. */
void look_cells_text(const struct look_cells *x, const struct look_chosen *c, const struct look *l,
		     const char *path, size_t most, size_t width, FILE *f);
void look_cells_csv(const struct look_cells *x, const struct look_chosen *c, const struct look *l,
		    int header, FILE *f);

/* "3.0.1" */
const char *look_cell_thread(const struct look_cell *x, char text[48]);

#endif
