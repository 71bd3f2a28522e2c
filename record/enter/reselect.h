/*
 * reselect.h: functions that are excluded, or selected again, while the program runs.
 */
#ifndef RESELECT_H
#define RESELECT_H

/* The calling thread, which is busy, follows what the process excludes by now: control.selects has changed. */
void reselect(void);

#endif
