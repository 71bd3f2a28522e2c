/*
 * cube.h: shared by the readers of Cube files (cubex.c, cube3.c): the values of metrics as columns,
 * and the profile that is made from them.
 */
#ifndef CUBE_H
#define CUBE_H

#include "convert/io/blob.h"
#include "convert/calltree.h"
#include "convert/cube/cube_anchor.h"

enum cube_role { ROLE_NONE, ROLE_CALLS, ROLE_METRIC, ROLE_SINGLE, ROLE_ATOMIC };

struct cube_type {
	const char *name;
	uint32_t size;
	char code; /* u unsigned, i signed, d double, a TAU_ATOMIC */
	enum cube_role role;
};

/* NULL: numbers of that type are not supported. */
const struct cube_type *cube_type_of(const char *name);

/* The values of one metric: for each node that has values, a row of numbers, one per location. */
struct cube_column {
	const struct cube_metric *metric;
	const struct cube_type *type;	/* of the numbers in data */
	enum cube_role role;
	double scale;
	uint32_t target;	/* metric or counter of the profile */
	uint32_t *row;		/* by node: 1 + its row, 0: none */
	struct blob unpacked;
	const unsigned char *data;
	int swapped;
};

struct cube {
	const char *path;
	struct error *e;
	struct cube_anchor a;
	struct cube_column *column;
	size_t column_n, column_cap;
	struct profile *p;
	struct calltree_node *node;
	char *left_out;
	char *damage;		/* a message about the first column that was excluded because it
				 * is damaged */
};

/* Is the metric the time? It becomes the first metric of the profile. */
int cube_is_time(const struct cube_metric *m);
/* The role of a metric, from its name and type, before its data is read. */
enum cube_role cube_role_of(const struct cube *c, const struct cube_metric *m);
/* Takes over the column and assigns it to a part of the profile, or excludes it. */
void cube_add_column(struct cube *c, struct cube_column *column);
/* Adds the name of an excluded metric to the metadata; why: what is wrong with it, or NULL. */
void cube_leave_out(struct cube *c, const struct cube_metric *m, const char *why);
/*
 * To be called after all columns: makes the profile, sorted, in *out, which the caller frees, or
 * returns an error. Releases everything else in any case. code: 0, or the code of an earlier error.
 */
int cube_finish(struct cube *c, int code, struct profile **out);
void cube_column_release(struct cube_column *column);

uint64_t cube_number(const unsigned char *p, size_t size, int swapped);

#endif
