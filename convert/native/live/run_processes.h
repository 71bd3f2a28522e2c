/*
 * run_processes.h: the table of a run that records how the programs that tau-record started ended
 * (file `processes`, tau-trace(5)). tau-record writes it; readers of the run find in it how each
 * process ended.
 */
#ifndef RUN_PROCESSES_H
#define RUN_PROCESSES_H

#include "analyze/trace/trace.h"
#include "record/format.h"

#include <sys/types.h>

/* A table that is open. */
struct run_processes {
	int fd;		/* -1: there is none */
	struct tau_processes_header head;
	struct tau_process_row *row;
	size_t row_n;
};

/*
 * Makes a new table in the directory of a run, in place of one that is there, for a job of `size` processes. 0, or -1 and
 * errno.
 */
int run_processes_make(int directory, uint64_t size, mode_t mode);
/*
 * Opens the table of a run, to write to it if `write`, and reads it. 0, or -1: there is none that can be used, and *out is
 * closed. Rows come from a file: only their hosts are known to end with a NUL.
 */
int run_processes_open(int directory, int write, struct run_processes *out);
/* The same of a table that is open already: of a copy of its descriptor, which shares its locks. */
int run_processes_again(int fd, struct run_processes *out);
/*
 * The same to write to it, locked until it is closed. RUN_PROCESSES_LOCKED: others kept it locked for limit_ms.
 */
enum { RUN_PROCESSES_LOCKED = -2 };
int run_processes_lock(int directory, unsigned limit_ms, struct run_processes *out);
void run_processes_close(struct run_processes *p);

/* Is this directory a run of tau-record --alone? */
int run_is_alone(const char *directory);
/* Fills who the caller, a tau-record, is: recorder_pid, recorder_start, host. */
void run_process_here(struct tau_process_row *row);
/* Writes row `at` of a table that is locked to the file, not to p->row; at == row_n: a new one. 0 or -1. */
int run_process_write(struct run_processes *p, size_t at, const struct tau_process_row *row);
/* The overhead of a run, as CPU time. */
struct run_overhead {
	uint64_t added_ns, alone_ns;
	uint64_t least_ns, most_ns;	/* of added_ns; 0, 0: unknown */
	enum tau_overhead how;
};
/*
 * While a program runs, its tau-record notes the time as its end: first after RUN_SEEN_NS, then each time that the RUN_SEEN_PART-th
 * part of the time that it has run has passed, or RUN_SEEN_NS. It holds if tau-record is killed together with the program.
 */
#define RUN_SEEN_NS   1000000000
#define RUN_SEEN_PART 100
/* When the next note of a row is due, ns since 1970. */
uint64_t run_seen_due(const struct tau_process_row *row);
/* A descriptor of a table that is locked, without the lock, for run_process_seen_write(); -1: there is none. */
int run_processes_unlocked(const struct run_processes *p);
int run_process_seen_write(int fd, size_t at, uint64_t real_ns); /* 0 or -1 */
/* Notes whether the closing line has been printed, and which overhead it stated (NULL: none). 0 or -1. */
int run_processes_closed(struct run_processes *p, int closed, const struct run_overhead *o);
/* The CPU time in ns that `least` or `most` of the head is. */
uint64_t run_added(const struct tau_processes_header *h, uint32_t part);
/* The CPU time in ns of all programs of the table; 0: that of one is not known. */
uint64_t run_processes_cpu(const struct run_processes *p);

/* MPI started it while the program ran: it has no tau-record, and added its row itself. */
int run_process_spawned(const struct tau_process_row *row);

/* What is known of a program: it runs, it ended (or its tau-record did), or, on another host, neither. */
enum run_process_life { RUN_PROCESS_RUNS, RUN_PROCESS_ENDED, RUN_PROCESS_UNKNOWN };
enum run_process_life run_process_life(const struct tau_process_row *row);
/* When the process began, in clock ticks after boot; 0: there is no such process, or it has ended. */
unsigned long long run_process_start(uint32_t pid);
/* Has a signal or a debugger stopped it? */
int run_process_stopped(uint32_t pid);

#endif
