/* choice.h: a word of the command line that must be one of several names. */
#ifndef CHOICE_H
#define CHOICE_H

#include <stddef.h>

#include "analyze/base/base.h"

/*
 * *found = the index of word among n names. ERROR_USAGE: "WHAT: 'word' is not a, b or c; did you mean 'b'?", where what is an
 * option or something else that a user writes a word for.
 */
int choice_get(const char *what, const char *word, const char *const *name, size_t n, size_t *found, struct error *e);

/* The same of an option; word NULL: it was not given, and *found stays as it is. */
int choice_option(const char *option, const char *word, const char *const *name, size_t n, size_t *found, struct error *e);

/* Is the value of a switch in the environment on, as TAU reads it: not NULL, "", 0, no, off or false? */
int choice_on(const char *value);

/* "; did you mean 'b'?", or "" if no name comes near; to be freed. */
char *choice_near(const char *word, const char *const *name, size_t n);

#endif
