/* memory.c: from counters to rows, from rows of several runs to growth, and that every byte is in some row. */
#include "tap.h"

#include <math.h>
#include <string.h>

#include "analyze/memory/leaks.h"
#include "analyze/memory/memory.h"
#include "analyze/memory/memory_regions.h"
#include "analyze/profile/profile.h"

static void sample(struct profile *p, uint32_t thread, const char *name, double n, double mean)
{
	uint32_t counter = profile_read_counter(p, name);
	struct profile_sample *s = profile_add_sample(p, thread, counter, PROFILE_FLAT);

	s->n = n;
	s->mean = s->max = s->min = mean;
	s->sumsq = n * mean * mean;
}

/* All that the replay writes for one type: live, peak and cumulative alike. */
static void type(struct profile *p, uint32_t thread, const char *name, double objects, double each)
{
	static const char *const state[] = { "live", "peak" };
	char text[200];

	snprintf(text, sizeof(text), "alloc %s", name);
	sample(p, thread, text, objects, each);
	for (int i = 0; i < 2; i++) {
		snprintf(text, sizeof(text), "%s %s", state[i], name);
		sample(p, thread, text, 1, objects * each);
		snprintf(text, sizeof(text), "%s objects %s", state[i], name);
		sample(p, thread, text, 1, objects);
	}
}

/* A job of pes PEs with a little of everything; extra bytes that no row explains. */
static struct memory *job(int pes, double extra)
{
	struct profile *p = profile_new();
	struct memory *m;

	for (int n = 0; n < pes; n++) {
		uint32_t t = profile_add_thread(p, n, 0, 0), second = profile_add_thread(p, n, 0, 1);
		uint32_t slab = pes <= 4 ? 1 : 2;

		type(p, t, "ompi_proc_t", pes, 120);
		type(p, t, "opal_list_t", 10 + (n == 0), 64);
		type(p, t, "opal_list_t <= ompi_group_t", 4, 64);
		type(p, t, "fixed_t[]", 1, 1 << 20);
		type(p, t, "grows_t[]", slab, 4096);
		type(p, t, "untyped [libopen-pal.so.40]", 20 + pes, 100);
		type(p, t, "untyped [libopen-pal.so.40] <= ompi_proc_t", pes, 100);
		type(p, t, "untyped [/usr/bin/gups]", 3, 1000);
		type(p, t, "pmix_list_t", 1, 80);
		/* Allocated on both threads, retyped on the second, nothing live. */
		sample(p, t, "alloc opal_value_t", 100, 96);
		sample(p, second, "alloc opal_value_t", 50, 96);
		sample(p, second, "retyped opal_value_t", 10, 96);
		sample(p, second, "free opal_value_t", 140, 96);
		sample(p, t, "live opal_value_t", 1, 0);
		sample(p, t, "live objects opal_value_t", 1, 0);
		sample(p, t, "live (all)", 1,
		       pes * 120 + (10 + (n == 0)) * 64 + (1 << 20) + slab * 4096 + (20 + pes) * 100 + 3000 + 80 + extra);
		sample(p, t, "Heap Memory Used (KB)", 1, 4);
		sample(p, t, "allocations", 1, 4);
	}
	profile_set_meta(p, UINT32_MAX, "TAU Lost Events", "7");
	profile_sort(p);
	m = memory_new(p);
	profile_free(p);
	return m;
}

static const struct memory_row *row(const struct memory *m, const char *name)
{
	int64_t id = names_find(&m->names, name, strlen(name));

	return id < 0 ? NULL : &m->row[id];
}

static const struct memory_growth *growth(const struct memory_series *s, const char *name)
{
	for (size_t i = 0; i < s->row_n; i++)
		if (!strcmp(s->row[i].name, name))
			return &s->row[i];
	return NULL;
}

