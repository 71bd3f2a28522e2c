/* look_ranks.h: what each process uses, and the regions in which it has spent most time since the look before. */
#ifndef LOOK_RANKS_H
#define LOOK_RANKS_H

#include "analyze/base/map.h"
#include "cmd/monitor/look.h"

/* What is kept from look to look. Zero it first. */
struct look_ranks {
	struct names who, name; /* processes, and regions */
	struct look_use {
		struct process_use use;
		int64_t ns; /* by now_ns() */
	} * use;		/* by who */
	size_t use_n, use_cap;
	struct map at; /* (who, name) -> index into excl */
	double *excl;  /* us */
	size_t excl_n, excl_cap;
};

/* Fills what processes of this host use, and the regions of all from l->profile. */
void look_ranks(struct look_ranks *x, struct look *l);
void look_ranks_release(struct look_ranks *x);

#endif
