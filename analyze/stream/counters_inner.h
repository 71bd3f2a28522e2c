/* counters_inner.h: what the files of the counters share. */
#ifndef COUNTERS_INNER_H
#define COUNTERS_INNER_H

#include <string.h>

#include "analyze/stream/counters_data.h"

static inline uint32_t counter_id(struct counters *c, const char *name)
{
	return names_add(&c->names, name, strlen(name));
}

/* Makes c->type and the objects of its rows; named: with their counters. */
void counters_types_init(struct counters *c, struct trace *t, enum counters_sites sites, int named);

#endif