static void test_rows(void)
{
	struct memory *m = job(4, 0);
	const struct memory_row *proc = row(m, "ompi_proc_t"), *list = row(m, "opal_list_t");
	const struct memory_row *owned = row(m, "opal_list_t <= ompi_group_t"), *value = row(m, "opal_value_t");
	const struct memory_row *pal = row(m, "untyped [libopen-pal.so.40]"), *gups = row(m, "untyped [/usr/bin/gups]");
	double sum = 0;

	ok(m->pes == 4 && m->pes_counted == 4 && m->lost == 7, "4 PEs, all with counters, 7 events lost");
	ok(m->row_n == 10, "10 rows: other counters are none (%zu)", m->row_n);
	ok(proc && proc->value[MEMORY_LIVE].bytes == 4 * 4 * 120 && proc->value[MEMORY_LIVE].bytes_max == 480 &&
		   proc->value[MEMORY_LIVE].objects == 16,
	   "live bytes and objects: sum over the job and largest PE");
	ok(list && list->value[MEMORY_PEAK].bytes_max == 11 * 64 && list->value[MEMORY_PEAK].objects_max == 11,
	   "the PE with the most");
	ok(owned && owned->owner && !strcmp(owned->owner, "ompi_group_t") && !list->owner && owned->value[MEMORY_LIVE].bytes == 4 * 4 * 64,
	   "a row with an owner is a row of its own");
	ok(value && value->value[MEMORY_CUMULATIVE].bytes == 4 * 140 * 96 &&
		   value->value[MEMORY_CUMULATIVE].objects == 4 * 140,
	   "cumulative: allocated on all threads, less what was retyped");
	ok(value->value[MEMORY_LIVE].known && value->value[MEMORY_LIVE].bytes == 0 && !value->value[MEMORY_PEAK].known,
	   "nothing live is known to be 0, a peak without counter is unknown");
	ok(row(m, "fixed_t[]")->kind == MEMORY_SLAB && pal->kind == MEMORY_UNTYPED && proc->kind == MEMORY_TYPED,
	   "kinds follow from names");
	ok(pal->side == MEMORY_OPENMPI && gups->side == MEMORY_OTHER && proc->side == MEMORY_OPENMPI &&
		   row(m, "pmix_list_t")->side == MEMORY_SUPPORT,
	   "untyped bytes belong to who the library is, typed ones to who the class is");
	for (size_t i = 0; i < m->row_n; i++)
		if (memory_row_whole(&m->row[i]))
			sum += m->row[i].value[MEMORY_LIVE].bytes;
	ok(sum == m->all[MEMORY_LIVE].bytes, "rows without owner add up to all: %.0f", sum);
	memory_free(m);
}

/* Fields are written into a name and read back; the owner follows from the library and the class system, not from the name. */
static void test_objects(void)
{
	char *owner[] = {"b_t", "c"};
	struct memory_object o = {.type = "a_t[]", .kind = MEMORY_SLAB, .family = MEMORY_FAMILY_CXX, .library = "app",
				  .owner = owner, .owner_n = 2, .site = "main [{m.c} {7}]"}, back;
	char *text = memory_object_text(&o);

	memory_object_read(&back, text);
	ok(!strcmp(text, "a_t[] <= b_t <= c @ main [{m.c} {7}]") && !strcmp(back.type, o.type) && back.kind == o.kind &&
		   back.owner_n == 2 && !strcmp(back.owner[1], "c") && !strcmp(back.site, o.site),
	   "an object's text has its type, owners and site: %s", text);
	ok(memory_object_side(&o) == MEMORY_OTHER && memory_object_side(&back) == MEMORY_OPENMPI,
	   "a class of C++ in a program is the program's; a name alone is taken for Open MPI's");
	o.family = MEMORY_FAMILY_OPAL;
	ok(memory_object_side(&o) == MEMORY_OTHER, "so is a class of OPAL in the program");
	o.library = "libopen-pal.so.40";
	ok(memory_object_side(&o) == MEMORY_OPENMPI, "one in Open MPI's library is Open MPI's");
	o.family = MEMORY_FAMILY_PMIX;
	o.library = "mca_bfrops_v4.so";
	ok(memory_object_side(&o) == MEMORY_SUPPORT, "a class of PMIx in its plugin is what Open MPI stands on");
	memory_object_release(&back);
	free(text);
}

