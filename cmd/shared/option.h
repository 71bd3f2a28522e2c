/*
 * option.h: options as rows. One row gives parsing, help (help.h) and the list in the man page, so that these cannot disagree.
 */
#ifndef OPTION_H
#define OPTION_H

#include "cmd/shared/option_types.h"

/*
 * Parses argv, then takes options that it does not have from configuration files (config.h); these are not in program->given. --config
 * FILE and --no-config are built in. --help (--help=man: as rows of the man page; --help=words: for completion) and --version are built in: they print to
 * stdout and exit 0. An error prints one sentence "program: what" to stderr and exits usage_code. Returns the index of the first operand in argv; operands
 * found between options have been moved after them. "--" ends the options.
 */
int options_parse(const struct program *program, int argc, char **argv);
/* The same of further words, without configuration files. */
int options_parse_more(const struct program *program, int argc, char **argv);

/* program: text (from e) on stderr; returns its exit code (-code). */
int program_fail(const struct program *program, const struct error *e);

/*
 * Last act of every program that wrote to stdout: flushes and reports a failed write (full disk, closed pipe)
 * as exit code 4; otherwise returns code.
 */
int program_end(const struct program *program, int code);

#endif
