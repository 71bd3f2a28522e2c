/* memory_tables.h: what tau-report memory has read of one run, and its tables of rows and of PEs. */
#ifndef MEMORY_TABLES_H
#define MEMORY_TABLES_H

#include "analyze/base/base.h"
#include "analyze/memory/memory.h"
#include "cmd/report/memory/memory_time.h"
#include "cmd/report/report.h"
#include "cmd/table/table_fields.h"

enum { COARSE, FINE, TIMES };

/* One run seen by each measure; rows of the chosen one, and those of the same name of the others.
 */
struct holding {
	const struct memory *memory;
	struct memory_query q;
	struct memory_series by[MEMORY_MEASURES];
	struct names names[MEMORY_MEASURES];
	struct memory_time time[TIMES]; /* n 0: not needed, or unknown */
	int ascii; /* bars for a terminal that has no others */
};

/* The number that --per selects. */
double memory_held_per(const struct holding *h, double job);

struct memory_ranked {
	double key;
	size_t at;
};
/* PEs with the most bytes of the queried measure first; the caller frees it. */
struct memory_ranked *memory_pes_ranked(const struct holding *h);

void memory_rows_report(const struct holding *h, const struct report_options *o, const struct report_runs *r, FILE *f, size_t width);
void memory_pes_report(const struct holding *h, const struct report_options *o, const struct report_runs *r, FILE *f, size_t width);
/* Their columns, and those of regions (report_regions.c). */
extern const struct table_field memory_row_fields[], memory_pe_fields[], memory_region_fields[];

#endif
