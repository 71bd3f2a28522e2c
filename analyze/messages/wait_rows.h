/* wait_rows.h: sums of waits by process, call path and pattern. */
#ifndef WAIT_ROWS_H
#define WAIT_ROWS_H

#include "analyze/base/map.h"
#include "analyze/messages/awaited.h"

/* Waits of a process, a path and a pattern; or sums over all processes or all paths. */
struct wait_row {
	enum wait_pattern pattern;
	uint32_t process, path;		/* TRACE_NONE: all */
	uint64_t n;			/* waits; WAIT_POLLING: calls */
	double ns;
	/* Of a sum over all processes: */
	uint32_t processes;		/* number of processes with such waits */
	uint32_t worst;			/* the process with the most */
	double worst_ns;
};
struct wait_rows {
	struct wait_row *v;
	size_t v_n, v_cap;
	struct map at;
};

/* Adds n waits, which take ns together. */
void wait_rows_add(struct wait_rows *r, uint32_t process, uint32_t path, enum wait_pattern p, uint64_t n, double ns);
/* The longest first. No row can be added to afterwards. */
void wait_rows_sort(struct wait_rows *r);
/*
 * Sums of rows, the longest first, over all processes (paths 1) or over all paths (paths 0). The
 * caller frees out->v.
 */
void wait_rows_sum(const struct wait_rows *rows, int paths, struct wait_rows *out);
/* Total ns of a pattern. */
double wait_rows_total(const struct wait_rows *rows, enum wait_pattern p);

#endif
