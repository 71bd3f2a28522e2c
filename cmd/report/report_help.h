/* report_help.h: --help of tau-report, and of one kind of report. */
#ifndef REPORT_HELP_H
#define REPORT_HELP_H

#include "cmd/shared/option.h"

/* The name of kind number i, NULL after the last. */
const char *report_word(size_t i);
/* Of the first word that names a kind; without one, of all. */
void report_help(const struct program *program, enum help_form form, char *const *word, int n);
/* The values of an option of the first word that names a kind, separated by blanks; to be freed. NULL: no fixed list is known. */
char *report_values_words(const char *option, char *const *word, int n);

#endif
