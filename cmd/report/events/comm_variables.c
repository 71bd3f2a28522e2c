/* comm_variables.c: tables of the lengths of MPI's queues and of eager limits. */
#include "cmd/report/events/comm_variables.h"

#include <math.h>
#include <string.h>

#include "cmd/report/report.h"
#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"
#include "record/metadata.h"

#define ROWS_TEXT 20

/* ---- queues ---- */

enum { UNEXPECTED, POSTED, QUEUES };

/* Both queues of a process, over its threads. */
struct queues {
	int64_t rank;
	struct {
		uint64_t n;
		double sum, most;
	} of[QUEUES];
};

/* Open MPI: unexpected_msgq_length, posted_recvq_length; MPICH: unexpected_recvq_length. -1: another counter. */
static int queue_of(const char *name)
{
	if (strncmp(name, TAU_EVENT_MPI_T, strlen(TAU_EVENT_MPI_T)) != 0 ||
	    !strstr(name, "q_length"))
		return -1;
	return strstr(name, "unexpected") ? UNEXPECTED : strstr(name, "posted") ? POSTED : -1;
}

int comm_is_unexpected(const char *counter)
{
	return queue_of(counter) == UNEXPECTED;
}

static void queue_add(struct queues *v, const struct report_trace *r, const struct samples_row *row)
{
	const struct trace *t = r->trace;
	uint32_t process = t->stream[row->stream].process;
	int queue = queue_of(t->event[row->event].name);

	if (queue < 0 || !row->n)
		return;
	if (!v[process].of[queue].n || row->max > v[process].of[queue].most)
		v[process].of[queue].most = row->max;
	v[process].of[queue].n += row->n;
	v[process].of[queue].sum += samples_mean(row) * (double)row->n;
}

static int longest(const void *va, const void *vb)
{
	const struct queues *a = va, *b = vb;
	double x = a->of[UNEXPECTED].most, y = b->of[UNEXPECTED].most;

	return x != y ? (x > y ? -1 : 1) : a->rank < b->rank ? -1 : a->rank > b->rank;
}

