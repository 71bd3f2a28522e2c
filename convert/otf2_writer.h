/* otf2_writer.h: an archive that is being written: what its events and its definitions share. */
#ifndef OTF2_WRITER_H
#define OTF2_WRITER_H

#include "../analyze/map.h"
#include "clip.h"
#include "otf2.h"
#include "otf2_out.h"
#include "trace_write.h"

/* What metrics say of memory that are defined where there is something to say: of one type, or from one to another. */
enum otf2_extra_kind { OTF2_EXTRA_RETYPE, OTF2_EXTRA_LIVE, OTF2_EXTRA_OBJECTS };
struct otf2_extra {
	enum otf2_extra_kind kind;
	uint32_t type, to;
};

/* A function of a sample under its caller; 1 + its index is its parent's child. */
struct otf2_node {
	uint32_t region, parent;	/* w->function; index, or OTF2_UNDEFINED32 */
	uint32_t line;
};
struct otf2_function {
	uint32_t name, file, about;	/* strings */
};

struct otf2_writer {
	struct trace *trace;
	struct write_options *o;
	char *folder;
	struct otf2_out out;	/* of the location, or the definitions, being written */
	struct buffer f;	/* fields of the record being written */
	struct names string;	/* id 0 is "" */
	uint32_t *comm;		/* references of the trace's communicators */
	int64_t here;		/* rank of the stream being written */
	uint64_t *events;	/* by stream */
	unsigned char *used;	/* streams that have events */
	struct otf2_extra *extra;
	size_t extra_n, extra_cap;
	struct map extra_of;
	uint32_t *handle;	/* event with the name of the file, by handle */
	size_t handle_n, handle_cap;
	struct map handle_of;
	struct otf2_node *node;
	size_t node_n, node_cap;
	struct names nodes, functions;
	struct otf2_function *function;
	size_t function_n, function_cap;
	uint64_t period;	/* ns of the first sample; 0: none */
	int opens;		/* there are regions that were open before */
	uint32_t region_n;	/* functions of samples count on from here: regions of the trace, then the root */
	int64_t last;		/* ns */
	int64_t world;		/* ranks: the highest that anything names, and 1 */
	uint32_t member_n, class_n;	/* defined so far */
	int collecting;		/* texts; definitions are not written yet */
};

/* References: communicators, groups, windows, attributes of samples. */
enum {
	OTF2_COMM_WORLD = 0, OTF2_GROUP_LOCATIONS = 0, OTF2_GROUP_WORLD = 1, OTF2_WINDOW_WORLD = 0,
	OTF2_ATTRIBUTE_NS = 0, OTF2_ATTRIBUTE_INSIDE = 1, OTF2_ATTRIBUTE_MISSED = 2, OTF2_ATTRIBUTE_OPEN = 3,
};

/* Metrics: the class of those that come with events, if there are any; events; alloc and free of each type; extras. */
static inline uint32_t otf2_metric_event(const struct otf2_writer *w, uint32_t event)
{
	return event + (w->trace->metric_n > 0);
}
/* A rank stands in the archive, so the world has it; not those from OTF2_WORLD_MAX on, of which no chunk could hold the list. */
#define OTF2_WORLD_MAX 4000000
void otf2_world_has(struct otf2_writer *w, int64_t rank);

static inline uint32_t otf2_metric_memory(const struct otf2_writer *w, uint32_t type, int release)
{
	return otf2_metric_event(w, (uint32_t)w->trace->event_n) + 2 * type + (uint32_t)release;
}

/* The id of a text, which is defined in the end. */
static inline uint32_t otf2_string_id(struct otf2_writer *w, const char *s)
{
	return names_add(&w->string, s ? s : "", s ? strlen(s) : 0);
}

/* Writes the global definitions, the local ones and the anchor. 0, or -1 with errno and *path, to be freed. */
int otf2_write_definitions(struct otf2_writer *w, char **path);

#endif
