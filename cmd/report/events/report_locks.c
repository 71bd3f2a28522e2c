/* report_locks.c: tau-report locks: locks that threads wait for, and which threads hold them. */
#include <inttypes.h>
#include <math.h>

#include "analyze/base/quantity.h"
#include "analyze/messages/locks.h"
#include "cmd/picture/bars.h"
#include "cmd/report/events/report_locks.h"
#include "cmd/report/events/report_trace.h"
#include "cmd/report/report.h"
#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"

#define BARS_MOST 20

enum { BY_LOCK, BY_HOLDER, BY_WAITER, BYS };

static const char *const title[BYS] = {
	[BY_LOCK] = "Locks that threads wait for",
	[BY_HOLDER] = "Which threads hold the locks while others wait",
	[BY_WAITER] = "Which threads wait for the locks",
};

struct locks_report {
	const struct report_options *o;
	const struct report_trace *r;
	const struct locks *x;
	int64_t whole; /* ns of all waits */
};

/* ---- columns ---- */

/* One row, a member for each column. */
struct locks_cells {
	double share, waiting;
	int64_t waits;
	double mean, largest;
	int64_t threads;
	double blocked, holder;
	int64_t rank, thread;
	const char *kind, *lock, *path;
};

/* clang-format off: one column, one paragraph */
static const struct table_field fields[] = {
	{FIELD(struct locks_cells, share), TABLE_NUMBER, "share_pct", "%", .precision = 1,
	 .meaning = "share of the waiting of all threads for all locks",
	 .formula = "100 * waiting / all_waiting"},
	{FIELD(struct locks_cells, waiting), TABLE_NUMBER, "waiting_ms", "waiting", "ms",
	 .precision = 3,
	 .meaning = "sum of the waits of all threads for the lock; with --by "
		    "holder, waits while this thread holds it"},
	{FIELD(struct locks_cells, blocked), TABLE_NUMBER, "blocked_ms", "blocked", "ms",
	 .precision = 3, .only = 1 << BY_HOLDER,
	 .meaning = "time during which at least one thread waits"},
	{FIELD(struct locks_cells, waits), TABLE_INTEGER, "waits", "waits",
	 .only = 1 << BY_LOCK | 1 << BY_WAITER, .meaning = "number of waits"},
	{FIELD(struct locks_cells, mean), TABLE_NUMBER, "mean_ms", "mean", "ms", .precision = 3,
	 .spare = 4, .only = 1 << BY_LOCK | 1 << BY_WAITER, .meaning = "waiting divided by waits",
	 .formula = "waiting / waits"},
	{FIELD(struct locks_cells, largest), TABLE_NUMBER, "largest_ms", "largest", "ms",
	 .precision = 3, .spare = 3, .only = 1 << BY_LOCK | 1 << BY_WAITER,
	 .meaning = "largest wait"},
	{FIELD(struct locks_cells, threads), TABLE_INTEGER, "threads", "threads", .precision = 3,
	 .spare = 5, .only = 1 << BY_LOCK, .meaning = "number of threads that waited"},
	{FIELD(struct locks_cells, blocked), TABLE_NUMBER, "blocked_ms", "blocked", "ms",
	 .precision = 3, .spare = 2, .only = 1 << BY_LOCK,
	 .meaning = "time during which at least one thread waits"},
	{FIELD(struct locks_cells, holder), TABLE_NUMBER, "holder_pct", "holder", "%",
	 .precision = 1, .spare = 1, .only = 1 << BY_LOCK,
	 .meaning = "share of the blocked time during which the thread in the next "
		    "columns holds the lock"},
	{FIELD(struct locks_cells, rank), TABLE_INTEGER, "holder_rank", "rank",
	 .only = 1 << BY_LOCK,
	 .meaning = "rank of the thread that holds the lock longest while others "
		    "wait"},
	{FIELD(struct locks_cells, thread), TABLE_INTEGER, "holder_thread", "thread",
	 .only = 1 << BY_LOCK, .meaning = "number of this thread in its process"},
	{FIELD(struct locks_cells, rank), TABLE_INTEGER, "rank", "rank",
	 .only = 1 << BY_HOLDER | 1 << BY_WAITER, .meaning = "rank of the thread"},
	{FIELD(struct locks_cells, thread), TABLE_INTEGER, "thread", "thread",
	 .only = 1 << BY_HOLDER | 1 << BY_WAITER, .meaning = "number of the thread in its process"},
	{FIELD(struct locks_cells, kind), TABLE_TEXT, "kind", "kind", .meaning = "kind of lock"},
	{FIELD(struct locks_cells, lock), TABLE_TEXT, "lock", "lock",
	 .meaning = "variable or address of the lock"},
	{FIELD(struct locks_cells, path), TABLE_TEXT, "first_wait", "first wait in",
	 .only = 1 << BY_LOCK, .meaning = "place where a thread first waited for the lock"},
	{FIELD(struct locks_cells, path), TABLE_TEXT, "path", "call path",
	 .only = 1 << BY_HOLDER | 1 << BY_WAITER,
	 .meaning = "call path that waits; with --by holder, call path that holds "
		    "the lock"},
	{0},
};
/* clang-format on */

