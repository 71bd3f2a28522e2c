/*
 * otf2_format.h: the bytes of an OTF2 archive, and how to take numbers from them. An archive NAME is
 *
 *	NAME.otf2	the anchor: 3, byte order, "OTF2" NUL, version of the anchor, of the trace, three of the library (bytes),
 *			chunk sizes of events and definitions (u64 each), substrate, compression (bytes), locations, global
 *			definitions (u64 each), machine, creator, description (texts) ...
 *	NAME.def	global definitions
 *	NAME/L.evt	events of location L
 *	NAME/L.def	its tables of ids and its clock's offsets
 *
 * The byte order is '#' (big endian) or 'B' (little). All but the anchor are chunks of the size that the anchor gives, the
 * last one as long as it is: 3, byte order, numbers of the first and the last event (u64 each), records, 0 up to the end of the
 * chunk. Behind the last record stand 2 and 1. Definitions count no events.
 *
 * A record is a byte that tells its kind, its length (a byte, or 255 and a u64), and fields, of which later versions may have more. A few
 * of the oldest kinds of event have one compressed number and no length. In event files 5 and a u64 set the time of the
 * events that follow, and 6 begins attributes of the next event.
 *
 * A compressed number is a byte that says how many bytes follow, low ones only; 255: all bits are set. Texts end with a NUL.
 */
#ifndef OTF2_FORMAT_H
#define OTF2_FORMAT_H

#include <stdint.h>
#include <string.h>

enum otf2_mark {
	OTF2_END_CHUNK = 0, OTF2_END_FILE = 2, OTF2_CHUNK = 3, OTF2_TIME = 5, OTF2_ATTRIBUTES = 6,
};
#define OTF2_CHUNK_HEAD 18
#define OTF2_UNDEFINED32 UINT32_MAX
#define OTF2_UNDEFINED64 UINT64_MAX

struct otf2_bytes {
	const unsigned char *p, *end;
	int big;		/* big endian */
	int bad;		/* something was not there; what is read then is 0 */
};

static inline size_t otf2_left(const struct otf2_bytes *b)
{
	return b->bad ? 0 : (size_t)(b->end - b->p);
}

/* n bytes, at most 8, as a number. */
static inline uint64_t otf2_number(struct otf2_bytes *b, unsigned n)
{
	uint64_t v = 0;

	if (n > otf2_left(b)) {
		b->bad = 1;
		return 0;
	}
	if (b->big) {
		for (unsigned i = 0; i < n; i++)
			v = v << 8 | b->p[i];
	} else if (otf2_left(b) >= 8 && n) {
		memcpy(&v, b->p, 8);
		v &= UINT64_MAX >> (64 - 8 * n);
	} else {
		for (unsigned i = 0; i < n; i++)
			v |= (uint64_t)b->p[i] << 8 * i;
	}
	b->p += n;
	return v;
}

/* A compressed number of at most `most` bytes. */
static inline uint64_t otf2_compressed(struct otf2_bytes *b, unsigned most)
{
	unsigned n = (unsigned)otf2_number(b, 1);

	if (n == 255)
		return b->bad ? 0 : most == 8 ? UINT64_MAX : UINT32_MAX;
	if (n > most)
		b->bad = 1;
	return b->bad ? 0 : otf2_number(b, n);
}

/* The next n bytes on their own. */
static inline struct otf2_bytes otf2_part(struct otf2_bytes *b, uint64_t n)
{
	struct otf2_bytes part = { .p = b->p, .end = b->p, .big = b->big };

	if (n > otf2_left(b)) {
		b->bad = part.bad = 1;
		return part;
	}
	part.end = b->p += n;
	return part;
}

/* The fields of a record, behind its kind. */
static inline struct otf2_bytes otf2_body(struct otf2_bytes *b)
{
	uint64_t n = otf2_number(b, 1);

	return otf2_part(b, n == 255 ? otf2_number(b, 8) : n);
}

/* A text; "" where it has no end. */
static inline const char *otf2_string(struct otf2_bytes *b)
{
	const unsigned char *s = b->p, *end = otf2_left(b) ? memchr(s, 0, otf2_left(b)) : NULL;

	if (!end) {
		b->bad = 1;
		return "";
	}
	b->p = end + 1;
	return (const char *)s;
}

