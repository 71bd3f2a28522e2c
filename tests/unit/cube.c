/*
 * cube.c: calls and values read from Cube files: inclusive visits, numbers that wrapped around, a damaged metric beside
 * good ones, and files of version 3.
 */
#include <unistd.h>

#include "tests/inputs.h"
#include "convert/profile_format.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

static char file[] = "/tmp/tau-cube.XXXXXX";

static const char begin[] =
	"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<cube version=\"4.4\">\n<metrics>\n"
	"<metric id=\"0\" type=\"INCLUSIVE\"><uniq_name>visits</uniq_name><dtype>UINT64</dtype><uom>occ</uom></metric>\n"
	"<metric id=\"1\" type=\"EXCLUSIVE\"><uniq_name>time</uniq_name><dtype>DOUBLE</dtype><uom>sec</uom></metric>\n"
	"<metric id=\"2\" type=\"EXCLUSIVE\"><uniq_name>gain</uniq_name><dtype>UINT64</dtype><uom>bytes</uom></metric>\n"
	"</metrics>\n";
/* main calls f, which calls g; main calls g. */
static const char tree[] =
	"<program>\n<region id=\"0\" mod=\"a.c\" begin=\"1\" end=\"9\"><name>main</name></region>\n"
	"<region id=\"1\" mod=\"a.c\" begin=\"20\" end=\"29\"><name>f</name></region>\n"
	"<region id=\"2\" mod=\"a.c\" begin=\"30\" end=\"39\"><name>g</name></region>\n"
	"<cnode id=\"0\" calleeId=\"0\">\n<cnode id=\"1\" calleeId=\"1\"><cnode id=\"2\" calleeId=\"2\"/></cnode>\n"
	"<cnode id=\"3\" calleeId=\"2\"/></cnode>\n</program>\n";
static const char system4[] =
	"<system><systemtreenode Id=\"0\"><locationgroup Id=\"0\"><rank>0</rank>\n"
	"<location Id=\"0\"><name>thread 0</name></location></locationgroup></systemtreenode></system>\n</cube>\n";

struct image {
	unsigned char p[1 << 15];
	size_t n;
};

/* One file of a tar archive. */
static void member(struct image *m, const char *name, const void *bytes, size_t n)
{
	unsigned char *head = m->p + m->n;

	memset(head, 0, 512);
	strcpy((char *)head, name);
	sprintf((char *)head + 124, "%011o", (unsigned)n);
	head[156] = '0';
	memcpy(head + 257, "ustar", 5);
	memcpy(head + 512, bytes, n);
	m->n += 512 + (n + 511) / 512 * 512;
}

#define NO_INDEX SIZE_MAX

/* A metric with a row for all four nodes. extra: bytes that are too many, or NO_INDEX. */
static void metric(struct image *m, unsigned id, const uint64_t *v, size_t extra)
{
	unsigned char data[64] = "CUBEX.DATA";
	char name[16];

	sprintf(name, "%u.index", id);
	if (extra == NO_INDEX)
		extra = 0;
	else
		member(m, name, "CUBEX.INDEX\1\0\0\0\0\0\0", 18);
	for (int i = 0; i < 4; i++)
		for (int k = 0; k < 8; k++)
			data[10 + 8 * i + k] = (unsigned char)(v[i] >> 8 * k);
	sprintf(name, "%u.data", id);
	member(m, name, data, 42 + extra);
}

static uint64_t bits(double v)
{
	uint64_t b;

	memcpy(&b, &v, sizeof(b));
	return b;
}

static struct profile *read_bytes(const void *p, size_t n, struct error *e)
{
	FILE *f = fopen(file, "wb");
	struct profile *out = NULL;

	if (!f || fwrite(p, 1, n, f) != n || fclose(f))
		exit(1);
	return path_profile_read(file, NULL, &out, e) ? NULL : out;
}