static int by_rank(const void *va, const void *vb)
{
	const struct queues *a = va, *b = vb;

	return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* One row, a member for each column. */
struct comm_queue_cells {
	int64_t rank, unexpected_reads;
	double unexpected_mean, unexpected_largest;
	int64_t posted_reads;
	double posted_mean, posted_largest;
};

/* clang-format off: one column, one paragraph */
const struct table_field comm_queue_fields[] = {
	{FIELD(struct comm_queue_cells, rank), TABLE_INTEGER, "rank", "rank",
	 .meaning = "rank of the process"},
	{FIELD(struct comm_queue_cells, unexpected_reads), TABLE_INTEGER, "unexpected_reads",
	 "reads", .meaning = "number of readings of the queue's length", .source = "MPI_T"},
	{FIELD(struct comm_queue_cells, unexpected_mean), TABLE_NUMBER, "unexpected_mean",
	 "unexpected, mean", .precision = 1, .meaning = "mean of these readings",
	 .source = "MPI_T"},
	{FIELD(struct comm_queue_cells, unexpected_largest), TABLE_NUMBER, "unexpected_largest",
	 "largest", .meaning = "largest of these readings", .source = "MPI_T"},
	{FIELD(struct comm_queue_cells, posted_reads), TABLE_INTEGER, "posted_reads", "reads",
	 .meaning = "number of readings of the queue's length", .source = "MPI_T"},
	{FIELD(struct comm_queue_cells, posted_mean), TABLE_NUMBER, "posted_mean", "posted, mean",
	 .precision = 1, .meaning = "mean of these readings", .source = "MPI_T"},
	{FIELD(struct comm_queue_cells, posted_largest), TABLE_NUMBER, "posted_largest", "largest",
	 .meaning = "largest of these readings", .source = "MPI_T"},
	{0},
};
/* clang-format on */

static int64_t reads(const struct queues *q, size_t i)
{
	return q->of[i].n ? (int64_t)q->of[i].n : FIELD_MISSING;
}

static double mean(const struct queues *q, size_t i)
{
	return q->of[i].n ? q->of[i].sum / (double)q->of[i].n : NAN;
}

static double most(const struct queues *q, size_t i)
{
	return q->of[i].n ? q->of[i].most : NAN;
}

static void queue_row(struct table *t, const struct queues *q)
{
	table_row(t);
	table_put_fields(t, &(struct comm_queue_cells){
				    .rank = q->rank,
				    .unexpected_reads = reads(q, UNEXPECTED),
				    .unexpected_mean = mean(q, UNEXPECTED),
				    .unexpected_largest = most(q, UNEXPECTED),
				    .posted_reads = reads(q, POSTED),
				    .posted_mean = mean(q, POSTED),
				    .posted_largest = most(q, POSTED),
			    });
}

static struct table *queue_columns(void)
{
	struct table *t = table_new("Queues of MPI: messages that no receive was posted for, and "
				    "posted receives without a message");

	table_fields(t, comm_queue_fields, 0, NULL);
	return t;
}

struct table *comm_queue_table(const struct report_options *o, const struct report_trace *r,
			       const struct samples *x)
{
	size_t processes = r->trace->process_n, n = 0, top;
	struct queues *v = mem_alloc((processes + 1) * sizeof(*v));
	struct table *t = NULL;

	for (size_t i = 0; i < x->row_n; i++)
		queue_add(v, r, &x->row[i]);
	for (size_t i = 0; i < processes; i++)
		if (v[i].of[UNEXPECTED].n || v[i].of[POSTED].n) {
			v[n] = v[i];
			v[n++].rank = r->trace->process[i].node;
		}
	if (n) {
		qsort(v, n, sizeof(*v), o->format == REPORT_TEXT ? longest : by_rank);
		top = report_rows_shown(o, n, ROWS_TEXT);
		t = queue_columns();
		for (size_t i = 0; i < top; i++)
			queue_row(t, &v[i]);
		if (top < n)
			table_remark(t, "%zu of %zu ranks; --top 0 lists all.", top, n);
	}
	free(v);
	return t;
}

/* ---- eager limits ---- */

struct variable_limit {
	const char *name, *value; /* borrowed from the trace */
	int64_t ranks;
};

struct variable_limits {
	struct variable_limit *v;
	size_t v_n, v_cap;
};

/* The limits named rndv are those of the first part of larger messages. */
static void limit_add(struct variable_limits *x, const struct trace_attribute *a)
{
	const size_t n = strlen(TAU_META_MPI_CONTROL_VARIABLE);
	struct variable_limit *l;

	if (strncmp(a->name, TAU_META_MPI_CONTROL_VARIABLE, n) != 0 ||
	    !strstr(a->name + n, "eager_limit") || strstr(a->name + n, "rndv"))
		return;
	for (size_t i = 0; i < x->v_n; i++)
		if (!strcmp(x->v[i].name, a->name + n) && !strcmp(x->v[i].value, a->value)) {
			x->v[i].ranks++;
			return;
		}
	l = array_add(x, v);
	*l = (struct variable_limit){a->name + n, a->value, 1};
}

/* One row, a member for each column. */
struct limit_cells {
	int64_t bytes, ranks;
	const char *variable;
};

/* clang-format off: one column, one paragraph */
const struct table_field comm_limit_fields[] = {
	{FIELD(struct limit_cells, bytes), TABLE_INTEGER, "bytes", "limit", "B",
	 .meaning = "bytes of the messages; with --by limit, the largest message "
	 "that MPI sends at once, without waiting for the receive"},
	{FIELD(struct limit_cells, ranks), TABLE_INTEGER, "ranks", "ranks",
	 .meaning = "number of ranks with this limit"},
	{FIELD(struct limit_cells, variable), TABLE_TEXT, "variable", "variable",
	 .meaning = "variable of MPI's tool interface"},
	{0},
};
/* clang-format on */

struct table *comm_limit_table(const struct report_trace *r)
{
	struct variable_limits x = {0};
	struct table *t = NULL;

	for (size_t i = 0; i < r->trace->process_n; i++)
		for (size_t k = 0; k < r->trace->process[i].meta_n; k++)
			limit_add(&x, &r->trace->process[i].meta[k]);
	if (x.v_n) {
		t = table_new("Eager limits: larger messages wait for the receiver");
		table_fields(t, comm_limit_fields, 0, NULL);
	}
	for (size_t i = 0; i < x.v_n; i++) {
		char *end;
		long long bytes = strtoll(x.v[i].value, &end, 10);

		table_row(t);
		table_put_fields(t, &(struct limit_cells){
					    *x.v[i].value && !*end ? bytes : FIELD_MISSING,
					    x.v[i].ranks, x.v[i].name});
	}
	free(x.v);
	return t;
}
