/* definitions.h: the global definitions of an archive as it contains them, while they are being
 * resolved. */
#ifndef ARCHIVE_DEFINITIONS_H
#define ARCHIVE_DEFINITIONS_H

#include "convert/otf2/archive.h"

/* Definitions as in the file; a reference may come before the definition that it refers to. */
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
	uint32_t ref;
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
	uint32_t ref, name, file, parent, paradigm;
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

#define ARCHIVE_LIST(type, name) struct type *name; size_t name##_n, name##_cap
struct archive_raw {
	struct trace *trace;
	struct archive *run;
	struct names region_name, event_name, metric_name;
	char **string;
	size_t string_n, string_cap;
	uint32_t *length;	/* of each string */
	size_t length_n, length_cap;
	struct map line_of;	/* of a place in the source */
	struct map string_of, node_of, group_of, member_of, members_of, rank_of, file_of, handle_of, paradigm_of;
	ARCHIVE_LIST(raw_node, node);
	ARCHIVE_LIST(raw_group, group);
	ARCHIVE_LIST(raw_location, location);
	ARCHIVE_LIST(raw_region, region);
	ARCHIVE_LIST(raw_members, members);
	ARCHIVE_LIST(raw_comm, comm);
	ARCHIVE_LIST(raw_member, member);
	ARCHIVE_LIST(raw_metric, metric);
	uint32_t *of_class;
	size_t of_class_n, of_class_cap;
	ARCHIVE_LIST(raw_handle, handle);
	ARCHIVE_LIST(raw_parameter, parameter);
	ARCHIVE_LIST(raw_window, window);
	ARCHIVE_LIST(raw_property, property);
	ARCHIVE_LIST(raw_context, context);
	uint64_t resolution, offset;
	int clock;
};

/*
 * Reads all of them into *d, which is zero but for trace and run. Damage is noted. ERROR_INPUT: not even locations could be
 * read.
 */
int archive_collect(struct archive_raw *d, OTF2_Reader *r, struct error *e);
/* Would the texts that definitions share, which are copied for each, need many times the memory of the file? */
int archive_is_vast(const struct archive_raw *d);
void archive_raw_release(struct archive_raw *d);
/* The text of a reference, which d owns; "" if nothing defines it. */
const char *archive_text(const struct archive_raw *d, uint32_t ref);

/* Functions of samples, where we wrote them (code.c). Such a region is none of the trace. */
int archive_is_code(const struct archive_raw *d, const struct raw_region *r);
void archive_codes(struct archive_raw *d);

/* Communicators, windows and groups (communicators.c). */
void archive_communicators(struct archive_raw *d);

/* Processes and their streams (process.c). */
void archive_processes(struct archive_raw *d);

#endif
