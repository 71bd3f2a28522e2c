/* rows_option.h: --rows LEVEL[,NAME=LEVEL...]: which threads share a row of a timeline. */
#ifndef ROWS_OPTION_H
#define ROWS_OPTION_H

#include "analyze/trace/trace.h"

/* A row for each of these. */
enum row_level { ROW_QUEUE /* and each thread */, ROW_THREAD /* the queues of a PE share one */, ROW_PE, ROW_HOST };

struct rows_exception {
	char *name;	/* of a host, or the number of a PE */
	enum row_level level;
};

struct rows_wanted {
	int given;
	enum row_level level;
	struct rows_exception *v;
	size_t v_n, v_cap;
};

/* text: of --rows; NULL: it was not given, and each has a row. ERROR_USAGE: it is none. Release out in any case. */
int rows_read(const char *text, struct rows_wanted *out, struct error *e);
void rows_release(struct rows_wanted *w);
/* Of a process: that of its host, or of all, and if its host has no row, an exception for it. */
enum row_level rows_level(const struct rows_wanted *w, const struct trace_process *p);
const char *rows_level_name(enum row_level level);

#endif
