/* native_define.h: definitions of a stream. */
#ifndef NATIVE_DEFINE_H
#define NATIVE_DEFINE_H

#include "convert/native/native_run.h"

/*
 * Reads the definitions of one stream into the trace (process: its index there). Damage cuts the file and
 * is noted in it. 0, or ERROR_SYSTEM.
 */
int native_define(struct trace *t, struct native_run *run, struct native_stream *s, uint32_t process,
		  struct error *e);
/* The regions that streams record no more, as metadata of their processes, once all regions are named. */
void native_limits_name(struct trace *t, struct native_run *run);

#endif
