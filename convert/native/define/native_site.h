/* native_site.h: call sites of allocations. */
#ifndef NATIVE_SITE_H
#define NATIVE_SITE_H

#include "convert/io/bytes.h"
#include "convert/native/native_run.h"

enum trace_leak native_leak(uint64_t flags);
/*
 * Sets kind, family and library of a memtype with a name; library "": unknown. What an earlier recorder did not write is read
 * from the name.
 */
void native_memtype_class(struct trace_memtype *t, uint64_t flags, const char *library);
/* A memtype as a file defines it; the texts are in the file's chunk. */
struct native_memtype_fields {
	uint64_t id, owner, flags, size;
	struct bytes name, library;
	const unsigned char *from; /* flags, size and texts as they are written: n bytes */
	size_t n;
};
struct native_memtype_fields native_memtype_read(struct bytes *b, uint64_t most); /* ids are at most that */
/*
 * The number of the name that is shown, in run->memtype_text. Processes of a job write most memtypes alike: the texts are made once.
 */
uint32_t native_memtype_shown(struct trace *t, struct native_run *run,
			      const struct native_memtype_fields *f);
/*
 * The module that the site is in; NULL: unknown. rest: what follows the address in the SITE. *unloaded: all zero, and what is
 * returned if the file names the module there; the caller releases it.
 */
const struct native_module *native_memtype_module(const struct native_stream *s,
						  const struct native_memtype_fields *f,
						  uint64_t site, struct bytes *rest,
						  struct native_module *unloaded);
/*
 * The number of a memtype of the run: old, or the next one. Two are one if all of these are the same; a site is the same in
 * processes that have its module elsewhere. site: the address after the call, in module m; 0: unknown, or known by the name `place`.
 * shown: native_memtype_shown().
 */
uint32_t native_memtype_id(struct native_run *run, const struct native_module *m, uint32_t shown, uint32_t owner,
			   uint64_t flags, uint64_t site, const char *place, uint32_t call);
/* The next memtype of the trace, whose number native_memtype_id() has returned. */
void native_memtype_add(struct trace *t, struct native_run *run,
			const struct native_memtype_fields *f, uint32_t shown, uint32_t owner,
			uint32_t call);
/* Notes where the memtype of the trace was allocated, for native_site_name(). site: as above, not 0. */
void native_site_add(struct native_run *run, const struct native_module *m, uint32_t memtype,
		     uint64_t site);
/* Gives all noted sites their names, except by what uses a function without a name. look 0: addresses instead of names. */
void native_site_name(struct trace *t, struct native_run *run, int look);
/* Names the site of one memtype by what uses its function, when a report prints it. */
const char *native_site_users(struct trace *t, uint32_t memtype);
void native_site_release(struct native_run *run);

#endif
