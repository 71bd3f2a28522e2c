/* report_comm.c: tau-report comm: who sends how much to whom, sizes of messages, collective
 * operations. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analyze/messages/samples.h"
#include "analyze/messages/traffic.h"
#include "analyze/messages/waits.h"
#include "cmd/report/events/comm_picture.h"
#include "cmd/report/events/comm_variables.h"
#include "cmd/report/events/report_trace.h"
#include "cmd/report/events/report_waits.h"
#include "cmd/report/report.h"
#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"

#define MATRIX_PES  16 /* more of them are printed as pairs */
#define MATRIX_WIDE 80 /* columns of text */
#define PAIRS_TEXT  20

/* ---- pairs ---- */

static int busiest(const void *va, const void *vb)
{
	const struct traffic_pair *const *a = va, *const *b = vb;
	uint64_t x = (*a)->messages.bytes, y = (*b)->messages.bytes;

	for (int i = 0; i < RMAS; i++) {
		x += (*a)->rma[i].bytes;
		y += (*b)->rma[i].bytes;
	}
	if (x != y)
		return x > y ? -1 : 1;
	return *a < *b ? -1 : *a > *b;
}

/* Tables that have a column. */
enum { WITH_TRANSFERS = 1, WITHOUT_TRANSFERS = 2 };

/* One row, a member for each column. */
struct pair_cells {
	int64_t from, to, messages, bytes, puts, put_bytes, gets, get_bytes, atomics,
		atomic_bytes;
};

/* clang-format off: one column, one paragraph */
static const struct table_field pair_fields[] = {
	{FIELD(struct pair_cells, from), TABLE_INTEGER, "from", "from",
	 .meaning = "PE that sends the message or calls the transfer"},
	{FIELD(struct pair_cells, to), TABLE_INTEGER, "to", "to",
	 .meaning = "PE that receives the message or whose memory the transfer uses"},
	{FIELD(struct pair_cells, messages), TABLE_INTEGER, "messages", "messages",
	 .meaning = "number of messages: the sender's count, or the receiver's if "
	 "that is larger"},
	{FIELD(struct pair_cells, bytes), TABLE_INTEGER, "bytes", "bytes",
	 .meaning = "bytes of the messages; with --by limit, the largest message "
	 "that MPI sends at once, without waiting for the receive"},
	{FIELD(struct pair_cells, puts), TABLE_INTEGER, "puts", "puts",
	 .only = WITH_TRANSFERS,
	 .meaning = "number of puts"},
	{FIELD(struct pair_cells, put_bytes), TABLE_INTEGER, "put_bytes", "bytes",
	 .only = WITH_TRANSFERS,
	 .meaning = "bytes of puts"},
	{FIELD(struct pair_cells, gets), TABLE_INTEGER, "gets", "gets",
	 .only = WITH_TRANSFERS,
	 .meaning = "number of gets"},
	{FIELD(struct pair_cells, get_bytes), TABLE_INTEGER, "get_bytes", "bytes",
	 .only = WITH_TRANSFERS,
	 .meaning = "bytes of gets"},
	{FIELD(struct pair_cells, atomics), TABLE_INTEGER, "atomics", "atomics",
	 .only = WITH_TRANSFERS,
	 .meaning = "number of atomic operations"},
	{FIELD(struct pair_cells, atomic_bytes), TABLE_INTEGER, "atomic_bytes", "bytes",
	 .only = WITH_TRANSFERS,
	 .meaning = "bytes of atomic operations"},
	{0},
};
/* clang-format on */

static void pair_row(struct table *t, const struct traffic_pair *p)
{
	const struct traffic_count *rma = p->rma;

	table_row(t);
	table_put_fields(t, &(struct pair_cells){
				    .from = p->from,
				    .to = p->to,
				    .messages = (int64_t)p->messages.n,
				    .bytes = (int64_t)p->messages.bytes,
				    .puts = (int64_t)rma[RMA_PUT].n,
				    .put_bytes = (int64_t)rma[RMA_PUT].bytes,
				    .gets = (int64_t)rma[RMA_GET].n,
				    .get_bytes = (int64_t)rma[RMA_GET].bytes,
				    .atomics = (int64_t)rma[RMA_ATOMIC].n,
				    .atomic_bytes = (int64_t)rma[RMA_ATOMIC].bytes,
			    });
}

