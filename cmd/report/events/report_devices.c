/* report_devices.c: tau-report devices: how busy devices are with kernels and copies, over all their queues. */
#include <inttypes.h>
#include <math.h>

#include "analyze/base/quantity.h"
#include "analyze/messages/device_use.h"
#include "cmd/picture/bars.h"
#include "cmd/report/events/report_trace.h"
#include "cmd/report/report.h"
#include "cmd/table/table.h"

#define TOP_TEXT 20
#define BARS_MOST 20

enum { BY_DEVICE, BY_QUEUE, BYS };

static const char *const title[BYS] = {"Devices", "Queues of devices"};

struct about {
	const struct report_options *o;
	const struct report_trace *r;
	const struct device_use *x;
};

static double share(const struct device_row *r)
{
	return r->life ? 100 * (double)r->busy / (double)r->life : NAN;
}

static void columns(struct table *t, size_t by)
{
	table_column(t, TABLE_INTEGER, "rank", "rank", NULL, 0);
	table_column(t, TABLE_INTEGER, by == BY_QUEUE ? "queue" : "queues",
		     by == BY_QUEUE ? "queue" : "queues", NULL, 0);
	table_column(t, TABLE_NUMBER, "busy_pct", "busy", "%", 1);
	table_column(t, TABLE_NUMBER, "busy_ms", "busy", "ms", 3);
	table_column(t, TABLE_NUMBER, "idle_ms", "idle", "ms", 3);
	table_column(t, TABLE_NUMBER, "gap_ms", "gap", "ms", 3);
	table_column(t, TABLE_NUMBER, "kernel_ms", "kernel", "ms", 3);
	table_column(t, TABLE_NUMBER, "copy_ms", "copy", "ms", 3);
	table_column(t, TABLE_NUMBER, "both_ms", "both", "ms", 3);
	table_column(t, TABLE_INTEGER, "kernels", "kernels", NULL, 0);
	table_column(t, TABLE_INTEGER, "copies", "copies", NULL, 0);
	table_column(t, TABLE_NUMBER, "bytes", "bytes", NULL, 0);
	table_column(t, TABLE_TEXT, "device", "device", NULL, 0);
	if (by == BY_QUEUE)
		table_column(t, TABLE_TEXT, "name", "name", NULL, 0);
}

static void row_put(struct table *t, const struct about *a, const struct device_row *r, size_t by)
{
	const struct trace *trace = a->r->trace;
	const int64_t ns[] = {r->busy, r->life - r->busy, r->gap, r->ns[DEVICE_KERNEL],
			      r->ns[DEVICE_COPY], r->both};
	size_t c = 0;

	table_row(t);
	table_put_integer(t, c++, trace->process[r->process].node);
	table_put_integer(t, c++,
			  by == BY_QUEUE ? trace->stream[r->stream].thread : r->queues);
	table_put_number(t, c++, share(r));
	for (size_t i = 0; i < sizeof(ns) / sizeof(*ns); i++)
		table_put_number(t, c++, report_ms((double)ns[i]));
	table_put_integer(t, c++, (int64_t)r->n[DEVICE_KERNEL]);
	table_put_integer(t, c++, (int64_t)r->n[DEVICE_COPY]);
	table_put_number(t, c++, r->bytes);
	table_put_text(t, c++, a->x->device[r->device].name);
	if (by == BY_QUEUE)
		table_put_text(t, c, r->name);
}

static struct table *make(const struct about *a, size_t by, int with_notes)
{
	struct table *t = table_new(title[by]);
	const struct device_row *row = by == BY_QUEUE ? a->x->queue : a->x->device;
	size_t n = by == BY_QUEUE ? a->x->queue_n : a->x->device_n,
	       top = report_rows_shown(a->o, n, TOP_TEXT);

	if (by == BY_DEVICE)
		table_order(t, "the busiest first");
	columns(t, by);
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

static void picture(const struct about *a, size_t by, FILE *f)
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

static int print_all(const struct about *a, size_t by, FILE *f, size_t width, struct error *e)
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
	struct about a = {&o, &r, &x};
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
