/* look_cells.c: the functions of a thread, and a function on all threads. */
#include "cmd/monitor/look_cells.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/base/mem_stream.h"
#include "analyze/base/quantity.h"
#include "analyze/trace/region_names.h"
#include "cmd/monitor/look_hang.h"
#include "cmd/table/region_name.h"
#include "cmd/table/table_fields.h"

/* ---- what is chosen ---- */

int look_chosen_thread(struct look_chosen *c, const char *text, struct error *e)
{
	long v[3];
	int n = 0;
	const char *s = text;

	for (char *end; n < 3; s = end + 1) {
		v[n] = strtol(s, &end, 10);
		if (end == s || *s < '0' || *s > '9' || v[n] > INT32_MAX)
			break;
		n++;
		if (!*end) {
			c->of = CELLS_THREAD;
			c->node = (int32_t)v[0];
			c->context = n == 3 ? (int32_t)v[1] : 0;
			c->thread = n == 1 ? -1 : (int32_t)v[n - 1];
			return 0;
		}
		if (*end != '.')
			break;
	}
	return error_set(e, ERROR_USAGE,
			 "'%s' is not a thread: NODE, NODE.THREAD or NODE.CONTEXT.THREAD, such as "
			 "1.2", text);
}

const char *look_cell_thread(const struct look_cell *x, char text[48])
{
	snprintf(text, 48, "%" PRId32 ".%" PRId32 ".%" PRId32, x->node, x->context, x->thread);
	return text;
}

/* ---- rows ---- */

static int is_function(const struct profile *p, uint32_t path)
{
	return p->path[path].parent == PROFILE_FLAT &&
	       profile_timer_kind(&p->timer[p->path[path].timer]) != TIMER_STACK;
}

static struct look_cell cell_of(const struct profile *p, struct profile_thread *t,
				const struct profile_row *r)
{
	return (struct look_cell){.node = t->node,
				  .context = t->context,
				  .thread = t->thread,
				  .name = p->timer[p->path[r->path].timer].name,
				  .calls = r->calls,
				  .subrs = r->subrs,
				  .excl = profile_excl(p, t, r)[0],
				  .incl = profile_incl(t, r)[0],
				  .squares = profile_squared(p, t, r, 0)};
}

static void cell_add(struct look_cell *to, const struct look_cell *x)
{
	to->calls += x->calls;
	to->subrs += x->subrs;
	to->excl += x->excl;
	to->incl += x->incl;
	to->squares += x->squares;
}

/* Sums over the threads of a node by function. */
static int thread_cells(struct look_cells *x, const struct profile *p, const struct look_chosen *c,
			struct error *e)
{
	uint32_t *at = mem_alloc((p->path_n + 1) * sizeof(*at));
	size_t threads = 0;

	for (size_t i = 0; i < p->thread_n; i++) {
		struct profile_thread *t = &p->thread[i];

		if (t->node != c->node || (c->thread >= 0 && (t->thread != c->thread ||
							      t->context != c->context)))
			continue;
		threads++;
		for (size_t k = 0; k < t->row_n; k++) {
			struct look_cell one = cell_of(p, t, &t->row[k]);
			uint32_t *place = &at[t->row[k].path];

			if (!is_function(p, t->row[k].path))
				continue;
			if (*place) {
				cell_add(&x->v[*place - 1], &one);
				continue;
			}
			*array_add(x, v) = one;
			*place = (uint32_t)x->v_n;
		}
	}
	free(at);
	if (threads)
		return 0;
	return c->thread < 0
		       ? error_set(e, ERROR_INPUT, "node %" PRId32 " has no threads", c->node)
		       : error_set(e, ERROR_INPUT, "there is no thread %" PRId32 ".%" PRId32
				   ".%" PRId32, c->node, c->context, c->thread);
}

static const char *timer_name(const void *of, size_t i)
{
	return ((const struct profile *)of)->timer[i].name;
}

static int function_cells(struct look_cells *x, const struct profile *p,
			  const struct look_chosen *c, struct error *e)
{
	const struct region_list list = {p, p->timer_n, timer_name};
	struct regions found;
	unsigned char *is = mem_alloc(p->timer_n + 1);
	int code = region_find_in(&list, c->function, &found, "function", e);

	if (!code)
		code = error_set(e, ERROR_INPUT, "no thread has called '%s'", c->function);
	for (size_t i = 0; code > 0 && i < found.v_n; i++)
		is[found.v[i]] = 1;
	for (size_t i = 0; code > 0 && i < p->thread_n; i++) {
		struct profile_thread *t = &p->thread[i];
		size_t first = x->v_n;

		for (size_t k = 0; k < t->row_n; k++) {
			uint32_t path = t->row[k].path;
			struct look_cell one = cell_of(p, t, &t->row[k]);

			if (!is[p->path[path].timer] || !is_function(p, path))
				continue;
			if (x->v_n > first)
				cell_add(&x->v[first], &one);
			else
				*array_add(x, v) = one;
		}
	}
	if (code > 0)
		free(found.v);
	free(is);
	return code < 0 ? code : 0;
}

