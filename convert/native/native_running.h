/* native_running.h: processes that are still being recorded. */
#ifndef NATIVE_RUNNING_H
#define NATIVE_RUNNING_H

#include "convert/native/native_run.h"

/* Sets `running` and the present as the end of processes that are still being recorded on this host. */
void native_running(struct trace *t, struct native_run *run);

#endif
