/* profile_formats.c: profiles survive each format that can hold them; damage is a sentence, never another number. */
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/inputs.h"
#include "convert/io/blob.h"
#include "convert/profile_format.h"
#include "convert/tau/tau_profile.h"
#include "files.h"
#include "profiles.h"
#include "tap.h"
#include "record/metadata.h"

static char scratch[] = "/tmp/tau-test.XXXXXX";
static const char *data;

static const char *below(const char *name)
{
	return file_below(scratch, name);
}

static const char *shared(const char *name)
{
	static char path[4200];

	snprintf(path, sizeof(path), "%s/%s", data, name);
	return access(path, R_OK) ? NULL : path;
}

struct text {
	char *p;
	size_t n;
};

static struct text print(const struct profile_format *f, struct profile *p)
{
	struct text t;
	FILE *m = open_memstream(&t.p, &t.n);

	f->print(m, p, 0, 1);
	fclose(m);
	return t;
}

static void put(const char *path, const void *bytes, size_t n)
{
	FILE *f = fopen(path, "wb");

	if (!f || fwrite(bytes, 1, n, f) != n || fclose(f))
		abort();
}

/* p, written in a format and read again. NULL and a line of TAP's comment: that failed. */
static struct profile *through(const char *name, struct profile *p)
{
	const struct profile_format *f = profile_format_named(name), *found = NULL;
	struct profile *q = NULL;
	struct error e = { 0 };
	const char *at = below(f->print ? "one.file" : "one.folder");
	struct text t;
	int code;

	if (f->print) {
		t = print(f, p);
		put(at, t.p, t.n);
		free(t.p);
		code = path_profile_read(at, &found, &q, &e);
	} else {
		code = tau_profile_write(at, p, &e);
		code = code ? code : path_profile_read(at, &found, &q, &e);
	}
	if (code || found != f)
		printf("# %s: %s, taken for %s\n", name, e.text, found ? found->name : "nothing");
	if (!code)
		q->source = p->source;
	return q;
}

static const char *const faithful[] = { "tau", "ppk", "snapshot" };
#define FAITHFUL (sizeof(faithful) / sizeof(*faithful))

/* What a set must show: size, and the largest inclusive time in seconds, to four digits. */
static const struct set {
	const char *path;
	size_t threads, timers;
	double seconds;
} sets[] = {
	{ "tau/ppk/ring-2.ppk", 2, 10, 2.150 },
	{ "tau/ppk/ring-4.ppk", 4, 10, 2.055 },
	{ "tau/ppk/ring-6.ppk", 6, 10, 2.080 },
	{ "tau/ppk/ring-8.ppk", 8, 10, 2.078 },
	{ "tau/ppk/gromacs-2.ppk", 2, 598, 638.3 },
	{ "tau/ppk/gromacs-8.ppk", 8, 613, 204.6 },
	{ "tau/ppk/gromacs-32.ppk", 32, 643, 101.2 },
	{ "tau/ppk/geant-flat.ppk", 1, 1837, 11218 },
	{ "tau/snapshot/tauprofile.xml", 8, 79, 17.05 },
	{ "tau/profiles/cpi-callpath-4", 4, 12, 0.05533 },
	{ "tau/profiles/workflow-8", 8, 27, 62.62 },
	{ "tau/profiles/matmult-4", 4, 12, 5.225 },
};

static double largest(struct profile *p)
{
	double v = 0;

	for (size_t t = 0; t < p->thread_n; t++)
		for (size_t i = 0; i < p->thread[t].row_n; i++)
			if (*profile_incl(&p->thread[t], &p->thread[t].row[i]) > v)
				v = *profile_incl(&p->thread[t], &p->thread[t].row[i]);
	return v / 1e6;
}

static void check_set(const struct set *s)
{
	const char *path = shared(s->path);
	struct profile *p = NULL;
	struct error e = { 0 };
	char got[40], want[40];

	if (!path) {
		skip(s->path, "the recorded data are not here");
		return;
	}
	if (!ok(path_profile_is(path) && !path_profile_read(path, NULL, &p, &e), "%s is read: %s", s->path, e.text))
		return;
	snprintf(got, sizeof(got), "%.4g", largest(p));
	snprintf(want, sizeof(want), "%.4g", s->seconds);
	ok(p->thread_n == s->threads && p->timer_n == s->timers && !strcmp(got, want),
	   "%s: %zu threads, %zu timers, at most %s s", s->path, p->thread_n, p->timer_n, got);
	for (size_t i = 0; i < FAITHFUL; i++) {
		struct profile *q = through(faithful[i], p);

		ok(q && profiles_same(p, q), "%s is the same after %s", s->path, faithful[i]);
		profile_free(q);
	}
	profile_free(p);
}

