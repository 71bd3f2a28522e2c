/* control_hosts.h: tau-record --control --hosts: one command to the processes of a run on several hosts. */
#ifndef CONTROL_HOSTS_H
#define CONTROL_HOSTS_H

#include "cmd/record/control/control_command.h"

struct control_hosts {
	const char *names;   /* "n1,n2", or auto; NULL */
	const char *file;    /* a file of mpirun; NULL */
	const char *rsh;     /* command and options, separated by blanks */
	const char *program; /* tau-record there */
};

/*
 * Gives the command on each host, all at the same time, and prints what each prints, after the name of the host. 0; 1: some process
 * has not executed it; CONTROL_NONE: no host has a process that is selected, as control_command(). ERROR_SYSTEM: some host could not
 * give the command, the others have.
 */
int control_hosts(const struct control_hosts *on, const struct control_command *c, char **words,
		  struct error *e);

#endif
