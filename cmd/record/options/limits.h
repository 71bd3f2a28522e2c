/*
 * limits.h: the options of tau-record that select what is recorded and when, checked and handed down
 * to the recorder in its environment.
 */
#ifndef LIMITS_H
#define LIMITS_H

#include "cmd/record/launch/launch.h"

struct select;

/* As given on the command line; NULL: not given. */
struct limits {
	const char *select, *groups, *no_groups, *depth, *throttle, *fold, *delay, *duration,
		*start, *stop, *toggle, *max_size, *flight, *budget, *memory_every,
		*system, *patch, *snapshot_every, *snapshot_signal, *mpi_t, *mpi_t_controls;
	int watch, estimate, sums, call_sites;
	struct select *selection; /* what limits_check() read */
};

/* Takes TAU's environment variables for options that the command line does not have. */
void limits_read_environment(struct limits *l);

/* Checks all, reads the selection, and sets the recorder's variables. */
int limits_check(struct limits *l, struct error *e);
/* Writes the files that the recorder reads into the run. */
/* The interval of --snapshot-every, once it is checked; 0: not given. */
uint64_t limits_snapshot_ns(const struct limits *l);
/* The options that exclude regions, as they were given: " --groups NOPE"; "" if none was. The program's end frees it. */
const char *limits_selecting(const struct limits *l);
int limits_write(struct limits *l, const char *directory, const struct target *t, struct error *e);

#endif
