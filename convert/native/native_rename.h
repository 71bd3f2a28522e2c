/* native_rename.h: events that have another name now. */
#ifndef NATIVE_RENAME_H
#define NATIVE_RENAME_H

#include "convert/native/native_run.h"

struct native_rename {
	const struct native_stream *stream;
	uint64_t id, number;
	uint32_t event;		/* of the trace, which has the new name */
};

/* The events that were renamed, in all streams of their processes. */
void native_events_rename(struct native_run *run);

#endif
