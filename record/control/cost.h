/*
 * cost.h: measures the cost of recording with the hooks themselves, outside the trace.
 */
#ifndef COST_H
#define COST_H

#include <stdbool.h>
#include <stdint.h>

struct call_cost;
struct cost_parts;

/* When the process starts. Inside the recorder. */
void cost_measure(struct call_cost *out);
/* ps per block allocated or freed, with a budget; measured at the first call. */
uint64_t cost_block(void);
/* ps per call now, of the calling thread with signals blocked; 0: unavailable. */
uint64_t cost_again(void);
/* At the end: *least and *most of a call's cost, with a last measurement; last: the cost of a call as it was known before. */
void cost_limits(uint64_t last, struct cost_parts *least, struct cost_parts *most);

#endif
