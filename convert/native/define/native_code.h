/* native_code.h: the code of samples. */
#ifndef NATIVE_CODE_H
#define NATIVE_CODE_H

#include "convert/io/bytes.h"
#include "convert/native/file/native_out.h"
#include "convert/native/native_run.h"

/* Reads the addresses of a SAMPLE of chunk `chunk`. 0; or -1, or f->bad is set: they are damaged. */
int native_code_list(struct trace *t, struct native_stream *s, size_t chunk, struct bytes *f,
		     struct event_batch *b, struct event_list *to);
/* As `code` of trace_ops. Locks, because the libraries that look names up are made for one thread. */
int native_code_of(struct trace *t, uint32_t code, struct trace_place *place, struct trace_address *address);
/* The code that made the call before an address, as of a chunk. */
uint32_t native_code(struct trace *t, struct native_stream *s, uint64_t address, size_t chunk);
/*
 * The stream names the code at an address: module, name, file (strings) and line (varint) of each function, innermost first.
 * Damaged names are ignored.
 */
void native_code_name(struct trace *t, struct native_stream *s, uint64_t address, const void *said, size_t n);
/*
 * Code as bytes that mean the same in another process, and its number again. images: those that were named already, which are
 * not named again; empty at first, the caller frees v. Damage sets b->bad, and the number is 0.
 */
struct native_images {
	uint32_t *v;
	size_t v_n, v_cap;
};
void native_code_put(struct native_run *run, uint32_t code, struct native_images *images, struct buffer *b);
uint32_t native_code_get(struct trace *t, struct native_images *images, struct bytes *b);
void native_code_release(struct native_run *run);

#endif