static void test_sides(void)
{
	static const struct {
		const char *library;
		enum memory_side side;
	} know[] = {
		{ "libmpi.so.40.30.4", MEMORY_OPENMPI },  { "/usr/lib/x86_64-linux-gnu/libpmix.so.2", MEMORY_SUPPORT },
		{ "mca_btl_vader.so", MEMORY_OPENMPI },	  { "libevent_core-2.1.so.7", MEMORY_SUPPORT },
		{ "liboshmem.so.40", MEMORY_OPENMPI },	  { "libucs.so.0", MEMORY_SUPPORT },
		{ "libc.so.6", MEMORY_OTHER },		  { "gups", MEMORY_OTHER },
		{ "/opt/libmpi/bin/gups", MEMORY_OTHER }, { "ld-linux-x86-64.so.2", MEMORY_OTHER },
	};
	int good = 1;

	for (size_t i = 0; i < sizeof(know) / sizeof(*know); i++)
		if (memory_side(know[i].library) != know[i].side) {
			printf("# %s\n", know[i].library);
			good = 0;
		}
	ok(good, "libraries of Open MPI and of what it stands on are known by their names");
}

/* What is forecast for everything is what is forecast for the rows, and what has no forecast is named with its share. */
static void test_total(const struct memory_series *s, const char *by)
{
	static const double at[] = {32, 1024, 1048576};

	for (size_t i = 0; i < sizeof(at) / sizeof(*at); i++) {
		double value = 0, without = 0, share;
		struct scaling_forecast f;

		for (size_t k = 0; k < s->row_n; k++) {
			without += memory_forecast(s, &s->row[k], at[i], &f) > 0 ? s->row[k].last : 0;
			value += f.credible ? f.value : 0;
		}
		share = memory_forecast(s, &s->all, at[i], &f);
		ok(f.credible && fabs(f.value - value) < 1e-6 && without > 0 && fabs(share - 100 * without / s->all.last) < 1e-9 &&
			   f.low <= value && value <= f.high,
		   "%s: everything on %.0f PEs is the sum of its rows, without %.2f %%", by, at[i], share);
	}
	ok(s->all.model.verdict == SCALING_SUM && s->all.model.term.i_over == 1 && s->all.model.term.i_under == 1,
	   "%s: its order is that of the fastest row", by);
}

static void test_growth(enum memory_by by_what)
{
	int by_owner = by_what == MEMORY_BY_OWNER;
	const char *by = by_owner ? "by owner" : "by type";
	struct memory *run[4];
	struct memory_query q = { .by = by_what };
	struct memory_series s;
	const struct memory_growth *g;
	struct memory_share share;
	const struct memory_part *own = &share.part[MEMORY_OPENMPI];
	double sum = 0, all = 0;

	for (int i = 0; i < 4; i++)
		run[i] = job(2 << i, 0);
	memory_series_init(&s, (const struct memory *const *)run, 4, &q);
	g = growth(&s, "ompi_proc_t");
	ok(g && g->model.verdict == SCALING_EXACT && g->model.c1 == 120 && g->model.c0 == 0 && g->first == 240 &&
		   g->last == 1920,
	   "%s: 120 bytes each are found", by);
	ok(growth(&s, "fixed_t[]")->fixed && !growth(&s, "grows_t[]")->fixed && !g->fixed,
	   "%s: a slab that does not grow is fixed, others are not", by);
	ok(growth(&s, "grows_t[]")->model.verdict == SCALING_STEPS, "%s: a slab that doubled once is a step", by);
	for (size_t i = 0; i < s.row_n; i++) {
		sum += s.row[i].last - s.row[i].first;
		all += s.row[i].last;
		if (i && s.row[i].last - s.row[i].first > s.row[i - 1].last - s.row[i - 1].first)
			sum = NAN;
	}
	ok(fabs(sum - (s.all.last - s.all.first)) < 1e-6, "%s: shares of the growth add up, largest first", by);
	g = growth(&s, "opal_value_t");
	ok(g && g->last == 0 && g->model.verdict == SCALING_CONSTANT, "%s: a type of which nothing is live is a row", by);
	ok(fabs(all - s.all.last) < 1e-6, "%s: rows add up to all", by);
	test_total(&s, by);
	memory_share(&s, 3, &share);
	ok(own->typed == 1920 + 640 + 4 + (1 << 20) + 8192 && own->bytes == own->typed + 3600 &&
		   own->slabs == (1 << 20) + 8192 && own->fixed == 1 << 20 && own->owned == 1600,
	   "%s: shares of Open MPI's bytes", by);
	ok(share.part[MEMORY_SUPPORT].bytes == 80 && share.part[MEMORY_SUPPORT].typed == 80 &&
		   share.part[MEMORY_OTHER].bytes == 3000 && !share.part[MEMORY_OTHER].typed,
	   "%s: shares of the others' bytes", by);
	if (by_owner) {
		g = growth(&s, "opal_list_t <= (no known owner)");
		ok(g && g->value[0].bytes == 2 * 6 * 64 + 64 && isnan(g->value[0].bytes_max) && !g->owner,
		   "by owner: what has no known owner remains, its largest PE is unknown");
		ok(!growth(&s, "opal_list_t") && growth(&s, "ompi_proc_t"), "by owner: a refined row does not stand twice");
	}
	memory_series_release(&s);
	for (int i = 0; i < 4; i++)
		memory_free(run[i]);
}

