/* control_command.h: tau-record --control: commands to a run while it is recorded. */
#ifndef CONTROL_COMMAND_H
#define CONTROL_COMMAND_H

#include "analyze/base/base.h"

struct control_command {
	const char *run;		/* its directory; NULL: no command is given */
	const char *ranks, *pids;	/* whom it is for, as --rank and --pid have it; NULL: all processes */
	const char *wait;		/* how long to wait until they have executed it; NULL: not at all */
};

#define CONTROL_NONE 2 /* exit status: no process that runs here is selected, or the run has no command file here */

/* ERROR_USAGE: the words are no command. */
int control_command_check(char **words, struct error *e);
/* *ns: how long to wait; it stays as it is if that was not given. ERROR_USAGE: it is not a time. */
int control_wait(const struct control_command *c, int64_t *ns, struct error *e);
/*
 * Sends one command, or prints which process has executed how many ("status"). 1: some process that runs has not executed all
 * (status), or not executed this one in time. CONTROL_NONE: ranks or pids select no process that runs on this
 * host, or none of the run has taken commands here; *e has a sentence.
 */
int control_command(const struct control_command *c, char **words, struct error *e);

#endif