static struct table *pair_table(const struct report_options *o, const struct report_trace *r,
				const struct traffic *x)
{
	struct table *t = table_new("Messages and transfers by pair of PEs");
	const struct traffic_pair **v = mem_alloc((x->pair_n + 1) * sizeof(struct traffic_pair *));
	size_t top = report_rows_shown(o, x->pair_n, PAIRS_TEXT);
	int transfers = o->format != REPORT_TEXT;

	table_order(t, "most bytes first");
	for (size_t i = 0; i < x->pair_n; i++)
		for (int k = 0; k < RMAS; k++)
			transfers |= x->pair[i].rma[k].n > 0;
	table_fields(t, pair_fields, transfers ? WITH_TRANSFERS : WITHOUT_TRANSFERS, NULL);
	report_trace_notes(t, r);
	for (size_t i = 0; i < x->pair_n; i++)
		v[i] = &x->pair[i];
	if (x->pair_n && o->format == REPORT_TEXT)
		qsort(v, x->pair_n, sizeof(*v), busiest);
	for (size_t i = 0; i < top; i++)
		pair_row(t, v[i]);
	if (top < x->pair_n)
		table_remark(t, "%zu of %zu pairs; --top 0 lists all.", top, x->pair_n);
	free(v);
	return t;
}

/* ---- the matrix ---- */

struct comm_matrix {
	const char *title;
	int kind;  /* -1: messages, otherwise enum event_rma */
	int bytes; /* or how many */
};

static uint64_t matrix_cell(const struct comm_matrix *m, const struct traffic_pair *p)
{
	const struct traffic_count *c = m->kind < 0 ? &p->messages : &p->rma[m->kind];

	return m->bytes ? c->bytes : c->n;
}

static uint64_t matrix_sum(const struct comm_matrix *m, const struct traffic *x, int64_t from,
			   int64_t to)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < x->pair_n; i++)
		if ((from < 0 || x->pair[i].from == from) && (to < 0 || x->pair[i].to == to))
			sum += matrix_cell(m, &x->pair[i]);
	return sum;
}

static int digits(uint64_t n)
{
	int d = 1;

	while (n /= 10)
		d++;
	return d;
}

/* The columns of text that it takes. */
static size_t matrix_width(const struct comm_matrix *m, const struct traffic *x, size_t pes)
{
	size_t width = 4 + 2 + (size_t)digits(matrix_sum(m, x, -1, -1));

	for (size_t to = 0; to < pes; to++)
		width += 2 + (size_t)digits(matrix_sum(m, x, -1, (int64_t)to));
	return width;
}

enum { EACH_PE = 1, EACHES };

/* One row, a member for each column. */
struct matrix_cells {
	const char *from;
	const int64_t *to;
	int64_t all;
};

/* clang-format off: one column, one paragraph */
static const struct table_field matrix_fields[] = {
	{FIELD(struct matrix_cells, from), TABLE_TEXT, "from", "from",
	 .meaning = "PE that sends the message or calls the transfer"},
	{FIELD(struct matrix_cells, to), TABLE_INTEGER, "*", NULL,
	 .each = EACH_PE,
	 .meaning = "what the title names, from the PE of the row to PE N"},
	{FIELD(struct matrix_cells, all), TABLE_INTEGER, "all", "all",
	 .meaning = "sum of the row"},
	{0},
};
/* clang-format on */

/* The row of a PE, or of the sums of all: from < 0. */
static void matrix_row(struct table *t, const struct comm_matrix *m, const struct traffic *x,
		       int64_t from, size_t pes)
{
	int64_t *to = mem_alloc((pes + 1) * sizeof(*to));
	char *name = from < 0 ? mem_string("all") : mem_printf("%jd", (intmax_t)from);

	for (size_t i = 0; i < pes; i++) {
		uint64_t v = matrix_sum(m, x, from, (int64_t)i);

		to[i] = v || from < 0 ? (int64_t)v : FIELD_MISSING;
	}
	table_row(t);
	table_put_fields(t, &(struct matrix_cells){
				    .from = name,
				    .to = to,
				    .all = (int64_t)matrix_sum(m, x, from, -1),
			    });
	free(name);
	free(to);
}

static struct table *matrix_table(const struct comm_matrix *m, const struct traffic *x, size_t pes)
{
	struct table *t = table_new(m->title);
	struct field_each each[EACHES] = {0};

