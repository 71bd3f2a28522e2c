/*
 * sample.h: samples of the threads' CPU time.
 */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <signal.h>
#include <stdbool.h>
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
/*
 * The calling thread, which has no stream: it gets one with its first sample, after a period of CPU time. false: this is not done here,
 * and the thread needs its stream now.
 */
bool sample_watch(void);
void sample_leave(void);	/* it ends without a stream */
/* The calling thread, inside the recorder, with its stream: starts and ends its timer. */
void sample_arm(struct stream *s);
void sample_disarm(struct stream *s);
/* From now on samples are taken in all threads, once per ns of CPU time; 0: in none. Only if the process began with samples. */
void sample_period(uint64_t ns);
void sample_meta(void);

#endif
