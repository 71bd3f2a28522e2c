/* run_copy.h: copies a run while it is recorded. */
#ifndef RUN_COPY_H
#define RUN_COPY_H

#include "analyze/base/base.h"

/* Makes the directory of a copy. ERROR_SYSTEM, also if it is there already. */
int run_copy_make(const char *to, struct error *e);
/* Copies what `run` has now into such a directory. The copy is a whole run whatever the processes write meanwhile. ERROR_SYSTEM. */
int run_copy(const char *run, const char *to, struct error *e);

#endif
