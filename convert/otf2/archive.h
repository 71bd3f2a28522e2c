/*
 * archive.h: OTF2 archives as struct trace, read through the OTF2 library. Definitions and cursors
 * share struct archive.
 *
 * A location group becomes a process (a group of an accelerator belongs to the process that created
 * it), a location a stream. Metrics that are read with each enter and leave and count up are
 * metrics; other metric members, and integer parameters, become events. I/O operations are
 * transfers of the file of the handle. Regions of one name are one region, as in profiles; if they
 * are at different lines, the line is part of the name. A region ".TAU application" at the bottom
 * of a stack is the life of the thread, which replay shows under that name itself.
 */
#ifndef ARCHIVE_H
#define ARCHIVE_H

#include <otf2/otf2.h>
#include <string.h>

#include "analyze/trace/trace.h"
#include "convert/otf2/ours.h"

#define ARCHIVE_REGION_OFF "MEASUREMENT OFF"	/* as in Score-P's profiles and our own traces */

enum { ARCHIVE_REGION_ROOT = TRACE_NONE - 1 };

struct archive_comm {
	uint32_t comm;		/* in the trace */
	uint32_t remote;	/* the same, for members of it: the other side of an inter-communicator; or TRACE_NONE */
	int self;		/* each process alone */
};

/* What the values of one metric mean: class or instance. */
struct archive_metric {
	uint32_t first, n;	/* members are run->member[first .. first + n) */
	int strict;		/* its values come with enters and leaves */
};
enum archive_member_kind {
	ARCHIVE_MEMBER_VALUE, ARCHIVE_MEMBER_ALLOC, ARCHIVE_MEMBER_FREE, ARCHIVE_MEMBER_RETYPE,
	ARCHIVE_MEMBER_METRIC, ARCHIVE_MEMBER_LIVE, ARCHIVE_MEMBER_OBJECTS,
};
struct archive_member {
	enum archive_member_kind kind;
	uint32_t event;		/* VALUE; METRIC: metric of the trace; the others: memtype */
	uint32_t to;		/* RETYPE */
	double scale;		/* 1: as recorded */
	int64_t times;		/* METRIC: factor from the values to the trace's unit */
	int relative;		/* values are what was gained since the one before */
};

struct archive_context {
	uint32_t region, parent;	/* region of the trace; index of a context, TRACE_NONE */
};

/* A calling context of an archive that we wrote: a function of a sample, under its caller. Its number is the code's. */
struct archive_code {
	uint32_t parent;		/* index, TRACE_NONE */
	int inlined;			/* into its parent */
	struct trace_code code;
	/* it and what it is inlined into; NULL until its first use */
	struct trace_code *place;
};

struct archive_group {
	uint32_t *rank; /* world ranks */
	size_t n;
};

struct archive_location {
	uint64_t id;
	uint64_t events;	/* number in the definitions */
	uint64_t whole;		/* events that are whole in its file */
	uint64_t size;		/* bytes of its file */
	uint64_t definitions;	/* local ones that are whole */
	int mapped, shifted;	/* it has ids of its own; its clock has offsets */
	int missing;		/* its events are not there */
	int cut;		/* its file of events has no end */
	int fell;		/* falling times have been noted */
	int paired;		/* leaves of other regions have been noted */
};