/* extra: how wrong the lengths of the three metrics are. */
static struct profile *archive(const size_t *extra, struct error *e)
{
	/* Of exclusive metrics nodes are numbered depth first, of inclusive ones children before what is below them. */
	static const uint64_t visits[] = { 17, 14, 2, 10 }, gain[] = { UINT64_MAX, 5, UINT64_MAX - 2, 1 };
	const uint64_t time[] = { bits(1), bits(2), bits(0.5), bits(0.25) };
	static struct image m;
	char anchor[4096];

	memset(&m, 0, sizeof(m));
	snprintf(anchor, sizeof(anchor), "%s%s%s", begin, tree, system4);
	member(&m, "anchor.xml", anchor, strlen(anchor));
	metric(&m, 0, visits, extra[0]);
	metric(&m, 1, time, extra[1]);
	metric(&m, 2, gain, extra[2]);
	m.n += 1024;
	return read_bytes(m.p, m.n, e);
}

static uint32_t metric_id(const struct profile *p, const char *name)
{
	for (uint32_t i = 0; i < p->metric_n; i++)
		if (!strcmp(p->metric[i].name, name))
			return i;
	return UINT32_MAX;
}

/* The flat row of a timer. */
static int row_is(struct profile *p, size_t thread, const char *name, double calls, const char *metric, double incl, double excl)
{
	int64_t timer = names_find(&p->timer_names, name, strlen(name));
	uint32_t m = metric_id(p, metric);

	for (size_t i = 0; timer >= 0 && m != UINT32_MAX && thread < p->thread_n && i < p->thread[thread].row_n; i++) {
		const struct profile_row *r = &p->thread[thread].row[i];

		if (p->path[r->path].timer != timer || p->path[r->path].parent != PROFILE_FLAT)
			continue;
		printf("# %s: %g calls, %s %g, %g\n", name, r->calls, metric, profile_incl(&p->thread[thread], r)[m],
		       profile_excl(p, &p->thread[thread], r)[m]);
		return r->calls == calls && profile_incl(&p->thread[thread], r)[m] == incl &&
		       profile_excl(p, &p->thread[thread], r)[m] == excl;
	}
	return 0;
}

static const char *left_out(const struct profile *p)
{
	const char *text = p ? profile_meta(p, UINT32_MAX, "Cube Metrics Left Out") : NULL;

	return text ? text : "";
}

static void test_archive(void)
{
	struct error e = { 0 };
	struct profile *p = archive((size_t[]){ 0, 0, 0 }, &e);

	if (!ok(p && !*left_out(p), "an archive is read: %s", e.text))
		return;
	/* Visits of 17 with all below: main 1, f 4, g below f 10 and 2 below main. */
	ok(row_is(p, 0, "main", 1, "TIME", 3.75e6, 1e6) && row_is(p, 0, "f", 4, "TIME", 2.5e6, 2e6) &&
		   row_is(p, 0, "g", 12, "TIME", 0.75e6, 0.75e6),
	   "inclusive visits are calls without those below");
	ok(row_is(p, 0, "main", 1, "gain", 2, -1) && row_is(p, 0, "f", 4, "gain", 2, 5) && row_is(p, 0, "g", 12, "gain", -2, -2),
	   "what wrapped around is below 0");
	profile_free(p);
}

