/*
 * cube.h: shared by the readers of Cube files (cubex.c, cube3.c): the values of metrics as columns,
 * and the profile that is made from them.
 */
#ifndef CUBE_H
#define CUBE_H

#include "convert/io/blob.h"
#include "convert/calltree.h"
#include "convert/cube/cube_anchor.h"

/* What the numbers of a metric become in the profile. */
enum cube_role {
	ROLE_NONE,	/* nothing: the metric is excluded */
	ROLE_CALLS,	/* calls */
	ROLE_METRIC,	/* values of a metric */
	ROLE_SINGLE,	/* one value of a counter of the path: an extreme */
	ROLE_ATOMIC	/* all statistics of a counter of the path: TAU_ATOMIC */
};

struct cube_type {
	const char *name;
	uint32_t size;	/* bytes of a number */
	char code; /* u unsigned, i signed, d double, a TAU_ATOMIC */
	enum cube_role role;
};

/* The type of that name; NULL: numbers of that type are not supported, or name is NULL. */
const struct cube_type *cube_type_of(const char *name);

/* The values of one metric: for each node that has values, a row of numbers, one per location. */
struct cube_column {
	const struct cube_metric *metric;
	const struct cube_type *type;	/* of the numbers in data */
	enum cube_role role;	/* this and the next two are set by cube_add_column() */
	double scale;		/* from the unit of the file to that of the profile */
	uint32_t target;	/* metric or counter of the profile */
	uint32_t *row;		/* by node: 1 + its row, 0: none; owned */
	struct blob unpacked;	/* owned; its bytes may be `data` */
	const unsigned char *data;	/* rows x locations numbers, borrowed */
	int swapped;		/* they are big endian */
};

struct cube {
	const char *path;
	struct error *e;
	struct cube_anchor a;
	struct cube_column *column;
	size_t column_n, column_cap;
	struct profile *p;
	struct calltree_node *node;
	char *left_out;		/* names of excluded metrics; the NUL comes at the end */
	size_t left_out_n, left_out_cap;
	char *damage;		/* a message about the first column that was excluded because it
				 * is damaged */
};

/* Is the metric the time? It becomes the first metric of the profile. */
int cube_is_time(const struct cube_metric *m);
/* The role of a metric, from its name and type, before its data is read. ROLE_NONE also if the profile has too many metrics. */
enum cube_role cube_role_of(const struct cube *c, const struct cube_metric *m);
/* Takes over row and unpacked of the column and assigns it to a part of the profile, or excludes it. */
void cube_add_column(struct cube *c, struct cube_column *column);
/* Notes an excluded metric for the metadata; why: what is wrong with it, or NULL: it is not supported. */
void cube_leave_out(struct cube *c, const struct cube_metric *m, const char *why);
/*
 * To be called after all columns: makes the profile, sorted, in *out, which the caller frees, or
 * returns an error: code, that of an earlier error, or ERROR_INPUT: the file has no metric that can be
 * read, no location, or definitions that contradict each other. Releases everything else in any case.
 */
int cube_finish(struct cube *c, int code, struct profile **out);
void cube_column_release(struct cube_column *column);

/* An unsigned number of size <= 8 bytes; swapped: big endian. */
uint64_t cube_number(const unsigned char *p, size_t size, int swapped);

#endif
