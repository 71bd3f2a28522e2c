/*
 * placeholders.h: what braces in a command are replaced by: {n}, {variant}, {repeat}, {run} and {record}. Only a word of letters in braces
 * is a placeholder; "{{" is a brace, and what follows a '$' belongs to a shell.
 */
#ifndef PLACEHOLDERS_H
#define PLACEHOLDERS_H

#include "cmd/experiment/experiment_types.h"

/* ERROR_USAGE: a placeholder is unknown, has no values, or is missing. */
int placeholders_check(const struct experiment *x, struct error *e);

/* The word of the command that is the program; NULL: it is not known. */
const char *placeholders_program(const struct experiment *x);

/* The same of a text without {record}. To be freed. */
char *placeholders_text(const struct run_plan *p, const struct planned_run *r, const char *text);

/*
 * The words of the command of one run, without tau-record. recorder: what {record} is replaced by, as one text; NULL: nothing. A word
 * "{variant}" becomes the words of the variant's value.
 */
int placeholders_fill(const struct run_plan *p, const struct planned_run *r, const struct shell_words *recorder,
		      struct shell_words *out, struct error *e);

#endif