/* Through any two formats that hold everything, one after the other. */
static void check_pairs(void)
{
	uint64_t seed = 20250311;

	for (size_t a = 0; a < FAITHFUL; a++)
		for (size_t b = 0; b < FAITHFUL; b++) {
			int same = 1, i;

			for (i = 0; i < 40 && same; i++) {
				struct profile *p = profiles_make(&seed, 1 + (uint64_t)i), *q, *r;

				q = through(faithful[a], p);
				r = q ? through(faithful[b], q) : NULL;
				same = r && profiles_same(p, r);
				profile_free(p);
				profile_free(q);
				profile_free(r);
			}
			ok(same, "random profiles survive %s and %s (seed 20250311, %d)", faithful[a], faithful[b], i);
		}
}

/* A profile of few bytes that has something of everything. */
static struct profile *small(void)
{
	struct profile *p = profile_new();
	uint32_t t, main_path, send;
	struct profile_row *r;
	struct profile_sample *s;

	profile_add_metric(p, "TIME");
	main_path = profile_add_path(p, profile_add_timer(p, "main [{m.c} {1,2}-{3,4}]", "TAU_USER", "m.c", 1), PROFILE_FLAT);
	send = profile_add_path(p, profile_add_timer(p, "MPI_Send()", "MPI", NULL, 0), main_path);
	t = profile_add_thread(p, 0, 0, 0);
	r = profile_add_row(p, t, main_path);
	r->calls = 1;
	r->subrs = 2;
	*profile_incl(&p->thread[t], r) = 12.5;
	*profile_excl(p, &p->thread[t], r) = 2.25;
	r = profile_add_row(p, t, send);
	r->calls = 2;
	*profile_incl(&p->thread[t], r) = *profile_excl(p, &p->thread[t], r) = 10.25;
	s = profile_add_sample(p, t, profile_add_counter(p, "bytes", COUNTER_EVENT), send);
	*s = (struct profile_sample){ s->counter, s->path, 2, 8, 4, 6, 80 };
	profile_set_meta(p, UINT32_MAX, "Host", "a<b>\xc3\xa9");
	profile_sort(p);
	return p;
}

/*
 * Reads bytes of exactly n in memory of their own, so that a step outside is seen by a sanitizer. 1: *out is a profile;
 * 0: an error that names the file.
 */
static int try(const struct profile_format *f, const char *bytes, size_t n, struct profile **out)
{
	unsigned char *copy = mem_alloc(n + 1);
	struct error e = { 0 };
	int code;

	*out = NULL;
	memcpy(copy, bytes, n);
	code = f->is(copy, n) ? f->read("a.file", copy, n, out, &e)
			      : error_set(&e, ERROR_INPUT, "a.file: offset 0: this is not a %s", f->name);
	free(copy);
	if (code && (strncmp(e.text, "a.file: ", 8) || e.text[8] == 0))
		printf("# odd sentence: %s\n", e.text);
	return code ? -(strncmp(e.text, "a.file: ", 8) != 0) : 1;
}

static struct text unpacked(const struct profile_format *f, struct profile *p)
{
	struct text t = print(f, p);
	struct blob b;
	struct error e;

	put(below("packed"), t.p, t.n);
	free(t.p);
	if (blob_read(below("packed"), &b, &e))
		abort();
	return (struct text){ (char *)b.p, b.n };
}

/* bytes: an undamaged file, of which p is the profile. ways: of damaging a byte. */
static void check_bytes(const struct profile_format *f, struct text t, const struct profile *p, int ways)
{
	struct profile *q;
	size_t whole = 0;
	int good = 1, tried = 0;

	for (size_t n = 0; n < t.n; n++) {
		int code = try(f, t.p, n, &q);

		good &= code >= 0;
		whole += code == 1 && !profiles_same(p, q);
		profile_free(q);
	}
	ok(good && !whole, "%s cut at any of %zu bytes is an error or the same profile", f->name, t.n);
	for (size_t i = 0; i < t.n; i++)
		for (int way = 0; way < ways; way++, tried++) {
			char before = t.p[i];

			t.p[i] = way == 0 ? 0 : way == 1 ? (char)0xff : (char)(before ^ 1 << (way - 2));
			good &= try(f, t.p, t.n, &q) >= 0;
			profile_free(q);
			t.p[i] = before;
		}
	ok(good, "%s with any byte wrong (%d ways) is a profile or a sentence", f->name, tried);
}