/* A type with two owners, one of them under a third, and sites; another without any. */
static struct memory *job_with_sites(void)
{
	struct profile *p = profile_new();
	uint32_t t = profile_add_thread(p, 0, 0, 0);
	struct memory *m;

	type(p, t, "a_t", 10, 100);
	type(p, t, "a_t <= b_t", 4, 100);
	type(p, t, "a_t <= b_t <= c_t", 3, 100);
	type(p, t, "a_t @ main [{m.c} {7}]", 2, 100);
	type(p, t, "a_t <= b_t @ main [{m.c} {7}]", 4, 100);
	type(p, t, "a_t <= b_t <= c_t @ make [{m.c} {9}]", 3, 100);
	type(p, t, "d_t", 5, 8);
	profile_sort(p);
	m = memory_new(p);
	profile_free(p);
	return m;
}

static struct memory *job_of(const char *const *name, const double *n, size_t rows, int pes)
{
	struct profile *p = profile_new();
	struct memory *m;

	for (int pe = 0; pe < pes; pe++) {
		uint32_t t = profile_add_thread(p, pe, 0, 0);

		for (size_t i = 0; i < rows; i++)
			type(p, t, name[i], n[i], 100);
	}
	profile_sort(p);
	m = memory_new(p);
	profile_free(p);
	return m;
}

/* What has no owner is one row, whether other objects of the type have owners in a run or not. */
static void test_owners_in_one_run(void)
{
	static const char *const with[] = { "a_t", "a_t <= b_t" }, *const without[] = { "a_t" };
	struct memory *run[] = { job_of(with, (const double[]){ 10, 3 }, 2, 1),
				 job_of(without, (const double[]){ 12 }, 1, 2) };
	struct memory_query q = { .by = MEMORY_BY_OWNER };
	const struct memory_growth *g;
	struct memory_series s;

	memory_series_init(&s, (const struct memory *const *)run, 2, &q);
	g = growth(&s, "a_t <= (no known owner)");
	ok(s.row_n == 2 && g && g->first == 700 && g->last == 1200 && !growth(&s, "a_t"),
	   "by owner: what has no owner is one row, with and without owners in a run");
	memory_series_release(&s);
	memory_free(run[0]);
	memory_free(run[1]);
}

