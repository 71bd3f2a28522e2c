/* profile_table.c: fills the table of regions or call paths over all threads. */
#include "cmd/profile/profile_table.h"

#include <math.h>
#include <string.h>

#include "analyze/base/mem_stream.h"
#include "analyze/base/quantity.h"
#include "analyze/profile/profile.h"
#include "analyze/profile/programs.h"
#include "cmd/table/region_name.h"
#include "record/metadata.h"

#define PROGRAMS 4 /* that a line names */

struct profile_unit profile_unit_for(const struct profile *p, size_t metric, double largest,
				     int whole)
{
	if (!profile_is_time(p, metric))
		return (struct profile_unit){NULL, 1, whole ? 0 : 3};
	return largest >= 1e8   ? (struct profile_unit){"s", 1e6, 3}
	       : largest >= 1e4 ? (struct profile_unit){"ms", 1e3, 3}
				: (struct profile_unit){"us", 1, 3};
}

struct profile_unit profile_unit_of(const struct profile *p, const struct region_rows *r,
				    size_t metric)
{
	double largest = 0;
	int whole = 1;

	for (size_t i = 0; i < r->v_n; i++) {
		largest = fmax(largest, fmax(r->v[i].incl, r->v[i].excl));
		whole &= r->v[i].incl == rint(r->v[i].incl) && r->v[i].excl == rint(r->v[i].excl);
	}
	return profile_unit_for(p, metric, largest, whole);
}

int profile_is_limit(const struct profile *p, size_t metric)
{
	const char *name = p->metric[metric].name;

	return !strcmp(name, TAU_METRIC_COMPENSATED_LEAST) ||
	       !strcmp(name, TAU_METRIC_COMPENSATED_MOST);
}

double *profile_limit(const struct profile *p, const char *metric)
{
	double *sum;
	size_t m = 0;

	while (m < p->metric_n && strcmp(p->metric[m].name, metric))
		m++;
	if (m == p->metric_n)
		return NULL;
	sum = mem_alloc((p->path_n + 1) * sizeof(*sum));
	for (size_t i = 0; i < p->thread_n; i++) {
		struct profile_thread *t = &p->thread[i];

		for (size_t k = 0; t->node >= 0 && k < t->row_n; k++)
			sum[t->row[k].path] += profile_excl(p, t, &t->row[k])[m];
	}
	return sum;
}

int profile_has_threads(const struct profile *p)
{
	for (size_t i = 0; i < p->thread_n; i++)
		if (p->thread[i].thread > 0)
			return 1;
	return 0;
}

/* ---- names ---- */

char *profile_table_name(const struct profile_table *a, const struct region_row *r)
{
	char *name = profile_path_text(a->p, r->path);
	const char *code = a->kind == TIMER_SAMPLE ? profile_timer_code(name) : NULL;

	if (code)
		memmove(name, code, strlen(code) + 1);
	return name;
}

char **profile_table_names(const struct profile_table *a, const struct region_row *row, size_t n)
{
	char **name = mem_alloc((n + 1) * sizeof(*name));
	uint32_t *times = mem_alloc((n + 1) * sizeof(*times)),
		 *id = mem_alloc((n + 1) * sizeof(*id));
	struct names found = {0};

	for (size_t i = 0; i < n; i++) {
		char *full = profile_table_name(a, &row[i]);

		name[i] = region_name_short(full);
		id[i] = names_add(&found, name[i], strlen(name[i]));
		times[id[i]]++;
		free(full);
	}
	for (size_t i = 0; i < n; i++)
		if (times[id[i]] > 1) {
			free(name[i]);
			name[i] = profile_table_name(a, &row[i]);
		}
	names_release(&found);
	free(times);
	free(id);
	return name;
}

/* ---- one table ---- */

/* Tables that have a column: of regions of one thread, of several threads, with limits, and with sums of squares. */
enum { OF_ONE = 1, OF_SEVERAL = 2, OF_LIMITS = 4, WITH_SQUARES = 8 };

