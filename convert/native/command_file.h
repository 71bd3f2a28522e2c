/* command_file.h: the hidden file of a run through which it is commanded while it is recorded. */
#ifndef COMMAND_FILE_H
#define COMMAND_FILE_H

#include "analyze/base/base.h"

/* Makes the file, or joins it; its path, which the caller frees, or NULL: ERROR_SYSTEM. */
char *command_file_make(const char *directory, struct error *e);
/* Appends a command. ERROR_INPUT: the run listens to none, or has had too many. */
int command_file_command(const char *directory, const char *command, struct error *e);

/* What a process of the run on this host has executed of the commands. */
struct command_process {
	uint32_t pid, executed;
	int running;
};
struct command_state {
	uint32_t commands;	/* that were sent */
	struct command_process *process;
	size_t process_n, process_cap;
};
/* On success the caller frees out->process. */
int command_file_state(const char *directory, struct command_state *out, struct error *e);

#endif