static void check_damage(const char *name, uint32_t source)
{
	const struct profile_format *f = profile_format_named(name);
	struct profile *p = small();
	struct text t = unpacked(f, p);

	p->source = source;
	check_bytes(f, t, p, 10);
	free(t.p);
	profile_free(p);
}

/* Formats that are only read: a file of the corpus. */
static void check_file(const char *name, const char *file, int ways)
{
	const struct profile_format *f = profile_format_named(name);
	struct profile *p = NULL;
	struct error e = { 0 };
	struct blob b;

	if (!ok(!blob_read(file, &b, &e) && !f->read("a.file", b.p, b.n, &p, &e), "%s: %s", file, e.text))
		return;
	check_bytes(f, (struct text){ (char *)b.p, b.n }, p, ways);
	blob_release(&b);
	profile_free(p);
}

static void check_packing(void)
{
	struct profile *p = small(), *q;
	struct text t = print(profile_format_named("ppk"), p);
	struct error e = { 0 };
	int good = 1;

	p->source = 0;
	for (size_t n = 0; n < t.n; n++) {
		put(below("cut"), t.p, n);
		q = NULL;
		good &= path_profile_read(below("cut"), NULL, &q, &e) == ERROR_INPUT && strstr(e.text, "cut: offset ");
		profile_free(q);
	}
	ok(good, "a gzip stream cut anywhere is an error with its offset: %s", e.text);
	good = 0;
	for (size_t i = 0; i < t.n; i++) {
		t.p[i] ^= 0x10;
		put(below("cut"), t.p, t.n);
		q = NULL;
		good += !path_profile_read(below("cut"), NULL, &q, &e) && !profiles_same(p, q);
		profile_free(q);
		t.p[i] ^= 0x10;
	}
	ok(good == 0, "a wrong bit in it never becomes another number");
	put(below("cut"), "\x1f\x8b\x08", 3);
	mkdir(below("nothing"), 0777);
	put(below("nothing/README"), "main;f 5\n", 9);
	ok(!path_profile_is(below("cut")) && !path_profile_is(below("none")) && !path_profile_is(below("nothing")), "other files are recognized as no profiles");
	free(t.p);
	profile_free(p);
}

static void check_lost(void)
{
	struct profile *p = small();
	struct profile_loss two = { 0 };
	char *text = profile_format_lost(profile_format_named("ppk"), p);

	ok(!text, "a packed profile holds everything of a small profile");
	for (int i = 0; i < 2; i++)
		profile_loss_add(&two, profile_format_named("ppk"), p);
	text = profile_loss_text(&two, profile_format_named("ppk"));
	ok(text && !strcmp(text, "ppk cannot contain: 1 further window"), "%s", text);
	free(text);
	p->timer[1].file = mem_string("mpi.c");
	text = profile_format_lost(profile_format_named("tau"), p);
	ok(text && !strcmp(text, "tau cannot contain: 1 source location"), "%s", text);
	free(text);
	profile_free(p);
}

/* 1 when a row of its call path, or a root's own row, has these numbers, to the digits that the CSV has. */
static int has_row(struct profile *p, double calls, double incl, double excl)
{
	struct profile_thread *t = &p->thread[0];

	for (size_t i = 0; i < t->row_n; i++) {
		const struct profile_row *r = &t->row[i];
		double in = *profile_incl(t, r) / 1e6, ex = *profile_excl(p, t, r) / 1e6;

		if (r->calls == calls && fabs(in - incl) <= 1e-5 * incl && fabs(ex - excl) <= 1e-5 * incl)
			return 1;
	}
	return 0;
}

