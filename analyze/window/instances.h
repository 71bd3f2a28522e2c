/*
 * instances.h: finds, in one process, the instances of regions and the iterations of loops, in one
 * pass over its lowest thread, and over further threads only for regions that are not entered
 * there.
 *
 * An instance is an outermost activation on the lowest thread of the process that enters the
 * region. An instance that is open at the end of its stream ends there. An iteration is defined in
 * loop.h, for a loop in one activation of a region on the lowest thread.
 */
#ifndef INSTANCES_H
#define INSTANCES_H

#include "analyze/window/instances_types.h"

/*
 * Searches one process. tick: called with `to` at each batch of events; may be NULL. Returns 0 or
 * an error of reading. Release out with instances_release().
 */
int instances_find(struct trace *t, uint32_t process, const struct instances_selected *w, void (*tick)(void *to), void *to,
		   struct instances *out, struct error *e);
void instances_release(struct instances *x, const struct instances_selected *w);

#endif
