/* option_types.h: the rows of options, and what describes a program. */
#ifndef OPTION_TYPES_H
#define OPTION_TYPES_H

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

/* Two options that contradict each other: long names; NULL ends the table. */
struct option_pair {
	const char *one, *other;
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
	/* The first word of a command line, such as a command, number i from 0; NULL after the last. May be NULL. */
	const char *(*word)(size_t i);
	/* The values of an option, separated by blanks, for the same words; to be freed; NULL: it has no fixed list. May be NULL. */
	char *(*values)(const char *option, char *const *word, int n);
	const struct option_pair *pairs; /* options that exclude each other; NULL: none. One of a configuration file yields */
	const char *project;	/* options that the configuration file of a project may set, separated by blanks; NULL: none */
	int stop_at_operand;	/* options end at the first operand (tau-record) */
	int usage_code;		/* exit code for a command line that is wrong; 0: 2 */
	struct option_list *given;	/* gets the long names of the options that were given; may be NULL */
};

#endif