static void check_cube(void)
{
	const char *path = shared("cube/call_tree_test/call_tree_test.cubex");
	struct profile *p = NULL;
	struct error e = { 0 };
	char in[400], ex[400];
	FILE *incl, *excl;
	int rows = 0, found = 0;

	if (!path) {
		skip("Cube's values", "the recorded data are not here");
		return;
	}
	if (!ok(!path_profile_read(path, NULL, &p, &e) && p->thread_n == 1 && p->metric_n == 1, "a Cube file is read: %s", e.text))
		return;
	incl = fopen(shared("cube/call_tree_test/incl.csv"), "r");
	excl = fopen(shared("cube/call_tree_test/excl.csv"), "r");
	while (fgets(in, sizeof(in), incl) && fgets(ex, sizeof(ex), excl)) {
		double calls, time[2];

		if (sscanf(in, "%*d,%*d,%*f,%lf", &time[0]) == 1 && sscanf(ex, "%*d,%*d,%lf,%lf", &calls, &time[1]) == 2) {
			rows++;
			found += has_row(p, calls, time[0], time[1]);
		}
	}
	fclose(incl);
	fclose(excl);
	ok(rows == 18 && found == rows, "%d of %d nodes have the calls and times of its CSV", found, rows);
	profile_free(p);
}

/* All the types of numbers, on two processes of two threads. */
static void check_cube_types(void)
{
	const char *path = shared("cube/values/cube-values_example.cubex");
	struct profile *p = NULL;
	struct error e = { 0 };
	int64_t c;
	const struct profile_sample *s;

	if (!path) {
		skip("Cube's types", "the recorded data are not here");
		return;
	}
	if (!ok(!path_profile_read(path, NULL, &p, &e) && p->thread_n == 4 && p->metric_n == 9, "every type is read: %s", e.text))
		return;
	ok(*profile_incl(&p->thread[0], &p->thread[0].row[0]) == 1e6 && *profile_incl(&p->thread[1], &p->thread[1].row[0]) == 3e6 &&
		   *profile_incl(&p->thread[3], &p->thread[3].row[0]) == 4e6,
	   "the columns are the locations by their ids");
	c = names_find(&p->counter_names, "TAU_ATOMIC", 10);
	s = c < 0 ? NULL : profile_sample_get(&p->thread[0], (uint32_t)c, 0);
	ok(s && s->n == 1 && s->mean == 1e6, "an atomic of TAU is a counter");
	ok(profile_meta(p, UINT32_MAX, "Cube Metrics Left Out") != NULL, "left out, and said so: %s",
	   profile_meta(p, UINT32_MAX, "Cube Metrics Left Out"));
	profile_free(p);
}

static struct profile *parse(const char *text, struct error *e)
{
	struct profile *p = NULL;

	put(below("text"), text, strlen(text));
	return path_profile_read(below("text"), NULL, &p, e) ? NULL : p;
}

