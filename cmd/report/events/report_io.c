/* report_io.c: tau-report io: reads and writes of files, the sizes of the calls, and calls that open, look up or change files. */
#include <inttypes.h>
#include <math.h>

#include "analyze/messages/files.h"
#include "analyze/messages/traffic.h"
#include "analyze/trace/event_fields.h"
#include "cmd/report/events/report_trace.h"
#include "cmd/report/report.h"
#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"

#define TOP_TEXT 20

enum { BY_FILE, BY_DIRECTORY, BY_SIZE, BYS };

/* Tables of files, and of directories. */
enum { OF_FILES = 1, OF_DIRECTORIES = 2 };

/* Tables of sizes: without the columns of MPI-IO, and with them. */
enum { WITHOUT_MPI = 1, WITH_MPI = 2 };

/* Calls of MPI, or calls of the system, which include those that MPI makes. */
static void notes_of(struct table *t, const struct files *x, int mpi)
{
	uint64_t calls = 0, bytes = 0, small = 0, placed = 0, unaligned = 0;

	for (size_t i = 0; i < x->row_n; i++) {
		if (event_io_is_mpi(x->row[i].op) != mpi || !event_io_moves(x->row[i].op))
			continue;
		calls += x->row[i].calls;
		bytes += x->row[i].bytes;
		small += x->row[i].small;
		placed += x->row[i].placed;
		unaligned += x->row[i].unaligned;
	}
	if (!calls)
		return;
	table_note(t,
		   "%s%" PRIu64 " calls moved %" PRIu64 " bytes; %" PRIu64
		   " calls are small: below %d bytes.",
		   mpi ? "MPI-IO: " : "", calls, bytes, small, FILES_SMALL);
	if (placed)
		table_note(t,
			   "%" PRIu64 " of %" PRIu64 " calls with a known offset are "
			   "unaligned: at no multiple of %d bytes.",
			   unaligned, placed, FILES_BLOCK);
	if (placed < calls)
		table_note(t,
			   "The offset of %" PRIu64 " calls is not known, such as of %s.",
			   calls - placed,
			   mpi ? "calls that use a shared position"
			       : "short calls of read() and write(), and of streams");
}

static int has(const struct files *x, int mpi)
{
	for (size_t i = 0; i < x->row_n; i++)
		if (event_io_is_mpi(x->row[i].op) == mpi && event_io_moves(x->row[i].op))
			return 1;
	return 0;
}

/* Calls about names and descriptors of files: "5000 open in 12.1 ms, 5000 close in 3.2 ms". */
static void names_note(struct table *t, const struct report_trace *r, const struct files *x)
{
	char *line = NULL;

	for (uint32_t op = IO_MOVES; op < IO_OPS; op++) {
		uint64_t calls = 0;
		int64_t ns = 0;
		char time[QUANTITY_TEXT], *longer;

		for (size_t i = 0; i < x->row_n; i++) {
			calls += x->row[i].op == op ? x->row[i].calls : 0;
			ns += x->row[i].op == op ? x->row[i].ns : 0;
		}
		if (!calls)
			continue;
		report_trace_time(r, (double)ns, time);
		longer = mem_printf("%s%s%" PRIu64 " %s in %s", line ? line : "",
				    line ? ", " : "", calls, event_io_name[op], time);
		free(line);
		line = longer;
	}
	if (line)
		table_note(t, "Calls that move no bytes: %s.", line);
	free(line);
}

static void notes(struct table *t, const struct report_trace *r, const struct files *x)
{
	report_trace_notes(t, r);
	names_note(t, r, x);
	notes_of(t, x, 0);
	notes_of(t, x, 1);
	if (has(x, 0) && has(x, 1))
		table_note(t, "MPI reads and writes files by read and write: rows of both count "
			      "the same bytes.");
}

/* One row, a member for each column. */
struct file_cells {
	const char *operation;
	int64_t calls, files, bytes;
	double time, mb_per_s;
	int64_t small, unaligned, least, most;
	const char *file;
};

