/*
 * tau_names.h: names that TAU's files take for something else. There "a => b" is a call path and "E : a" a counter in its
 * context, so a timer or counter whose own name looks so has "a -> b" or "E - a" for its name where it would be misread.
 */
#ifndef TAU_NAMES_H
#define TAU_NAMES_H

#include "analyze/profile/profile.h"

struct tau_names {
	struct profile p;		/* the profile with those names; what else it has is the original's */
	char **made;			/* the names that are not */
	size_t made_n, made_cap;
};

/* p as files can hold it: p itself, or n->p. Valid until n is released and as long as p does not change. */
const struct profile *tau_names_apply(struct tau_names *n, const struct profile *p);
void tau_names_release(struct tau_names *n);

/* Number of timers and counters that get another name. */
size_t tau_names_count(const struct profile *p);

#endif
