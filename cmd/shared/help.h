/*
 * help.h: what --help prints: items in groups, for people (lines of at most 79 characters) or as the rows that "make man" puts into
 * the manual page (mdoc).
 */
#ifndef HELP_H
#define HELP_H

#include <stddef.h>

#include "cmd/shared/option_types.h"

enum { HELP_COLUMN = 30 };	/* of the texts of options */

/* "Usage: NAME WORDS" and what the program does; people only. */
void help_usage(const char *name, const char *usage, const char *about);
/* A paragraph; people only. */
void help_text(enum help_form form, const char *text);
/* The list that follows. level of its heading in a manual page: 's' (.Ss) or 'p' (a paragraph). */
void help_begin(enum help_form form, const char *heading, char level);
/* An item: people see `left`, and from a column on the text; a manual page has `macros`. */
void help_item(enum help_form form, size_t column, const char *left, const char *macros, const char *text);
/* A line of a manual page with these words. */
void help_sentence(const char *text);
void help_end(enum help_form form);

/*
 * Options by group, each with a heading. common: the names of those that are printed first, too, separated by blanks; NULL: none.
 * Options before the first heading are in the group "Options".
 */
void help_options(enum help_form form, const struct option *options, const char *common);
/* All of a program without words of its own. */
void help_program(enum help_form form, const struct program *p);
/*
 * For completion in shells, one per line: each first word of the command line, then each option, a tab, the name of its argument
 * ("[=" before one that may be missing), a tab, and its sentence; if it has a fixed list of values for the words before, a tab and these.
 */
void help_words(const struct program *p, char *const *word, int n);
/* --help and --version. */
void help_last(enum help_form form);

#endif