/* clang-format off: one column, one paragraph */
static const struct table_field file_fields[] = {
	{FIELD(struct file_cells, operation), TABLE_TEXT, "operation", "",
	 .meaning = "read, write; MPI read, MPI write: by functions of MPI, which are "
	 "rows beside those of the calls of the system that MPI makes for them; and calls that "
	 "move no bytes: open, close, stat, access, remove, rename, mkdir, rmdir, and list, which "
	 "begins to read a directory"},
	{FIELD(struct file_cells, calls), TABLE_INTEGER, "calls", "calls",
	 .meaning = "number of calls over all processes"},
	{FIELD(struct file_cells, files), TABLE_INTEGER, "files", NULL, .only = OF_DIRECTORIES,
	 .meaning = "number of different names in the directory"},
	{FIELD(struct file_cells, bytes), TABLE_INTEGER, "bytes", "bytes",
	 .meaning = "bytes that the calls moved"},
	{FIELD(struct file_cells, time), TABLE_NUMBER, "time_ms", "ms",
	 .precision = 3,
	 .meaning = "time in the calls"},
	{FIELD(struct file_cells, mb_per_s), TABLE_NUMBER, "mb_per_s", "MB/s",
	 .precision = 1,
	 .meaning = "millions of bytes per second of the time in the calls"},
	{FIELD(struct file_cells, small), TABLE_INTEGER, "small_calls", "small",
	 .meaning = "calls that move less than 4096 bytes"},
	{FIELD(struct file_cells, unaligned), TABLE_INTEGER, "unaligned_calls", "unaligned",
	 .spare = 3,
	 .meaning = "calls that begin at no multiple of 4096 bytes in the file, of "
	 "those with a known offset; empty: no offset is known"},
	{FIELD(struct file_cells, least), TABLE_INTEGER, "least_bytes", "least",
	 .spare = 2,
	 .meaning = "fewest bytes of a call; with --by size, start of the range"},
	{FIELD(struct file_cells, most), TABLE_INTEGER, "most_bytes", "most",
	 .spare = 1,
	 .meaning = "most bytes of a call; with --by size, end of the range"},
	{FIELD(struct file_cells, file), TABLE_TEXT, "file", "file",
	 .meaning = "file, pipe or socket; with --by directory, directory"},
	{0},
};
/* clang-format on */

static void file_put(struct table *t, const struct files *x, const struct files_row *r)
{
	int moves = event_io_moves(r->op);
	const struct file_cells cells = {
		.operation = event_io_name[r->op],
		.calls = (int64_t)r->calls,
		.files = (int64_t)r->files,
		.bytes = moves ? (int64_t)r->bytes : FIELD_MISSING,
		.time = r->ns ? report_ms((double)r->ns) : NAN,
		.mb_per_s = r->ns && moves ? 1e3 * (double)r->timed / (double)r->ns : NAN,
		.small = moves ? (int64_t)r->small : FIELD_MISSING,
		.unaligned = r->placed ? (int64_t)r->unaligned : FIELD_MISSING,
		.least = moves ? (int64_t)r->least : FIELD_MISSING,
		.most = moves ? (int64_t)r->most : FIELD_MISSING,
		.file = x->names.name[r->name],
	};

	table_row(t);
	table_put_fields(t, &cells);
}

static struct table *file_table(const struct report_options *o, const struct report_trace *r,
				const struct files *x, int directories)
{
	struct table *t = table_new(directories ? "Directories" : "Files");
	size_t top = report_rows_shown(o, x->row_n, TOP_TEXT);

	table_order(t, "most time first, then most bytes");
	table_fields(t, file_fields, directories ? OF_DIRECTORIES : OF_FILES, NULL);
	notes(t, r, x);
	for (size_t i = 0; i < top; i++)
		file_put(t, x, &x->row[i]);
	if (top < x->row_n)
		table_remark(t, "%zu of %zu rows; --top 0 lists all.", top, x->row_n);
	return t;
}

/* One row, a member for each column. */
struct io_size_cells {
	int64_t least, most, reads, read_bytes, writes, written_bytes;
	int64_t mpi_reads, mpi_read_bytes, mpi_writes, mpi_written_bytes;
};

