/*
 * cube_anchor.h: the definitions in the XML of a Cube file: metrics, regions, call tree, locations.
 * In version 4 it is the file anchor.xml in an archive; in version 3 it is the whole file, in which
 * locations are called threads and the values follow.
 */
#ifndef CUBE_ANCHOR_H
#define CUBE_ANCHOR_H

#include "analyze/profile/profile.h"

struct cube_metric {
	uint32_t id;
	char *name, *type, *unit;	/* uniq_name, dtype, uom; NULL: missing */
	int inclusive;
	int derived;	/* computed from others by its own formula (CubePL) */
};

struct cube_region {
	uint32_t id, line;		/* line 0: missing */
	char *name, *file, *paradigm;	/* NULL: missing */
};

struct cube_node {
	uint32_t id, callee;
	uint32_t parent;	/* index, or PROFILE_FLAT; in the order of the file, parents first */
};

struct cube_location {
	uint32_t id, group;	/* group: index */
	char *name;		/* NULL: missing */
};

struct cube_group {
	int32_t rank;		/* -1: missing */
};

struct cube_anchor {
	char *version;		/* of the file; NULL: missing */
	struct cube_metric *metric;
	size_t metric_n, metric_cap;
	struct cube_region *region;
	size_t region_n, region_cap;
	struct cube_node *node;
	size_t node_n, node_cap;
	struct cube_location *location;	/* sorted by id: the columns of the data */
	size_t location_n, location_cap;
	struct cube_group *group;
	size_t group_n, group_cap;
	struct names parameter;		/* keys of parameters of nodes */
	struct profile_attribute *meta;	/* the attributes of the cube itself */
	size_t meta_n, meta_cap;
};

/*
 * Receives the values of version 3: the text of a row of a metric and a node, given by their ids, which may be undefined;
 * metric PROFILE_FLAT: it is in no matrix. The definitions so far are in the struct cube_anchor; more may follow.
 */
struct cube_rows {
	void *to;
	void (*receive)(void *to, uint32_t metric, uint32_t node, const char *text);
};

/*
 * Reads n bytes of XML. rows: NULL if the XML has no values. 0; ERROR_INPUT: the XML is damaged, or a location is defined
 * twice; ERROR_SYSTEM: no memory. Release out in any case. Ids of metrics, regions and nodes may occur twice, and callees may
 * be undefined.
 */
int cube_anchor_read(const char *path, const unsigned char *p, size_t n, const struct cube_rows *rows,
		     struct cube_anchor *out, struct error *e);
void cube_anchor_release(struct cube_anchor *a);

#endif
