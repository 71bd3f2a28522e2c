/* tau_parts.c: profiles in TAU's formats piece by piece: packed ones thread by thread, snapshots one after the other, single files. */
#include <stdlib.h>
#include <string.h>

#include "convert/profile_format.h"
#include "convert/tau/ppk_stream.h"
#include "convert/tau/snapshot.h"
#include "convert/tau/tau_file.h"
#include "convert/tau/tau_numbered.h"
#include "files.h"
#include "tap.h"

static char folder[] = "/tmp/tau-parts-XXXXXX";

/* Threads 0 to n - 1, each with one row of f. */
static struct profile *made(int n)
{
	struct profile *p = profile_new();
	uint32_t path;

	profile_add_metric(p, "TIME");
	path = profile_add_path(p, profile_add_timer(p, "f", "TAU_USER", NULL, 0), PROFILE_FLAT);
	for (int i = 0; i < n; i++) {
		uint32_t t = profile_add_thread(p, i, 0, 0);
		struct profile_row *r = profile_add_row(p, t, path);

		r->calls = i + 1;
		*profile_excl(p, &p->thread[t], r) = *profile_incl(&p->thread[t], r) = 10 * (i + 1);
	}
	profile_sort(p);
	return p;
}

static void test_packed(void)
{
	struct profile *p = made(3);
	struct ppk_stream *s = NULL;
	const struct profile_thread *t;
	struct error e = {0};
	unsigned char *bytes;
	size_t n, wrong = 0;
	FILE *f = fopen(file_below(folder, "a.ppk"), "wb");

	ppk_print(f, p, 0, 1);
	fclose(f);
	profile_free(p);
	ok(profile_file_is(file_below(folder, "a.ppk")) && !profile_file_is("/nonexistent"), "a profile by its begin");
	ok(!ppk_stream_open(file_below(folder, "a.ppk"), 0, &s, &e), "it opens");
	ok(ppk_stream_profile(s)->timer_n == 1 && !ppk_stream_profile(s)->thread_n, "with definitions, without threads");
	for (int i = 0; i < 3; i++)
		ok(ppk_stream_next(s, &t, &e) == 1 && t->node == i && t->row_n == 1 && t->row[0].calls == i + 1, "thread %d", i);
	ok(ppk_stream_next(s, &t, &e) == 0, "no more");
	ppk_stream_close(s);
	s = NULL;
	ok(!ppk_stream_open(file_below(folder, "a.ppk"), 0, &s, &e) && ppk_stream_next(s, &t, &e) == 1 && !ppk_stream_rest(s, &e) &&
		   ppk_stream_profile(s)->thread_n == 2,
	   "the rest at once");
	ppk_stream_close(s);
	bytes = file_get(file_below(folder, "a.ppk"), &n);
	/* The last 8 bytes are gzip's sum and length: all threads come before them. */
	for (size_t cut = 0; cut < n - 8; cut += 1 + n / 40) {
		int code;

		file_put(file_below(folder, "cut.ppk"), bytes, cut);
		s = NULL;
		code = ppk_stream_open(file_below(folder, "cut.ppk"), 0, &s, &e);
		while (!code && (code = ppk_stream_next(s, &t, &e)) == 1)
			code = 0;
		wrong += code >= 0;
		if (s)
			ppk_stream_close(s);
	}
	ok(!wrong, "a file that is cut short is damaged");
	free(bytes);
}

struct bytes_made {
	unsigned char v[80000];
	size_t n;
};

static void add_int(struct bytes_made *b, uint32_t v)
{
	for (int shift = 24; shift >= 0; shift -= 8)
		b->v[b->n++] = (unsigned char)(v >> shift);
}

static void add_text(struct bytes_made *b, char c, size_t n)
{
	b->v[b->n++] = (unsigned char)(n >> 8);
	b->v[b->n++] = (unsigned char)n;
	memset(b->v + b->n, c, n);
	b->n += n;
}

/* A packed profile with groups X, X, X and a name of n Y, and a timer in the last group, which is named `times` times. */
static int read_grouped(size_t n, uint32_t times, struct profile **out, struct error *e)
{
	static struct bytes_made b;

	memcpy(b.v, "\0P\0P\0K", 6);
	b.n = 6;
	for (size_t i = 0; i < 3; i++)	/* version, the oldest reader, no metadata */
		add_int(&b, i < 2);
	add_int(&b, 1);
	add_text(&b, 'T', 4);
	add_int(&b, 4);
	for (int i = 0; i < 3; i++)
		add_text(&b, 'X', 1);
	add_text(&b, 'Y', n);
	add_int(&b, 1);
	add_text(&b, 'm', 4);
	add_int(&b, times);
	for (uint32_t i = 0; i < times; i++)
		add_int(&b, 3);
	add_int(&b, 0);
	add_int(&b, 0);
	return ppk_read("made", b.v, b.n, out, e);
}

