/*
 * footprint.h: events of TAU_TRACK_MEMORY_FOOTPRINT, TAU_TRACK_LOAD and TAU_TRACK_POWER, sampled now. Not inside the recorder.
 */
#ifndef FOOTPRINT_H
#define FOOTPRINT_H

void footprint_record(void);	/* resident set and its peak */
void load_record(void);
void power_record(void);	/* nothing where the kernel shows no energy to this user */

#endif
