/* summary.h: what tau-record says when the last process of a run has ended. */
#ifndef SUMMARY_H
#define SUMMARY_H

/*
 * On stderr: what was recorded, what it cost, and what was dropped. The names of dropped regions become a selection
 * file in the run. estimate: says instead how large and slow a full trace would be. unasked: nobody said what to record, so
 * that it is said what can be where nothing came.
 */
void summary(const char *directory, int estimate, int unasked);

#endif