	for (size_t to = 0; to < pes; to++)
		field_each_add(&each[EACH_PE], mem_printf("%zu", to), NULL);
	table_fields_each(t, matrix_fields, 0, NULL, each);
	field_each_release(&each[EACH_PE]);
	for (size_t from = 0; from < pes; from++)
		matrix_row(t, m, x, (int64_t)from, pes);
	table_rule(t);
	matrix_row(t, m, x, -1, pes);
	return t;
}

static const struct comm_matrix matrices[] = {
	{"Messages (rows send, columns receive)", -1, 0},
	{"Bytes of messages (rows send, columns receive)", -1, 1},
	{"Puts (rows call, columns are written to)", RMA_PUT, 0},
	{"Bytes put (rows call, columns are written to)", RMA_PUT, 1},
	{"Gets (rows call, columns are read from)", RMA_GET, 0},
	{"Bytes got (rows call, columns are read from)", RMA_GET, 1},
	{"Atomic operations (rows call, columns are changed)", RMA_ATOMIC, 0},
};
#define MATRICES (sizeof(matrices) / sizeof(*matrices))

static size_t pes_of(const struct report_trace *r, const struct traffic *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->pair_n; i++) {
		n = x->pair[i].from >= n ? (size_t)x->pair[i].from + 1 : n;
		n = x->pair[i].to >= n ? (size_t)x->pair[i].to + 1 : n;
	}
	for (size_t i = 0; i < r->trace->process_n; i++)
		if (r->trace->process[i].rank >= (int64_t)n)
			n = (size_t)r->trace->process[i].rank + 1;
	return n;
}

/* As matrices where they fit, otherwise as pairs. */
static void print_pairs(const struct report_options *o, const struct report_trace *r,
			const struct traffic *x, FILE *f, size_t width)
{
	size_t pes = pes_of(r, x), room = width > MATRIX_WIDE ? width : MATRIX_WIDE;
	int fits = pes <= MATRIX_PES, first = 1;

	for (size_t i = 0; i < MATRICES && fits; i++)
		fits = matrix_width(&matrices[i], x, pes) <= room;
	if (o->format != REPORT_TEXT || o->top >= 0 || o->sorting || !fits || !x->pair_n) {
		report_table(pair_table(o, r, x), o, f, width);
		return;
	}
	for (size_t i = 0; i < MATRICES; i++) {
		struct table *t;

		if (!matrix_sum(&matrices[i], x, -1, -1))
			continue;
		t = matrix_table(&matrices[i], x, pes);
		if (first)
			report_trace_notes(t, r);
		else
			fputc('\n', f);
		first = 0;
		report_table(t, o, f, width);
	}
}

/* ---- sizes and collective operations ---- */

/* One row, a member for each column. */
struct comm_size_cells {
	int64_t least, most, messages, bytes;
	double messages_pct, bytes_pct;
};

/* clang-format off: one column, one paragraph */
static const struct table_field size_fields[] = {
	{FIELD(struct comm_size_cells, least), TABLE_INTEGER, "least_bytes", "from", "B",
	 .meaning = "smallest size of the range, a power of two"},
	{FIELD(struct comm_size_cells, most), TABLE_INTEGER, "most_bytes", "to", "B",
	 .meaning = "largest size of the range"},
	{FIELD(struct comm_size_cells, messages), TABLE_INTEGER, "messages", "messages",
	 .meaning = "number of messages: the sender's count, or the receiver's if "
		    "that is larger"},
	{FIELD(struct comm_size_cells, bytes), TABLE_INTEGER, "bytes", "bytes",
	 .meaning = "bytes of the messages; with --by limit, the largest message "
		    "that MPI sends at once, without waiting for the receive"},
	{FIELD(struct comm_size_cells, messages_pct), TABLE_NUMBER, "messages_pct", "% of messages",
	 .precision = 1, .meaning = "share of all messages"},
	{FIELD(struct comm_size_cells, bytes_pct), TABLE_NUMBER, "bytes_pct", "% of bytes",
	 .precision = 1, .meaning = "share of all bytes"},
	{0},
};
/* clang-format on */

static struct table *size_table(const struct report_trace *r, const struct traffic *x, int notes)
{
	struct table *t = table_new("Sizes of messages");
	uint64_t n = 0, bytes = 0;

