/* look_processes.c: processor, memory, input, output and regions of each process. */
#include "cmd/monitor/look_processes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/base/mem_stream.h"
#include "analyze/base/quantity.h"
#include "cmd/table/region_name.h"
#include "cmd/table/table_fields.h"
#include "cmd/table/table_text.h"

/* Regions that do not fit are omitted, the last ones first. */
static void top_fit(char *s, size_t width)
{
	char *comma;

	while (table_text_width(s) > width && (comma = strrchr(s, ',')))
		*comma = 0;
	table_elide(s, width);
}

/* One row, a member for each column. */
struct process_cells {
	int64_t node, pid;
	const char *state;
	double load, memory, read, written;
	const char *top, *host;
};

/* clang-format off: one column, one paragraph */
static const struct table_field fields[] = {
	{FIELD(struct process_cells, node), TABLE_INTEGER, "node", NULL,
	 .meaning = "rank of the process, or its number"},
	{FIELD(struct process_cells, pid), TABLE_INTEGER, "pid", NULL, .spare = 1,
	 .meaning = "number of the process on its host"},
	{FIELD(struct process_cells, state), TABLE_TEXT, "state", NULL,
	 .meaning = "running, stopped by a signal, or how it ended"},
	{FIELD(struct process_cells, load), TABLE_NUMBER, "cpu_load", "CPU %", .precision = 0,
	 .meaning = "processor time since the look before, of one CPU"},
	{FIELD(struct process_cells, memory), TABLE_BYTES, "resident", "memory",
	 .meaning = "memory that it has now"},
	{FIELD(struct process_cells, read), TABLE_BYTES, "read_rate", "read/s",
	 .meaning = "bytes that it has read since the look before, for each second"},
	{FIELD(struct process_cells, written), TABLE_BYTES, "written_rate", "written/s",
	 .meaning = "bytes that it has written since the look before, for each second"},
	{FIELD(struct process_cells, top), TABLE_TEXT, "top", "most time in",
	 .fit = top_fit,
	 .meaning = "regions with the most exclusive time since the look before, of one CPU"},
	{FIELD(struct process_cells, host), TABLE_TEXT, "host", NULL, .spare = 2,
	 .meaning = "host of the process"},
	{0},
};
/* clang-format on */

/* "solve [a.c:3] 61 %, MPI_Recv() 30 %"; without a look before, times. To be freed. */
static char *top_text(const struct look *l, const struct look_process *p)
{
	char *text = NULL;
	size_t size;
	FILE *f = mem_stream(&text, &size);

	for (size_t i = 0; i < p->top_n; i++) {
		char *name = region_name_short(p->top[i].name), part[QUANTITY_TEXT];

		if (l->elapsed > 0)
			quantity_percent_text(p->top[i].new_excl / 1e4 / l->elapsed, part);
		else
			quantity_time_text(p->top[i].new_excl * 1e3, part);
		fprintf(f, "%s%s %s", i ? ", " : "", name, part);
		free(name);
	}
	fclose(f);
	return text;
}

struct table *look_processes_table(const struct look *l, int view, size_t most)
{
	struct table *t = table_new(view ? NULL : "Processes");
	size_t n = most && most < l->process_n ? most : l->process_n;

	table_fields(t, fields, 0, NULL);
	for (size_t i = 0; i < n; i++) {
		const struct look_process *p = &l->process[i];
		char state[32], *top = top_text(l, p);

		table_row(t);
		table_put_fields(t, &(struct process_cells){
					    .node = p->node,
					    .pid = p->pid,
					    .state = look_process_state(p, state),
					    .load = 100 * p->load,
					    .memory = p->use.resident,
					    .read = p->read_rate,
					    .written = p->written_rate,
					    .top = *top ? top : NULL,
					    .host = p->host,
				    });
		free(top);
	}
	if (n < l->process_n)
		table_remark(t, "%zu of %zu processes.", n, l->process_n);
	return t;
}
