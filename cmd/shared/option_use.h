/* option_use.h: which options mean something for which kind of report, format or input. An option that means nothing is an error. */
#ifndef OPTION_USE_H
#define OPTION_USE_H

#include "cmd/shared/option_types.h"

struct option_use {
	const char *option;	/* long name; NULL ends the table. An option without a row is for all */
	const char *kinds;	/* those that it is for, separated by blanks */
};

/* Is it one of the words of a list, which blanks separate? */
int option_is_word(const char *list, const char *word);

/* 1: the option was given. */
int option_present(const struct option_list *given, const char *option);

/*
 * given: what options_parse() found on the command line. ERROR_USAGE: one of them is not for this kind: "leaks: --predict is for
 * memory-scaling".
 */
int option_use_check(const struct option_list *given, const struct option_use *use, const char *kind, struct error *e);

/* ERROR_USAGE: both options of a pair were given: "--every and --slices exclude each other". */
int option_pairs_check(const struct option_list *given, const struct option_pair *pairs, struct error *e);

#endif
