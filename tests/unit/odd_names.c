/*
 * odd_names.c: names and other texts of any bytes through every format: they come back as they were, or the summary of what is lost
 * speaks of them. What is written can be read again in any case.
 */
#include <sys/stat.h>

#include "tests/inputs.h"
#include "convert/formats.h"
#include "convert/profile_format.h"
#include "convert/tau/tau_profile.h"
#include "convert/trace_write.h"
#include "convert/io/utf8.h"
#include "files.h"
#include "profiles.h"
#include "tap.h"
#include "trace_writer.h"

static char dir[] = "/tmp/tau-odd.XXXXXX";

static const char *below(const char *name)
{
	return file_below(dir, name);
}

/* ---- profiles ---- */

enum place { TIMER, GROUP, COUNTER, METRIC, META_NAME, META_VALUE, BARE, CALLER, CALLED, PLACES };
static const char *const place_name[] = { "timers", "groups", "counters", "metrics", "names of metadata", "values of metadata",
					  "timers of no group", "callers", "called timers" };

static void add_row(struct profile *p, uint32_t t, uint32_t path)
{
	struct profile_row *r = profile_add_row(p, t, path);

	r->calls = 1;
	*profile_incl(&p->thread[t], r) = *profile_excl(p, &p->thread[t], r) = 8;
}

static void add_sample(struct profile *p, uint32_t t, const char *counter, uint32_t path)
{
	struct profile_sample *s = profile_add_sample(p, t, profile_add_counter(p, counter, COUNTER_EVENT), path);

	*s = (struct profile_sample){ s->counter, path, 2, 8, 4, 6, 80 };
}

static struct profile *make(enum place where, const char *s)
{
	struct profile *p = profile_new();
	const char *group = where == GROUP ? s : where == BARE ? "" : "A";
	uint32_t t, timer, path;

	profile_add_metric(p, where == METRIC ? s : "TIME");
	timer = profile_add_timer(p, where == TIMER || where == BARE ? s : "main", group, NULL, 0);
	path = profile_add_path(p, timer, PROFILE_FLAT);
	t = profile_add_thread(p, 0, 0, 0);
	add_row(p, t, path);
	add_sample(p, t, where == COUNTER ? s : "bytes", PROFILE_FLAT);
	if (where == CALLER || where == CALLED) {
		uint32_t other = profile_add_path(p, profile_add_timer(p, s, "B", NULL, 0), PROFILE_FLAT), path_of_two;

		path_of_two = profile_add_path(p, where == CALLED ? p->path[other].timer : timer, where == CALLED ? path : other);
		add_row(p, t, path_of_two);
		if (other != path)
			add_row(p, t, other);
		add_sample(p, t, "bytes", path_of_two);
	}
	profile_set_meta(p, UINT32_MAX, where == META_NAME ? s : "Host", where == META_VALUE ? s : "v");
	profile_sort(p);
	return p;
}

/* p, written and read again; NULL: that failed. */
static struct profile *through(const struct profile_format *f, struct profile *p, struct error *e)
{
	struct profile *q = NULL;
	char *text;
	size_t n;
	FILE *m;
	int code;

	if (!f->print) {
		code = tau_profile_write(below("tau"), p, e);
		code = code ? code : path_tau_profile_read(below("tau"), &q, e);
	} else {
		m = open_memstream(&text, &n);
		f->print(m, p, 0, 1);
		fclose(m);
		m = fopen(below("file"), "w");
		if (!m || fwrite(text, 1, n, m) != n || fclose(m))
			exit(1);
		free(text);
		code = path_profile_read(below("file"), NULL, &q, e);
	}
	return code ? NULL : q;
}

/* The same, as far as the format holds anything else. */
static int same(const struct profile_format *f, struct profile *p, struct profile *q)
{
	if (f->keeps & KEEPS_META) {
		q->source = p->source;
		return p->timer_n == q->timer_n && p->counter_n == q->counter_n && profiles_same(p, q);
	}
	return q->timer_n == 1 && !strcmp(p->timer[0].name, q->timer[0].name);
}

static struct {
	char text[24];
} name[1000];
static size_t names;

static void add(const char *format, int c)
{
	snprintf(name[names++].text, sizeof(name->text), format, c);
}

static void make_names(void)
{
	static const char *const more[] = {
		"", " ", "\t\n", "a => b", "a : b", " => ", "]]>", "a\\b", "\xc3\xa9", "\xed\xa0\x80", "\xef\xbf\xbe", "\xef\xbf\xbf",
		"\xf0\x9f\x98\x80", "\xf4\x90\x80\x80", "\xc2\x85", "\xc0\x80", "\xe2\x82", "[SAMPLE] a", "[CONTEXT] a", "a\" 1 2", "&lt;",
		"&#10;", "a|b", "a  b", "a\xc2\xa0", "<b>", "</name>", "<![CDATA[x]]>", "a;b;c 12", "12", "1 templated_functions", "%s%n",
		"a  => b", "a =>  => b", "a => => b", "a =>", "=> b", "=>", "main => b", "main", "x : main", "a : b : main", "bytes",
		"bytes : x",
	};

	/* Letters are handled alike, and so are bytes that are not valid UTF-8. */
	for (int c = 1; c < 256; c += c > 'A' ? 7 : 1) {
		add("a%cb", c);
		if (c > ' ' + 1 && c % 4)
			continue;
		add("a%c", c);
		add("%ca", c);
	}
	for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++)
		strcpy(name[names++].text, more[i]);
}

