/*
 * profile_lines.h: the rows of profiles as lines of text: their order, and their names as cells
 * that are composed from pieces. Each piece is made once.
 */
#ifndef PROFILE_LINES_H
#define PROFILE_LINES_H

#include <stdio.h>
#include <string.h>

#include "analyze/profile/profile.h"

/* A text that grows; all zero: empty. Its owner frees s. */
struct line_text {
	char *s;
	size_t n, cap;
};

/* Makes room for n more bytes, and returns where they begin. */
static inline char *text_room(struct line_text *t, size_t n)
{
	while (t->cap - t->n < n)
		t->s = array_grow(t->s, &t->cap, 1);
	return t->s + t->n;
}

void text_add(struct line_text *t, const char *s, size_t n);

/* Bytes of rows that are written at once. */
#define TEXT_FULL 65536
/* Writes a text to a file and empties it; it keeps its room. */
void text_flush(struct line_text *t, FILE *f);

/* Writes a text that is not empty; returns its end. */
static inline char *text_put(char *to, const struct line_text *t)
{
	return mempcpy(to, t->s, t->n);
}

/* What the name of a timer requires of a cell that contains it. */
enum piece_mark {
	PIECE_QUOTED = 1,      /* the cell must be quoted */
	PIECE_BLANK_BEGIN = 2, /* the same if it begins with the name, */
	PIECE_BLANK_END = 4,   /* or ends with it */
	PIECE_ALONE = 8,       /* the cell cannot be composed */
};
struct piece {
	struct line_text text; /* of the name inside a cell; never empty */
	unsigned marks;
};

/* The names of paths as cells. */
struct path_cells {
	const struct profile *profile;
	struct piece *piece; /* by timer */
	uint32_t parent;     /* the parent of the last path, */
	struct line_text above;   /* its name with an arrow; empty: the path has none, */
	unsigned marks;      /* and what it requires of a cell */
};
/* make: fills the piece of a name, which is not empty. Release x. */
void path_cells_init(struct path_cells *x, const struct profile *p,
		     void (*make)(struct piece *piece, const char *name));
void path_cells_release(struct path_cells *x);
/* Moves to a path: its name is that of `above`, then that of its timer. Returns their marks. */
unsigned path_cells_go(struct path_cells *x, uint32_t path);

/* The groups of a timer's own row, or of its rows by call path; to be freed. */
char *profile_groups_text(const struct profile_timer *t, int path);

/* The numbers of a thread's rows in the order of their names; to be freed. place: profile_path_places(). */
uint32_t *profile_rows_by_name(const struct profile *p, const struct profile_thread *t,
			       const uint32_t *place);

/* The counters of a thread in the order of their names, with the names of their contexts. */
struct named_sample {
	char *name;
	const struct profile_sample *sample;
};
struct named_sample *profile_samples_by_name(const struct profile *p,
					     const struct profile_thread *t);
void named_samples_free(struct named_sample *v, size_t n);

#endif
