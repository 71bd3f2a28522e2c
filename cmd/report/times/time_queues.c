/* time_queues.c: the table of queues of devices: how long each is busy. */
#include <math.h>

#include "analyze/profile/profile.h"
#include "analyze/profile/queue_use.h"
#include "cmd/profile/profile_table.h"
#include "cmd/report/report.h"
#include "cmd/report/times/time_tables.h"
#include "cmd/table/region_name.h"
#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"

#define TOP_TEXT 20

/* One row, a member for each column. */
struct time_queue_cells {
	int64_t rank, queue;
	const char *name;
	double busy, busy_pct, calls, most;
	const char *region;
};

/* clang-format off: one column, one paragraph */
const struct table_field time_queue_fields[] = {
	{FIELD(struct time_queue_cells, rank), TABLE_INTEGER, "rank", NULL,
	 .meaning = "rank of the process"},
	{FIELD(struct time_queue_cells, queue), TABLE_INTEGER, "queue", NULL,
	 .meaning = "thread number of the queue in its process"},
	{FIELD(struct time_queue_cells, name), TABLE_TEXT, "name", NULL,
	 .meaning = "name of the queue"},
	{FIELD(struct time_queue_cells, busy), TABLE_NUMBER, "busy", NULL, .scaled = 1,
	 .meaning = "exclusive time of the queue's regions, without waits and time "
		    "outside of regions"},
	{FIELD(struct time_queue_cells, busy_pct), TABLE_NUMBER, "busy_pct", "%", .precision = 1,
	 .meaning = "busy time as a share of the longest time of a thread of the "
		    "process"},
	{FIELD(struct time_queue_cells, calls), TABLE_NUMBER, "calls", NULL,
	 .meaning = "number of calls over all threads; of code found by samples, "
		    "the number of samples"},
	{FIELD(struct time_queue_cells, most), TABLE_NUMBER, "most", NULL, .scaled = 1,
	 .meaning = "largest exclusive time of a region in the row"},
	{FIELD(struct time_queue_cells, region), TABLE_TEXT, "region", "in region",
	 .fit = region_name_fit, .meaning = "name of the region"},
	{0},
};
/* clang-format on */

static void queue_put(struct table *t, const struct time_about *a, const struct queue_row *r)
{
	const struct profile_thread *at = &a->p->thread[r->thread];
	char *top = r->top == PROFILE_FLAT	? NULL
		    : a->o->format == REPORT_TEXT ? region_name_short(a->p->timer[r->top].name)
						  : mem_string(a->p->timer[r->top].name);

	table_row(t);
	table_put_fields(t, &(struct time_queue_cells){
				    .rank = at->node,
				    .queue = at->thread,
				    .name = r->name,
				    .busy = r->busy,
				    .busy_pct = 100 * queue_share(r),
				    .calls = r->calls,
				    .most = top ? r->top_time : NAN,
				    .region = top,
			    });
	free(top);
}

int time_queues(const struct time_about *a, struct error *e)
{
	struct time_columns c;
	struct field_scale scale;
	struct queue_use q;
	struct table *t;
	char *title;
	size_t shown;

	if (!a->queues)
		return error_set(e, ERROR_INPUT, "%s: it has no queues of devices",
				 a->r->run[0].name);
	queue_use_make(&q, a->p, a->metric);
	c = time_columns_of(a->o, a->p, a->metric, q.v_n ? q.v[0].busy : 0);
	scale = time_scale(&c);
	title = profile_table_title(a->p, report_unit_time(a->o));
	t = table_new(title);
	report_load_notes(t, a->r);
	table_note(t, "Busy time of queues of devices%s%s; shares of the time of the process.",
		   c.unit ? ", in " : "", c.unit ? c.unit : "");
	table_fields(t, time_queue_fields, 0, &scale);
	shown = report_rows_shown(a->o, q.v_n, TOP_TEXT);
	for (size_t i = 0; i < shown; i++)
		queue_put(t, a, &q.v[i]);
	if (shown < q.v_n)
		table_remark(t, "%zu of %zu queues; --top 0 lists all.", shown, q.v_n);
	report_table(t, a->o, a->f, a->width);
	queue_use_release(&q);
	free(title);
	return 0;
}
