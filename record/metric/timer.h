/*
 * timer.h: functions that a thread of the recorder's own calls at intervals: tau_every() of tau.h.
 */
#ifndef TIMER_H
#define TIMER_H

#include <stdbool.h>

bool timer_may_record(void);	/* neither while nothing is recorded, nor below the recorder */
void timer_after_fork(void);	/* the thread is not there */
void timer_resumes(void);	/* then, with the gate open: a new one, if there is something to call */
void timer_end(void);		/* ends the thread. Not inside the recorder. */

#endif
