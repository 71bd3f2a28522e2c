/* overview_memory.h: memory that rises, in an overview. */
#ifndef OVERVIEW_MEMORY_H
#define OVERVIEW_MEMORY_H

#include "analyze/anomalies/rising_memory.h"
#include "cmd/report/overview/overview.h"

/* Adds a fact and a finding, if memory rises until the end of the program (rising_memory.h). */
void overview_rising(struct overview *x, const struct trace *t, const struct rising_memory *r);

#endif