struct archive {
	char *anchor;		/* path */
	uint64_t event_chunk, definition_chunk;	/* bytes */
	uint64_t locations;	/* number in the definitions */
	uint64_t base;		/* time stamp of the start of the run */
	uint64_t length;	/* in ticks, from the definitions */
	uint64_t whole, part;	/* ns = ticks * (whole + part / 2^64) */
	uint64_t limit;		/* ticks after the base; later times are damage */
	int64_t real;		/* ns since 1970 at tick real_at; 0 unknown */
	uint64_t real_at;
	int ours;		/* written by write.c */
	int attributed;		/* events may have attributes */
	struct archive_location *location;
	size_t location_n, location_cap;
	uint32_t *direct;	/* regions with small references; the others are in region_far */
	uint32_t direct_n;
	struct map region_far;
	uint32_t unknown;	/* the region of references that nothing defines */
	struct map comm_of, metric_of, parameter_of, window_of, context_of;	/* reference -> index or event */
	struct map handle_of;	/* handle -> event with the name of its file, times 2, and 1 if it is of MPI-IO */
	uint32_t unknown_file;
	struct archive_comm *comm;
	size_t comm_n, comm_cap;
	struct map group_of;	/* reference -> index, if there are windows */
	struct archive_group *group;
	size_t group_n, group_cap;
	struct archive_metric *metric;
	size_t metric_n, metric_cap;
	struct archive_member *member;
	size_t member_n, member_cap;
	struct archive_context *context;
	size_t context_n, context_cap;
	struct archive_code *code;		/* ours: by the numbers of contexts in context_of */
	size_t code_n, code_cap;
	struct names code_text;
	pthread_mutex_t code_lock;	/* of what places are */
	uint32_t flush_region;	/* of the time in which a writer wrote its buffers */
	uint32_t off_region;	/* of the time in which recording was off */
	unsigned noted;		/* kinds of loss that have been named */
};

/* Ticks below run->limit as ns. */
static inline int64_t archive_ns(const struct archive *r, uint64_t ticks)
{
	return (int64_t)(ticks * r->whole + (uint64_t)((unsigned __int128)ticks * r->part >> 64));
}

/* A time stamp as ns since the start of the run; 0 for an earlier one. */
static inline int64_t archive_time(const struct archive *r, uint64_t tick)
{
	return archive_ns(r, tick > r->base ? tick - r->base : 0);
}

/* The region of the trace of a reference, ARCHIVE_REGION_ROOT, or run->unknown. */
static inline uint32_t archive_region(const struct archive *r, uint64_t ref)
{
	uint32_t at;

	if (__builtin_expect(ref < r->direct_n, 1))
		return r->direct[ref];
	at = map_get(&r->region_far, ref);
	return at == TRACE_NONE ? r->unknown : at;
}

/*
 * Reads all global definitions into the trace: processes, streams (their reader: an index + 1 into run->location) and
 * tables. ERROR_INPUT: they cannot be read.
 */
int archive_define(struct trace *t, struct archive *run, OTF2_Reader *reader, struct error *e);

/* ---- library.c ---- */

/*
 * Opens the archive of an anchor; the caller closes it. NULL: it cannot be read, and e has the library's message, ERROR_INPUT.
 * e NULL: another thread may use the library; no message then.
 */
OTF2_Reader *archive_reader_open(const char *anchor, struct error *e);
/*
 * Reads the local definitions of a location that are whole, which then apply to its events. learning: NULL, or the
 * location, in which the kinds of definitions that exist are noted. Returns NULL, or what is wrong (a constant).
 */
const char *archive_reader_local(OTF2_Reader *r, const struct archive_location *l,
				 struct archive_location *learning);
/* A reader of the location's events, which r owns; NULL: they cannot be read. */
OTF2_EvtReader *archive_reader_events(OTF2_Reader *r, const struct archive_location *l);
/* The path of a file of the archive: of a location, or (NULL) of the whole, beside the anchor. The caller frees it. */
char *archive_path(const struct archive *run, const uint64_t *location, const char *suffix);

/* ---- cursor.c ---- */

extern const struct trace_ops archive_ops;
/* The time stamps of the first and the last whole event of a location, corrected. 1, or 0: it has none that can be read. */
int archive_times(struct trace *t, size_t location, OTF2_Reader *r, uint64_t *first, uint64_t *last);

/* The functions of code of a sample in an archive of ours, as `code` of trace_ops. Always 0: there are no addresses. */
int archive_code(struct trace *t, uint32_t code, struct trace_place *place, struct trace_address *address);

#endif