/* Each way to look at it has these rows, and all of them add up to 1040 bytes. */
static void test_partitions(void)
{
	static const struct {
		enum memory_by by;
		const char *what, *name, *owner, *site;
		double bytes;
	} rows[] = {
		{ MEMORY_BY_TYPE, "type", "a_t", NULL, NULL, 1000 },
		{ MEMORY_BY_OWNER, "owner", "a_t <= b_t <= c_t", "b_t <= c_t", NULL, 300 },
		{ MEMORY_BY_OWNER, "owner", "a_t <= (no known owner)", NULL, NULL, 300 },
		{ MEMORY_BY_PARENT, "parent", "a_t <= b_t", "b_t", NULL, 700 },
		{ MEMORY_BY_SITE, "site", "a_t @ main [{m.c} {7}]", NULL, "main [{m.c} {7}]", 600 },
		{ MEMORY_BY_SITE, "site", "a_t @ (no known site)", NULL, NULL, 100 },
		{ MEMORY_BY_ALL, "all", "a_t <= b_t @ main [{m.c} {7}]", "b_t", "main [{m.c} {7}]", 400 },
		{ MEMORY_BY_ALL, "all", "a_t @ main [{m.c} {7}]", NULL, "main [{m.c} {7}]", 200 },
		{ MEMORY_BY_ALL, "all", "d_t", NULL, NULL, 40 },
	};
	struct memory *m = job_with_sites();

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct memory_query q = { .by = rows[i].by };
		const struct memory_growth *g;
		struct memory_series s;
		double sum = 0;

		memory_series_init(&s, (const struct memory *const *)&m, 1, &q);
		g = growth(&s, rows[i].name);
		ok(g && g->value[0].bytes == rows[i].bytes && !strcmp(g->owner ? g->owner : "-", rows[i].owner ? rows[i].owner : "-") &&
			   !strcmp(g->site ? g->site : "-", rows[i].site ? rows[i].site : "-"),
		   "by %s: %s has %.0f bytes", rows[i].what, rows[i].name, rows[i].bytes);
		for (size_t k = 0; k < s.row_n; k++)
			sum += s.row[k].value[0].bytes;
		ok(sum == 1040 && s.all.value[0].bytes == 1040, "by %s: rows add up: %.0f", rows[i].what, sum);
		memory_series_release(&s);
	}
	memory_free(m);
}

/* Peaks of several rows happen at several moments: their sum and the difference to the total have no meaning. */
static void test_peaks(void)
{
	struct memory *m = job_with_sites();
	struct memory_query q = { .by = MEMORY_BY_SITE, .measure = MEMORY_PEAK };
	struct memory_series s;

	memory_series_init(&s, (const struct memory *const *)&m, 1, &q);
	ok(isnan(growth(&s, "a_t @ main [{m.c} {7}]")->value[0].bytes) && isnan(growth(&s, "a_t @ (no known site)")->value[0].bytes) &&
		   growth(&s, "a_t @ make [{m.c} {9}]")->value[0].bytes == 300,
	   "peaks of several rows are not added up");
	memory_series_release(&s);
	memory_free(m);
}

static void test_pes(void)
{
	struct memory *m = job(4, 0);
	double sum = 0;

	for (size_t i = 0; i < m->pe_n; i++)
		sum += m->pe[i].bytes[MEMORY_LIVE];
	ok(m->pe_n == 4 && m->pe[3].node == 3 && sum == m->all[MEMORY_LIVE].bytes &&
		   m->pe[0].bytes[MEMORY_LIVE] == m->pe[1].bytes[MEMORY_LIVE] + 64,
	   "PEs add up to all, too");
	memory_free(m);
}

/* Two blocks in f and one outside, one of 10 bytes freed in g. */
static void test_regions(void)
{
	struct profile *p = profile_new();
	uint32_t t = profile_add_thread(p, 0, 0, 0), f = profile_add_timer(p, "f", "", NULL, 0), path;
	struct memory_regions g;
	struct profile_sample *s;

	sample(p, t, "Heap Allocate", 3, 20);
	sample(p, t, "Heap Free", 1, 10);
	path = profile_add_path(p, f, PROFILE_FLAT);
	s = profile_add_sample(p, t, profile_add_counter(p, "Heap Allocate", 0), path);
	s->n = 2;
	s->mean = 15;
	path = profile_add_path(p, profile_add_timer(p, "g", "", NULL, 0), path);
	s = profile_add_sample(p, t, profile_add_counter(p, "Heap Free", 0), path);
	s->n = 1;
	s->mean = 10;
	profile_sort(p);
	memory_regions_init(&g, p);
	ok(g.row_n == 3 && !strcmp(g.row[0].name, "(outside any region)") && g.row[0].allocated == 30 && g.row[0].blocks == 1 &&
		   !strcmp(g.row[1].name, "f") && g.row[1].allocated == 30 && g.row[1].blocks == 2 && g.row[2].freed == 10 &&
		   g.all.allocated == 60 && g.all.freed == 10,
	   "regions: the innermost has what was allocated in it, and nothing is left out");
	memory_regions_release(&g);
	profile_free(p);
}

