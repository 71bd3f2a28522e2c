/*
 * config.h: configuration files, tau-config(5): values for options that the command line does not have.
 *
 *	[tau-record]
 *	sample = 1ms
 *	verbose = yes
 */
#ifndef CONFIG_H
#define CONFIG_H

#include "cmd/shared/option_types.h"

enum { GIVEN_NOT, GIVEN_ON_LINE, GIVEN_IN_FILE };

/*
 * Sets the options of a program that are not in `given`, one byte for each row of its table: GIVEN_ON_LINE, or, from then on, GIVEN_IN_FILE. An option that another one of the command line excludes
 * is not set. path: read this file alone; NULL: the file
 * of $TAU_TOOLS_CONFIG alone, "" for none; without this variable that of the user, then that of the project. ERROR_USAGE: a line or a
 * name is wrong; ERROR_SYSTEM: a file that was named cannot be read.
 */
int config_apply(const struct program *program, char *given, const char *path, struct error *e);
/* After a failure: prints which options files have set, with file and line; nothing if none has. */
void config_note(const char *program);

#endif
