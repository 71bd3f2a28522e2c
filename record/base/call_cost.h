/*
 * call_cost.h: what recording a call costs on this machine.
 */
#ifndef CALL_COST_H
#define CALL_COST_H

#include <stdbool.h>
#include <stdint.h>

/* The cost of a call in ps: the part between the times of its enter and leave, and the rest. */
struct cost_parts {
	uint64_t inside, outside;
};

/*
 * The cost of a call recorded by the hooks, in ps: the part between the times of its enter and leave, the whole, and the
 * least and the most that programs pay (cost.c); the cost of a folded call. They are measured with a function that does some work, which the
 * processor executes at the same time. With a budget also the costs of calls of a function with almost no work:
 * recorded, folded, and excluded. 0: not measured.
 */
struct call_cost {
	uint64_t inside, all, fold;
	struct cost_parts least, most;
	uint64_t tiny_all, tiny_fold, tiny_out;
	uint64_t empty;			/* a call with hooks that return at once: the cost without the recorder */
	uint64_t empty_bare;		/* the same of a function that does nothing, which hides no part of it */
	uint64_t out;			/* a call of an excluded function, if functions may be excluded */
	uint64_t message;			/* with a budget: a record of a message, file or event */
	uint64_t block[2], passed;	/* with a budget: a block, with one thread and with several; a block not recorded */
	int steps;			/* of the work between hooks with which it was measured (cost.c) */
	bool given;			/* the numbers were given, not measured */
};

#endif
