/* find_hosts.h: the hosts of a job, as its run names them. */
#ifndef FIND_HOSTS_H
#define FIND_HOSTS_H

#include "cmd/shared/host_list.h"

/*
 * Adds the hosts on which processes of the run at `path` were recorded, and those that the batch system has given to their job:
 * SLURM_JOB_NODELIST, and the file of PBS_NODEFILE if it is that of the caller's environment, too. All look at `shown`, their own
 * processes each. A name that is no name of a host is ignored. Errors are those of opening the run; ERROR_INPUT: a list of Slurm that
 * is none, or has more than 65536 hosts.
 */
int find_hosts(const char *path, const char *shown, struct host_list *list, struct error *e);

/*
 * The names in a list as Slurm writes it: "n[01-03,7],login" is n01, n02, n03, n7 and login. -1: it is no such list, or has more than
 * 65536 names; then some may have been added.
 */
int find_hosts_slurm(const char *text, struct names *out);

#endif
