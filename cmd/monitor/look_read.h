/*
 * look_read.h: looks at a run again and again while it is recorded. A look reads the run's files from outside; the measured program
 * neither waits nor learns of it, and nothing is written to the run.
 *
 * Windows are additive, so a look reads only what is new: what happened before LOOK_SETTLED_NS before the look before it is
 * kept as a sum, and the rest is read again, because a record may become visible some time after its time stamp was taken.
 */
#ifndef LOOK_READ_H
#define LOOK_READ_H

#include "cmd/monitor/look.h"
#include "cmd/monitor/look_read_types.h"

struct hosts;

/* One look. wants: enum look_wants. On success the caller releases *out; on failure nothing is left to release. */
int look_read(struct look_run *r, unsigned wants, struct look *out, struct error *e);
/* The profile that the last look has: l->profile, or that of all hosts. *out is the caller's. ERROR_SYSTEM: no host answers. */
int look_profile(struct look_run *r, const struct look *l, struct profile **out, struct error *e);
void look_run_release(struct look_run *r);

#endif
