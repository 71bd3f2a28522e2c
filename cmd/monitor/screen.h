/* screen.h: the interactive view. */
#ifndef SCREEN_H
#define SCREEN_H

#include "cmd/monitor/look_cells.h"
#include "cmd/monitor/look_print.h"
#include "cmd/monitor/look_read.h"

/* Shows looks on the terminal until the user quits. ERROR_SYSTEM: the terminal cannot show it; errors of the first look. */
int screen(struct look_run *r, int64_t interval_ns, enum look_order order,
	   const struct look_chosen *chosen, struct error *e);

#endif
