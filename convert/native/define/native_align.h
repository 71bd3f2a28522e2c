/* native_align.h: clocks of streams. */
#ifndef NATIVE_ALIGN_H
#define NATIVE_ALIGN_H

#include "convert/native/native_run.h"

/* Gives each stream its clock, clocks their rates and offsets, and the trace its `wall`. */
void native_align(struct trace *t, struct native_run *run);

#endif
