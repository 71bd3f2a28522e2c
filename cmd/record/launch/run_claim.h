/* run_claim.h: the directory of a run: who makes it, who joins it, and which process of the job is the last to leave it. */
#ifndef RUN_CLAIM_H
#define RUN_CLAIM_H

#include "cmd/record/launch/launch.h"
#include "cmd/record/summary/overhead.h"
#include "convert/native/live/run_processes.h"

/*
 * Makes `directory`, and those above it, the run of this job, or joins it: the first process that comes makes it. A directory
 * that contains something else, or the run of another job, is an error; so is one that another user owns or may write to,
 * unless the run is shared.
 */
int run_claim(const char *directory, const struct job *j, int shared, struct error *e);
/* Nothing was started: a run that was this process's alone is taken away, so that the next try finds its place free. */
void run_abandon(const char *directory, const struct job *j);

/* The place of one process in the run's table (tau-trace(5), processes). */
struct run_place {
	struct tau_process_row row;
	size_t at;
	int has_row;			/* 0: the disk was full before the start, or others kept the table locked */
	int unlocked;			/* the table, for run_seen_write(), -1: it is not open */
	struct run_processes table;	/* open and locked from run_leave() to run_close(), unless others are left */
};
/* The program is about to begin as process pid. */
void run_enter(const char *directory, const struct job *j, pid_t pid, struct run_place *place);
/*
 * It runs: notes that in its row, after RUN_SEEN_NS, then each time that a part of its time has passed (run_processes.h). Returns
 * in how many ms the next note is due; -1: never. For a reader, if tau-record is killed together with the program.
 */
int run_seen_write(struct run_place *place);
/*
 * It ended with this wait status. The last one on its host seals the run (native_seal.h), and the last one of the job reports.
 * Then run_close() is called.
 */
enum run_left { RUN_LEFT_OTHERS, RUN_LEFT_HOST, RUN_LEFT_JOB };
enum run_left run_leave(const char *directory, const struct job *j, int status, struct run_place *place);
/*
 * CPU time that may be spent on looking up the names of what was sampled, after run_leave(): 1 % of what the job took of one processor, but
 * within limits, so that short programs have names and long ones end.
 */
uint64_t run_names_budget_ns(const struct run_place *place, const struct job *j);
/* reported: the closing line was printed, with this overhead. */
void run_close(struct run_place *place, int reported, const struct overhead *o);

#endif