/* ---- rows ---- */

/* What all rows have: a share of the waiting, the lock, and a thread, which may be unknown. */
static struct locks_cells cells_of(const struct locks_report *a, uint32_t lock, uint32_t stream,
				   int64_t ns)
{
	const struct trace *trace = a->r->trace;
	const struct trace_lock *l = trace->event[lock].lock;
	const struct trace_stream *s = stream == TRACE_NONE ? NULL : &trace->stream[stream];

	return (struct locks_cells){
		.share = a->whole ? 100 * (double)ns / (double)a->whole : NAN,
		.waiting = report_ms((double)ns),
		.rank = s ? trace->process[s->process].node : FIELD_MISSING,
		.thread = s ? s->thread : FIELD_MISSING,
		.kind = l->kind,
		.lock = l->name,
	};
}

static void waits_set(struct locks_cells *c, uint64_t waits, int64_t ns, int64_t most)
{
	c->waits = (int64_t)waits;
	c->mean = report_ms((double)ns / (double)waits);
	c->largest = report_ms((double)most);
}

static void row_put(struct table *t, const struct locks_report *a, const struct locks_row *r)
{
	const char *first = a->r->trace->event[r->lock].lock->place;
	char *place = first ? report_trace_name(a->r, first) : NULL;
	int held = !r->none && r->holder != TRACE_NONE && r->blocked;
	struct locks_cells c = cells_of(a, r->lock, r->holder, r->ns);

	waits_set(&c, r->waits, r->ns, r->most);
	c.threads = r->threads;
	c.blocked = r->none ? NAN : report_ms((double)r->blocked);
	c.holder = held ? 100 * (double)r->holder_ns / (double)r->blocked : NAN;
	c.path = place;
	table_row(t);
	table_put_fields(t, &c);
	free(place);
}

static void path_put(struct table *t, const struct locks_report *a, const struct locks_path *p)
{
	char *path = p->stream == TRACE_NONE ? NULL : report_trace_path(a->r, p->path);
	struct locks_cells c = cells_of(a, p->lock, p->stream, p->ns);

	waits_set(&c, p->waits, p->ns, p->most);
	c.blocked = report_ms((double)p->blocked);
	c.path = path;
	table_row(t);
	table_put_fields(t, &c);
	free(path);
}

static size_t rows_of(const struct locks *x, size_t by)
{
	return by == BY_LOCK ? x->row_n : by == BY_HOLDER ? x->holder_n : x->waiter_n;
}

static void notes(struct table *t, const struct locks_report *a, size_t by)
{
	char whole[QUANTITY_TEXT];

	report_trace_notes(t, a->r);
	table_note(t, "%zu wait%s for %zu lock%s, %s over all threads.", a->x->wait_n,
		   plural(a->x->wait_n), a->x->row_n, plural(a->x->row_n),
		   report_trace_time(a->r, (double)a->whole, whole));
	table_fact_number(t, "all_waiting_ms", report_ms((double)a->whole));
	if (by == BY_LOCK)
		table_note(t, "blocked: time during which at least one thread waits; holder: the "
			      "thread that holds the lock for most of it, and its share of it.");
	if (by == BY_LOCK)
		table_note(t, "Only waits are recorded: taking a free lock leaves no record.");
}

static struct table *make(const struct locks_report *a, size_t by, int with_notes)
{
	struct table *t = table_new(title[by]);
	size_t n = rows_of(a->x, by), top = report_rows_shown(a->o, n, LOCKS_LISTED);

	if (by == BY_LOCK)
		table_order(t, "most waiting first");
	table_fields(t, fields, 1U << by, NULL);
	if (with_notes)
		notes(t, a, by);
	for (size_t i = 0; i < top; i++)
		if (by == BY_LOCK)
			row_put(t, a, &a->x->row[i]);
		else
			path_put(t, a, by == BY_HOLDER ? &a->x->holder[i] : &a->x->waiter[i]);
	if (by == BY_HOLDER && with_notes)
		table_remark(t, "waiting: time that other threads wait for the lock while this "
				"thread holds it; blocked: time during which at least one waits.");
	if (top < n)
		table_remark(t, "%zu of %zu rows; --top 0 lists all.", top, n);
	return t;
}

/* ---- picture ---- */

/* ", rank 1, thread 2"; to be freed. */
static char *thread_words(const struct locks_report *a, uint32_t stream)
{
	const struct trace *trace = a->r->trace;
	const struct trace_stream *s = stream == TRACE_NONE ? NULL : &trace->stream[stream];

	return s ? mem_printf("rank %d, thread %d", trace->process[s->process].node, s->thread)
		 : mem_string("unknown");
}

static char *lock_detail(const struct locks_report *a, const struct locks_row *r)
{
	char *who = thread_words(a, r->holder),
	     *holder = r->none ? mem_string("") : mem_printf("; mostly held by: %s", who),
	     *text = mem_printf("%s, %ju wait%s of %" PRIu32 " thread%s%s",
				a->r->trace->event[r->lock].lock->kind, (uintmax_t)r->waits,
				plural(r->waits), r->threads, plural(r->threads), holder);

	free(who);
	free(holder);
	return text;
}

