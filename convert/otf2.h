/*
 * otf2.h: OTF2 archives as struct trace. otf2_run is what definitions and cursors share.
 *
 * What becomes what: a location group is a process (a group of an accelerator belongs to the process that created it), a
 * location a stream. Metric members, integer parameters and I/O operations become events. Regions of one name are one
 * region, as in profiles; where they stand at different lines the name says so. A region ".TAU application" at the
 * bottom of a stack is the life of the thread, which replay shows under that name itself.
 */
#ifndef CONVERT_OTF2_H
#define CONVERT_OTF2_H

#include <otf2/otf2.h>

#include "../analyze/map.h"
#include "../analyze/trace.h"

#define OTF2_CREATOR "tau-convert"	/* an archive made by otf2_write.c, whose descriptions are ours */
#define OTF2_ROOT ".TAU application"
#define OTF2_OURS "tau:"		/* begins a description that otf2_write.c gave */

enum { OTF2_REGION_ROOT = TRACE_NONE - 1 };

enum otf2_io { OTF2_IO_READ_BYTES, OTF2_IO_WRITE_BYTES, OTF2_IO_READ_SPEED, OTF2_IO_WRITE_SPEED, OTF2_IOS };

struct otf2_comm {
	uint32_t comm;		/* in the trace */
	uint32_t remote;	/* the same, for members of it: the other side of an inter-communicator; or TRACE_NONE */
	int self;		/* each process alone */
};

/* What the values of one metric mean: class or instance. */
struct otf2_metric {
	uint32_t first, n;	/* members are run->member[first .. first + n) */
};
enum otf2_member_kind { OTF2_MEMBER_VALUE, OTF2_MEMBER_ALLOC, OTF2_MEMBER_FREE, OTF2_MEMBER_RETYPE };
struct otf2_member {
	enum otf2_member_kind kind;
	uint32_t event;		/* VALUE; the others: memtype */
	uint32_t to;		/* RETYPE */
	double scale;		/* 1: as recorded */
};

struct otf2_context {
	uint32_t region, parent;	/* region of the trace; index of a context, TRACE_NONE */
};

struct otf2_location {
	OTF2_LocationRef id;
	uint64_t events;	/* as the definitions say */
	int missing;		/* its events are not there */
	int mapped, shifted;	/* its local definitions hold tables of ids, or offsets of its clock */
	uint64_t bytes;
};

struct otf2_run {
	OTF2_Reader *reader;
	OTF2_EvtReaderCallbacks *callbacks;
	uint64_t base;		/* time stamp of the start of the run */
	uint64_t length;	/* as the definitions say, in ticks */
	uint64_t whole, part;	/* ns = ticks * (whole + part / 2^64) */
	int ours;		/* written by otf2_write.c */
	struct otf2_location *location;
	size_t location_n, location_cap;
	uint32_t *direct;	/* regions with small references; the others are in region_far */
	uint32_t direct_n;
	struct map region_far;
	uint32_t unknown;	/* the region of references that nothing defines */
	struct map comm_of, metric_of, parameter_of, window_of, context_of;	/* reference -> index or event */
	struct otf2_comm *comm;
	size_t comm_n, comm_cap;
	struct otf2_metric *metric;
	size_t metric_n, metric_cap;
	struct otf2_member *member;
	size_t member_n, member_cap;
	struct otf2_context *context;
	size_t context_n, context_cap;
	uint32_t io_event[OTF2_IOS];
	uint32_t flush_region;	/* of the time in which a writer wrote its buffers */
	unsigned noted;		/* kinds of loss that have been named */
};

static inline int64_t otf2_time(const struct otf2_run *r, uint64_t tick)
{
	uint64_t d = tick > r->base ? tick - r->base : 0;

	return (int64_t)(d * r->whole + (uint64_t)((unsigned __int128)d * r->part >> 64));
}

static inline uint32_t otf2_region(const struct otf2_run *r, OTF2_RegionRef ref)
{
	uint32_t at;

	if (__builtin_expect(ref < r->direct_n, 1))
		return r->direct[ref];
	at = map_get(&r->region_far, ref);
	return at == TRACE_NONE ? r->unknown : at;
}

/*
 * Reads all global definitions into the trace: processes, streams (their reader: an index + 1 into run->location) and
 * tables. ERROR_INPUT: the library cannot read them.
 */
int otf2_define(struct trace *t, struct otf2_run *run, struct error *e);

/* Fills the callbacks with which a cursor reads events; their user data is the cursor. */
void otf2_callbacks(OTF2_EvtReaderCallbacks *c);
extern const struct trace_ops otf2_ops;

/* The library prints what it dislikes unless it is given this; the codes that it returns are what we report. */
OTF2_ErrorCode otf2_silent(void *to, const char *file, uint64_t line, const char *function, OTF2_ErrorCode code,
			   const char *format, va_list args);

/* The library's error as our sentence: "file: where: what". Returns e->code. */
int otf2_fail(struct error *e, const char *path, const char *where, OTF2_ErrorCode code);

#endif
