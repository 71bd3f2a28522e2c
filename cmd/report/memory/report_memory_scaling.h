/*
 * report_memory_scaling.h: what the reports over memory share: names of rows and queries, the rows that memory-scaling shows
 * (memory_rows.c), for its table (report_memory_scaling.c) and its picture (memory_chart.c), and forecasts.
 */
#ifndef REPORT_MEMORY_SCALING_H
#define REPORT_MEMORY_SCALING_H

#include <stddef.h>
#include <stdio.h>

#include "analyze/memory/memory.h"
#include "cmd/report/report.h"
#include "cmd/table/table_fields.h"

#define POINTS_MODEL 4 /* numbers of PEs from which on a model is asked */

/* What is shown: rows one by one, then sums of those that are not. */
struct memory_shown {
	const struct memory_series *s;
	size_t *pes;			/* distinct numbers of PEs, ascending */
	size_t pes_n;
	const struct memory_growth **row;	/* one by one, then the sums from rule on; borrowed, as is all */
	size_t row_n, row_cap;
	size_t rule;			/* row[rule] is the first sum */
	struct memory_growth sum[5];
	size_t sum_n;
	const struct memory_growth *openmpi;	/* the sum of untyped bytes of Open MPI; NULL: there is none */
	const double *predict;		/* numbers of PEs to forecast, ascending; the caller's */
	size_t predict_n;
};

/* top: number of single rows, 0: all. picture: rows that grow for certain come first. s stays in use until the release. */
void memory_shown_init(struct memory_shown *m, const struct memory_series *s, long top,
		       int picture);
void memory_shown_release(struct memory_shown *m);

/* Number that per selects, mean over the runs with this number of PEs; NAN unknown. objects: count instead of bytes. */
double memory_at(const struct memory_shown *m, const struct memory_growth *g, size_t pes,
		 enum memory_per per, int objects);
/*
 * "120 B x P", "constant" or "not credible"; "O(P)" or "". A sum of which less than 90 % is in rows with a model has "at least O(P)".
 * Both return buf.
 */
char *memory_growth_words(const struct memory_shown *m, const struct scaling_model *model,
			  char *buf, size_t size);
char *memory_order_words(const struct memory_shown *m, const struct memory_growth *g, char *buf,
			 size_t size);
/* A row with a credible model, or a sum that has some. */
int memory_can_forecast(const struct memory_growth *g);
/* "MPICH", if that library and no class of Open MPI has the bytes of MPI; else "Open MPI". */
const char *memory_mpi(const struct memory_series *s);
/* tau-report memory --by region (report_regions.c). */
int report_regions(const struct report_options *o, const struct report_runs *r, FILE *f,
		   size_t width, struct error *e);
/* tau-report memory-scaling --by region (region_growth.c). */
extern const struct table_field memory_region_growth_fields[];
int report_region_growth(const struct report_options *o, const struct report_runs *r,
			 const struct memory_query *q, FILE *f, size_t width, struct error *e);
/* Share of the growth of everything in percent; NAN when nothing grew or it is unknown. */
double memory_growth_pct(const struct memory_shown *m, const struct memory_growth *g);

/* memory_share() averaged over the runs with this number of PEs. */
void memory_share_at(const struct memory_shown *m, size_t pes, struct memory_share *out);
/* 100 * part / whole; NAN of nothing. */
double memory_pct(double part, double whole);
/* A row that is named one by one where there is room: it has a type, or an owner that has one. */
int memory_named(const struct memory_growth *g);

extern const char *const memory_view_titles[], *const memory_per_titles[], *const memory_by_titles[];
/*
 * Adds a note if less than half of the peak is live, with the row that has lost most. The series are of all rows, live and at
 * the peak.
 */
void memory_peak_note(struct table *t, const struct memory_series *live, const struct memory_series *peak);
extern const char *const memory_kind_words[];	/* "typed", "slab" ...: by enum memory_kind */

/* --view, --per, --by and --top of the command line. */
/* Values of --by that all kinds about memory have, and a list of them alone. */
#define MEMORY_BY_ROWS                                                                             \
	[MEMORY_BY_TYPE] = {"type", "type of object"},                                             \
	[MEMORY_BY_OWNER] = {"owner", "type, and the chain of types that own its objects"},        \
	[MEMORY_BY_PARENT] = {"parent", "type and immediate owner"},                               \
	[MEMORY_BY_SITE] = {"site", "type and call site, if call sites were recorded"},            \
	[MEMORY_BY_ALL] = {"all", "type, owners and call site"}
extern const struct report_by memory_bys[];
/* Values of --view, and of --per: without and with the largest PE. */
extern const struct report_value memory_views[], memory_pers[], memory_pers_and_max[];
int memory_query_read(const struct report_options *o, struct memory_query *q, struct error *e);
/* The columns that name a row of a partition: rows of an array of fields, of a member that is a struct memory_names. */
struct memory_names {
	const char *type, *owner, *site;
};
enum { MEMORY_WITH_OWNER = 1 << 16, MEMORY_WITH_SITE = 1 << 17 };
#define MEMORY_NAMES(of, member)                                                                   \
	{FIELD(of, member.type), TABLE_TEXT, "type", .meaning = "type of the objects"},            \
		{FIELD(of, member.owner), TABLE_TEXT, "owner", .only = MEMORY_WITH_OWNER,          \
		 .meaning = "types or variables that own the objects, the nearest first"},         \
	{                                                                                          \
		FIELD(of, member.site), TABLE_TEXT, "site", .only = MEMORY_WITH_SITE,              \
			.meaning = "call that allocated the objects"                               \
	}
/* Which of them rows have: bits. */
unsigned memory_names_shown(enum memory_by by);
struct memory_names memory_names_of(const struct memory_growth *g);

/* The tables of memory-scaling (memory_scaling_tables.c): for people, and everything that is known, for machines. */
struct table *memory_scaling_text(const struct memory_shown *m);
struct table *memory_scaling_data(const struct memory_shown *m);
extern const struct table_field memory_scaling_text_fields[], memory_scaling_data_fields[];

/*
 * Forecasts (memory_predict.c). read: numbers of PEs out of texts like "1024,1048576", ascending,
 * each once; the caller frees *out.
 */
int memory_predict_read(const struct option_list *list, double **out, size_t *n, struct error *e);
/* Those of a row, by number of PEs. */
struct memory_forecasts {
	double *value;	/* NaN: none is credible */
	double *low, *high, *without;	/* the ends, and the percentage that has no forecast */
	char **interval;	/* the ends in words, or that it is not credible */
	char **why;	/* it is not credible; NULL: it is */
	size_t n;
};
void memory_forecasts_make(struct memory_forecasts *x, const struct memory_shown *m, const struct memory_growth *g);
void memory_forecasts_release(struct memory_forecasts *x);
/* "1048576 PEs: 120 MiB (110 MiB to 131 MiB)", of the largest number; NULL without any. The caller frees it. */
char *memory_predict_words(const struct memory_shown *m, const struct memory_growth *g);
void memory_predict_remarks(struct table *t, const struct memory_shown *m);

void memory_chart(const struct memory_shown *m, FILE *f);

#endif