static void test_leaks(void)
{
	struct profile *p = profile_new();
	struct leaks l;

	sample(p, profile_add_thread(p, 0, 0, 0), "lost a_t @ main", 2, 50);
	sample(p, profile_add_thread(p, 1, 0, 0), "lost a_t @ main", 4, 50);
	sample(p, 1, "indirectly lost b_t <= a_t", 1, 7);
	sample(p, 1, "reachable c_t", 1, 9);
	sample(p, 1, "live c_t", 1, 9);
	profile_sort(p);
	leaks_init(&l, p, LEAKS_OWNERS, 1);
	ok(l.row_n == 3 && l.row[0].bytes == 300 && l.row[0].blocks == 6 && l.row[0].bytes_max == 200 &&
		   !strcmp(l.row[0].type, "a_t") && !strcmp(l.row[0].site, "main") && l.bytes[LEAKS_INDIRECT] == 7 &&
		   !strcmp(l.row[2].owner, "a_t") && l.bytes[LEAKS_REACHABLE] == 9,
	   "leaks: one row for each type, owner and site, and how it was found");
	leaks_release(&l);
	sample(p, 1, "lost a_t @ other", 1, 1000);
	sample(p, 1, "indirectly lost b_t <= a_t <= d_t", 2, 7);
	profile_sort(p);
	leaks_init(&l, p, LEAKS_PARENTS, 0);
	ok(l.row_n == 3 && l.row[0].bytes == 1300 && l.row[0].blocks == 7 && l.row[0].bytes_max == 1200 &&
		   !l.row[0].site && l.row[1].bytes == 21 && !strcmp(l.row[1].owner, "a_t"),
	   "leaks by parent: sites and further owners are one row, the largest PE is that of the sum");
	leaks_release(&l);
	leaks_init(&l, p, LEAKS_NO_OWNERS, 1);
	ok(l.row_n == 4 && l.row[2].bytes == 21 && !l.row[2].owner, "leaks by site: owners are one row");
	leaks_release(&l);
	profile_free(p);
}

static void test_sum(void)
{
	struct memory *run[2] = { job(2, 0), job(4, 0) };
	struct memory_query q = { .per = MEMORY_PER_MAX };
	struct memory_series s;
	struct memory_growth g;
	size_t all[32];

	memory_series_init(&s, (const struct memory *const *)run, 2, &q);
	for (size_t i = 0; i < s.row_n; i++)
		all[i] = i;
	memory_series_sum(&s, all, s.row_n, "sum", &g);
	ok(g.value[1].bytes == s.all.value[1].bytes && isnan(g.value[1].bytes_max) && isnan(g.last),
	   "a sum of rows adds bytes; its largest PE is unknown, not 0");
	memory_growth_release(&g);
	memory_series_sum(&s, all, 1, "one", &g);
	ok(g.value[1].bytes_max == s.row[0].value[1].bytes_max, "a sum of one row is that row");
	memory_growth_release(&g);
	memory_series_release(&s);
	memory_free(run[0]);
	memory_free(run[1]);
}

static void test_unaccounted(void)
{
	struct memory *run[2] = { job(2, 0), job(4, 50) };
	struct memory_query q = { 0 };
	struct memory_series s;
	const struct memory_growth *g;

	memory_series_init(&s, (const struct memory *const *)run, 2, &q);
	g = growth(&s, "(unaccounted)");
	ok(g && g->kind == MEMORY_UNACCOUNTED && g->value[1].bytes == 200 && g->value[0].bytes == 0,
	   "bytes of the total that no row explains are a row");
	memory_series_release(&s);
	q.measure = MEMORY_PEAK;
	memory_series_init(&s, (const struct memory *const *)run, 2, &q);
	ok(growth(&s, "opal_value_t")->last == 0 && growth(&s, "ompi_proc_t")->last == 480,
	   "no counter where others have one is 0");
	memory_series_release(&s);
	q.measure = MEMORY_CUMULATIVE;
	memory_series_init(&s, (const struct memory *const *)run, 2, &q);
	ok(!growth(&s, "(unaccounted)") && growth(&s, "opal_value_t")->last == 140 * 96, "the cumulative view has no such row");
	memory_series_release(&s);
	memory_free(run[0]);
	memory_free(run[1]);
}