/* Files that other programs have written, cut or joined: the sum of main; what is ignored; the error. */
static void check_folded_odd(void)
{
	static const struct {
		const char *text, *ignored, *error;
		double sum;
	} cases[] = {
		{"main;f 5\nmain;g 12", "the last line has no line end", NULL, 17},
		{"\xef\xbb\xbfmain;f 5\nmain 2\n", NULL, NULL, 7},
		{"main;f 5\r\nmain;g 12\r\n", NULL, NULL, 17},
		{"main;f 5\nmain;g\nmain;h 4\n", "1 line without a stack, the first is line 2: expected 'a;b;c NUMBER'", NULL, 9},
		{"warning: lost\nmain;f 5\nmain;h 4\n; 3\n", "2 lines without a stack, the first is line 1", NULL, 9},
		{"main;f 5 6\nmain;h 4 9\n", NULL, "each line has two numbers, as difffolded.pl writes", 0},
		{"main;f 5 6\nmain;h 4 9\nmain;g 3\n", NULL, "2 of 3 lines have two numbers, as difffolded.pl writes them, and line 3 has one", 0},
		{"main;f 5\nmain;g 5 6\nmain;h 4 9\n", NULL, "and line 1 has one", 0},
		{"main;f 5 6\nmain;h 4 9\nlost\n", NULL, "each line has two numbers", 0},
		{"main;f 1\nmain;step 1 6\nmain;g 2 1\nmain;h 4\n", NULL, NULL, 12},
		{"main;thread 5 6\nmain 1\n", NULL, NULL, 7},
		{"main;step 1 6\nmain;step 2 1\n", NULL, NULL, 7},
		{"main;step 1 6\n", NULL, NULL, 6},
		{"a text\nof chapter 5\nand verse 4\n", NULL, "not a profile", 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct error e = {0};
		struct profile *p = parse(cases[i].text, &e);
		const char *ignored = p ? profile_meta(p, UINT32_MAX, TAU_META_TEXT_IGNORED) : NULL;
		int good;

		if (cases[i].error)
			good = !p && strstr(e.text, cases[i].error);
		else
			good = p && !strcmp(p->timer[p->path[p->thread[0].row[0].path].timer].name, "main") && *profile_incl(&p->thread[0], &p->thread[0].row[0]) == cases[i].sum &&
			       (cases[i].ignored ? ignored && strstr(ignored, cases[i].ignored) : !ignored);
		ok(good, "odd folded stacks %zu: %s", i, p ? ignored ? ignored : "read" : e.text);
		if (p)
			profile_free(p);
	}
}

static void check_folded(void)
{
	static const char text[] = "main 5\nmain;MPI_Send() 7.5\nmain;f(a, b);main 3\nx y;z 1\n";
	struct error e = { 0 };
	struct profile *p = parse(text, &e);
	const struct profile_row *r;
	struct text t;

	if (!ok(p && p->path_n == 9, "folded stacks are read: %s", e.text))
		return;
	r = profile_row_get(&p->thread[0], 0);
	ok(*profile_incl(&p->thread[0], r) == 15.5 && *profile_excl(p, &p->thread[0], r) == 8, "recursion counts once");
	t = print(profile_format_named("folded"), p);
	ok(!strcmp(t.p, text), "and written again they are the same");
	free(t.p);
	profile_free(p);
	p = parse("main;f [{a.c} {7}] 2\n", &e);
	ok(p && !strcmp(p->timer[1].file, "a.c") && p->timer[1].line == 7, "places in names are read");
	profile_free(p);
	check_folded_odd();
}

static int lines_with(const char *text, const char *what)
{
	int n = 0;

	for (; (text = strstr(text, what)); text += strlen(what))
		n++;
	return n;
}

static void check_texts(void)
{
	struct profile *p = small();
	struct text t = print(profile_format_named("pprof"), p);
	char *lost;

	ok(strstr(t.p, "\nNODE 0;CONTEXT 0;THREAD 0:\n") &&
		   strstr(t.p, "\n100.0      0.00225       0.0125           1           2         12 main [{m.c} {1,2}-{3,4}]\n") &&
		   strstr(t.p, "\n         2          8          4          6          2  bytes : main [{m.c} {1,2}-{3,4}] => MPI_Send()\n"),
	   "pprof's table");
	free(t.p);
	t = print(profile_format_named("callgrind"), p);
	ok(strstr(t.p, "events: TIME_ns\n") && strstr(t.p, "fl=(1) m.c\nfn=(1) main [{m.c} {1,2}-{3,4}]\n1 2250\ncfl=(2) ???\n"
							   "cfn=(2) MPI_Send()\ncalls=2 0\n1 10250\n"),
	   "callgrind's calls and costs");
	ok(strstr(t.p, "\nfl=(2)\nfn=(2)\n") && strstr(t.p, "\ntotals: 2250\n"), "a name stands once, and the total at the end");
	free(t.p);
	t = print(profile_format_named("folded"), p);
	ok(!strcmp(t.p, "main [{m.c} {1,2}-{3,4}] 2250\nmain [{m.c} {1,2}-{3,4}];MPI_Send() 10250\n"), "stacks in nanoseconds");
	free(t.p);
	lost = profile_format_lost(profile_format_named("folded"), p);
	ok(lost && lines_with(lost, ", ") == 4, "%s", lost);
	free(lost);
	profile_free(p);
}

int main(void)
{
	char command[100];

	data = getenv("TAU_TEST_DATA") ? getenv("TAU_TEST_DATA") : "../shared/data";
	if (!mkdtemp(scratch))
		return 1;
	for (size_t i = 0; i < sizeof(sets) / sizeof(*sets); i++)
		check_set(&sets[i]);
	check_pairs();
	check_damage("ppk", 0);
	check_damage("snapshot", 10);
	check_file("cube", "fixtures/fuzz/cubex/small", 3);
	check_packing();
	check_cube();
	check_cube_types();
	check_folded();
	check_texts();
	check_lost();
	snprintf(command, sizeof(command), "rm -rf %s", scratch);
	return tap_end() | (system(command) != 0);
}