static void test_damaged(void)
{
	struct error e = { 0 };
	struct profile *p = archive((size_t[]){ 0, 0, 3 }, &e);

	ok(p && metric_id(p, "gain") == UINT32_MAX && row_is(p, 0, "g", 12, "TIME", 0.75e6, 0.75e6),
	   "a metric of a wrong length loses itself alone %s", e.text);
	ok(strstr(left_out(p), "gain (offset ") && strstr(left_out(p), "the length of the data differs"), "it is named: %s", left_out(p));
	profile_free(p);
	p = archive((size_t[]){ 4, 0, 0 }, &e);
	ok(p && row_is(p, 0, "main", 0, "TIME", 3.75e6, 1e6) && strstr(left_out(p), "visits (offset "), "so does that of the calls: %s",
	   left_out(p));
	profile_free(p);
	p = archive((size_t[]){ 0, 0, NO_INDEX }, &e);
	ok(p && strstr(left_out(p), "gain (it has no index)"), "data without an index: %s", left_out(p));
	profile_free(p);
	p = archive((size_t[]){ 0, 16, 0 }, &e);
	ok(p && !*left_out(p) && row_is(p, 0, "main", 1, "TIME", 3.75e6, 1e6), "rows of zeros that no node has are no damage: %s",
	   left_out(p));
	profile_free(p);
	p = archive((size_t[]){ 1, 1, 1 }, &e);
	ok(!p && strstr(e.text, "offset ") && strstr(e.text, "the length of the data differs"), "if all are damaged: %s", e.text);
}

/* ---- version 3 ---- */

static const char begin3[] =
	"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<cube version=\"3.0\">\n<attr key=\"Creator\" value=\"test\"/>\n"
	"<doc><mirrors><murl>http://example.org/</murl></mirrors></doc>\n<metrics title=\"Metric tree\">\n"
	"<metric id=\"0\"><disp_name>Visits</disp_name><uniq_name>visits</uniq_name><dtype>INTEGER</dtype><uom>occ</uom><val></val>"
	"<url></url><descr></descr></metric>\n"
	"<metric id=\"1\" type=\"INCLUSIVE\"><uniq_name>time</uniq_name><dtype>FLOAT</dtype><uom>sec</uom>\n"
	"<metric id=\"2\"><uniq_name>mpi</uniq_name><dtype>FLOAT</dtype><uom>sec</uom></metric></metric>\n"
	"<metric id=\"3\"><uniq_name>gain</uniq_name><dtype>UINT64</dtype><uom>bytes</uom></metric>\n"
	"<metric id=\"4\"><uniq_name>rate</uniq_name><dtype>RATE</dtype><uom>sec</uom></metric>\n</metrics>\n";
/* Threads in another order than their ids; values are in that of the ids. */
static const char system3[] =
	"<system title=\"System tree\"><machine Id=\"0\"><name>m</name><node Id=\"0\"><name>n</name>\n"
	"<process Id=\"0\"><name>Process 0</name><rank>0</rank><thread Id=\"1\"><name>Thread 1</name><rank>1</rank></thread>\n"
	"<thread Id=\"0\"><name>Thread 0</name><rank>0</rank></thread></process>\n"
	"<process Id=\"1\"><name>Process 1</name><rank>1</rank><thread Id=\"2\"><name>Thread 0</name><rank>0</rank></thread></process>\n"
	"</node></machine></system>\n";
static const char severity[] =
	"<severity>\n<matrix metricId=\"0\">\n<row cnodeId=\"0\">\n1\n1\n1\n</row>\n<row cnodeId=\"1\">2 3 4</row>"
	"<row cnodeId=\"2\">7\n8\n9\n</row></matrix>\n"
	"<matrix metricId=\"1\"><row cnodeId=\"0\">1.5 1 1\n</row><row cnodeId=\"1\">2 0.25 0</row></matrix>\n"
	"<matrix metricId=\"2\"><row cnodeId=\"1\">%s</row></matrix>\n"
	"<matrix metricId=\"3\"><row cnodeId=\"3\">18446744073709551615 1 0</row></matrix>\n"
	"<matrix metricId=\"4\"><row cnodeId=\"3\">(1,2) (3,4) (5,6)</row></matrix>\n</severity>\n</cube>\n";

static struct profile *version3(const char *row, struct error *e)
{
	char text[8192];
	int n = snprintf(text, sizeof(text), "%s%s%s", begin3, tree, system3);

