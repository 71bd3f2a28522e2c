/* writer.h: an archive that is being written: what its events and its definitions share. */
#ifndef OTF2_WRITER_H
#define OTF2_WRITER_H

#include <otf2/otf2.h>
#include <string.h>

#include "analyze/base/map.h"
#include "convert/clip.h"
#include "convert/trace_write.h"
#include "convert/otf2/ours.h"

/*
 * Kinds of metrics of memory that are defined when they are needed: of one type, or from one to
 * another.
 */
enum extra_kind { EXTRA_RETYPE, EXTRA_LIVE, EXTRA_OBJECTS };
struct extra {
	enum extra_kind kind;
	uint32_t type, to;
};

/* A function of a sample under its caller; 1 + its index is its parent's child. */
struct sample_node {
	uint32_t region, parent;	/* w->function; index, or OTF2_UNDEFINED_UINT32 */
	uint32_t line;
};
struct sample_function {
	uint32_t name, file, about;	/* strings */
};

/* A handle is of a file, the event with its name, by one interface: of MPI, or POSIX. */
#define HANDLE_KEY(file, mpi) ((uint64_t)(file) << 1 | (uint64_t)(mpi))

struct writer {
	struct trace *trace;
	struct write_options *o;
	char *folder;
	OTF2_Archive *archive;
	OTF2_EvtWriter *events;	/* of the location being written */
	OTF2_GlobalDefWriter *definitions;	/* NULL: texts are collected, and nothing is written yet */
	OTF2_AttributeList *attributes;	/* of the next event, which empties it */
	OTF2_ErrorCode failed;	/* the first thing that went wrong */
	uint64_t time;		/* of the event before */
	struct names string;	/* id 0 is "" */
	uint32_t *comm;		/* references of the trace's communicators */
	unsigned char *window;	/* by communicator: its window was used */
	int64_t here;		/* rank of the stream being written */
	uint64_t *count;	/* events, by stream */
	unsigned char *used;	/* streams that have events */
	uint64_t definition_chunk; /* bytes of the chunks of definitions */
	struct extra *extra;
	size_t extra_n, extra_cap;
	struct map extra_of;
	uint64_t *handle;	/* HANDLE_KEY, by handle */
	size_t handle_n, handle_cap;
	struct map handle_of;
	struct sample_node *node;
	size_t node_n, node_cap;
	struct names nodes, functions;
	struct sample_function *function;
	size_t function_n, function_cap;
	uint64_t period;	/* ns of the first sample; 0: none */
	int opens;		/* there are regions that were open before */
	uint32_t region_n;	/* functions of samples count on from here: regions of the trace, then the root */
	int64_t last;		/* ns */
	int64_t world;		/* ranks: the highest that anything names, and 1 */
	uint32_t member_n, class_n;	/* defined so far */
};

/* References: communicators, groups, windows. */
enum {
	REF_COMM_WORLD = 0, REF_GROUP_LOCATIONS = 0, REF_GROUP_WORLD = 1, REF_WINDOW_WORLD = 0,
};

/* The window of the communicator with this reference, of those whose accesses are synchronised. */
static inline uint32_t window_ref(uint32_t comm)
{
	return REF_WINDOW_WORLD + comm;
}

/* Metrics: the class of those that come with events, if there are any; events; alloc and free of each type; extras. */
static inline uint32_t metric_event(const struct writer *w, uint32_t event)
{
	return event + (w->trace->metric_n > 0);
}
/* The archive names a rank, so the world contains it; not ranks from WORLD_MOST on: their list would not fit into a chunk. */
#define WORLD_MOST 4000000
void world_has(struct writer *w, int64_t rank);

static inline uint32_t metric_memory(const struct writer *w, uint32_t type, int release)
{
	return metric_event(w, (uint32_t)w->trace->event_n) + 2 * type + (uint32_t)release;
}

/* The id of a text, which is defined in the end. */
static inline uint32_t string_id(struct writer *w, const char *s)
{
	return names_add(&w->string, s ? s : "", s ? strlen(s) : 0);
}

/* write_definitions.c: writes the global definitions and the local ones. 0, or the library's error. */
OTF2_ErrorCode write_definitions(struct writer *w);

/* write_whole.c: 1: all files of the archive, which is closed, are whole. O(bytes of their last chunks). */
int write_whole(const struct writer *w);

/* library.c: from now on the library prints nothing. */
void archive_quiet(void);

#endif
