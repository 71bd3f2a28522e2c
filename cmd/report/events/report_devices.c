/* report_devices.c: tau-report devices: how busy devices are with kernels and copies, over all
 * their queues. */
#include <inttypes.h>
#include <math.h>

#include "analyze/base/quantity.h"
#include "analyze/messages/device_use.h"
#include "cmd/picture/bars.h"
#include "cmd/report/events/report_trace.h"
#include "cmd/report/report.h"
#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"

#define TOP_TEXT 20
#define BARS_MOST 20

enum { BY_DEVICE, BY_QUEUE, BYS };

static const char *const title[BYS] = {"Devices", "Queues of devices"};

struct devices_report {
	const struct report_options *o;
	const struct report_trace *r;
	const struct device_use *x;
};

static double share(const struct device_row *r)
{
	return r->life ? 100 * (double)r->busy / (double)r->life : NAN;
}

/* One row, a member for each column. */
struct devices_cells {
	int64_t rank, queue;
	double busy_share, busy, idle, gap, kernel, copy, both;
	int64_t kernels, copies;
	double bytes;
	const char *device, *name;
};

/* clang-format off: one column, one paragraph */
static const struct table_field fields[] = {
	{FIELD(struct devices_cells, rank), TABLE_INTEGER, "rank", "rank",
	 .meaning = "rank of the process"},
	{FIELD(struct devices_cells, queue), TABLE_INTEGER, "queue", "queue", .only = 1 << BY_QUEUE,
	 .meaning = "thread number of the queue in its process"},
	{FIELD(struct devices_cells, queue), TABLE_INTEGER, "queues", "queues",
	 .only = 1 << BY_DEVICE, .meaning = "number of queues of the device"},
	{FIELD(struct devices_cells, busy_share), TABLE_NUMBER, "busy_pct", "busy", "%",
	 .precision = 1, .meaning = "busy time as a share of the time of the process in the window",
	 .formula = "100 * busy / (busy + idle)"},
	{FIELD(struct devices_cells, busy), TABLE_NUMBER, "busy_ms", "busy", "ms", .precision = 3,
	 .meaning = "time during which at least one kernel or copy ran, over all "
		    "queues; overlapping ones count once",
	 .formula = "kernel + copy - both"},
	{FIELD(struct devices_cells, idle), TABLE_NUMBER, "idle_ms", "idle", "ms", .precision = 3,
	 .meaning = "time of the process in the window during which no kernel or "
		    "copy ran"},
	{FIELD(struct devices_cells, gap), TABLE_NUMBER, "gap_ms", "gap", "ms", .precision = 3,
	 .meaning = "longest time without a kernel or copy"},
	{FIELD(struct devices_cells, kernel), TABLE_NUMBER, "kernel_ms", "kernel", "ms",
	 .precision = 3, .meaning = "time during which at least one kernel ran"},
	{FIELD(struct devices_cells, copy), TABLE_NUMBER, "copy_ms", "copy", "ms", .precision = 3,
	 .meaning = "time during which at least one copy, fill or migration of "
		    "memory ran"},
	{FIELD(struct devices_cells, both), TABLE_NUMBER, "both_ms", "both", "ms", .precision = 3,
	 .meaning = "time during which both a copy and a kernel ran"},
	{FIELD(struct devices_cells, kernels), TABLE_INTEGER, "kernels", "kernels",
	 .meaning = "number of kernels that began"},
	{FIELD(struct devices_cells, copies), TABLE_INTEGER, "copies", "copies",
	 .meaning = "number of copies, fills and migrations that began"},
	{FIELD(struct devices_cells, bytes), TABLE_NUMBER, "bytes", "bytes",
	 .meaning = "bytes of the copies, fills and migrations"},
	{FIELD(struct devices_cells, device), TABLE_TEXT, "device", "device",
	 .meaning = "common part of the names of its queues; two processes may use "
		    "the same device"},
	{FIELD(struct devices_cells, name), TABLE_TEXT, "name", "name", .only = 1 << BY_QUEUE,
	 .meaning = "name of the queue"},
	{0},
};
/* clang-format on */

static void row_put(struct table *t, const struct devices_report *a, const struct device_row *r,
		    size_t by)
{
	const struct trace *trace = a->r->trace;

	table_row(t);
	table_put_fields(
		t, &(struct devices_cells){
			   .rank = trace->process[r->process].node,
			   .queue = by == BY_QUEUE ? trace->stream[r->stream].thread : r->queues,
			   .busy_share = share(r),
			   .busy = report_ms((double)r->busy),
			   .idle = report_ms((double)(r->life - r->busy)),
			   .gap = report_ms((double)r->gap),
			   .kernel = report_ms((double)r->ns[DEVICE_KERNEL]),
			   .copy = report_ms((double)r->ns[DEVICE_COPY]),
			   .both = report_ms((double)r->both),
			   .kernels = (int64_t)r->n[DEVICE_KERNEL],
			   .copies = (int64_t)r->n[DEVICE_COPY],
			   .bytes = r->bytes,
			   .device = a->x->device[r->device].name,
			   .name = r->name,
		   });
}

