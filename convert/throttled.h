/* throttled.h: which regions a recorder stopped recording to save time, so that their calls in a profile are too few. */
#ifndef THROTTLED_H
#define THROTTLED_H

#include "analyze/profile/profile.h"
#include "analyze/trace/trace.h"

/*
 * "PATH: recording of 2 regions was stopped to save time, so later calls of theirs are missing: a, b", to be freed; NULL: of
 * none. Ours are in the metadata; TAU puts such timers into the group TAU_DISABLE.
 */
char *throttled_in_trace(const struct trace *t, const char *path);
char *throttled_in_profile(const struct profile *p, const char *path);

#endif