/* The number of rows, one bar each. */
static void bar_add(struct bars *b, const struct locks_report *a, size_t by, size_t i)
{
	const struct locks_path *p = by == BY_HOLDER   ? &a->x->holder[i]
				     : by == BY_WAITER ? &a->x->waiter[i]
						       : NULL;
	const struct locks_row *r = p ? NULL : &a->x->row[i];
	const struct trace_lock *lock = a->r->trace->event[p ? p->lock : r->lock].lock;
	int64_t ns = p ? p->ns : r->ns;
	char *who = p ? thread_words(a, p->stream) : NULL,
	     *path = p && p->stream != TRACE_NONE ? report_trace_path(a->r, p->path) : NULL,
	     *name = p ? mem_printf("%s, %s", lock->name, who) : mem_string(lock->name),
	     text[QUANTITY_TEXT];

	bars_add(b, name, p ? mem_string(path ? path : "") : lock_detail(a, r),
		 report_ms((double)ns),
		 quantity_with_percent(report_trace_time(a->r, (double)ns, text),
				       a->whole ? 100 * (double)ns / (double)a->whole : 0),
		 1);
	free(who);
	free(path);
	free(name);
}

static void picture(const struct locks_report *a, size_t by, FILE *f)
{
	size_t n = rows_of(a->x, by), shown = report_rows_shown(a->o, n, BARS_MOST);
	struct bars b = {.title = title[by]};
	char whole[QUANTITY_TEXT];

	shown = shown < BARS_MOST ? shown : BARS_MOST;
	b.subtitle = mem_printf("Waiting, %zu of %zu rows: %zu wait%s, %s over all threads.", shown,
				n, a->x->wait_n, plural(a->x->wait_n),
				report_trace_time(a->r, (double)a->whole, whole));
	for (size_t i = 0; i < shown; i++)
		bar_add(&b, a, by, i);
	bars_print(&b, f);
	free((char *)b.subtitle);
	bars_release(&b);
}

static int print_all(struct locks_report *a, size_t by, FILE *f, size_t width, struct error *e)
{
	const struct report_options *o = a->o;

	a->whole = 0;
	if (!a->x->wait_n)
		return error_set(e, ERROR_INPUT,
				 "%s: no thread waited for a lock%s; such waits are recorded by "
				 "tau-record --wrap pthread, those of OpenMP by --wrap openmp",
				 a->r->trace->path, a->r->part);
	for (size_t i = 0; i < a->x->row_n; i++)
		a->whole += a->x->row[i].ns;
	if (o->format == REPORT_SVG) {
		picture(a, by, f);
		return 0;
	}
	report_table(make(a, by, 1), o, f, width);
	if (o->format == REPORT_TEXT && !o->by && a->x->holder_n) {
		fputc('\n', f);
		report_table(make(a, BY_HOLDER, 0), o, f, width);
	}
	return 0;
}

static int has_locks(const struct trace *t)
{
	for (size_t i = 0; i < t->event_n; i++)
		if (t->event[i].lock)
			return 1;
	return 0;
}

/* Two passes: waits first, then what those do who have the locks meanwhile. Without locks or waits,
 * none or one. */
static int read_twice(struct report_trace *r, struct locks *x, struct error *e)
{
	struct messages_use use = locks_use(x, &r->messages);
	int code = has_locks(r->trace) ? report_trace_read(r, &use, 1, e) : 0;

	if (code)
		return code;
	locks_waits(x);
	if (!x->wait_n)
		return 0;
	report_trace_again(r);
	use = locks_use_holders(x);
	code = report_trace_read(r, &use, 1, e);
	if (!code)
		locks_end(x);
	return code;
}

static int report_locks(const struct report_options *given, const struct report_runs *runs,
			struct output *out, size_t width, struct error *e)
{
	struct report_options o = *given;
	struct report_trace r;
	struct locks x = {0};
	struct locks_report a = {.o = &o, .r = &r, .x = &x};
	size_t by;
	int code = report_trace_begin(&o, "locks", &by, &r, e);

	(void)runs;
	if (!code)
		code = read_twice(&r, &x, e);
	if (!code)
		do
			code = print_all(&a, by, out->file, width, e);
		while (!code && report_draws(&o, &out));
	locks_release(&x);
	report_trace_release(&r);
	return code;
}

static const struct report_by bys[] = {
	{"lock", "lock"},
	{"holder", "thread and call path that holds locks"},
	{"waiter", "thread and call path that waits for locks"},
	{0},
};

const struct report_kind kind_locks = {
	.name = "locks",
	.columns = (const struct table_field *const[]){fields, NULL},
	.about = "locks that threads wait for, and which threads hold them",
	.question = QUESTION_WAITS,
	.example = "--by holder run",
	.print = report_locks,
	.options = REPORT_PICK "by",
	.by = bys,
	.events = 1,
	.title = "Locks",
	.page = REPORT_PAGE_BOTH,
};