/* One row, a member for each column. */
struct profile_cells {
	double share, exclusive, least, most, inclusive, calls, subrs, squares, per_call;
	double mean, largest;
	const char *where;
	double imbalance;
	const char *region;
};

/* clang-format off: one column, one paragraph */
const struct table_field profile_table_fields[] = {
	{FIELD(struct profile_cells, share), TABLE_NUMBER, "share_pct", "%", .precision = 1,
	 .meaning = "share of the exclusive time of all threads that are counted; "
		    "the waiting of threads that mostly wait is not",
	 .formula = "100 * exclusive / whole"},
	{FIELD(struct profile_cells, exclusive), TABLE_NUMBER, "exclusive", NULL, .scaled = 1,
	 .meaning = "time in the region itself, without the regions that it called; "
		    "sum over all threads",
	 .source = "TAU"},
	{FIELD(struct profile_cells, least), TABLE_NUMBER, "exclusive_least", "at least",
	 .scaled = 1, .only = OF_LIMITS,
	 .meaning = "with tau-trace2profile --compensate: the least that exclusive can be "
		    "without the cost of recording; not below 0"},
	{FIELD(struct profile_cells, most), TABLE_NUMBER, "exclusive_most", "at most", .scaled = 1,
	 .only = OF_LIMITS,
	 .meaning = "with tau-trace2profile --compensate: the most that exclusive can be "
		    "without the cost of recording"},
	{FIELD(struct profile_cells, inclusive), TABLE_NUMBER, "inclusive", NULL, .scaled = 1,
	 .spare = 1,
	 .meaning = "time from enter to leave, with the regions that it called; sum "
		    "over all threads; a recursive call counts once",
	 .source = "TAU"},
	{FIELD(struct profile_cells, calls), TABLE_NUMBER, "calls", NULL,
	 .meaning = "number of calls over all threads; of code found by samples, "
		    "the number of samples"},
	{FIELD(struct profile_cells, subrs), TABLE_NUMBER, "subrs", NULL, .spare = 3,
	 .only = OF_ONE, .meaning = "calls that the region made, over all threads"},
	PROFILE_SQUARES(struct profile_cells, .spare = 4, .only = WITH_SQUARES),
	{FIELD(struct profile_cells, per_call), TABLE_NUMBER, "per_call", "per call",
	 .precision = 3, .spare = 2, .only = OF_ONE, .meaning = "inclusive time per call, in us"},
	{FIELD(struct profile_cells, mean), TABLE_NUMBER, "mean", NULL, .scaled = 1,
	 .only = OF_SEVERAL,
	 .meaning = "exclusive time divided by the number of threads that can have "
		    "the region; a thread without it counts as 0",
	 .formula = "exclusive / compared"},
	{FIELD(struct profile_cells, largest), TABLE_NUMBER, "largest", NULL, .scaled = 1,
	 .only = OF_SEVERAL, .meaning = "largest exclusive time of one thread"},
	{FIELD(struct profile_cells, where), TABLE_TEXT, "where", NULL, .only = OF_SEVERAL,
	 .meaning = "rank of the thread with the largest time, or RANK.THREAD if "
		    "processes have several threads"},
	{FIELD(struct profile_cells, imbalance), TABLE_NUMBER, "imbalance", "max/mean",
	 .precision = 2, .spare = 3, .only = OF_SEVERAL,
	 .meaning = "largest divided by mean; 1 if all threads have the same",
	 .formula = "largest / mean"},
	{FIELD(struct profile_cells, region), TABLE_TEXT, "region", NULL, .fit = region_name_fit,
	 .meaning = "name of the region"},
	{0},
};
/* clang-format on */