/* Kinds of events that are looked at by number. */
enum otf2_event {
	OTF2_FLUSH = 10, OTF2_ON_OFF = 11, OTF2_ENTER = 12, OTF2_LEAVE = 13, OTF2_SEND = 14, OTF2_ISEND = 15,
	OTF2_ISEND_COMPLETE = 16, OTF2_IRECV_REQUEST = 17,
	OTF2_RECV = 18, OTF2_IRECV = 19, OTF2_COLL_BEGIN = 22, OTF2_COLL_END = 23, OTF2_OMP_TASK_SWITCH = 29, OTF2_METRIC = 31,
	OTF2_TEXT_PARAMETER = 32, OTF2_INT_PARAMETER = 33, OTF2_UINT_PARAMETER = 34,
	OTF2_RMA_COLL_BEGIN = 37, OTF2_RMA_COLL_END = 38,
	OTF2_RMA_PUT = 46, OTF2_RMA_GET = 47, OTF2_RMA_ATOMIC = 48, OTF2_TASK_SWITCH = 60, OTF2_CONTEXT_ENTER = 66,
	OTF2_CONTEXT_LEAVE = 67, OTF2_CONTEXT_SAMPLE = 68, OTF2_IO_BEGIN = 75, OTF2_IO_COMPLETE = 78, OTF2_IO_CANCELLED = 79,
	OTF2_ICOLL_COMPLETE = 86,
};

/* Kinds of definitions, global and local. */
enum otf2_definition {
	OTF2_DEF_CLOCK = 5, OTF2_DEF_STRING = 10, OTF2_DEF_NODE = 12, OTF2_DEF_PROCESS = 13, OTF2_DEF_LOCATION = 14,
	OTF2_DEF_REGION = 15, OTF2_DEF_GROUP = 18, OTF2_DEF_MEMBER = 19, OTF2_DEF_CLASS = 20, OTF2_DEF_INSTANCE = 21,
	OTF2_DEF_COMM = 22, OTF2_DEF_PARAMETER = 23, OTF2_DEF_WINDOW = 24, OTF2_DEF_PROPERTY = 28, OTF2_DEF_PLACE = 33, OTF2_DEF_CONTEXT = 34,
	OTF2_DEF_FILE = 38, OTF2_DEF_FOLDER = 39, OTF2_DEF_HANDLE = 40, OTF2_DEF_INTER = 43,
	OTF2_LOCAL_MAP = 5, OTF2_LOCAL_OFFSET = 6,
};

enum otf2_process_type { OTF2_PROCESS = 1, OTF2_ACCELERATOR = 2 };
enum otf2_location_type { OTF2_CPU_THREAD = 1, OTF2_STREAM = 2, OTF2_METRIC_LOCATION = 3 };
enum otf2_role { OTF2_ROLE_FUNCTION = 1, OTF2_ROLE_FILE_IO = 27, OTF2_ROLE_ARTIFICIAL = 31, OTF2_ROLE_FILE_META = 38 };
enum otf2_paradigm {
	OTF2_UNKNOWN_PARADIGM = 0, OTF2_USER = 1, OTF2_COMPILER = 2, OTF2_OPENMP = 3, OTF2_MPI = 4, OTF2_CUDA = 5,
	OTF2_MEASUREMENT = 6, OTF2_PTHREAD = 7, OTF2_GASPI = 11, OTF2_UPC = 12, OTF2_SHMEM = 13, OTF2_OPENACC = 18,
	OTF2_OPENCL = 19, OTF2_HIP = 23, OTF2_KOKKOS = 24,
};
enum otf2_group_type { OTF2_COMM_LOCATIONS = 4, OTF2_COMM_GROUP = 5, OTF2_COMM_SELF = 6 };
enum otf2_mode { OTF2_ACCUMULATED = 0, OTF2_ABSOLUTE = 1, OTF2_RELATIVE = 2, OTF2_POINT = 1 << 4 };
enum otf2_occurrence { OTF2_STRICT = 0, OTF2_SYNCHRONOUS = 1, OTF2_ASYNCHRONOUS = 2 };
enum otf2_scope { OTF2_SCOPE_LOCATION = 0, OTF2_SCOPE_PROCESS = 1, OTF2_SCOPE_NODE = 2 };
enum otf2_type { OTF2_UINT64 = 4, OTF2_INT64 = 8, OTF2_DOUBLE = 10, OTF2_STRING = 11 };
enum { OTF2_ON = 1, OTF2_OFF = 2 };
/* Roots in a communicator between two groups that are not in the other group. */
#define OTF2_ROOT_SELF (UINT32_MAX - 1)
#define OTF2_ROOT_HERE (UINT32_MAX - 2)

/* Tables of ids that a location may have, by what their ids are of. */
enum otf2_table {
	OTF2_OF_STRING, OTF2_OF_ATTRIBUTE, OTF2_OF_LOCATION, OTF2_OF_REGION, OTF2_OF_GROUP, OTF2_OF_METRIC, OTF2_OF_COMM,
	OTF2_OF_PARAMETER, OTF2_OF_WINDOW, OTF2_OF_PLACE, OTF2_OF_CONTEXT, OTF2_OF_INTERRUPT, OTF2_OF_FILE, OTF2_OF_HANDLE,
	OTF2_OF_PROCESS, OTF2_TABLES
};

#endif
