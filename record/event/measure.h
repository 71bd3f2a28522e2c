/*
 * measure.h: what tau-record measures of this process from outside, so that the process has no thread for it.
 */
#ifndef MEASURE_H
#define MEASURE_H

#include <stdint.h>

/*
 * From now on these are measured, enum tau_measure_what together, every `ns`, in place of what was before; 0: nothing of the kind.
 * Not inside the recorder.
 */
void measure_tracked(unsigned what, uint64_t ns);
void measure_begins(void);	/* the process has its first file; inside the recorder */
void measure_after_fork(void);
void measure_end(uint64_t headroom_least);	/* with the numbers of the end; bytes of the process's own readings */

#endif
