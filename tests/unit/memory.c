/* memory.c: from counters to rows of types, of regions and of leaks, and that every byte is in some row. */
#include "tap.h"

#include <math.h>
#include <string.h>

#include "analyze/memory/leaks.h"
#include "analyze/memory/memory_regions.h"
#include "memory_jobs.h"

static const struct memory_row *row(const struct memory *m, const char *name)
{
	int64_t id = names_find(&m->names, name, strlen(name));

	return id < 0 ? NULL : &m->row[id];
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

int main(void)
{
	test_rows();
	test_objects();
	test_sides();
	test_pes();
	test_regions();
	test_leaks();
	test_missing_ranks();
	test_odd_summary();
	test_none();
	return tap_end();
}