static void columns(struct table *t, const struct profile_table *a)
{
	const char *unit = a->unit.name;
	char *suffix = unit ? mem_printf("_%s", unit) : mem_string("");
	const struct field_scale scale = {
		.suffix = suffix, .size = a->unit.size, .precision = a->unit.precision};
	int measured = a->kind == TIMER_MEASURED;

	table_fields(t, profile_table_fields,
		     (!a->one	 ? OF_SEVERAL
		      : measured ? OF_ONE
				 : ~(unsigned)(OF_ONE | OF_SEVERAL | OF_LIMITS | WITH_SQUARES)) |
			     (measured && a->least ? OF_LIMITS : 0) |
			     (measured && a->squares ? WITH_SQUARES : 0),
		     &scale);
	free(suffix);
	if (!measured)
		table_field_heading(t, offsetof(struct profile_cells, calls), "samples");
	if (a->one && measured && unit)
		table_field_heading(t, offsetof(struct profile_cells, per_call), "us/call");
	if (!measured || a->paths)
		table_field_heading(t, offsetof(struct profile_cells, region),
				    a->kind == TIMER_SAMPLE  ? "sampled code"
				    : a->kind == TIMER_STACK ? "callers of sampled code"
							     : "call path");
}

char *profile_thread_name(const struct profile_thread *t, int threads)
{
	return t->context ? mem_printf("%d.%d.%d", t->node, t->context, t->thread)
	       : threads  ? mem_printf("%d.%d", t->node, t->thread)
			  : mem_printf("%d", t->node);
}

double profile_table_whole(const struct profile_table *a)
{
	return a->r->whole[a->kind == TIMER_STACK ? TIMER_SAMPLE : a->kind];
}

static void put_row(struct table *t, const struct profile_table *a, const struct region_row *r,
		    const char *name)
{
	double whole = profile_table_whole(a);
	char *where = profile_thread_name(&a->p->thread[r->largest_at], a->threads);

	table_row(t);
	table_put_fields(t, &(struct profile_cells){
				    .share = whole > 0 ? 100 * r->excl / whole : NAN,
				    .exclusive = r->excl,
				    .least = a->least ? a->least[r->path] : NAN,
				    .most = a->most ? a->most[r->path] : NAN,
				    .inclusive = r->incl,
				    .calls = r->calls,
				    .subrs = r->subrs,
				    .squares = r->squares,
				    .per_call = r->calls > 0 ? r->incl / r->calls : NAN,
				    .mean = region_row_mean(r),
				    .largest = r->largest,
				    .where = r->compared ? where : "",
				    .imbalance = region_row_imbalance(r),
				    .region = name,
			    });
	free(where);
}

size_t profile_table_fill(struct table *t, const struct profile_table *a, size_t top)
{
	const struct region_row *row = &a->r->v[region_rows_first(a->r, a->kind)];
	size_t n = a->r->kind_n[a->kind], shown = !top || n < top ? n : top;
	char **name = profile_table_names(a, row, shown);

	columns(t, a);
	for (size_t i = 0; i < shown; i++) {
		put_row(t, a, &row[i], name[i]);
		free(name[i]);
	}
	free(name);
	return shown;
}

/* ---- around the table ---- */

/* ", of which 2 only wait and are not counted", or if they did something, what does not count of them. */
static char *waiting_words(const struct region_rows *r)
{
	int one = r->waiting == 1;

	if (!r->waiting)
		return mem_string("");
	if (r->did)
		return mem_printf(", of which %u mostly %s not counted", r->waiting,
				  one ? "waits: its waiting is" : "wait: their waiting is");
	return mem_printf(", of which %u only %s counted", r->waiting,
			  one ? "waits and is not" : "wait and are not");
}

void profile_table_notes(struct table *t, const struct profile_table *a)
{
	size_t pes = profile_pes(a->p);
	uint32_t threads = a->r->threads + a->r->waiting;
	char *waits = waiting_words(a->r);
	double whole = profile_table_whole(a) / a->unit.size;

	char *queues = a->r->queues ? mem_printf(", and %u queue%s of devices", a->r->queues,
						 plural(a->r->queues))
				    : mem_string("");

	table_note(t, "%zu PE%s, %u thread%s%s%s.", pes, plural(pes), threads, plural(threads),
		   waits, queues);
	free(queues);
	if (a->unit.name)
		table_note(t, "Times in %s; shares of %.*f %s.", a->unit.name, a->unit.precision,
			   whole, a->unit.name);
	else
		table_note(t, "%s; shares of %.*f.", a->p->metric[a->metric].name,
			   a->unit.precision, whole);
	free(waits);
}

