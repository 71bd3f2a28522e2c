/*
 * sample.h: samples of the threads' CPU time.
 */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <signal.h>
#include <stdint.h>

struct stream;

/*
 * The signal of --sample, the fourth from the last of the real-time signals: programs count theirs from the first. SIGSTKFLT, which
 * nothing uses either, is unknown to gdb, which stops at each and delivers none.
 */
#define SAMPLE_SIGNAL (__SIGRTMAX - 3)
#define SAMPLE_LEAST_NS 50000
#define SAMPLE_MOST_NS 1000000000000u
#define SAMPLE_DEPTH 127	/* most code addresses in a sample */

void sample_start(void);
/* The calling thread, inside the recorder: starts and ends its timer. */
void sample_arm(struct stream *s);
void sample_disarm(struct stream *s);
/* From now on samples are taken in all threads, once per ns of CPU time; 0: in none. Only if the process began with samples. */
void sample_period(uint64_t ns);
void sample_meta(void);

#endif
