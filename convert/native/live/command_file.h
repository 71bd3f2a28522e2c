/* command_file.h: the hidden file of a run through which it is commanded while it is recorded. */
#ifndef COMMAND_FILE_H
#define COMMAND_FILE_H

#include "analyze/base/base.h"

/* Makes the file, or joins one that is there. Returns its path, which the caller frees, or NULL: ERROR_SYSTEM. */
char *command_file_make(const char *directory, struct error *e);

/* A process of the run on this host that executes commands. */
struct command_process {
	uint32_t row, pid, executed;
	int64_t rank;	/* -1: it has none */
	int running;
};
/* A code besides enum error_code: the run has no command file on this host. It takes no commands there, or has ended without one. */
#define COMMAND_FILE_NONE -100

struct command_state {
	uint32_t commands;	/* that were sent */
	struct command_process *process;
	size_t process_n, process_cap;
};

/*
 * A command: its text, a number that goes with it, and the processes that it is for (is_for NULL:
 * all, including those that begin later).
 */
struct command {
	const char *text;
	uint64_t value;
	int (*is_for)(const void *to, const struct command_process *p);
	const void *to;
};
/*
 * Appends a command. Returns its number, from 1, or a negative code: COMMAND_FILE_NONE; ERROR_INPUT: the run has had too many
 * commands, it belongs to another user, or it selects no process that runs on this host; ERROR_USAGE: the text is too long;
 * ERROR_SYSTEM: the directory cannot be read.
 */
int command_file_send(const char *directory, const struct command *command, struct error *e);
/* The commands and processes so far: 0, and the caller frees out->process; or an error as from command_file_send(). */
int command_file_state(const char *directory, struct command_state *out, struct error *e);
/* The run has ended: removes the file if it has no command, and only if it is the caller's. */
void command_file_drop(const char *directory);

#endif