void profile_table_queues(struct table *t, struct profile_table a, size_t top)
{
	size_t n = a.r->kind_n[TIMER_MEASURED], shown;

	a.kind = TIMER_MEASURED;
	a.one = a.r->threads == 1;
	table_note(t, "%u queue%s of devices; shares of %.*f%s%s; " REGION_ROOT " is idle time.",
		   a.r->threads, plural(a.r->threads), a.unit.precision,
		   profile_table_whole(&a) / a.unit.size, a.unit.name ? " " : "",
		   a.unit.name ? a.unit.name : "");
	shown = profile_table_fill(t, &a, top);
	if (shown < n)
		table_remark(t, "%zu of %zu regions; --top 0 lists all.", shown, n);
}

/* By program: processes that run it, and the first thread of the first of them. */
struct program_use {
	uint32_t processes, first;
};

static struct program_use *programs_use(const struct profile *p, size_t *n)
{
	uint32_t *program = mem_alloc((p->thread_n + 1) * sizeof(*program));
	struct program_use *use;

	*n = programs_make(program, p);
	use = mem_alloc(*n * sizeof(*use));
	for (uint32_t i = 0; i < p->thread_n; i++) {
		struct program_use *u = &use[program[i]];

		if (p->thread[i].node < 0 || p->thread[i].thread || p->thread[i].context)
			continue;
		u->first = u->processes++ ? u->first : i;
	}
	free(program);
	return use;
}

static int by_first(const void *va, const void *vb)
{
	const struct program_use *a = va, *b = vb;

	return (a->first > b->first) - (a->first < b->first);
}

char *profile_programs(const struct profile *p, size_t *n)
{
	size_t all, length;
	struct program_use *use = programs_use(p, &all);
	char *words = NULL;
	FILE *f;

	*n = 0;
	for (size_t i = 0; i < all; i++)
		if (use[i].processes)
			use[(*n)++] = use[i];
	qsort(use, *n, sizeof(*use), by_first);
	f = *n > 1 ? mem_stream(&words, &length) : NULL;
	for (size_t i = 0; f && i < *n && i < PROGRAMS; i++) {
		const char *name = profile_meta(p, use[i].first, TAU_META_EXECUTABLE);
		const char *base = name ? strrchr(name, '/') : NULL;

		fprintf(f, "%s%s (%u process%s)", i ? ", " : "",
			base ? base + 1 : name ? name : "unknown", use[i].processes,
			use[i].processes == 1 ? "" : "es");
	}
	if (f && *n > PROGRAMS)
		fprintf(f, ", %zu other%s", *n - PROGRAMS, plural(*n - PROGRAMS));
	if (f)
		fclose(f);
	free(use);
	return words;
}

static const char *moment(double us, const struct table_unit *unit, char text[QUANTITY_TEXT])
{
	return unit ? quantity_in_text(us / unit->size, unit->precision, unit->name, text)
		    : quantity_moment_text(1000 * us, text);
}

char *profile_table_title(const struct profile *p, const struct table_unit *unit)
{
	char from[QUANTITY_TEXT], to[QUANTITY_TEXT];
	char *span = p->end_us >= p->begin_us
			     ? mem_printf(" (%s to %s)", moment(p->begin_us, unit, from),
					  moment(p->end_us, unit, to))
			     : mem_string("");
	char *title = mem_printf("%s%s%s%s", p->name ? p->name : "profile",
				 p->window ? ", window " : "", p->window ? p->window : "", span);

	free(span);
	return title;
}