	table_fields(t, size_fields, 0, NULL);
	if (notes)
		report_trace_notes(t, r);
	for (size_t i = 0; i < TRAFFIC_SIZES; i++) {
		n += x->size[i].n;
		bytes += x->size[i].bytes;
	}
	for (size_t i = 0; i < TRAFFIC_SIZES; i++) {
		uint64_t least, most;

		if (!x->size[i].n)
			continue;
		traffic_size(i, &least, &most);
		least = least > x->size_least ? least : x->size_least;
		most = most < x->size_most ? most : x->size_most;
		table_row(t);
		table_put_fields(t, &(struct comm_size_cells){
					    .least = (int64_t)least,
					    .most = (int64_t)most,
					    .messages = (int64_t)x->size[i].n,
					    .bytes = (int64_t)x->size[i].bytes,
					    .messages_pct = 100 * (double)x->size[i].n / (double)n,
					    .bytes_pct = bytes ? 100 * (double)x->size[i].bytes /
									 (double)bytes
							       : NAN,
				    });
	}
	return t;
}

/* One row, a member for each column. */
struct collective_cells {
	const char *region;
	int64_t calls, sent, received;
	double time, wait, wait_pct;
};

/* clang-format off: one column, one paragraph */
static const struct table_field collective_fields[] = {
	{FIELD(struct collective_cells, region), TABLE_TEXT, "region", "region",
	 .meaning = "collective operation"},
	{FIELD(struct collective_cells, calls), TABLE_INTEGER, "calls", "calls",
	 .meaning = "calls over all PEs"},
	{FIELD(struct collective_cells, sent), TABLE_INTEGER, "sent_bytes", "bytes sent",
	 .meaning = "bytes that the callers passed to the operation"},
	{FIELD(struct collective_cells, received), TABLE_INTEGER,
	 "received_bytes", "bytes received",
	 .meaning = "bytes that the callers received"},
	{FIELD(struct collective_cells, time), TABLE_NUMBER, "time_ms", "time", "ms",
	 .precision = 3,
	 .meaning = "inclusive time of the calls"},
	{FIELD(struct collective_cells, wait), TABLE_NUMBER, "wait_ms", "waiting", "ms",
	 .precision = 3,
	 .meaning = "waiting in these calls, as tau-report waits defines it",
	 .source = "Scalasca"},
	{FIELD(struct collective_cells, wait_pct), TABLE_NUMBER, "wait_pct", "% waiting",
	 .precision = 1, .spare = 1,
	 .meaning = "share of the calls' time that is waiting",
	 .formula = "100 * wait / time"},
	{0},
};
/* clang-format on */

static struct table *collective_table(const struct report_trace *r, const struct traffic *x,
				      int notes)
{
	struct table *t = table_new("Collective operations, over all PEs");

	table_fields(t, collective_fields, 0, NULL);
	if (notes)
		report_trace_notes(t, r);
	for (size_t i = 0; i < x->collective_n; i++) {
		const struct traffic_collective *c = &x->collective[i];

		table_row(t);
		table_put_fields(
			t, &(struct collective_cells){
				   .region = c->region == TRACE_NONE
						     ? NULL
						     : r->trace->region[c->region].name,
				   .calls = (int64_t)c->calls,
				   .sent = (int64_t)c->sent,
				   .received = (int64_t)c->received,
				   .time = report_ms((double)c->time),
				   .wait = report_ms((double)c->wait),
				   .wait_pct = c->time ? 100 * (double)c->wait / (double)c->time
						       : NAN,
			   });
	}
	return t;
}

/* ---- all of it ---- */

enum { BY_PAIR, BY_SIZE, BY_COLLECTIVE, BY_WAIT, BY_CAUSE, BY_QUEUE, BY_LIMIT, BYS };

/* What was read: the traffic, the waits, and counters. */
struct comm_report {
	const struct report_options *o;
	const struct report_trace *r;
	const struct traffic *x;
	const struct waits *waits;
	const struct samples *counters;
};

/* After other tables; none if it is NULL. */
static void print_next(struct table *t, const struct comm_report *a, FILE *f, size_t width)
{
	if (!t)
		return;
	fputc('\n', f);
	report_table(t, a->o, f, width);
}