static void test_packed_groups(void)
{
	struct profile *p = NULL;
	struct error e = {0};

	ok(!read_grouped(2, 2, &p, &e) && !strcmp(p->timer[0].groups, "YY|YY"), "groups of one name count as several");
	profile_free(p);
	ok(read_grouped(60000, 100, &p, &e) == ERROR_INPUT, "groups of a timer without a limit are damage");
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	while ((text = strstr(text, what))) {
		n++;
		text++;
	}
	return n;
}

static void test_snapshots(void)
{
	struct profile *p = made(2);
	struct snapshot_series s = {{0}, {0}, {0}};
	struct snapshot_moment at = {"first", 1000000, 77};
	struct profile *back = NULL;
	struct error e = {0};
	char *text;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	snapshot_append(f, &s, p, 1, &at);
	at = (struct snapshot_moment){"second", 2000000, 77};
	snapshot_append(f, &s, p, 1, &at);
	fclose(f);
	ok(count(text, "<name>first</name>") == 1 && count(text, "<name>second</name>") == 1, "two snapshots");
	ok(count(text, "<name>TIME</name>") == 1 && count(text, "<name>f</name>") == 1, "what is defined is not defined again");
	ok(!snapshot_read("s", (unsigned char *)text, n, &back, &e) && back->thread_n == 1 && back->thread[0].node == 1 &&
		   back->thread[0].row[0].calls == 2,
	   "the last one is read back: %s", e.text);
	profile_free(back);
	free(text);
	snapshot_series_release(&s);
	profile_free(p);
}

static void test_file(void)
{
	static const struct {
		const char *text, *metric;
		int code;
	} cases[] = {
		{"1 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls\n\"f\" 2 0 10 10 0 GROUP=\"TAU_USER\"\n0 aggregates\n", "TIME", 0},
		{"1 templated_functions_MULTI_TIME\n# Name\n\"f\" 2 0 10\n0 aggregates\n", "TIME", ERROR_INPUT},
		{"2 templated_functions_MULTI_TIME\n# Name\n\"f\" 2 0 10 10 0 GROUP=\"\"\n", "TIME", ERROR_INPUT},
		{"", "TIME", ERROR_INPUT},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct error e = {0};
		struct tau_reader r = {.p = profile_new(), .text = {.e = &e}, .serial = 2, .fresh = 1};
		char *metric = NULL;
		int code;

		tau_text_copy(&r.text, "profile.0.0.0", (const unsigned char *)cases[i].text, strlen(cases[i].text));
		r.missing = mem_alloc(2 * sizeof(*r.missing));
		if (!tau_file_metric(&r, &metric) && metric)
			ok(!strcmp(metric, cases[i].metric), "the metric is %s", metric);
		free(metric);
		free(r.text.text);
		r.text = (struct tau_text){.e = &e};
		tau_text_copy(&r.text, "profile.0.0.0", (const unsigned char *)cases[i].text, strlen(cases[i].text));
		profile_add_metric(r.p, cases[i].metric);
		profile_add_thread(r.p, 0, 0, 0);
		code = tau_file_parse(&r, cases[i].metric);
		ok(code == cases[i].code, "file %zu: %s", i, code ? e.text : "read");
		if (!code)
			ok(r.p->thread[0].row_n == 1 && r.p->thread[0].row[0].calls == 2, "with its row");
		else
			tau_file_undo(&r);
		ok(!code || !r.p->thread[0].row_n, "a damaged file brings nothing");
		free(r.text.text);
		free(r.missing);
		free(r.mark);
		free(r.sample_mark);
		names_release(&r.events);
		names_release(&r.sample_names);
		profile_free(r.p);
	}
}

static void test_numbered(void)
{
	struct tau_numbered f = {.thread = NULL};
	struct profile *p = made(2), *back = NULL;
	struct error e = {0};
	uint32_t a, b;

	a = numbered_function(&f, " g ", "TAU_USER");
	ok(numbered_function(&f, "g", "TAU_USER") == a && !strcmp(f.function[a].name, "g"), "blanks around a name do not count");
	ok(numbered_function(&f, "g", "MPI") != a, "groups do");
	b = numbered_event(&f, "bytes", 0);
	ok(numbered_event(&f, "bytes", 0) == b && numbered_event(&f, "bytes", 1) != b && !strcmp(numbered_event_name(&f, b), "bytes"),
	   "an event, and another one of the same name");
	numbered_release(&f);
	ok(!f.function_n && !f.event.name_n, "released");
	numbered_copy(&f, p);
	ok(f.thread_n == 2 && f.function_n == 1 && f.thread[1].row[0].calls == 2, "a profile as numbers");
	ok(!numbered_profile(&f, "x", 1, &back, &e) && back->thread_n == 2 && back->thread[1].row[0].calls == 2, "and back");
	profile_free(back);
	f.thread[1].node = 0;
	ok(numbered_profile(&f, "x", 1, &back, &e) == ERROR_INPUT && !strncmp(e.text, "x: ", 3), "a thread that is there twice: %s", e.text);
	numbered_release(&f);
	profile_free(p);
}

int main(void)
{
	if (!mkdtemp(folder))
		return 1;
	test_packed();
	test_packed_groups();
	test_snapshots();
	test_file();
	test_numbered();
	folder_remove(folder);
	return tap_end();
}
