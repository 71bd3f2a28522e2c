/* report_io.c: tau-report io: reads and writes of files, and the sizes of the calls. */
#include <inttypes.h>
#include <math.h>

#include "analyze/messages/files.h"
#include "analyze/messages/traffic.h"
#include "cmd/report/events/report_trace.h"
#include "cmd/report/report.h"
#include "cmd/table/table.h"

#define TOP_TEXT 20

enum { BY_FILE, BY_SIZE, BYS };

static const char *const op_name[] = {[IO_READ] = "read", [IO_WRITE] = "write"};

static void notes(struct table *t, const struct report_trace *r, const struct files *x)
{
	uint64_t calls = 0, bytes = 0, small = 0, placed = 0, unaligned = 0;

	for (size_t i = 0; i < x->row_n; i++) {
		calls += x->row[i].calls;
		bytes += x->row[i].bytes;
		small += x->row[i].small;
		placed += x->row[i].placed;
		unaligned += x->row[i].unaligned;
	}
	report_trace_notes(t, r);
	table_note(t,
		   "%" PRIu64 " calls moved %" PRIu64 " bytes; %" PRIu64 " calls are small: below "
		   "%d bytes.",
		   calls, bytes, small, FILES_SMALL);
	if (placed)
		table_note(t,
			   "%" PRIu64 " of %" PRIu64 " calls with a known offset are "
			   "unaligned: at no multiple of %d bytes.",
			   unaligned, placed, FILES_BLOCK);
	if (placed < calls)
		table_note(t,
			   "The offset of %" PRIu64 " calls is not known, such as of short "
			   "calls of read() and write(), and of streams.",
			   calls - placed);
}

static void file_put(struct table *t, const struct files *x, const struct files_row *r)
{
	table_row(t);
	table_put_text(t, 0, op_name[r->op]);
	table_put_integer(t, 1, (int64_t)r->calls);
	table_put_integer(t, 2, (int64_t)r->bytes);
	table_put_number(t, 3, r->ns ? report_ms((double)r->ns) : NAN);
	table_put_number(t, 4, r->ns ? 1e3 * (double)r->timed / (double)r->ns : NAN);
	table_put_integer(t, 5, (int64_t)r->small);
	if (r->placed)
		table_put_integer(t, 6, (int64_t)r->unaligned);
	table_put_integer(t, 7, (int64_t)r->least);
	table_put_integer(t, 8, (int64_t)r->most);
	table_put_text(t, 9, x->names.name[r->name]);
}

static struct table *file_table(const struct report_options *o, const struct report_trace *r,
				const struct files *x)
{
	struct table *t = table_new("Files");
	size_t top = report_rows_shown(o, x->row_n, TOP_TEXT);

	table_order(t, "most bytes first");
	table_column(t, TABLE_TEXT, "operation", "", NULL, 0);
	table_column(t, TABLE_INTEGER, "calls", "calls", NULL, 0);
	table_column(t, TABLE_INTEGER, "bytes", "bytes", NULL, 0);
	table_column(t, TABLE_NUMBER, "time_ms", "ms", NULL, 3);
	table_column(t, TABLE_NUMBER, "mb_per_s", "MB/s", NULL, 1);
	table_column(t, TABLE_INTEGER, "small_calls", "small", NULL, 0);
	table_column(t, TABLE_INTEGER, "unaligned_calls", "unaligned", NULL, 0);
	table_column(t, TABLE_INTEGER, "least_bytes", "least", NULL, 0);
	table_column(t, TABLE_INTEGER, "most_bytes", "most", NULL, 0);
	table_column(t, TABLE_TEXT, "file", "file", NULL, 0);
	notes(t, r, x);
	for (size_t i = 0; i < top; i++)
		file_put(t, x, &x->row[i]);
	if (top < x->row_n)
		table_remark(t, "%zu of %zu rows; --top 0 lists all.", top, x->row_n);
	return t;
}

static struct table *size_table(const struct report_trace *r, const struct files *x, int with_notes)
{
	struct table *t = table_new("Sizes of the calls");

	table_column(t, TABLE_INTEGER, "least_bytes", "from", "B", 0);
	table_column(t, TABLE_INTEGER, "most_bytes", "to", "B", 0);
	table_column(t, TABLE_INTEGER, "reads", "reads", NULL, 0);
	table_column(t, TABLE_INTEGER, "read_bytes", "bytes read", NULL, 0);
	table_column(t, TABLE_INTEGER, "writes", "writes", NULL, 0);
	table_column(t, TABLE_INTEGER, "written_bytes", "bytes written", NULL, 0);
	if (with_notes)
		notes(t, r, x);
	for (size_t i = 0; i < FILES_SIZES; i++) {
		const struct files_size *s = &x->size[i];
		uint64_t least, most;

		if (!s->calls[IO_READ] && !s->calls[IO_WRITE])
			continue;
		traffic_size(i, &least, &most);
		table_row(t);
		table_put_integer(t, 0, (int64_t)least);
		table_put_integer(t, 1, (int64_t)most);
		for (size_t op = IO_READ; op <= IO_WRITE; op++) {
			table_put_integer(t, 2 + 2 * op, (int64_t)s->calls[op]);
			table_put_integer(t, 3 + 2 * op, (int64_t)s->bytes[op]);
		}
	}
	return t;
}

static int print_all(const struct report_options *o, const struct report_trace *r,
		     const struct files *x, size_t by, FILE *f, size_t width, struct error *e)
{
	if (!x->row_n)
		return error_set(e, ERROR_INPUT,
				 "%s: it contains no reads and writes%s; they are recorded by "
				 "tau-record --wrap io",
				 r->trace->path, r->part);
	if (report_no_picture(o, "io", e))
		return e->code;
	report_table(by == BY_SIZE ? size_table(r, x, 1) : file_table(o, r, x), o, f, width);
	if (o->format == REPORT_TEXT && !o->by) {
		fputc('\n', f);
		report_table(size_table(r, x, 0), o, f, width);
	}
	return 0;
}

static int report_io(const struct report_options *o, const struct report_runs *runs,
		     struct output *out, size_t width, struct error *e)
{
	struct report_trace r;
	struct files x = {0};
	struct messages_use use;
	size_t by;
	int code = report_trace_begin(o, "io", &by, &r, e);

	(void)runs;
	if (!code) {
		use = files_use(&x, &r.messages);
		code = report_trace_read(&r, &use, 1, e);
	}
	if (!code) {
		files_end(&x);
		code = print_all(o, &r, &x, by, out->file, width, e);
	}
	files_release(&x);
	report_trace_release(&r);
	return code;
}

static const struct report_by bys[] = {
	{"file", "file and operation"},
	{"size", "range of sizes of calls"},
	{0},
};

const struct report_kind kind_io = {
	.name = "io",
	.about = "reads and writes of files, and their sizes",
	.question = QUESTION_TRAFFIC,
	.example = "run",
	.print = report_io,
	.options = REPORT_PICK "by",
	.by = bys,
	.events = 1,
	.title = "Files",
	.page = REPORT_PAGE_TABLES,
};
