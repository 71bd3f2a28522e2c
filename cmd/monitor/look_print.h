/* look_print.h: one look as text, as CSV and in the text format of OpenMetrics. */
#ifndef LOOK_PRINT_H
#define LOOK_PRINT_H

#include <stdio.h>

#include "cmd/monitor/look.h"

enum look_order { LOOK_BY_NEW, LOOK_BY_EXCLUSIVE, LOOK_BY_INCLUSIVE, LOOK_BY_CALLS, LOOK_BY_NAME, LOOK_ORDERS };
/* Their words on a command line: "recent" ... */
extern const char *const look_orders[LOOK_ORDERS];
/* Orders the regions, the largest first; equal ones by name. Recent time that is unknown counts as exclusive time. */
void look_sort(struct look *l, enum look_order order);

/* top: rows of regions, threads and memory each; 0: all. width: of the terminal, or 0. */
void look_text(const struct look *l, const char *path, size_t top, size_t width, FILE *f);
/* One line for each region; the header first if it is requested. */
void look_csv(const struct look *l, int header, FILE *f);
/* As Prometheus reads it, with "# EOF". */
void look_openmetrics(const struct look *l, const char *path, FILE *f);

#endif
