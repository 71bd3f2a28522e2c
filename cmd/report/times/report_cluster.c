/* report_cluster.c: tau-report cluster: ranks that spend their time alike. */
#include <math.h>
#include <string.h>

#include "analyze/base/mem_stream.h"
#include "analyze/profile/cluster.h"
#include "analyze/profile/waiting_threads.h"
#include "cmd/picture/stacked.h"
#include "cmd/picture/svg.h"
#include "cmd/report/report.h"
#include "cmd/report/times/time_tables.h"
#include "cmd/shared/choice.h"
#include "cmd/table/region_name.h"
#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"

#define TOP_TEXT 5 /* regions of each cluster */

enum { BY_CLUSTER, BY_REGION, BYS };

struct cluster_report {
	const struct report_options *o;
	const struct report_runs *r;
	const struct profile *p;
	struct clusters x;
	size_t metric;
	int text;
};

static int32_t number_of(const struct cluster_point *p)
{
	return p->thread < 0 ? p->node : p->thread;
}

/* "0-3,8,10-15" of a cluster, and the sum of its times; to be freed. */
static char *members(const struct cluster_report *a, size_t cluster, double *time)
{
	char *text = NULL;
	int32_t first = 0, last = -2;
	size_t n;
	FILE *f = mem_stream(&text, &n);

	*time = 0;
	for (size_t i = 0; i <= a->x.point_n; i++) {
		const struct cluster_point *p = i < a->x.point_n ? &a->x.point[i] : NULL;

		if (p && p->cluster != cluster)
			continue;
		*time += p ? p->time : 0;
		if (p && number_of(p) == last + 1) {
			last++;
			continue;
		}
		if (last > first)
			fprintf(f, "-%d", last);
		if (p)
			fprintf(f, "%s%d", last == -2 ? "" : ",", number_of(p));
		first = last = p ? number_of(p) : 0;
	}
	fclose(f);
	return text;
}

static int of_ranks(const struct cluster_report *a)
{
	return a->x.point_n && a->x.point[0].thread < 0;
}

static const char *what(const struct cluster_report *a)
{
	return of_ranks(a) ? "ranks" : "threads";
}

static void notes(struct table *t, const struct cluster_report *a)
{
	report_load_notes(t, a->r);
	if (a->x.k > 1)
		table_note(t, "%zu %s in %zu clusters; mean silhouette %.3f.", a->x.point_n,
			   what(a), a->x.k, a->x.silhouette);
	else if (a->x.best)
		table_note(t,
			   "%zu %s, one cluster: the best division, into %zu, has a mean "
			   "silhouette of %.3f, below %.1f.",
			   a->x.point_n, what(a), a->x.best, a->x.silhouette, CLUSTER_SILHOUETTE);
	else
		table_note(t,
			   "%zu %s, one cluster: in each division the centres differ in less than "
			   "%.0f %% of the time.",
			   a->x.point_n, what(a), 100 * CLUSTER_DISTANCE);
	table_fact_number(t, "clusters", (double)a->x.k);
	table_fact_number(t, "silhouette", a->x.silhouette);
}

/* Tables that have a column. */
enum { OF_RANKS = 1, OF_THREADS = 2 };

/* One row, a member for each column. */
struct cluster_cells {
	int64_t cluster, members;
	double mean;
	const char *which;
};

/* clang-format off: one column, one paragraph */
static const struct table_field cluster_fields[] = {
	{FIELD(struct cluster_cells, cluster), TABLE_INTEGER, "cluster", "cluster",
	 .meaning = "number of the cluster, the largest first. Clusters are found "
	 "by k-means of the shares of regions; k has the largest mean silhouette",
	 .source = "Rousseeuw 1987"},
	{FIELD(struct cluster_cells, members), TABLE_INTEGER, "members", "ranks",
	 .only = OF_RANKS,
	 .meaning = "number of ranks, or threads, in the cluster"},
	{FIELD(struct cluster_cells, members), TABLE_INTEGER, "members", "threads",
	 .only = OF_THREADS,
	 .meaning = "number of ranks, or threads, in the cluster"},
	{FIELD(struct cluster_cells, mean), TABLE_NUMBER, "mean", NULL,
	 .scaled = 1,
	 .meaning = "mean exclusive time of its members"},
	{FIELD(struct cluster_cells, which), TABLE_TEXT, "which", "which",
	 .meaning = "ranks, or threads, in the cluster"},
	{0},
};
/* clang-format on */

