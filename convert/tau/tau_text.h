/* tau_text.h: the lines of a TAU profile file and what they are made of; used by its reader alone. */
#ifndef TAU_TEXT_H
#define TAU_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/base/base.h"

struct tau_text {
	const char *file;	/* its name, borrowed */
	char *text, *at, *end;	/* its bytes as UTF-8, a NUL at end; at: what comes next */
	int nul;		/* its text ends at a NUL, not where the file ends */
	size_t line;		/* number of the line read last */
	struct error *e;
};

/*
 * Reads a file whole, in the place of the one before. 0; ERROR_INPUT: it is no regular file; ERROR_SYSTEM. The
 * caller frees t->text in the end, also after an error, and sets t->e before.
 */
int tau_text_open(struct tau_text *t, const char *file);

/* The same for a copy of n bytes. */
void tau_text_copy(struct tau_text *t, const char *file, const unsigned char *p, size_t n);

/* Text is missing where it ends: sets an error that names the NUL, if it ends at one. Returns ERROR_INPUT. */
int tau_text_nul(struct tau_text *t);

/* Sets the error "FILE: line N: what" and frees what. Returns ERROR_INPUT. */
int tau_text_bad(struct tau_text *t, char *what);
#define BAD(t, ...) tau_text_bad(t, mem_printf(__VA_ARGS__))

/*
 * The next line that is not blank, without its end and blanks at both ends, or NULL at the end of the file.
 * *whole (may be NULL): the line had an end, so that nothing of it is missing.
 */
char *tau_text_line(struct tau_text *t, int *whole);
/* Skips the rest of a line. */
void tau_text_skip(struct tau_text *t);

/* The functions below take a line apart in place. */

/* Cuts blanks off both ends of s, a carriage return at its end, too; unlike text_trim(), no line feed: names may have one. */
char *tau_text_trim(char *s);

/* Reads n numbers separated by blanks at *s and moves *s to their end. 1, or 0: there are fewer. */
int tau_text_values(char **s, double *v, size_t n);

/* "<n> <word>...": returns the count, at most INT32_MAX, with *rest after it; -1 if the line has another form. */
int64_t tau_text_count(char *line, char **rest);

/*
 * `"name" rest`: the name, trimmed, or NULL. It ends at the line's last quote: names may hold quotes, which TAU does
 * not escape, and the rest holds none once tau_text_groups() has cut the groups off.
 */
char *tau_text_name(char *line, char **rest);

/* The last GROUP="..." of a line, cut off it: what is between its quotes, "" without it, NULL: it has no end. */
char *tau_text_groups(char *line);

/* Removes the group TAU_CALLPATH and blanks around groups, in place: 1 when it was there. */
int tau_text_callpath(char *groups);

#endif
