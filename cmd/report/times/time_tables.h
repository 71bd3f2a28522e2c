/* time_tables.h: what reports about the time of one run share: columns of times, texts of values, rows by thread, rank, group, file and queue. */
#ifndef TIME_TABLES_H
#define TIME_TABLES_H

#include "analyze/profile/grouped_rows.h"
#include "cmd/report/report.h"
#include "cmd/table/table_fields.h"
#include "cmd/profile/profile_table.h"

/* The unit of columns that hold values of a metric. */
struct time_columns {
	const char *unit;	/* NULL: a count */
	const char *suffix;	/* of keys for machines: "_us"; the unit in all formats */
	double size;		/* us of one unit */
	int precision;
};
/* For CSV and JSON: microseconds. */
struct time_columns time_columns_raw(const struct profile *p, size_t metric);
/* The unit that --unit names, or the one that suits. */
struct profile_unit time_unit(const struct report_options *o, const struct profile *p, size_t metric, struct profile_unit suits);
/* The unit of a table for people; in other formats as above. */
struct time_columns time_columns_of(const struct report_options *o, const struct profile *p, size_t metric, double largest);
/* The same for columns that are rows of an array. */
struct field_scale time_scale(const struct time_columns *c);

/* "12.345 ms" with the unit of a table, or the number alone; into text, which is returned. */
const char *time_text(const struct profile_table *a, double value, char text[QUANTITY_TEXT]);
/* "1.234 s", "12.3 ms", "4.5 us": with the unit that suits the value; a count has none. */
const char *time_short(const struct report_options *o, const struct profile *p, size_t metric, double value, char text[QUANTITY_TEXT]);

/* The same for pictures: of is a struct time_value. */
struct time_value {
	const struct report_options *o;
	const struct profile *p;
	size_t metric;
};
const char *time_value_text(const void *of, double value, char text[QUANTITY_TEXT]);

/* Source file of a timer, from its name or beside it; NULL: unknown. To be freed. */
char *time_file_of(const struct profile_timer *t);
uint32_t time_line_of(const struct profile_timer *t);	/* 0: unknown */

/* One run of a report. */
struct time_about {
	const struct report_options *o;
	const struct report_runs *r;
	const struct profile *p;
	const struct waiting *waiting;	/* without queues of devices */
	uint32_t queues;	/* of devices */
	size_t metric;
	FILE *f;
	size_t width;
};
/* The columns of these tables. */
extern const struct table_field time_thread_fields[], time_group_fields[], time_queue_fields[];
void time_threads(const struct time_about *a, int ranks);
void time_groups(const struct time_about *a, enum grouped_by by);
/* Queues of devices, how busy they are. ERROR_INPUT: there are none. */
int time_queues(const struct time_about *a, struct error *e);

/* ERROR_INPUT: the run, in its window and of what is selected, has no such region. near: a similar name; NULL: none. */
int time_no_region(const struct report_options *o, const struct report_run *run, const char *word, const char *near, struct error *e);

#endif
