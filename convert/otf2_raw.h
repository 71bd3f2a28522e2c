/* otf2_raw.h: the global definitions of an archive as they stand in it, while they are being resolved. */
#ifndef OTF2_RAW_H
#define OTF2_RAW_H

#include "otf2.h"

/* Definitions as they stand in the file; a reference may come before what it means. */
struct raw_node {
	OTF2_StringRef name, class;
	OTF2_SystemTreeNodeRef parent;
};
struct raw_group {	/* of locations: a process */
	OTF2_LocationGroupRef ref, creator;
	OTF2_StringRef name;
	OTF2_SystemTreeNodeRef node;
	OTF2_LocationGroupType type;
	uint32_t process;
};
struct raw_location {
	OTF2_LocationRef ref;
	OTF2_StringRef name;
	OTF2_LocationType type;
	OTF2_LocationGroupRef group;
	uint64_t events;
	uint32_t process;
	int accelerator;
};
struct raw_region {
	OTF2_RegionRef ref;
	OTF2_StringRef name, description, file;
	OTF2_RegionRole role;
	OTF2_Paradigm paradigm;
	uint32_t line;
};
struct raw_members {	/* of a communicator */
	OTF2_GroupType type;
	OTF2_Paradigm paradigm;
	uint64_t *member;
	uint32_t n;
};
struct raw_comm {
	OTF2_CommRef ref;
	OTF2_StringRef name;
	OTF2_GroupRef group, other;	/* other: of an inter-communicator */
};
struct raw_member {
	OTF2_StringRef name, description;
	OTF2_MetricMode mode;
	OTF2_Base base;
	int64_t exponent;
};
struct raw_metric {
	OTF2_MetricRef ref, class;	/* class == ref: it is one */
	OTF2_MetricMemberRef member[UINT8_MAX];
	uint8_t n;
	OTF2_MetricScope scope;
	uint64_t of, recorder;
};
struct raw_parameter {
	OTF2_ParameterRef ref;
	OTF2_StringRef name;
	OTF2_ParameterType type;
};
struct raw_window {
	OTF2_RmaWinRef ref;
	OTF2_CommRef comm;
};
struct raw_property {
	OTF2_LocationGroupRef group;
	OTF2_StringRef name, value;
};
struct raw_context {
	OTF2_CallingContextRef ref, parent;
	OTF2_RegionRef region;
};

#define OTF2_LIST(type, name) struct type *name; size_t name##_n, name##_cap
struct otf2_raw {
	struct trace *trace;
	struct otf2_run *run;
	struct names region_name, event_name;
	char **string;
	size_t string_n, string_cap;
	struct map string_of, node_of, group_of, member_of, members_of, rank_of;
	OTF2_LIST(raw_node, node);
	OTF2_LIST(raw_group, group);
	OTF2_LIST(raw_location, location);
	OTF2_LIST(raw_region, region);
	OTF2_LIST(raw_members, members);
	OTF2_LIST(raw_comm, comm);
	OTF2_LIST(raw_member, member);
	OTF2_LIST(raw_metric, metric);
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
const char *otf2_text(const struct otf2_raw *d, OTF2_StringRef ref);

/* Processes and their streams (otf2_process.c). */
void otf2_processes(struct otf2_raw *d);

#endif
