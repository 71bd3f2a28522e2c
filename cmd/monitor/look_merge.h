/* look_merge.h: adds up the looks at one run from several hosts. */
#ifndef LOOK_MERGE_H
#define LOOK_MERGE_H

#include "cmd/monitor/look.h"

/* What one host, or one that leads others, has sent. */
struct look_source {
	const struct look *look; /* the last one; NULL: there is none */
	int fresh;		 /* it is of this moment, not of an earlier one */
	int lost;		 /* there will be no further one: what ran may have ended */
	size_t twice; /* set: 1 + the source that has its processes, too; it is excluded; 0: none */
};

/* The numbers that processes have: their ranks; without one, a number that stays from look to look. Zero it first. */
struct look_nodes {
	struct names who;
	int32_t *node; /* by number in who; -1: none */
	size_t node_n, node_cap;
	struct map at; /* (source, node there) -> node, in the last look */
};

/*
 * The sum of all sources, in which each region and each type of memory has one row; release it. New counts are sums over the fresh looks.
 * `now` and `elapsed` are the largest of the fresh ones: clocks of hosts are not compared. It has no hosts, profile and ids.
 */
void look_merge(struct look_nodes *nodes, struct look_source *from, size_t n, struct look *out);
/* Adds the profile of a source, with the nodes of the last look, to `into`. -1: it has other metrics. */
int look_merge_profile(const struct look_nodes *nodes, size_t source, struct profile *from,
		       struct profile *into);
void look_nodes_release(struct look_nodes *nodes);

#endif
