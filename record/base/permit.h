/*
 * permit.h: whether the environment, which has the options, can be read yet. Before libc's constructor it is empty, and it may be
 * so afterwards, too.
 */
#ifndef PERMIT_H
#define PERMIT_H

#include <stdbool.h>

/* Called by our constructor, which runs after libc's. */
void environment_ready(void);
/* False: what depends on the environment is decided later. */
bool environment_known(void);
/* Was a debugger or a tracer of system calls attached to the process when it began? It stops at each signal. */
bool process_traced(void);

#endif
