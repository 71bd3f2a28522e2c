/* run_copy.h: copies a run while it is recorded. */
#ifndef RUN_COPY_H
#define RUN_COPY_H

#include "analyze/base/base.h"

/* The directory of a copy, under a temporary name beside `to`; NULL: ERROR_SYSTEM, also if `to` is there already. */
char *run_copy_make(const char *to, struct error *e);
/* Copies what `run` has now into such a directory. The copy is a whole run whatever the processes write meanwhile. ERROR_SYSTEM. */
int run_copy(const char *run, const char *made, struct error *e);
/* bad: removes it. Otherwise it gets its name. Frees made; NULL: nothing. 0 or ERROR_SYSTEM. */
int run_copy_close(char *made, const char *to, int bad, struct error *e);

#endif
