/* otf2_raw.h: the global definitions of an archive as they stand in it, while they are being resolved. */
#ifndef OTF2_RAW_H
#define OTF2_RAW_H

#include "otf2.h"

/* Definitions as they stand in the file; a reference may come before what it means. */
struct raw_node {
	uint32_t name, class;
	uint32_t parent;
};
struct raw_group {	/* of locations: a process */
	uint32_t ref, creator;
	uint32_t name;
	uint32_t node;
	uint8_t type;
	uint32_t process;
};
struct raw_location {
	uint64_t ref;
	uint32_t name;
	uint8_t type;
	uint32_t group;
	uint64_t events;
	uint32_t process;
	int accelerator;
};
struct raw_region {
	uint32_t ref;
	uint32_t name, description, file;
	uint8_t role;
	uint8_t paradigm;
	uint32_t line;
};
struct raw_members {	/* of a communicator */
	uint8_t type;
	uint8_t paradigm;
	uint64_t *member;
	uint32_t n;
};
struct raw_comm {
	uint32_t ref;
	uint32_t name;
	uint32_t group, other;	/* other: of an inter-communicator */
};
struct raw_member {
	uint32_t name, description, unit;
	uint8_t mode, value, base;
	int64_t exponent;
};
struct raw_metric {
	uint32_t ref, class;	/* class == ref: it is one */
	size_t first;		/* members are of_class[first .. first + n) */
	uint8_t n;
	uint8_t scope, occurrence;
	uint64_t of, recorder;
};
struct raw_handle {
	uint32_t ref, name, file, parent;
};
struct raw_parameter {
	uint32_t ref;
	uint32_t name;
	uint8_t type;
};
struct raw_window {
	uint32_t ref;
	uint32_t comm;
};
struct raw_property {
	uint32_t group;
	uint32_t name, value;
};
struct raw_context {
	uint32_t ref, parent;
	uint32_t region, place;
};

#define OTF2_LIST(type, name) struct type *name; size_t name##_n, name##_cap
struct otf2_raw {
	struct trace *trace;
	struct otf2_run *run;
	struct names region_name, event_name, metric_name;
	char **string;
	size_t string_n, string_cap;
	struct map line_of;	/* of a place in the source */
	struct map string_of, node_of, group_of, member_of, members_of, rank_of, file_of, handle_of;
	OTF2_LIST(raw_node, node);
	OTF2_LIST(raw_group, group);
	OTF2_LIST(raw_location, location);
	OTF2_LIST(raw_region, region);
	OTF2_LIST(raw_members, members);
	OTF2_LIST(raw_comm, comm);
	OTF2_LIST(raw_member, member);
	OTF2_LIST(raw_metric, metric);
	uint32_t *of_class;
	size_t of_class_n, of_class_cap;
	OTF2_LIST(raw_handle, handle);
	OTF2_LIST(raw_parameter, parameter);
	OTF2_LIST(raw_window, window);
	OTF2_LIST(raw_property, property);
	OTF2_LIST(raw_context, context);
	uint64_t resolution, offset;
	int clock;
};

/* Reads all of them. ERROR_INPUT: not even locations could be read. */
int otf2_collect(struct otf2_raw *d, struct error *e);
void otf2_raw_release(struct otf2_raw *d);
/* The text of a reference; "" when nothing defines it. */
const char *otf2_text(const struct otf2_raw *d, uint32_t ref);

/* Functions of samples, where we wrote them (otf2_code.c). Such a region is none of the trace. */
int otf2_is_code(const struct otf2_raw *d, const struct raw_region *r);
void otf2_codes(struct otf2_raw *d);

/* Processes and their streams (otf2_process.c). */
void otf2_processes(struct otf2_raw *d);

#endif