static struct table *make(const struct devices_report *a, size_t by, int with_notes)
{
	struct table *t = table_new(title[by]);
	const struct device_row *row = by == BY_QUEUE ? a->x->queue : a->x->device;
	size_t n = by == BY_QUEUE ? a->x->queue_n : a->x->device_n,
	       top = report_rows_shown(a->o, n, TOP_TEXT);

	if (by == BY_DEVICE)
		table_order(t, "the busiest first");
	table_fields(t, fields, 1U << by, NULL);
	if (with_notes) {
		report_trace_notes(t, a->r);
		table_note(t, "busy: at least one kernel or copy runs, over all queues; shares of "
			      "the time of the process.");
	}
	for (size_t i = 0; i < top; i++)
		row_put(t, a, &row[i], by);
	if (with_notes)
		table_remark(t, "both: copies beside kernels; gap: the longest time without work.");
	if (top < n)
		table_remark(t, "%zu of %zu rows; --top 0 lists all.", top, n);
	return t;
}

static void picture(const struct devices_report *a, size_t by, FILE *f)
{
	const struct device_row *row = by == BY_QUEUE ? a->x->queue : a->x->device;
	size_t n = by == BY_QUEUE ? a->x->queue_n : a->x->device_n,
	       shown = report_rows_shown(a->o, n, BARS_MOST);
	struct bars b = {.title = title[by]};

	shown = shown < BARS_MOST ? shown : BARS_MOST;
	b.subtitle = mem_printf("Time with a kernel or a copy, %zu of %zu rows; shares of the time "
				"of the process.",
				shown, n);
	for (size_t i = 0; i < shown; i++) {
		const struct device_row *r = &row[i];
		char *name = mem_printf("rank %d, %s", a->r->trace->process[r->process].node,
					r->name),
		     text[3][QUANTITY_TEXT];

		bars_add(&b, name,
			 mem_printf("kernels %s, copies %s, both %s",
				    report_time(a->o, (double)r->ns[DEVICE_KERNEL], text[0]),
				    report_time(a->o, (double)r->ns[DEVICE_COPY], text[1]),
				    report_time(a->o, (double)r->both, text[2])),
			 report_ms((double)r->busy),
			 r->life ? quantity_with_percent(
					   report_time(a->o, (double)r->busy, text[0]), share(r))
				 : mem_string("no time of its process"),
			 1);
		free(name);
	}
	bars_print(&b, f);
	free((char *)b.subtitle);
	bars_release(&b);
}

static int print_all(const struct devices_report *a, size_t by, FILE *f, size_t width,
		     struct error *e)
{
	if (!a->x->queue_n)
		return error_set(e, ERROR_INPUT,
				 "%s: it has no queues of devices%s; tau-record --wrap cuda "
				 "records those of CUDA",
				 a->r->trace->path, a->r->part);
	if (a->o->format == REPORT_SVG) {
		picture(a, by, f);
		return 0;
	}
	report_table(make(a, by, 1), a->o, f, width);
	if (a->o->format == REPORT_TEXT && !a->o->by) {
		fputc('\n', f);
		report_table(make(a, BY_QUEUE, 0), a->o, f, width);
	}
	return 0;
}

static int has_devices(const struct trace *t)
{
	for (size_t i = 0; i < t->stream_n; i++)
		if (t->stream[i].device)
			return 1;
	return 0;
}

static int report_devices(const struct report_options *given, const struct report_runs *runs,
			  struct output *out, size_t width, struct error *e)
{
	struct report_options o = *given;
	struct report_trace r;
	struct device_use x = {0};
	struct devices_report a = {&o, &r, &x};
	size_t by;
	int code = report_trace_begin(&o, "devices", &by, &r, e);

	(void)runs;
	if (!code) {
		struct messages_use use = device_use_use(&x, &r.messages);

		if (has_devices(r.trace))
			code = report_trace_read(&r, &use, 1, e);
	}
	if (!code) {
		device_use_end(&x);
		do
			code = print_all(&a, by, out->file, width, e);
		while (!code && report_draws(&o, &out));
	}
	device_use_release(&x);
	report_trace_release(&r);
	return code;
}

static const struct report_by bys[] = {
	{"device", "device"},
	{"queue", "queue of a device"},
	{0},
};

const struct report_kind kind_devices = {
	.name = "devices",
	.columns = (const struct table_field *const[]){fields, NULL},
	.about = "how busy devices are: kernels, copies, bytes, and idle time",
	.question = QUESTION_TRAFFIC,
	.example = "--by queue run",
	.print = report_devices,
	.options = REPORT_PICK "by",
	.by = bys,
	.events = 1,
	.title = "Devices",
	.page = REPORT_PAGE_BOTH,
};
