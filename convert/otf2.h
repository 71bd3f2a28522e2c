/*
 * otf2.h: OTF2 archives as struct trace. otf2_run is what definitions and cursors share.
 *
 * What becomes what: a location group is a process (a group of an accelerator belongs to the process that created it), a
 * location a stream. Metrics that are read with each enter and leave and count up are metrics; other metric members, and integer
 * parameters, become events. I/O operations are transfers of the file behind the handle. Regions of one name are one
 * region, as in profiles; where they stand at different lines the name says so. A region ".TAU application" at the
 * bottom of a stack is the life of the thread, which replay shows under that name itself.
 */
#ifndef CONVERT_OTF2_H
#define CONVERT_OTF2_H

#include "../analyze/trace.h"
#include "otf2_file.h"
#include "otf2_record.h"

#define OTF2_CREATOR "tau-convert"	/* an archive made by otf2_write.c, whose descriptions are ours */
#define OTF2_THREADS "TAU Thread Numbers" /* of the locations of a process, in order, where threads between them are left out */
#define OTF2_NUMBER "TAU Process Number"	/* of a process that has no rank, where there are several */
#define OTF2_OURS "tau:"		/* begins a description that otf2_write.c gave */
#define OTF2_NAMELESS "UNRESOLVED "	/* begins the name of a function that is known by its module only */

enum { OTF2_REGION_ROOT = TRACE_NONE - 1 };

struct otf2_comm {
	uint32_t comm;		/* in the trace */
	uint32_t remote;	/* the same, for members of it: the other side of an inter-communicator; or TRACE_NONE */
	int self;		/* each process alone */
};

/* What the values of one metric mean: class or instance. */
struct otf2_metric {
	uint32_t first, n;	/* members are run->member[first .. first + n) */
	int strict;		/* its values come with enters and leaves */
};
enum otf2_member_kind {
	OTF2_MEMBER_VALUE, OTF2_MEMBER_ALLOC, OTF2_MEMBER_FREE, OTF2_MEMBER_RETYPE,
	OTF2_MEMBER_METRIC, OTF2_MEMBER_LIVE, OTF2_MEMBER_OBJECTS,
};
struct otf2_member {
	enum otf2_member_kind kind;
	uint32_t event;		/* VALUE; METRIC: metric of the trace; the others: memtype */
	uint32_t to;		/* RETYPE */
	double scale;		/* 1: as recorded */
	int64_t times;		/* METRIC: values are so many of the trace's */
	int relative;		/* values are what was gained since the one before */
};

struct otf2_context {
	uint32_t region, parent;	/* region of the trace; index of a context, TRACE_NONE */
};

/* A calling context of an archive that we wrote: a function of a sample, under its caller. Its number is the code's. */
struct otf2_code {
	uint32_t parent;		/* index, TRACE_NONE */
	int inlined;			/* into its parent */
	struct trace_code code;
	struct trace_code *place;	/* it and what it is inlined into, once that was asked for */
};

/* What a location's local definitions say. */
struct otf2_clock_point {
	uint64_t time;
	int64_t offset;
};
struct otf2_location {
	uint64_t id;
	uint64_t events;	/* as the definitions say */
	int missing;		/* its events are not there */
	int fell;		/* that times fall has been told */
	struct otf2_ids *ids;	/* by enum otf2_table; NULL: ids are global */
	struct otf2_clock_point *clock;	/* ascending */
	size_t clock_n, clock_cap;
};

struct otf2_run {
	struct otf2_archive archive;
	uint64_t base;		/* time stamp of the start of the run */
	uint64_t length;	/* as the definitions say, in ticks */
	uint64_t whole, part;	/* ns = ticks * (whole + part / 2^64) */
	uint64_t limit;		/* ticks behind the base that no clock shows */
	int64_t real;		/* ns since 1970 at tick real_at; 0 unknown */
	uint64_t real_at;
	int ours;		/* written by otf2_write.c */
	struct otf2_location *location;
	size_t location_n, location_cap;
	uint32_t *direct;	/* regions with small references; the others are in region_far */
	uint32_t direct_n;
	struct map region_far;
	uint32_t unknown;	/* the region of references that nothing defines */
	struct map comm_of, metric_of, parameter_of, window_of, context_of;	/* reference -> index or event */
	struct map handle_of;	/* handle -> event with the name of its file */
	uint32_t unknown_file;
	struct otf2_comm *comm;
	size_t comm_n, comm_cap;
	struct otf2_metric *metric;
	size_t metric_n, metric_cap;
	struct otf2_member *member;
	size_t member_n, member_cap;
	struct otf2_context *context;
	size_t context_n, context_cap;
	struct otf2_code *code;		/* ours: by the numbers of contexts in context_of */
	size_t code_n, code_cap;
	struct names code_text;
	pthread_mutex_t code_lock;	/* of what places are */
	uint32_t flush_region;	/* of the time in which a writer wrote its buffers */
	unsigned noted;		/* kinds of loss that have been named */
};

static inline int64_t otf2_ns(const struct otf2_run *r, uint64_t ticks)
{
	return (int64_t)(ticks * r->whole + (uint64_t)((unsigned __int128)ticks * r->part >> 64));
}

static inline int64_t otf2_time(const struct otf2_run *r, uint64_t tick)
{
	return otf2_ns(r, tick > r->base ? tick - r->base : 0);
}

static inline uint32_t otf2_region(const struct otf2_run *r, uint64_t ref)
{
	uint32_t at;

	if (__builtin_expect(ref < r->direct_n, 1))
		return r->direct[ref];
	at = map_get(&r->region_far, ref);
	return at == TRACE_NONE ? r->unknown : at;
}

/* A time stamp of a location as its host's clock would have shown it, had it been right. */
uint64_t otf2_corrected(const struct otf2_location *l, uint64_t time);

/*
 * Reads all global definitions into the trace: processes, streams (their reader: an index + 1 into run->location) and
 * tables. ERROR_INPUT: they cannot be read.
 */
int otf2_define(struct trace *t, struct otf2_run *run, struct error *e);
/* A walk through a file of definitions. */
struct otf2_definitions {
	const struct otf2_record *table;	/* of its kinds; others are passed over */
	/* NULL, or what is wrong with the record: then the walk ends. */
	const char *(*take)(void *to, unsigned kind, struct otf2_fields *f);
	void *to;
	uint64_t offset;	/* out: of what is wrong */
	struct otf2_chunks chunks;	/* private */
};
/* Takes all records up to the end of the file. NULL, or what is wrong. */
const char *otf2_definitions(struct otf2_definitions *d, struct otf2_file *f, uint64_t chunk);
/* Reads the local definitions of all locations. */
void otf2_local(struct trace *t, struct otf2_run *run);

extern const struct trace_ops otf2_ops;

/* What code of a sample is called, in an archive of ours. */
struct trace_place otf2_place(struct trace *t, uint32_t code);

/*
 * As otf2_open(), of files in memory, which have to outlive the trace. path: for messages.
 */
int otf2_open_parts(const char *path, const struct otf2_part *part, size_t n, struct trace **out, struct error *e);

#endif