static void check(const struct profile_format *f, enum place where)
{
	char *clean_loss, *loss;
	struct profile *p = make(where, "clean");
	size_t unreadable = 0, silent = 0, needless = 0, changed = 0;

	clean_loss = profile_format_lost(f, p);
	profile_free(p);
	for (size_t i = 0; i < names; i++) {
		struct error e = { 0 };
		struct profile *q;
		int told, kept;

		p = make(where, name[i].text);
		loss = profile_format_lost(f, p);
		told = loss && (!clean_loss || strcmp(loss, clean_loss) != 0);
		/* Groups are a list: of an empty one nothing is kept, and nothing lost. */
		if (where == GROUP && strchr(name[i].text, '|'))
			told = 1;
		q = through(f, p, &e);
		kept = q && same(f, p, q);
		/* A caller that is unwound has no value of its own, so there is nothing to write. */
		if (!q && strncmp(name[i].text, "[CONTEXT]", 9) != 0 && !unreadable++)
			printf("# '%s': %s\n", name[i].text, e.text);
		if (q && !kept && !told && !silent++)
			printf("# '%s' is '%s', and nobody says so\n", name[i].text, where == TIMER ? q->timer[0].name : "other");
		/* A timer alone that comes back is no proof: its groups may not. */
		if (kept && told && where != GROUP && !needless++)
			printf("# %s is told of: %s\n", name[i].text, loss);
		changed += q && !kept;
		free(loss);
		profile_free(p);
		if (q)
			profile_free(q);
	}
	ok(!unreadable, "%s: whatever the %s are called, what is written can be read", f->name, place_name[where]);
	ok(!silent && !needless, "%s: and the %zu that it changes are told, no others", f->name, changed);
	free(clean_loss);
}

/* Names that differ in blanks only are one name in TAU's files: their values are added. */
static void check_coinciding(const struct profile_format *f)
{
	struct profile *p = make(TIMER, "a"), *q;
	struct error e = { 0 };

	add_row(p, 0, profile_add_path(p, profile_add_timer(p, "a ", "A", NULL, 0), PROFILE_FLAT));
	add_sample(p, 0, "bytes ", PROFILE_FLAT);
	profile_sort(p);
	q = through(f, p, &e);
	ok(q && q->thread[0].row_n == 1 && q->thread[0].sample_n == 1 && *profile_incl(&q->thread[0], &q->thread[0].row[0]) == 16 &&
		   q->thread[0].row[0].calls == 2 && q->thread[0].sample[0].n == 4 && q->thread[0].sample[0].mean == 6,
	   "%s: rows of names that are the same without blanks are added up %s", f->name, e.text);
	profile_free(p);
	profile_free(q);
}

/* ---- traces ---- */

/* What traces are read with has no control characters in names. */
static const char *const odd[] = { "a\xff", "\xef\xbf\xbf", "<&>", "q\"q,\\", "\xc3\xa9", "" };

#ifdef HAVE_OTF2
static void check_archive(struct trace *written)
{
	struct write_options o = { 0 };
	struct error e = { 0 };
	struct trace *t;
	size_t same_names = 0;

	ok(!otf2_write(written, below("otf2"), &o, &e), "it is written as OTF2 %s", e.text);
	if (!ok(!trace_open(below("otf2/traces.otf2"), &t, &e), "and read again %s", e.text))
		return;
	for (size_t i = 0; i < t->region_n; i++)
		for (size_t k = 0; k < 6; k++)
			same_names += !strcmp(t->region[i].name, odd[k]);
	ok(same_names == 6, "with the same names (%zu)", same_names);
	trace_free(t);
}
#endif

static void check_traces(void)
{
	struct write_options o = { 0 };
	struct error e = { 0 };
	struct trace *t;
	struct writer w;
	char *json, *losses;
	size_t n;

	mkdir(below("run"), 0777);
	writer_open(&w, below("run/x.tau"), 7, 0, 0, 10);
	for (uint32_t i = 0; i < 6; i++) {
		writer_region(&w, i, odd[i], "A");
		writer_enter(&w, 10 + i, i);
	}
	for (int i = 0; i < 6; i++)
		writer_leave(&w, 20 + (uint64_t)i);
	writer_close(&w);
	if (!ok(!trace_open(below("run"), &t, &e), "a trace is read %s", e.text))
		return;
	ok(!json_write(t, below("x.json"), &o, &e), "it is written as JSON %s", e.text);
	losses = write_losses(&o);
	ok(losses && strstr(losses, "1 names that are not UTF-8"), "%s", losses);
	free(losses);
	json = mem_alloc(65536);
	n = fread(json, 1, 65535, fopen(below("x.json"), "r"));
	ok(n && !utf8_is_not(json) && strstr(json, "\"a\xc3\xbf\"") && strstr(json, "\"<&>\"") && strstr(json, "\"q\\\"q,\\\\\""),
	   "which is JSON for everyone");
	free(json);
#ifdef HAVE_OTF2
	check_archive(t);
#else
	skip("it is written as OTF2", "no OTF2 library");
#endif
	trace_free(t);
}

int main(void)
{
	static const char *const format[] = { "tau", "ppk", "snapshot", "folded" };
	char command[100];

	if (!mkdtemp(dir))
		return 1;
	make_names();
	for (size_t i = 0; i < sizeof(format) / sizeof(*format); i++) {
		const struct profile_format *f = profile_format_named(format[i]);

		for (enum place where = 0; where < (f->keeps & KEEPS_META ? PLACES : GROUP); where++)
			check(f, where);
		if (f->keeps & KEEPS_META && !(f->keeps & KEEPS_EDGES))
			check_coinciding(f);
	}
	check_traces();
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command) ? 1 : tap_end();
}
