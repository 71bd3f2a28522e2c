/* native_writer.h: a stream of our own format that is being written: what its records and its definitions share. */
#ifndef NATIVE_WRITER_H
#define NATIVE_WRITER_H

#include "analyze/base/map.h"
#include "record/format.h"
#include "convert/clip.h"
#include "convert/native/file/native_out.h"
#include "convert/trace_write.h"

struct native_writer {
	struct whole out;
	struct trace *trace;
	const struct clip *clip;
	struct write_options *o;
	struct buffer defs, args, time,
		id; /* of the chunk; time and id: low bytes, high bytes follow in time_high ... */
	struct buffer time_high, id_high, index, packed;
	struct deflater *deflater;
	uint64_t first, last; /* ticks of the chunk */
	uint64_t offset;
	uint32_t seq, records;
	uint32_t request; /* the last one of the chunk */
	uint64_t total;
	unsigned char *defined[4]; /* by region, event, communicator, binary */
	int valued;		   /* the last event had values: a chunk may begin after it */
	uint32_t metrics;	   /* of the stream: 0, or as many of the trace's as a file can hold */
	int64_t value[TAU_METRICS]; /* written last */
	int64_t *entered;	/* the same at the enters of open regions, outermost first: [frame * metrics + metric] */
	size_t entered_n, entered_cap;	/* frames; numbers */
	const uint32_t *memtype;   /* ids in the file by id in the trace; equal names share an id */
	struct names *image;	   /* binaries of samples, in all streams */
	struct names named;	   /* descriptions of defined code that is identified by name */
	struct map named_of;	   /* by code */
};

/* native_write_define.c: each defines what is needed, unless it is defined already, and returns its number in the file. */
uint32_t native_need_region(struct native_writer *w, uint32_t id);
uint32_t native_need_event(struct native_writer *w, uint32_t id);
uint64_t native_need_comm(struct native_writer *w, uint32_t id);
/* Defines a module or the code, and returns an address at which a reader finds the same code. caller: it is after a call. */
uint64_t native_need_code(struct native_writer *w, uint32_t code, int caller);
/* The numbers of memtypes in a file, from 1, by memtype of the trace. The caller frees the array. */
uint32_t *native_number_memtypes(const struct trace *t);
/* Defines the stream's process and thread, the first w->metrics metrics and the types of objects. */
void native_define_stream(struct native_writer *w, uint32_t stream);

#endif
