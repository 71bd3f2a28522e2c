/* comm_variables.c: tables of the lengths of MPI's queues and of eager limits. */
#include "cmd/report/events/comm_variables.h"

#include <math.h>
#include <string.h>

#include "cmd/report/report.h"
#include "cmd/table/table.h"
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

static void queue_row(struct table *t, const struct queues *q)
{
	table_row(t);
	table_put_integer(t, 0, q->rank);
	for (size_t i = 0; i < QUEUES; i++) {
		if (!q->of[i].n)
			continue;
		table_put_integer(t, 1 + 3 * i, (int64_t)q->of[i].n);
		table_put_number(t, 2 + 3 * i, q->of[i].sum / (double)q->of[i].n);
		table_put_number(t, 3 + 3 * i, q->of[i].most);
	}
}

static struct table *queue_columns(void)
{
	struct table *t = table_new("Queues of MPI: messages that no receive was posted for, and "
				    "posted receives without a message");

	table_column(t, TABLE_INTEGER, "rank", "rank", NULL, 0);
	table_column(t, TABLE_INTEGER, "unexpected_reads", "reads", NULL, 0);
	table_column(t, TABLE_NUMBER, "unexpected_mean", "unexpected, mean", NULL, 1);
	table_column(t, TABLE_NUMBER, "unexpected_largest", "largest", NULL, 0);
	table_column(t, TABLE_INTEGER, "posted_reads", "reads", NULL, 0);
	table_column(t, TABLE_NUMBER, "posted_mean", "posted, mean", NULL, 1);
	table_column(t, TABLE_NUMBER, "posted_largest", "largest", NULL, 0);
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

struct limit {
	const char *name, *value; /* borrowed from the trace */
	int64_t ranks;
};

struct limits {
	struct limit *v;
	size_t v_n, v_cap;
};

/* The limits named rndv are those of the first part of larger messages. */
static void limit_add(struct limits *x, const struct trace_attribute *a)
{
	const size_t n = strlen(TAU_META_MPI_CONTROL_VARIABLE);
	struct limit *l;

	if (strncmp(a->name, TAU_META_MPI_CONTROL_VARIABLE, n) != 0 ||
	    !strstr(a->name + n, "eager_limit") || strstr(a->name + n, "rndv"))
		return;
	for (size_t i = 0; i < x->v_n; i++)
		if (!strcmp(x->v[i].name, a->name + n) && !strcmp(x->v[i].value, a->value)) {
			x->v[i].ranks++;
			return;
		}
	l = array_add(x, v);
	*l = (struct limit){a->name + n, a->value, 1};
}

struct table *comm_limit_table(const struct report_trace *r)
{
	struct limits x = {0};
	struct table *t = NULL;

	for (size_t i = 0; i < r->trace->process_n; i++)
		for (size_t k = 0; k < r->trace->process[i].meta_n; k++)
			limit_add(&x, &r->trace->process[i].meta[k]);
	if (x.v_n) {
		t = table_new("Eager limits: larger messages wait for the receiver");
		table_column(t, TABLE_INTEGER, "bytes", "limit", "B", 0);
		table_column(t, TABLE_INTEGER, "ranks", "ranks", NULL, 0);
		table_column(t, TABLE_TEXT, "variable", "variable", NULL, 0);
	}
	for (size_t i = 0; i < x.v_n; i++) {
		char *end;
		long long bytes = strtoll(x.v[i].value, &end, 10);

		table_row(t);
		if (*x.v[i].value && !*end)
			table_put_integer(t, 0, bytes);
		table_put_integer(t, 1, x.v[i].ranks);
		table_put_text(t, 2, x.v[i].name);
	}
	free(x.v);
	return t;
}
