/*
 * ranks.h: the processes of one MPI job share the reading of a trace: each takes its share of the streams, and the parts are
 * added up along a binomial tree, whose root is rank 0. MPI is reached through libtaumpi.so (mpi/transport.h), which is loaded when a
 * launcher has started several processes; a serial run loads nothing.
 *
 * All ranks load the same things in the same order. An error of one rank is the error of all: the lowest rank with one names it.
 */
#ifndef RANKS_H
#define RANKS_H

#include "analyze/replay/replay.h"

struct ranks;

/* The number of processes that a launcher started together with this one, from the environment; 1: it is alone. */
unsigned ranks_launched(void);

/*
 * Meets the other processes. library: path of libtaumpi.so, NULL when it was not found. ERROR_SYSTEM: there is no MPI library, or
 * MPI counts other processes than the launcher. The caller ends it with ranks_end().
 */
int ranks_begin(const char *library, struct ranks **out, struct error *e);

unsigned ranks_rank(const struct ranks *r);
unsigned ranks_size(const struct ranks *r);

/* How often the ranks have agreed. */
size_t ranks_meetings(const struct ranks *r);

/* From here on the trace counts what this rank alone has read. */
void ranks_mark(struct ranks *r, const struct trace *t);

/*
 * Every rank calls it once for each load, with the code that the load has on this rank: 0, or an error in *e. Returns 0 when
 * it is 0 on all. Otherwise *e is, on every rank, the error of the lowest rank that has one; a rank other than 0 is named in its text.
 */
int ranks_agree(struct ranks *r, int code, struct error *e);

/*
 * After all ranks have agreed: adds up the parts. Rank 0 then has the sum, and t counts what all ranks have read; the parts of the
 * other ranks are empty. ERROR_INPUT: the ranks found different windows.
 */
int ranks_share(struct ranks *r, struct trace *t, struct replay_part *part, struct error *e);

/*
 * Ends a piece of work of several loads: waits for the others, and after it ranks can load again, also if one of them failed. code: as in
 * ranks_agree(), of all that this rank did of it. Ranks that are still loading get the error of one that is here from ranks_agree() and
 * ranks_share(). Returns as ranks_agree(), so that rank 0 can print the error of any rank.
 */
int ranks_settle(struct ranks *r, int code, struct error *e);

/* The last ranks_settle(), and the end of MPI. Frees r. */
int ranks_end(struct ranks *r, int code, struct error *e);

#endif
