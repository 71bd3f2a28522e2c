/* look_json.h: a look as one line of JSON. */
#ifndef LOOK_JSON_H
#define LOOK_JSON_H

#include <stdio.h>

#include "cmd/monitor/look.h"
#include "cmd/monitor/look_cells.h"

/* One line. */
void look_json(const struct look *l, const char *path, FILE *f);
/* The same with the rows of one thread or function. */
void look_cells_json(const struct look *l, const struct look_cells *x, const struct look_chosen *c,
		     const char *path, FILE *f);

#endif
