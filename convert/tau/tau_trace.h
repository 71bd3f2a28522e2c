/*
 * tau_trace.h: TAU's own traces as struct trace: what the reader of definitions (.edf) and the reader of records (.trc)
 * share.
 *
 * A .trc file has no header; each record is 24 bytes {int32 event, uint16 node, uint16 thread, int64 parameter, uint64 time}
 * or 32 {int64 event, uint16 node, uint16 thread, 4 bytes, int64 parameter, uint64 time}, in either byte order; the
 * first one (EV_INIT, parameter 3) shows which. EV_INIT is 60000 as the program writes it; tau_merge gives every event of
 * the merged trace a new id, EV_INIT too, and only the .edf file holds its name. Times are microseconds since 1970, or
 * since the first record (tau_merge -a). A record of a function has parameter 1 (enter) or -1 (leave). A user event is
 * three records, of which the middle one holds the value, or one if it only grows. Metadata are user events, too: the
 * event "NAME | VALUE" with the value 1, once per thread. An event with such a name and other values, or several in a
 * thread, is a counter.
 */
#ifndef TAU_TRACE_H
#define TAU_TRACE_H

#include <stdio.h>

#include "analyze/base/map.h"
#include "analyze/trace/trace.h"
#include "convert/tau/tau_runs.h"

enum {
	TAU_EV_INIT = 60000, TAU_EV_FLUSH = 60001, TAU_EV_CLOSE = 60003, TAU_EV_WALL_CLOCK = 60005, TAU_EV_SEND = 60007, TAU_EV_RECV = 60008,
	TAU_EV_OWN = 100,	/* ids from TAU_EV_INIT on that are TAU's own */
};

enum { EDF_GUESSES = 16384 }; /* number of undefined ids of an .edf that are examined; records of others share one region */

enum edf_kind { EDF_OTHER, EDF_REGION, EDF_ROOT, EDF_VALUE, EDF_GROWS, EDF_SEND, EDF_RECV, EDF_META };

/* The definitions of one .edf file. */
struct edf {
	char *path;		/* "" without definitions */
	char *trace;		/* the first .trc that uses them; both are the reader's */
	struct map at;		/* id -> index into entry */
	struct edf_entry {
		enum edf_kind kind;
		uint32_t ref;	/* region or event of the trace, or name of metadata */
		int used;	/* a record has it */
		int counts;	/* no metadata: it has other values than 0 and 1, or a thread has several */
	} *entry;
	size_t entry_n, entry_cap;
	/* Ids of records that no line defines, and what their records are like. */
	struct map guess_at;
	struct edf_guess {
		uint32_t id;
		uint64_t enters, leaves, others;
	} *guess;
	size_t guess_n, guess_cap;
};

/* Numbers of regions and events of the trace, by name. */
struct trc_names {
	struct names region, event;
	struct names meta; /* "NAME | VALUE" */
};

/*
 * Reads definitions into the trace and into *d, which is zero but for `trace`; path NULL or a file that cannot be read leaves
 * only what every trace has. A file that cannot be read is noted. edf_note() reports a missing one.
 */
void edf_read(struct edf *d, struct trace *t, struct trc_names *names, const char *path);
void edf_release(struct edf *d);
/* Between the name and the value of metadata. */
#define EDF_META_SIGN " | "
/* Counts a record for edf_guess(), and marks its definition as used. Returns the index of its entry if it may be metadata, or -1. */
int64_t edf_count(struct edf *d, int64_t event, int64_t parameter);
/* Once all records are counted: those events that count and look like metadata are counters. */
void edf_settle_meta(struct edf *d, struct trace *t, struct trc_names *names);
/* Once all records are counted: an undefined id whose records are all enters and leaves becomes a region of its own. */
void edf_guess(struct edf *d, struct trace *t, struct trc_names *names);
/*
 * After edf_guess(): notes in one sentence each, for all n files: those without definitions, and the ids without a definition.
 */
void edf_note(struct edf *const *d, size_t n, struct trace *t);
/* The id that an .edf gives the first record of a trace (EV_INIT); -1: it has none. */
int64_t edf_init_id(const char *path);
/* One definition: parts of a line that the next one replaces. */
struct edf_line {
	uint32_t id;
	char *group, *name;
	long tag;
	const char *parameter;
};

