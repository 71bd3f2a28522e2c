/*
 * timer.h: functions that a thread of the recorder's own calls at intervals.
 */
#ifndef TIMER_H
#define TIMER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Calls work() every `ns` from now on; edges: also soon, and when the process ends. A second call for the same function changes
 * its interval, which holds for the one under way. false: there is no room.
 */
bool timer_every(uint64_t ns, void (*work)(void), bool edges);
bool timer_may_record(void);	/* neither while nothing is recorded, nor below the recorder */
void timer_after_fork(void);	/* the thread is not there */
void timer_resumes(void);	/* then, with the gate open: a new one, if there is something to call */
void timer_end(void);		/* ends the thread. Not inside the recorder. */

#endif
