/* native_rename.h: events and threads that have another name now. */
#ifndef NATIVE_RENAME_H
#define NATIVE_RENAME_H

#include "convert/io/bytes.h"
#include "convert/native/native_run.h"

struct native_rename {
	const struct native_stream *stream;
	uint64_t id, number;
	uint32_t event;		/* of the trace, which has the new name */
};

struct native_thread_name {
	uint32_t process, thread;
	char *name;
};

/* The events that were renamed, in all streams of their processes. */
void native_events_rename(struct native_run *run);
/* 1: this metadata of a process is the name of a thread, "Thread Name: 3", and is kept as such. */
int native_thread_name(struct native_run *run, uint32_t process, const char *meta, struct bytes value);
/* The threads that others have named, and did not know it when the process ended. */
void native_threads_rename(struct native_run *run);

#endif