static void clusters_print(const struct cluster_report *a, FILE *f, size_t width)
{
	struct time_columns c =
		time_columns_of(a->o, a->p, a->metric, a->x.point_n ? a->x.point[0].time : 0);
	const struct field_scale scale = time_scale(&c);
	struct table *t = table_new("Clusters, by the shares of regions in the time");

	table_fields(t, cluster_fields, of_ranks(a) ? OF_RANKS : OF_THREADS, &scale);
	notes(t, a);
	if (c.unit)
		table_note(t, "mean: time of all regions, in %s.", c.unit);
	for (size_t j = 0; j < a->x.k; j++) {
		double time;
		char *text = members(a, j, &time);

		table_row(t);
		table_put_fields(t, &(struct cluster_cells){
					    .cluster = (int64_t)j + 1,
					    .members = (int64_t)a->x.size[j],
					    .mean = time / (double)a->x.size[j],
					    .which = text,
				    });
		free(text);
	}
	report_table(t, a->o, f, width);
}

/* ---- regions ---- */

struct ranked_timer {
	size_t timer;
	double share, others, key;
	const char *name;
};

static int most_first(const void *va, const void *vb)
{
	const struct ranked_timer *a = va, *b = vb;

	if (a->key != b->key)
		return a->key > b->key ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* What distinguishes the cluster first; with one cluster, what is largest. */
static size_t rank(const struct cluster_report *a, size_t cluster, struct ranked_timer *v)
{
	size_t n = 0;

	for (size_t d = 0; d < a->x.dims; d++) {
		struct ranked_timer r = {d, a->x.centre[cluster * a->x.dims + d],
				   clusters_others(&a->x, cluster, d), 0, a->p->timer[d].name};

		r.key = isnan(r.others) ? r.share : fabs(r.share - r.others);
		if (r.share > 0 || r.others > 0)
			v[n++] = r;
	}
	if (n)
		qsort(v, n, sizeof(*v), most_first);
	return n;
}

/* One row, a member for each column. */
struct cluster_region_cells {
	int64_t cluster;
	double share, others, difference;
	const char *region;
};

/* clang-format off: one column, one paragraph */
static const struct table_field region_fields[] = {
	{FIELD(struct cluster_region_cells, cluster), TABLE_INTEGER, "cluster", "cluster",
	 .meaning = "number of the cluster, the largest first. Clusters are found "
		    "by k-means of the shares of regions; k has the largest mean silhouette",
	 .source = "Rousseeuw 1987"},
	{FIELD(struct cluster_region_cells, share), TABLE_NUMBER, "share_pct", "%", .precision = 2,
	 .meaning = "share of the region in the time of the cluster"},
	{FIELD(struct cluster_region_cells, others), TABLE_NUMBER, "others_pct", "% of others",
	 .precision = 2,
	 .meaning = "mean of this share over all ranks, or threads, outside the "
		    "cluster"},
	{FIELD(struct cluster_region_cells, difference), TABLE_NUMBER, "difference_pct",
	 "difference", .precision = 2,
	 .meaning = "difference of the two shares, in percentage points",
	 .formula = "share_pct - others_pct"},
	{FIELD(struct cluster_region_cells, region), TABLE_TEXT, "region", "region",
	 .fit = region_name_fit, .meaning = "name of the region"},
	{0},
};
/* clang-format on */

static void regions_print(const struct cluster_report *a, FILE *f, size_t width, int with_notes)
{
	struct ranked_timer *v = mem_alloc((a->x.dims + 1) * sizeof(*v));
	struct table *t = table_new(a->x.k > 1 ? "What distinguishes the clusters"
					       : "Largest regions");
	size_t left = 0;

	table_fields(t, region_fields, 0, NULL);
	if (with_notes)
		notes(t, a);
	for (size_t j = 0; j < a->x.k; j++) {
		size_t n = rank(a, j, v), top = report_rows_shown(a->o, n, TOP_TEXT);

		for (size_t i = 0; i < top; i++) {
			char *name = a->text ? region_name_short(v[i].name) : mem_string(v[i].name);

			table_row(t);
			table_put_fields(t, &(struct cluster_region_cells){
						    .cluster = (int64_t)j + 1,
						    .share = 100 * v[i].share,
						    .others = 100 * v[i].others,
						    .difference = 100 * (v[i].share - v[i].others),
						    .region = name,
					    });
			free(name);
		}
		left += n - top;
	}
	if (left)
		table_remark(t, "%zu more rows; --top 0 lists all.", left);
	report_table(t, a->o, f, width);
	free(v);
}

/* ---- picture ---- */

/* Its largest share in any cluster. */
static double most_of(const struct cluster_report *a, size_t region)
{
	double most = 0;

	for (size_t j = 0; j < a->x.k; j++)
		most = fmax(most, a->x.centre[j * a->x.dims + region]);
	return most;
}

/* The regions with the largest shares, the largest first; to be freed. */
static struct ranked_timer *largest_regions(const struct cluster_report *a, size_t *n)
{
	struct ranked_timer *v = mem_alloc((a->x.dims + 1) * sizeof(*v));

	*n = 0;
	for (size_t d = 0; d < a->x.dims; d++)
		if (most_of(a, d) > 0)
			v[(*n)++] = (struct ranked_timer){.timer = d,
						    .key = most_of(a, d),
						    .name = a->p->timer[d].name};
	if (*n)
		qsort(v, *n, sizeof(*v), most_first);
	return v;
}

static void stack_print(const struct cluster_report *a, FILE *f)
{
	struct stacked s = {.left = 84,
			    .right = 900,
			    .top = 120,
			    .bottom = 560,
			    .legend = 930,
			    .legend_room = 310,
			    .x_title = "clusters"};
	size_t n, most = STACKED_MOST;
	struct ranked_timer *v = largest_regions(a, &n);

	if (a->o->top > 0 && a->o->top < STACKED_MOST)
		most = (size_t)a->o->top;
	s.others = n > most;
	for (size_t i = 0; i < n && i < most; i++) {
		char *brief = region_name_short(v[i].name);

		region_name_fit(brief, 36);
		stacked_part(&s, mem_string(v[i].name), brief);
	}
	for (size_t j = 0; j < a->x.k; j++) {
		double time, *share;
		char *who = members(a, j, &time);

		share = stacked_bar(&s, mem_printf("%zu: %s %s", j + 1, what(a), who));
		for (size_t i = 0; i < s.n; i++)
			share[i] = a->x.centre[j * a->x.dims + v[i].timer];
		free(who);
	}
	stacked_print(&s, f);
	stacked_release(&s);
	free(v);
}

static void picture(const struct cluster_report *a, FILE *f)
{
	const struct svg_style title = {28, 1, SVG_INK, "start", 1180},
			       sub = {15, 0, SVG_SOFT, "start", 1180};
	char *line = mem_printf("%zu %s in %zu cluster%s; shares of regions in the time in %%.",
				a->x.point_n, what(a), a->x.k, plural(a->x.k));

	svg_begin(f, 1280, 650, "Clusters");
	svg_text(f, 48, 52, &title, "Clusters, by the shares of regions in the time");
	svg_headline(f, 48, 84, &sub, line);
	stack_print(a, f);
	svg_end(f);
	free(line);
}

static int report_cluster(const struct report_options *o, const struct report_runs *r,
			  struct output *out, size_t width, struct error *e)
{
	struct cluster_report a = {.o = o, .r = r, .text = o->format == REPORT_TEXT};
	size_t by = BY_CLUSTER;
	int code = report_one_profile(o, r, "cluster", "text csv json svg", &a.metric, e);
	struct waiting *w;

	if (!code)
		code = report_by(o, &by, e);
	if (code)
		return code;
	a.p = r->run[0].profile;
	w = waiting_find(&a.p, 1, TIMER_MEASURED);
	clusters_make(&a.x, a.p, w, a.metric);
	waiting_free(w);
	if (a.x.point_n < 3)
		code = error_set(e, ERROR_INPUT, "%s: it has %zu %.*s: too few to compare",
				 r->run[0].name, a.x.point_n,
				 (int)(strlen(what(&a)) - (a.x.point_n == 1)), what(&a));
	else if (o->format == REPORT_SVG)
		picture(&a, out->file);
	else if (by == BY_REGION)
		regions_print(&a, out->file, width, 1);
	else
		clusters_print(&a, out->file, width);
	if (!code && a.text && !o->by) {
		fputc('\n', out->file);
		regions_print(&a, out->file, width, 0);
	}
	clusters_release(&a.x);
	return code;
}

static const struct report_by bys[] = {
	{"cluster", "cluster, with its ranks"},
	{"region", "region that distinguishes the clusters"},
	{0},
};

const struct report_kind kind_cluster = {
	.name = "cluster",
	.columns = (const struct table_field *const[]){cluster_fields, region_fields, NULL},
	.about = "groups of ranks that spend their time alike, and what distinguishes them",
	.question = QUESTION_SLOW,
	.example = "run",
	.print = report_cluster,
	.options = REPORT_PICK "by metric where threads",
	.by = bys,
	.whole = 1,
	.no_memory = 1,
	.part = REPORT_PART,
	.title = "Clusters",
	.page = REPORT_PAGE_BOTH,
};
