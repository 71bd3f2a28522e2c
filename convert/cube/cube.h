/*
 * cube.h: what the readers of Cube files (cubex.c, cube3.c) share: the values of metrics as columns, and the profile that
 * they become.
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

/* NULL: numbers of that type are not read. */
const struct cube_type *cube_type_of(const char *name);

/* The values of one metric: a row of numbers, one for each location, per node that has values. */
struct cube_column {
	const struct cube_metric *metric;
	const struct cube_type *type;	/* of the numbers in data */
	enum cube_role role;
	double scale;
	uint32_t target;	/* metric or counter of the profile */
	uint32_t *row;		/* per node: 1 + its row, 0: none */
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
	char *damage;		/* the first column that was left out because it is damaged: a whole sentence */
};

/* Time is the metric that everything looks at first. */
int cube_is_time(const struct cube_metric *m);
/* The role of a metric by its name and type, before anything of it is read. */
enum cube_role cube_role_of(const struct cube *c, const struct cube_metric *m);
/* Takes the column over and gives it its place in the profile, or leaves it out. */
void cube_add_column(struct cube *c, struct cube_column *column);
/* Names a metric that is left out; why: NULL, or what is wrong with it. */
void cube_leave_out(struct cube *c, const struct cube_metric *m, const char *why);
/*
 * Once all columns are there: the profile, sorted, in *out, or an error. Releases the rest in any case; code: 0, or
 * that of an error before.
 */
int cube_finish(struct cube *c, int code, struct profile **out);
void cube_column_release(struct cube_column *column);

uint64_t cube_number(const unsigned char *p, size_t size, int swapped);

#endif
