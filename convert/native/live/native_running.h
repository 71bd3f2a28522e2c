/* native_running.h: processes that are still being recorded. */
#ifndef NATIVE_RUNNING_H
#define NATIVE_RUNNING_H

#include "convert/native/native_run.h"

/* Before the first file is read. */
void native_running_begin(struct native_run *run);
/*
 * Sets `running` of processes that are still being recorded on this host. If there are any, the run is read as it was at the moment
 * of native_running_begin(): reading the files takes time, and what is recorded meanwhile is seen in those alone that are read late.
 * That moment is the end of these processes. Those that have ended here since were running then, too.
 */
void native_running(struct trace *t, struct native_run *run);

#endif