/* Ranks 0 and 3 of a job are there, and only rank 3 has memory: P is 4 all the same, means are over what was seen. */
static void test_missing_ranks(void)
{
	struct profile *p = profile_new();
	struct memory *m;

	profile_add_thread(p, 0, 0, 0);
	type(p, profile_add_thread(p, 3, 0, 0), "ompi_proc_t", 4, 120);
	profile_sort(p);
	m = memory_new(p);
	ok(m->pes == 4 && m->pes_counted == 1 && memory_bytes(m, &m->row[0].value[MEMORY_LIVE], MEMORY_PER_PE) == 480,
	   "ranks that are not in the profile are PEs all the same");
	memory_free(m);
	profile_free(p);
}

/* Bytes without a count of blocks: the count is unknown, which is not 0. */
static void test_unknown_blocks(void)
{
	struct memory_query q = {.by = MEMORY_BY_SITE};
	const struct memory *run[1];
	struct memory_series s;
	struct memory *m;

	for (int summary = 0; summary < 2; summary++) {
		struct profile *p = profile_new();
		uint32_t t = profile_add_thread(p, summary ? -2 : 0, summary ? -2 : 0, summary ? -2 : 0);

		if (summary)
			p->summary.pes = 1;
		sample(p, t, "live some_t", 1, 4096);
		sample(p, t, "live some_t @ here", 1, 4096);
		type(p, t, "counted_t", 3, 8);
		profile_sort(p);
		run[0] = m = memory_new(p);
		memory_series_init(&s, run, 1, &q);
		ok(isnan(m->row[0].value[MEMORY_LIVE].objects) && isnan(m->row[0].value[MEMORY_LIVE].objects_max) &&
			   m->row[0].value[MEMORY_LIVE].bytes == 4096,
		   "%s: blocks that nothing counts are unknown", summary ? "summary" : "PEs");
		ok(isnan(m->all[MEMORY_LIVE].objects) && m->all[MEMORY_PEAK].objects == 3 && m->all[MEMORY_LIVE].bytes == 4120,
		   "and so is their sum with others");
		ok(s.row_n == 2 && isnan(growth(&s, "some_t @ here")->value[0].objects) &&
			   growth(&s, "counted_t")->value[0].objects == 3,
		   "unknown blocks leave no remainder of a type");
		memory_series_release(&s);
		memory_free(m);
		profile_free(p);
	}
}

/* A summary from a file may have any number of samples. */
static void test_odd_summary(void)
{
	static const struct {
		double n;
		size_t counted;
	} cases[] = {{3, 3}, {4, 4}, {0, 4}, {-2, 4}, {1e300, 4}, {5, 4}, {NAN, 4}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct profile *p = profile_new();
		uint32_t t = profile_add_thread(p, -2, -2, -2);
		struct memory *m;

		p->summary.pes = 4;
		sample(p, t, "live (all)", cases[i].n, 100);
		sample(p, t, "live some_t", 4, 100);
		profile_sort(p);
		m = memory_new(p);
		ok(m->pes == 4 && m->pes_counted == cases[i].counted, "%g samples of the level of all memory: %zu of 4 PEs counted", cases[i].n,
		   m->pes_counted);
		memory_free(m);
		profile_free(p);
	}
}

static void test_none(void)
{
	struct profile *p = profile_new();
	struct memory *m;

	profile_add_thread(p, 0, 0, 0);
	profile_sort(p);
	m = memory_new(p);
	ok(m->pes == 1 && m->pes_counted == 0 && !m->row_n && !m->all[MEMORY_LIVE].known, "no counters, no memory, no zeros");
	memory_free(m);
	profile_free(p);
}

/* What is live of these rows of a PE in runs on 2 and 4 PEs: name, blocks, bytes of each. */
struct held {
	const char *name;
	double blocks, each;
};
static struct memory *held_by(int pes, const struct held *held, size_t n)
{
	struct profile *p = profile_new();
	struct memory *m;