	n += snprintf(text + n, sizeof(text) - (size_t)n, severity, row);
	return read_bytes(text, (size_t)n, e);
}

static void test_version3(void)
{
	struct error e = { 0 };
	struct profile *p = version3("0.5 0.125 0", &e);

	if (!ok(p && p->thread_n == 3 && p->metric_n == 3 && p->source == 17, "a file of version 3 is read: %s", e.text))
		return;
	ok(row_is(p, 0, "main", 1, "TIME", 3.5e6, 1.5e6) && row_is(p, 0, "f", 2, "TIME", 2e6, 2e6) && row_is(p, 0, "g", 7, "TIME", 0, 0),
	   "values are exclusive, whatever the type says");
	ok(row_is(p, 1, "f", 3, "TIME", 0.25e6, 0.25e6) && row_is(p, 2, "f", 4, "TIME", 0, 0) && p->thread[2].node == 1,
	   "columns are the threads by their ids");
	ok(row_is(p, 0, "f", 2, "mpi", 5e5, 5e5) && row_is(p, 0, "g", 7, "gain", -1, -1), "other metrics, one of them wrapped around");
	ok(!strcmp(left_out(p), "rate"), "what is no number is named: %s", left_out(p));
	profile_free(p);
	p = version3("0.5 0.125", &e);
	ok(p && p->metric_n == 2 && strstr(left_out(p), "mpi (node 1: 2 numbers for 3 threads)"), "a short row: %s", left_out(p));
	profile_free(p);
	p = version3("0.5 0.125x 0", &e);
	ok(p && p->metric_n == 2 && strstr(left_out(p), "mpi (node 1: '0.125x 0' is not a number)"), "a wrong number: %s", left_out(p));
	profile_free(p);
	p = version3("1 2 3</row><row cnodeId=\"1\">1 2 3", &e);
	ok(p && strstr(left_out(p), "mpi (node 1 has two rows)"), "a row twice: %s", left_out(p));
	profile_free(p);
	p = version3("1 2 3</row><row cnodeId=\"77\">1 2 3", &e);
	ok(p && strstr(left_out(p), "mpi (node 77 is not defined)"), "a row of no node: %s", left_out(p));
	profile_free(p);
}

/* Rows that fit the one thread before them are too short for the threads that are defined later. */
static void test_late_threads(void)
{
	static const char one[] = "<system><machine Id=\"0\"><node Id=\"0\"><process Id=\"0\"><rank>0</rank><thread Id=\"0\"/></process></node></machine></system>\n",
			  values[] = "<severity><matrix metricId=\"1\"><row cnodeId=\"0\">1</row></matrix></severity>\n";
	struct error e = { 0 };
	char text[20000];
	int n = snprintf(text, sizeof(text), "%s%s%s%s<system><process Id=\"1\"><rank>1</rank>", begin3, tree, one, values);

	for (int i = 1; i < 400; i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "<thread Id=\"%d\"/>", i);
	n += snprintf(text + n, sizeof(text) - (size_t)n, "</process></system></cube>\n");
	ok(!read_bytes(text, (size_t)n, &e) && strstr(e.text, "threads are defined after its values"), "threads after values: %s", e.text);
}

static void test_refused(void)
{
	static const char old[] = "<cube version=\"2.0\"><metrics></metrics></cube>\n", cut[] = "<cube version=\"3.0\"><metrics>\n";
	struct error e = { 0 };

	ok(!read_bytes(old, sizeof(old) - 1, &e) && strstr(e.text, "version 2.0; versions 3 and 4 are read"), "%s", e.text);
	ok(!read_bytes(cut, sizeof(cut) - 1, &e) && strstr(e.text, ": line "), "a file that is cut short: %s", e.text);
}

int main(void)
{
	if (mkstemp(file) < 0)
		return 1;
	test_archive();
	test_damaged();
	test_version3();
	test_late_threads();
	test_refused();
	unlink(file);
	return tap_end();
}