/* clang-format off: one column, one paragraph */
static const struct table_field size_fields[] = {
	{FIELD(struct io_size_cells, least), TABLE_INTEGER, "least_bytes", "from", "B",
	 .meaning = "fewest bytes of a call; with --by size, start of the range"},
	{FIELD(struct io_size_cells, most), TABLE_INTEGER, "most_bytes", "to", "B",
	 .meaning = "most bytes of a call; with --by size, end of the range"},
	{FIELD(struct io_size_cells, reads), TABLE_INTEGER, "reads", "reads",
	 .meaning = "number of reads in the range"},
	{FIELD(struct io_size_cells, read_bytes), TABLE_INTEGER, "read_bytes", "bytes read",
	 .meaning = "bytes of these reads"},
	{FIELD(struct io_size_cells, writes), TABLE_INTEGER, "writes", "writes",
	 .meaning = "number of writes in the range"},
	{FIELD(struct io_size_cells, written_bytes), TABLE_INTEGER, "written_bytes",
	 "bytes written", .meaning = "bytes of these writes"},
	{FIELD(struct io_size_cells, mpi_reads), TABLE_INTEGER, "mpi_reads", "MPI reads",
	 .only = WITH_MPI, .meaning = "number of reads by functions of MPI in the range"},
	{FIELD(struct io_size_cells, mpi_read_bytes), TABLE_INTEGER, "mpi_read_bytes", "bytes read",
	 .only = WITH_MPI, .meaning = "bytes of these reads"},
	{FIELD(struct io_size_cells, mpi_writes), TABLE_INTEGER, "mpi_writes", "MPI writes",
	 .only = WITH_MPI, .meaning = "number of writes by functions of MPI in the range"},
	{FIELD(struct io_size_cells, mpi_written_bytes), TABLE_INTEGER, "mpi_written_bytes",
	 "bytes written", .only = WITH_MPI, .meaning = "bytes of these writes"},
	{0},
};
/* clang-format on */

static struct table *size_table(const struct report_trace *r, const struct files *x, int with_notes)
{
	struct table *t = table_new("Sizes of the calls");

	table_fields(t, size_fields, has(x, 1) ? WITH_MPI : WITHOUT_MPI, NULL);
	if (with_notes)
		notes(t, r, x);
	for (size_t i = 0; i < FILES_SIZES; i++) {
		const struct files_size *s = &x->size[i];
		uint64_t least, most, calls = 0;

		for (size_t op = 0; op < IO_MOVES; op++)
			calls += s->calls[op];
		if (!calls)
			continue;
		traffic_size(i, &least, &most);
		table_row(t);
		table_put_fields(t, &(struct io_size_cells){
					    .least = (int64_t)least,
					    .most = (int64_t)most,
					    .reads = (int64_t)s->calls[IO_READ],
					    .read_bytes = (int64_t)s->bytes[IO_READ],
					    .writes = (int64_t)s->calls[IO_WRITE],
					    .written_bytes = (int64_t)s->bytes[IO_WRITE],
					    .mpi_reads = (int64_t)s->calls[IO_MPI_READ],
					    .mpi_read_bytes = (int64_t)s->bytes[IO_MPI_READ],
					    .mpi_writes = (int64_t)s->calls[IO_MPI_WRITE],
					    .mpi_written_bytes = (int64_t)s->bytes[IO_MPI_WRITE],
				    });
	}
	return t;
}

static int print_all(const struct report_options *o, const struct report_trace *r,
		     const struct files *x, size_t by, FILE *f, size_t width, struct error *e)
{
	struct files directories;

	if (!x->row_n)
		return error_set(e, ERROR_INPUT,
				 "%s: it contains no calls about files%s; they are recorded by "
				 "tau-record --wrap io",
				 r->trace->path, r->part);
	if (report_no_picture(o, "io", e))
		return e->code;
	if (by == BY_DIRECTORY) {
		files_by_directory(x, &directories);
		report_table(file_table(o, r, &directories, 1), o, f, width);
		files_release(&directories);
		return 0;
	}
	report_table(by == BY_SIZE ? size_table(r, x, 1) : file_table(o, r, x, 0), o, f, width);
	if (o->format == REPORT_TEXT && !o->by && (has(x, 0) || has(x, 1))) {
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
	{"directory", "directory and operation"},
	{"size", "range of sizes of calls"},
	{0},
};

const struct report_kind kind_io = {
	.name = "io",
	.columns = (const struct table_field *const[]){file_fields, size_fields, NULL},
	.about = "reads and writes of files, their sizes, and opens and lookups",
	.question = QUESTION_TRAFFIC,
	.example = "run",
	.print = report_io,
	.options = REPORT_PICK "by",
	.by = bys,
	.events = 1,
	.title = "Files",
	.page = REPORT_PAGE_TABLES,
};
