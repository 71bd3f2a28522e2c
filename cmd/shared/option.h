/*
 * option.h: options as rows. One row gives parsing, help (help.h) and the list in the man page, so that these cannot disagree.
 */
#ifndef OPTION_H
#define OPTION_H

#include <stddef.h>

#include "analyze/base/base.h"

enum option_type {
	OPTION_FLAG,	/* *(int *)to = 1; may be repeated: counts up */
	OPTION_TEXT,	/* *(const char **)to = argument */
	OPTION_LIST,	/* argument is added to *(struct option_list *)to */
	OPTION_NUMBER,	/* *(long *)to = argument */
	OPTION_MAYBE,	/* --name or --name=VALUE: *(const char **)to = VALUE or "" */
	OPTION_CALL,	/* call(argument or NULL) < 0 is an error whose text it has set */
	OPTION_HEADING_ROW, /* no option: the name is the heading of those that follow, in --help */
};

struct option_list {
	const char **v;
	size_t v_n, v_cap;
};

struct option {
	char letter;		/* 0: none */
	const char *name;	/* long name without dashes; NULL ends the table */
	enum option_type type;
	const char *argument;	/* its name in the help, NULL for flags */
	const char *help;	/* one line */
	void *to;
};

/* A row that begins a group of options. */
#define OPTION_HEADING(text) {0, text, OPTION_HEADING_ROW, NULL, NULL, NULL}

enum help_form { HELP_TEXT, HELP_PAGE };

struct program {
	const char *name;	/* "tau-dump" */
	const char *usage;	/* what follows the name in the usage line */
	const char *about;	/* one or two sentences for --help */
	const struct option *options;
	const char *common;	/* the most used ones, which --help prints first; separated by blanks; NULL: none */
	/* Prints --help in place of help_program(); word: the n words after it and before it on the command line. */
	void (*help)(const struct program *program, enum help_form form, char *const *word, int n);
	int stop_at_operand;	/* options end at the first operand (tau-record) */
	int usage_code;		/* exit code for a command line that is wrong; 0: 2 */
	struct option_list *given;	/* gets the long names of the options that were given; may be NULL */
};

/*
 * Parses argv. --help (--help=man: as rows of the man page) and --version are built in: they print to stdout and exit 0. An error prints
 * one sentence "program: what" to stderr and exits usage_code. Returns the index of the first operand in argv; operands
 * found between options have been moved after them. "--" ends the options.
 */
int options_parse(const struct program *program, int argc, char **argv);

/* program: text (from e) on stderr; returns its exit code (-code). */
int program_fail(const struct program *program, const struct error *e);

/*
 * Last act of every program that wrote to stdout: flushes and reports a failed write (full disk, closed pipe)
 * as exit code 4; otherwise returns code.
 */
int program_end(const struct program *program, int code);

#endif
