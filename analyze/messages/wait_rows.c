/* wait_rows.c: adds, sorts and sums rows of waits. */
#include "analyze/messages/wait_rows.h"

#include <stdlib.h>
#include <string.h>

static struct wait_row *row_of(struct wait_rows *r, uint32_t process, uint32_t path,
			       enum wait_pattern p)
{
	/* a trace has fewer than 2^29 processes and 2^30 paths */
	uint64_t key = (uint64_t)(process + 1) << 35 | (uint64_t)(path & 0x3fffffff) << 5 | p;
	uint32_t at = map_get(&r->at, key);
	struct wait_row *row;

	if (at != MAP_NONE)
		return &r->v[at];
	map_set(&r->at, key, (uint32_t)r->v_n);
	row = array_add(r, v);
	row->pattern = p;
	row->process = process;
	row->path = path;
	return row;
}

void wait_rows_add(struct wait_rows *r, uint32_t process, uint32_t path, enum wait_pattern p,
		     uint64_t n, double ns)
{
	struct wait_row *row = row_of(r, process, path, p);

	row->n += n;
	row->ns += ns;
}

static int longest_first(const void *va, const void *vb)
{
	const struct wait_row *a = va, *b = vb;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	if (a->pattern != b->pattern)
		return a->pattern < b->pattern ? -1 : 1;
	if (a->path != b->path)
		return a->path < b->path ? -1 : 1;
	return (a->process > b->process) - (a->process < b->process);
}

void wait_rows_sort(struct wait_rows *r)
{
	map_release(&r->at);
	r->at = (struct map){0};
	if (r->v_n)
		qsort(r->v, r->v_n, sizeof(*r->v), longest_first);
}

void wait_rows_sum(const struct wait_rows *rows, int paths, struct wait_rows *out)
{
	*out = (struct wait_rows){0};
	for (size_t i = 0; i < rows->v_n; i++) {
		const struct wait_row *r = &rows->v[i];
		struct wait_row *sum = row_of(out, paths ? TRACE_NONE - 1 : r->process,
					      paths ? r->path : 0x3fffffff, r->pattern);

		sum->process = paths ? TRACE_NONE : r->process;
		sum->path = paths ? r->path : TRACE_NONE;
		sum->n += r->n;
		sum->ns += r->ns;
		sum->processes++;
		if (sum->processes == 1 || r->ns > sum->worst_ns) {
			sum->worst = r->process;
			sum->worst_ns = r->ns;
		}
	}
	wait_rows_sort(out);
}

double wait_rows_total(const struct wait_rows *rows, enum wait_pattern p)
{
	double ns = 0;

	for (size_t i = 0; i < rows->v_n; i++)
		ns += rows->v[i].pattern == p ? rows->v[i].ns : 0;
	return ns;
}