static void print_text(const struct comm_report *a, FILE *f, size_t width)
{
	print_pairs(a->o, a->r, a->x, f, width);
	if (a->x->size_most >= a->x->size_least)
		print_next(size_table(a->r, a->x, 0), a, f, width);
	print_next(comm_limit_table(a->r), a, f, width);
	print_next(comm_queue_table(a->o, a->r, a->counters), a, f, width);
	if (a->x->collective_n)
		print_next(collective_table(a->r, a->x, 0), a, f, width);
	if (!a->o->section && a->waits->waits.v_n) {
		fputc('\n', f);
		waits_print(a->o, a->r, a->waits, WAITS_PATH, 0, f, width);
	}
	if (!a->o->section && a->waits->causes.v_n) {
		fputc('\n', f);
		waits_print(a->o, a->r, a->waits, WAITS_CAUSE, 0, f, width);
	}
}

/* --by queue, --by limit */
static int print_variables(const struct comm_report *a, size_t by, FILE *f, size_t width,
			   struct error *e)
{
	struct table *t = by == BY_QUEUE ? comm_queue_table(a->o, a->r, a->counters)
					 : comm_limit_table(a->r);

	if (!t)
		return error_set(e, ERROR_INPUT,
				 "%s: it contains no %s; tau-record --mpi-t records them",
				 a->r->trace->path,
				 by == BY_QUEUE ? "lengths of queues" : "eager limits");
	report_trace_notes(t, a->r);
	report_table(t, a->o, f, width);
	return 0;
}

static int print_all(const struct comm_report *a, size_t by, FILE *f, size_t width, struct error *e)
{
	if (a->o->format == REPORT_SVG)
		comm_picture(f, a->r, a->x, pes_of(a->r, a->x));
	else if (a->o->format == REPORT_TEXT && !a->o->by)
		print_text(a, f, width);
	else if (by == BY_PAIR)
		print_pairs(a->o, a->r, a->x, f, width);
	else if (by >= BY_QUEUE)
		return print_variables(a, by, f, width, e);
	else if (by >= BY_WAIT)
		waits_print(a->o, a->r, a->waits, by == BY_WAIT ? WAITS_PATH : WAITS_CAUSE, 1, f,
			    width);
	else
		report_table(by == BY_SIZE ? size_table(a->r, a->x, 1)
					   : collective_table(a->r, a->x, 1),
			     a->o, f, width);
	return 0;
}

static int report_comm(const struct report_options *given, const struct report_runs *runs,
		       struct output *out, size_t width, struct error *e)
{
	struct report_options o = *given;
	struct report_trace r;
	struct traffic x = {0};
	struct waits waits = {0};
	struct samples counters = {0};
	struct messages_use use[3];
	struct comm_report about = {&o, &r, &x, &waits, &counters};
	size_t by;
	int code = report_trace_begin(&o, "comm", &by, &r, e);

	(void)runs;
	if (!code) {
		use[0] = waits_use(&waits, &r.messages);
		use[0].teams = 0;
		use[1] = traffic_use(&x, &r.messages);
		use[2] = samples_use(&counters, &r.messages);
		code = report_trace_read(&r, use, 3, e);
	}
	if (!code) {
		traffic_end(&x);
		waits_end(&waits);
		samples_end(&counters);
		if (!x.pair_n && !x.collective_n)
			code = error_set(e, ERROR_INPUT,
					 "%s: it contains no messages and no collective "
					 "operations%s",
					 r.trace->path, r.part);
		else
			do
				code = print_all(&about, by, out->file, width, e);
			while (!code && report_draws(&o, &out));
	}
	samples_release(&counters);
	traffic_release(&x);
	waits_release(&waits);
	report_trace_release(&r);
	return code;
}

static const struct report_by bys[] = {
	{"pair", "sender and receiver"},
	{"size", "range of sizes of messages"},
	{"collective", "collective operation"},
	{"wait", "wait state, and call path that waits"},
	{"cause", "call path that causes waits"},
	{"queue", "rank, with its queues of messages"},
	{"limit", "eager limit of MPI"},
	{0},
};

const struct report_kind kind_comm = {
	.name = "comm",
	.columns = (const struct table_field *const[]){pair_fields, matrix_fields, size_fields,
						       collective_fields, comm_queue_fields,
						       comm_limit_fields, NULL},
	.about = "messages and bytes between PEs",
	.question = QUESTION_TRAFFIC,
	.example = "--by size run",
	.print = report_comm,
	.options = REPORT_PICK "by",
	.by = bys,
	.events = 1,
	.title = "Messages",
	.page = REPORT_PAGE_BOTH,
};