	for (int node = 0; node < pes; node++) {
		uint32_t t = profile_add_thread(p, node, 0, 0);
		double all = 0;

		for (size_t i = 0; i < n; i++) {
			const char *at = strstr(held[i].name, " @ ");
			char whole[100];

			snprintf(whole, sizeof(whole), "%.*s", (int)(at - held[i].name), held[i].name);
			type(p, t, held[i].name, held[i].blocks, held[i].each);
			type(p, t, whole, held[i].blocks, held[i].each);
			all += held[i].blocks * held[i].each;
		}
		sample(p, t, "live (all)", 1, all);
	}
	profile_sort(p);
	m = memory_new(p);
	profile_free(p);
	return m;
}

static double bytes_of(const struct memory_series *s, const char *name, size_t run)
{
	const struct memory_growth *g = growth(s, name);

	return g ? g->value[run].bytes : -1;
}

static void test_sites(void)
{
	const struct held few[] = {{"untyped [l.so] @ array [{a.c} {1}]", 1, 300}, {"untyped [k.so] @ two [{a.c} {2}]", 1, 30},
				   {"untyped [m.so] @ mixed [{a.c} {3}]", 2, 10}, {"untyped [n.so] @ more [{a.c} {4}]", 2, 10}},
			  many[] = {{"x_t[] @ array [{a.c} {1}]", 1, 500}, {"x_t[] @ two [{a.c} {2}]", 1, 50},
				    {"y_t[] @ two [{a.c} {2}]", 1, 60}, {"x_t[] @ mixed [{a.c} {3}]", 1, 70},
				    {"o_t @ mixed [{a.c} {3}]", 1, 70}, {"z_t[] @ more [{a.c} {4}]", 1, 70}};
	struct memory *run[] = {held_by(2, few, 4), held_by(4, many, 6)};
	static const enum memory_measure measures[] = {MEMORY_LIVE, MEMORY_CUMULATIVE};
	struct memory_query q = {MEMORY_PEAK, MEMORY_PER_PE, MEMORY_BY_TYPE};
	struct memory_series s;

	for (int i = 0; i < 2; i++) {
		q.measure = measures[i];
		q.by = MEMORY_BY_TYPE;
		memory_series_init(&s, (const struct memory *const *)run, 2, &q);
		ok(bytes_of(&s, "x_t[]", 0) == 600 && bytes_of(&s, "untyped [l.so]", 0) == 0 && bytes_of(&s, "x_t[]", 1) == 2480,
		   "a site's array has its type where it is too short to show it (%d)", i);
		ok(bytes_of(&s, "untyped [k.so]", 0) == 60 && bytes_of(&s, "untyped [m.so]", 0) == 40 &&
			   bytes_of(&s, "untyped [n.so]", 0) == 40,
		   "not where it may be another, or there are others, or more (%d)", i);
		memory_series_release(&s);
		q.by = MEMORY_BY_SITE;
		memory_series_init(&s, (const struct memory *const *)run, 2, &q);
		ok(bytes_of(&s, "x_t[] @ array [{a.c} {1}]", 0) == 600 && bytes_of(&s, "x_t[] @ array [{a.c} {1}]", 1) == 2000 &&
			   !growth(&s, "untyped [l.so] @ array [{a.c} {1}]"),
		   "by site, too (%d)", i);
		memory_series_release(&s);
	}
	q = (struct memory_query){MEMORY_PEAK, MEMORY_PER_PE, MEMORY_BY_TYPE};
	memory_series_init(&s, (const struct memory *const *)run, 2, &q);
	ok(bytes_of(&s, "untyped [l.so]", 0) == 600, "peaks stay as they are");
	memory_series_release(&s);
	memory_free(run[0]);
	memory_free(run[1]);
}

int main(void)
{
	test_sites();
	test_rows();
	test_objects();
	test_sides();
	test_growth(MEMORY_BY_TYPE);
	test_growth(MEMORY_BY_OWNER);
	test_partitions();
	test_owners_in_one_run();
	test_peaks();
	test_pes();
	test_regions();
	test_leaks();
	test_sum();
	test_unaccounted();
	test_missing_ranks();
	test_unknown_blocks();
	test_odd_summary();
	test_none();
	return tap_end();
}