/* Where a reader of lines is; all zero before the first one. */
struct edf_lines {
	char *line;
	size_t cap, bad; /* bad: lines that are no definition */
};

/* The next definition of an .edf; 0: there is none, and *s owns no memory. */
int edf_next(struct edf_lines *s, FILE *f, struct edf_line *out);
/* Does the file begin as an .edf does? */
int edf_is(const char *path);

#define TRC_TIME_LIMIT (1ull << 50)	/* microseconds from the start; later is damage */

struct trc_record {
	int64_t event, parameter;
	uint64_t time; /* us */
	uint16_t node, thread;
};

struct trc_file {
	char *path;
	struct edf *edf;
	unsigned size; /* of a record */
	int swap;
	uint64_t records; /* whole ones, at least one */
	struct map stream_of;	/* node and thread -> trc_run.stream */
};

struct trc_stream {
	struct trc_file *file;
	uint16_t node, thread;
	/* Its records are in [first, end) of the file, among those of other streams. */
	uint64_t first, end;
	struct trc_runs runs;
	uint64_t first_us;
	uint64_t last_us;	   /* the last record that is no metadata */
	uint64_t n;	   /* number of its records */
	int noted; /* that a record's event is not defined */
	int fell;  /* falling times have been noted */
};

/* A record that may be metadata: `entry` of edf is its event. */
struct trc_meta {
	struct edf *edf;
	struct trc_stream *stream;
	uint32_t entry, set; /* set: its value is not 0 */
	uint64_t us;
};

struct trc_run {
	struct trc_file **file;
	size_t file_n, file_cap;
	struct edf **edf;
	size_t edf_n, edf_cap;
	struct trc_stream **stream;
	size_t stream_n, stream_cap;
	struct trc_meta *meta;
	size_t meta_n, meta_cap;
	struct trc_names names;
	uint64_t base;    /* us of the start of the run: the earliest first record of a stream */
	uint32_t unknown; /* the region of ids that nothing defines */
};

/* An unsigned number of n <= 8 bytes; swap: the first byte is the highest. */
static inline uint64_t trc_number(const unsigned char *p, unsigned n, int swap)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < n; i++)
		v |= (uint64_t)p[i] << 8 * (swap ? n - 1 - i : i);
	return v;
}

/* The record at p, of f->size bytes. */
static inline struct trc_record trc_record(const struct trc_file *f, const unsigned char *p)
{
	unsigned wide = f->size == 32;
	struct trc_record r = {
		.event = wide ? (int64_t)trc_number(p, 8, f->swap) : (int32_t)trc_number(p, 4, f->swap),
		.node = (uint16_t)trc_number(p + (wide ? 8 : 4), 2, f->swap),
		.thread = (uint16_t)trc_number(p + (wide ? 10 : 6), 2, f->swap),
		.parameter = (int64_t)trc_number(p + (wide ? 16 : 8), 8, f->swap),
		.time = trc_number(p + (wide ? 24 : 16), 8, f->swap),
	};

	return r;
}

/* The parameter of a record of a message. */
struct trc_message {
	uint32_t bytes, tag, peer, comm;
};

static inline struct trc_message trc_message(uint64_t p)
{
	return (struct trc_message){
		.bytes = (uint32_t)((p & 0xffff) | (p >> 32 & 0x3ff) << 16),
		.tag = (uint32_t)((p >> 16 & 0xff) | (p >> 48 & 0xff) << 8),
		.peer = (uint32_t)((p >> 24 & 0xff) | (p >> 56 & 0xff) << 8),
		.comm = (uint32_t)(p >> 42 & 0x3f),
	};
}

/*
 * Do the first records of a file have a layout of TAU's? Then f->size, f->swap and f->records are set. edf: its definitions, or
 * NULL; defined: only a first record that they, or TAU, name EV_INIT counts. tau_layout.c
 */
int trc_probe(struct trc_file *f, const char *path, const char *edf, int defined);
/* The same, of a file of `size` bytes whose first n are head. */
int trc_probe_head(struct trc_file *f, const unsigned char *head, size_t n, uint64_t size, const char *edf, int defined);
#define TRC_PROBE 512 /* 16 to 32 records show the layout of a file */

extern const struct trace_ops tau_trace_ops;	/* tau_trace_cursor.c */

#endif
