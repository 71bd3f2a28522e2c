/*
 * cost.h: measures the cost of recording with the hooks themselves, outside the trace.
 */
#ifndef COST_H
#define COST_H

#include <stdbool.h>
#include <stdint.h>

struct call_cost;

/* When the process starts. Inside the recorder. */
void cost_measure(struct call_cost *out);
/* ps per block allocated or freed, with a budget; measured at the first call. */
uint64_t cost_block(void);
/* ps per call now, of the calling thread with signals blocked; 0: unavailable. */
uint64_t cost_again(void);
/* At the end: by how much `last`, the cost of a call, may have been wrong, in ps. */
uint64_t cost_spread(uint64_t last);

#endif
