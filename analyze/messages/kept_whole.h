/*
 * kept_whole.h: what is found in a whole run and kept beside it, as numbers that its format keeps (numbers.h): the critical path, and waits with
 * their causes and culprits. Both need every event of the run; what is kept costs what is listed. Runs with fewer records than CUTS_RUN keep
 * nothing: they are read as fast.
 */
#ifndef KEPT_WHOLE_H
#define KEPT_WHOLE_H

#include "analyze/messages/critical_path.h"
#include "analyze/messages/waits.h"

/*
 * For m with its first fields set, without a window and a selection. 1: x and times, or x, have what they have after a pass over the whole run and
 * critical_path_end() or waits_end(), but for what a picture needs, and m has its call paths and numbers; 0: they have nothing, and a pass
 * finds it. culprits: they are needed, too, as after waits_culprits(). Release them as after a pass.
 */
int kept_path_get(struct critical_path *x, struct critical_times *times, struct messages *m);
int kept_waits_get(struct waits *x, struct messages *m, int culprits);

/* After such a pass. found: of the pass. 1: it is kept; 0: it cannot be. */
int kept_path_put(const struct critical_path *x, const struct critical_times *times,
		  const struct messages_found *found);
int kept_waits_put(const struct waits *x);

#endif