static double key(const struct look_cell *x, enum look_order order)
{
	return order == LOOK_BY_INCLUSIVE ? x->incl : order == LOOK_BY_CALLS ? x->calls : x->excl;
}

static int by_place(const struct look_cell *a, const struct look_cell *b)
{
	int order = strcmp(a->name, b->name);

	if (order)
		return order;
	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	if (a->context != b->context)
		return a->context < b->context ? -1 : 1;
	return (a->thread > b->thread) - (a->thread < b->thread);
}

static int by_key(const void *va, const void *vb, void *to)
{
	const struct look_cell *a = va, *b = vb;
	enum look_order order = *(enum look_order *)to;
	double x = key(a, order), y = key(b, order);

	if (order != LOOK_BY_NAME && x != y)
		return x > y ? -1 : 1;
	return by_place(a, b);
}

int look_cells_make(struct look_cells *x, const struct profile *p, const struct look_chosen *c,
		    enum look_order order, struct error *e)
{
	int code;

	*x = (struct look_cells){0};
	code = c->of == CELLS_THREAD ? thread_cells(x, p, c, e) : function_cells(x, p, c, e);
	if (code) {
		look_cells_release(x);
		return code;
	}
	if (c->of == CELLS_FUNCTION) {
		char *name = region_name_short(c->function);

		x->title = mem_printf("Function %s on each thread", name);
		free(name);
	} else if (c->thread < 0) {
		x->title = mem_printf("Functions of all threads of node %" PRId32, c->node);
	} else {
		x->title = mem_printf("Functions of thread %" PRId32 ".%" PRId32 ".%" PRId32,
				      c->node, c->context, c->thread);
	}
	if (x->v_n)
		qsort_r(x->v, x->v_n, sizeof(*x->v), by_key, &order);
	return 0;
}

void look_cells_release(struct look_cells *x)
{
	free(x->v);
	free(x->title);
	*x = (struct look_cells){0};
}

/* ---- the table ---- */

/* Tables that have a column. */
enum { OF_THREAD = 1, OF_FUNCTION = 2, FOR_DATA = 4 };

/* One row, a member for each column. */
struct look_cell_cells {
	const char *place;
	int64_t node, context, thread;
	double calls, subrs, excl, incl, mean, deviation, squares;
	const char *function;
};

/* clang-format off: one column, one paragraph */
static const struct table_field fields[] = {
	{FIELD(struct look_cell_cells, place), TABLE_TEXT, "row", "thread", .only = OF_FUNCTION,
	 .meaning = "node, context and thread; or sum, mean, std dev, min, max: of all threads"},
	{FIELD(struct look_cell_cells, node), TABLE_INTEGER, "node", NULL, .only = FOR_DATA,
	 .meaning = "rank of the process, or its number"},
	{FIELD(struct look_cell_cells, context), TABLE_INTEGER, "context", NULL, .only = FOR_DATA,
	 .meaning = "context of TAU: 0"},
	{FIELD(struct look_cell_cells, thread), TABLE_INTEGER, "thread", NULL, .only = FOR_DATA,
	 .meaning = "number of the thread in its process"},
	{FIELD(struct look_cell_cells, calls), TABLE_NUMBER, "num_calls", "NumCalls",
	 .meaning = "number of calls"},
	{FIELD(struct look_cell_cells, subrs), TABLE_NUMBER, "num_subrs", "NumSubrs", .spare = 1,
	 .meaning = "number of calls that it made"},
	{FIELD(struct look_cell_cells, excl), TABLE_NUMBER, "excl_time_us", "ExclTime", "us",
	 .meaning = "time in the function without those that it called"},
	{FIELD(struct look_cell_cells, incl), TABLE_NUMBER, "incl_time_us", "InclTime", "us",
	 .meaning = "time in the function with those that it called"},
	{FIELD(struct look_cell_cells, squares), TABLE_NUMBER, "sum_excl_sqr_us2", "SumExclSqr",
	 "us^2", .spare = 3, .meaning = "sum over the calls of their squared exclusive time"},
	{FIELD(struct look_cell_cells, mean), TABLE_NUMBER, "mean_us", "mean", "us", .precision = 1,
	 .spare = 4, .meaning = "exclusive time of a call", .formula = "excl_time_us / num_calls"},
	{FIELD(struct look_cell_cells, deviation), TABLE_NUMBER, "dev_us", "std dev", "us",
	 .precision = 1, .spare = 2,
	 .meaning = "standard deviation of the exclusive time of a call"},
	{FIELD(struct look_cell_cells, function), TABLE_TEXT, "function", NULL,
	 .fit = region_name_fit, .only = OF_THREAD, .meaning = "name of the function"},
	{0},
};
/* clang-format on */

static double deviation(double sum, double squares, double n)
{
	double mean = sum / n, v = squares / n - mean * mean;

	if (isnan(v))
		return NAN;
	/* less is a rounding error of the squares */
	return v > 1e-12 * mean * mean ? sqrt(v) : 0;
}

