/* native_address.h: regions that are known by an address, and the ids of a file. */
#ifndef NATIVE_ADDRESS_H
#define NATIVE_ADDRESS_H

#include "convert/native/native_run.h"

/* Sets map[id]; the caller has checked id. In `far`, TRACE_NONE does not replace a value. */
void native_ids_set(struct native_ids *m, uint64_t id, uint32_t value);
/* The region of that name in the trace, which is added with copies of the texts if there is none. file NULL or "": unknown. */
uint32_t native_region_add(struct trace *t, struct native_run *run, const char *name, const char *groups,
			   const char *file, uint32_t line);
/*
 * Adds a region of a stream that is known by an address. name and groups, which are taken over: a region at this place in the
 * code; both NULL: it is the function there.
 */
void native_address_add(struct native_run *run, struct native_stream *s, uint64_t id, uint64_t address,
			char *name, char *groups);
/* The same for a call. called: 1 + the region of the file that is called there, 0: the function; site: where the call returns. */
void native_call_add(struct native_run *run, struct native_stream *s, uint64_t id, uint64_t called, uint64_t site,
		     uint64_t function);
/* Gives these regions, call sites and locks their names, once all definitions are read. */
void native_define_addresses(struct trace *t, struct native_run *run, int64_t begin);	/* of the processes, in seconds */

#endif
