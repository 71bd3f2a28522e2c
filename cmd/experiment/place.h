/* place.h: where tau-record belongs in a command: after the launcher and its options, before the program. */
#ifndef PLACE_H
#define PLACE_H

#include "cmd/experiment/experiment_types.h"

/*
 * The index of the program in a command whose first word has index `from`: after launchers, programs such as env(1) that start others,
 * their options, and variables that are set. The number of words: none is found. A word with a placeholder can be a program.
 */
size_t place_program(const struct shell_words *command, size_t from);

/* The file that a shell would start; NULL: there is none. To be freed. */
char *place_find(const char *word);

/* ERROR_USAGE: the command contains tau-record, or no program. marked: it has {record}. */
int place_check(const struct experiment *x, int marked, struct error *e);

/* The command with the words of the recorder before each program of it. ERROR_USAGE: there is no program in it. */
int place_recorder(const struct shell_words *command, const struct shell_words *recorder, struct shell_words *out,
		   struct error *e);

#endif