static double whole_ns(double us)
{
	return round(us * 1000) / 1000;
}

static void cell_put(struct table *t, const struct look_cell *x, int data)
{
	char place[48], *name = data ? NULL : region_name_short(x->name);
	double excl = whole_ns(x->excl);

	table_row(t);
	table_put_fields(t, &(struct look_cell_cells){
				    .place = look_cell_thread(x, place),
				    .node = x->node,
				    .context = x->context,
				    .thread = x->thread,
				    .calls = x->calls,
				    .subrs = x->subrs,
				    .excl = excl,
				    .incl = whole_ns(x->incl),
				    .mean = x->calls > 0 ? excl / x->calls : NAN,
				    .deviation = deviation(excl, x->squares, x->calls),
				    .squares = x->squares,
				    .function = data ? x->name : name,
			    });
	free(name);
}

/* ---- the same about all threads ---- */

enum about { SUM, MEAN, DEVIATION_OF, LEAST, MOST, ABOUTS };
static const char *const about_name[ABOUTS] = {"sum", "mean", "std dev", "min", "max"};

static double about_one(const struct look_cells *x, size_t offset, enum about what)
{
	double sum = 0, squares = 0, least = INFINITY, most = -INFINITY, n = (double)x->v_n;

	for (size_t i = 0; i < x->v_n; i++) {
		double v;

		memcpy(&v, (const char *)&x->v[i] + offset, sizeof(v));
		sum += v;
		squares += v * v;
		least = v < least ? v : least;
		most = v > most ? v : most;
	}
	switch (what) {
	case SUM:
		return sum;
	case MEAN:
		return sum / n;
	case LEAST:
		return least;
	case MOST:
		return most;
	default:
		return deviation(sum, squares, n);
	}
}

/* Of threads that have called the function. */
static void abouts_put(struct table *t, const struct look_cells *x)
{
	for (int i = 0; i < ABOUTS; i++) {
#define ABOUT(member) about_one(x, offsetof(struct look_cell, member), (enum about)i)
		struct look_cell_cells row = {.place = about_name[i],
					      .node = FIELD_MISSING,
					      .context = FIELD_MISSING,
					      .thread = FIELD_MISSING,
					      .calls = ABOUT(calls),
					      .subrs = ABOUT(subrs),
					      .excl = whole_ns(ABOUT(excl)),
					      .incl = whole_ns(ABOUT(incl)),
					      .mean = NAN,
					      .deviation = NAN,
					      .squares = ABOUT(squares)};

		if (i == SUM && row.calls > 0) {
			row.mean = row.excl / row.calls;
			row.deviation = deviation(row.excl, row.squares, row.calls);
		}
		table_row(t);
		table_put_fields(t, &row);
#undef ABOUT
	}
	table_head(t);
}

struct table *look_cells_table(const struct look_cells *x, const struct look_chosen *c,
			       enum look_cells_for for_whom, size_t most)
{
	struct table *t = table_new(for_whom == CELLS_FOR_VIEW ? NULL : x->title);
	int data = for_whom == CELLS_FOR_DATA;
	size_t n = most && most < x->v_n && !data ? most : x->v_n;

	table_fields(t, fields,
		     (c->of == CELLS_THREAD ? OF_THREAD : OF_FUNCTION) | (data ? FOR_DATA : 0),
		     NULL);
	if (c->of == CELLS_FUNCTION && for_whom != CELLS_FOR_VIEW && x->v_n)
		abouts_put(t, x);
	for (size_t i = 0; i < n; i++)
		cell_put(t, &x->v[i], data);
	if (n < x->v_n)
		table_remark(t, "%zu of %zu rows; --top 0 lists all.", n, x->v_n);
	return t;
}

/* ---- printing ---- */

void look_cells_text(const struct look_cells *x, const struct look_chosen *c, const struct look *l,
		     const char *path, size_t most, size_t width, FILE *f)
{
	struct table *t = look_cells_table(x, c, CELLS_FOR_TEXT, most);
	char *alarm = look_hang_alarm(l->hang), at[QUANTITY_TEXT];

	table_note(t, "%s at %s.", path, quantity_in_text(l->now, 3, "s", at));
	if (alarm)
		table_note(t, "%s.", alarm);
	table_print(t, f, TABLE_AS_TEXT, width);
	table_free(t);
	free(alarm);
}

void look_cells_csv(const struct look_cells *x, const struct look_chosen *c, const struct look *l,
		    int header, FILE *f)
{
	struct table *t = look_cells_table(x, c, CELLS_FOR_DATA, 0);
	char *text = NULL, *rest = NULL;
	size_t size;
	FILE *to = mem_stream(&text, &size);

	table_print(t, to, TABLE_AS_CSV, 0);
	fclose(to);
	for (char *line = strtok_r(text, "\r\n", &rest); line;
	     line = strtok_r(NULL, "\r\n", &rest)) {
		if (line != text)
			fprintf(f, "%.9f,%s\n", l->now, line);
		else if (header)
			fprintf(f, "time_s,%s\n", line);
	}
	table_free(t);
	free(text);
}
