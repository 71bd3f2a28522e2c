/*
 * tau_trace.c: TAU's own traces: both widths of record, both byte orders, merged (with the ids that tau_merge gives) or
 * not, with and without definitions, and every truncation and every flipped byte of a small one. A damaged trace gives an error or a
 * profile, never a crash, and the part before a cut is unchanged.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "convert/formats.h"
#include "convert/load.h"
#include "convert/trace_write.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

static char dir[] = "/tmp/tau-trc.XXXXXX";

/* The count of the first line is one too many, as in every file of TAU's. */
static const char edf[] =
	"11 dynamic_trace_events\n"
	"# FunctionId Group Tag \"Name Type\" Parameters\n"
	"0 TAUEVENT 0 \".TAU <unknown event>\" TriggerValue\n"
	"1 TAU_DEFAULT 0 \".TAU application  \" EntryExit\n"
	"2 TAU_USER 0 \"main() int (int, char **)\" EntryExit\n"
	"3 MPI 0 \"MPI_Send()  \" EntryExit\n"
	"4 TAUEVENT 0 \"size of \\\"it\\\"\" TriggerValue\n"
	"5  0 \"_Z8no_groupv\" EntryExit\n"
	"6 TAUEVENT 1 \"cycles\" TriggerValue\n"
	"60007 TAU_MESSAGE -7 \"MESSAGE_SEND\" par\n"
	"60008 TAU_MESSAGE -8 \"MESSAGE_RECV\" par\n"
	"60000 TAUEVENT 0 \"EV_INIT\" none\n";

/* As tau_merge writes it: every event has another id. */
static const char merged_edf[] =
	"12 dynamic_trace_events\n"
	"# FunctionId Group Tag \"Name Type\" Parameters\n"
	"1 TAUEVENT 0 \".TAU <unknown event>\" TriggerValue\n"
	"2 TAU_DEFAULT 0 \".TAU application  \" EntryExit\n"
	"3 TAU_USER 0 \"main() int (int, char **)\" EntryExit\n"
	"4 MPI 0 \"MPI_Send()  \" EntryExit\n"
	"5 TAUEVENT 0 \"size of \\\"it\\\"\" TriggerValue\n"
	"6  0 \"_Z8no_groupv\" EntryExit\n"
	"7 TAUEVENT 1 \"cycles\" TriggerValue\n"
	"8 TAUEVENT 0 \"EV_INIT\" none\n"
	"9 TAUEVENT 0 \"WALL_CLOCK\" none\n"
	"10 TAUEVENT 0 \"EV_CLOSE\" none\n"
	"11 TAU_MESSAGE -7 \"MESSAGE_SEND\" par\n"
	"12 TAU_MESSAGE -8 \"MESSAGE_RECV\" par\n";

static int64_t merged_id(int64_t id)
{
	return id == 60000 ? 8 : id == 60005 ? 9 : id == 60003 ? 10 : id == 60007 ? 11 : id + 1;
}

struct image {
	unsigned char p[8192];
	size_t n;
	int wide, swap, merged;
};

static void put(struct image *m, uint64_t v, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		m->p[m->n++] = (unsigned char)(v >> 8 * (m->swap ? n - 1 - i : i));
}

static void record(struct image *m, uint64_t us, int64_t event, uint16_t node, uint16_t thread, int64_t par)
{
	put(m, (uint64_t)(m->merged ? merged_id(event) : event), m->wide ? 8 : 4);
	put(m, node, 2);
	put(m, thread, 2);
	if (m->wide)
		put(m, 0, 4);
	put(m, (uint64_t)par, 8);
	put(m, 1700000000000000 + us, 8);
}

static void value(struct image *m, uint64_t us, int64_t event, uint16_t node, int64_t v)
{
	record(m, us, event, node, 0, 0);
	record(m, us, event, node, 0, v);
	record(m, us, event, node, 0, 0);
}

/* One node: main from 10 to 1000, ten sends of 20 us, a message of 70000 bytes to node 300 in each, two values. */
static void node_write(struct image *m, uint16_t node, uint64_t at)
{
	const int64_t length = 70000, tag = 0x1234, peer = 300;
	const int64_t par = (length & 0xffff) | (tag & 0xff) << 16 | (peer & 0xff) << 24 | (length >> 16) << 32 |
			    (tag >> 8) << 48 | (peer >> 8) << 56;

	record(m, at, 60000, node, 0, 3);
	record(m, at, 60005, node, 0, 1700000000);
	record(m, at, 1, node, 0, 1);
	record(m, at + 10, 2, node, 0, 1);
	for (unsigned i = 0; i < 10; i++) {
		record(m, at + 20 + i * 50, 3, node, 0, 1);
		record(m, at + 25 + i * 50, 60007, node, 0, par);
		record(m, at + 40 + i * 50, 3, node, 0, -1);
	}
	value(m, at + 600, 4, node, 7);
	value(m, at + 600, 4, node, 0);
	record(m, at + 610, 6, node, 0, 12345);
	record(m, at + 700, 5, node, 0, 1);
	record(m, at + 800, 5, node, 0, -1);
	record(m, at + 1000, 2, node, 0, -1);
	record(m, at + 1000, 1, node, 0, -1);
	record(m, at + 1000, 60003, node, 0, 0);
}

static void file_write(const char *name, const void *p, size_t n)
{
	char path[200];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "wb");
	if (!f || fwrite(p, 1, n, f) != n || fclose(f))
		exit(1);
}

static void file_remove(const char *name)
{
	char path[200];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	unlink(path);
}

/* Loads the directory; NULL with the error in e. */
static struct profile *load(struct load_report *report, struct error *e)
{
	struct load_options o = { .report = report };
	struct profile **p, *out;
	size_t n;

	if (load_path_profiles(dir, &o, &p, &n, e))
		return NULL;
	out = p[0];
	free(p);
	return out;
}

static const struct profile_row *row(const struct profile *p, size_t thread, const char *name)
{
	for (size_t i = 0; thread < p->thread_n && i < p->thread[thread].row_n; i++) {
		const struct profile_row *r = &p->thread[thread].row[i];

		if (!strcmp(p->timer[p->path[r->path].timer].name, name) && p->path[r->path].parent == PROFILE_FLAT)
			return r;
	}
	return NULL;
}

static const struct profile_sample *sample(const struct profile *p, size_t thread, const char *name)
{
	for (size_t i = 0; thread < p->thread_n && i < p->thread[thread].sample_n; i++)
		if (!strcmp(p->counter[p->thread[thread].sample[i].counter].name, name))
			return &p->thread[thread].sample[i];
	return NULL;
}

static int row_is(const struct profile *p, size_t thread, const char *name, double calls, double incl, double excl)
{
	const struct profile_row *r = row(p, thread, name);
	const double *v = r ? &p->thread[thread].values[r->first] : NULL;

	return r && r->calls == calls && v[0] == incl && v[1] == excl;
}

static int sample_is(const struct profile *p, size_t thread, const char *name, double n, double max)
{
	const struct profile_sample *s = sample(p, thread, name);

	return s && s->n == n && s->max == max;
}

static void check(const struct profile *p, size_t thread, const char *what)
{
	ok(row_is(p, thread, ".TAU application", 1, 1000, 10), "%s: the root is TAU's own", what);
	ok(row_is(p, thread, "main() int (int, char **)", 1, 990, 690), "%s: main", what);
	ok(row_is(p, thread, "MPI_Send()", 10, 200, 200), "%s: ten calls without the blanks behind the name", what);
	ok(row_is(p, thread, "no_group()", 1, 100, 100), "%s: a function without a group", what);
	ok(sample_is(p, thread, "Message size sent to node 300", 10, 70000), "%s: all bits of messages", what);
	ok(sample_is(p, thread, "size of \\\"it\\\"", 2, 7), "%s: three records are one value, also of 0", what);
	ok(sample_is(p, thread, "cycles", 1, 12345), "%s: what only grows is one record", what);
}

static void test_layouts(void)
{
	for (int k = 0; k < 4; k++) {
		struct image m = { .wide = k & 1, .swap = k >> 1 };
		struct load_report report = { 0 };
		struct error e = { 0 };
		struct profile *p;
		char what[64];

		node_write(&m, 0, 0);
		file_write("tautrace.0.0.0.trc", m.p, m.n);
		file_write("events.0.edf", edf, sizeof(edf) - 1);
		p = load(&report, &e);
		snprintf(what, sizeof(what), "%d bytes, %s endian", k & 1 ? 32 : 24, k >> 1 ? "big" : "little");
		if (ok(p && !report.note_n, "%s: read without a note %s%s", what, e.text, report.note_n ? report.note[0].text : "")) {
			check(p, 0, what);
			profile_free(p);
		}
		load_report_release(&report);
	}
}

/* Definitions with a byte order mark, and in UTF-16. */
static void test_marks(void)
{
	char text[3 * sizeof(edf)];

	for (int k = 0; k < 3; k++) {
		static const char *const mark[] = {"\xef\xbb\xbf", "\xff\xfe", "\xfe\xff"};
		struct image m = {0};
		struct load_report report = {0};
		struct error e = {0};
		struct profile *p;
		size_t n = strlen(mark[k]);

		memcpy(text, mark[k], n);
		for (size_t i = 0; i < sizeof(edf) - 1; i++) {
			if (k == 2)
				text[n++] = 0;
			text[n++] = edf[i];
			if (k == 1)
				text[n++] = 0;
		}
		node_write(&m, 0, 0);
		file_write("tautrace.0.0.0.trc", m.p, m.n);
		file_write("events.0.edf", text, n);
		p = load(&report, &e);
		if (ok(p && !report.note_n, "definitions with mark %d: %s", k, e.text)) {
			check(p, 0, "with a mark");
			profile_free(p);
		}
		load_report_release(&report);
	}
	file_write("events.0.edf", edf, sizeof(edf) - 1);
}

static void test_many(void)
{
	struct image one = { 0 }, two = { 0 }, all = { 0 };
	struct error e = { 0 };
	struct profile *p;

	node_write(&one, 0, 0);
	node_write(&two, 1, 5);
	file_write("tautrace.0.0.0.trc", one.p, one.n);
	file_write("tautrace.1.0.0.trc", two.p, two.n);
	file_write("events.1.edf", edf, sizeof(edf) - 1);
	p = load(NULL, &e);
	ok(p && p->thread_n == 2, "two nodes with a file each");
	if (p)
		check(p, 1, "the second of two files");
	profile_free(p);

	/* Merged: in order of time, and the definitions of one file. */
	for (size_t i = 0; i < one.n; i += 24) {
		memcpy(all.p + all.n, one.p + i, 24);
		memcpy(all.p + all.n + 24, two.p + i, 24);
		all.n += 48;
	}
	file_write("tau.trc", all.p, all.n);
	file_write("tau.edf", edf, sizeof(edf) - 1);
	p = load(NULL, &e);
	ok(p && p->thread_n == 2, "a merged trace is taken instead of its parts");
	if (p)
		check(p, 1, "the second node of a merged trace");
	profile_free(p);
	file_remove("tau.trc");
	file_remove("tau.edf");
	file_remove("tautrace.1.0.0.trc");
	file_remove("events.1.edf");
}

/* One of many nodes: enters and leaves of `calls` calls, each at a microsecond of its own. */
static void burst(struct image *m, unsigned char **out, size_t *n, size_t *cap, uint64_t *us, uint16_t node, unsigned calls)
{
	for (unsigned i = 0; i < 2 * calls; i++) {
		m->n = 0;
		record(m, (*us)++, 2, node, 0, i & 1 ? -1 : 1);
		if (*n + m->n > *cap)
			*out = realloc(*out, *cap = 2 * *cap + 4096);
		memcpy(*out + *n, m->p, m->n);
		*n += m->n;
	}
}

/*
 * A merged trace of many nodes: each is read by its own records, not by all of the file; in node N a call has a time of
 * 1 us, and there are 20 of them, alone or up to 9 in a row. Without places of records 300 nodes read the file 300 times.
 */
static void test_many_nodes(void)
{
	enum { NODES = 300, ROUNDS = 8 };
	struct image m = { 0 };
	unsigned char *all = NULL;
	size_t n = 0, cap = 0, good = 0, calls = 0;
	uint64_t us = 0;
	struct load_report report = { 0 };
	struct error e = { 0 };
	struct profile *p;

	for (uint16_t node = 0; node < NODES; node++) {
		m.n = 0;
		record(&m, us++, 60000, node, 0, 3);
		if (n + m.n > cap)
			all = realloc(all, cap = 2 * cap + 4096);
		memcpy(all + n, m.p, m.n);
		n += m.n;
	}
	for (unsigned round = 0; round < ROUNDS; round++)
		for (uint16_t i = 0; i < NODES; i++) {
			unsigned k = round == 3 ? 9 : 1 + (i + round) % 3;

			burst(&m, &all, &n, &cap, &us, round & 1 ? (uint16_t)(NODES - 1 - i) : i, k);
			calls += k;
		}
	file_write("app.trc", all, n);
	file_write("app.edf", edf, sizeof(edf) - 1);
	p = load(&report, &e);
	if (ok(p && p->thread_n == NODES, "a merged trace of %d nodes %s", NODES, e.text)) {
		for (size_t i = 0; i < NODES; i++) {
			const struct profile_row *r = row(p, i, "main() int (int, char **)");

			good += r && p->thread[i].values[r->first] == r->calls;
			calls -= r ? (size_t)r->calls : 0;
		}
		ok(good == NODES && !calls, "each call of 1 us is in its node: %zu nodes, %zu calls missing", good, calls);
		ok(report.bytes_read < 20 * n, "its %zu bytes are read few times: %llu bytes", n,
		   (unsigned long long)report.bytes_read);
		profile_free(p);
	}
	load_report_release(&report);
	free(all);
	file_remove("app.trc");
	file_remove("app.edf");
}

static int notes_have(const struct load_report *r, const char *text)
{
	int n = 0;

	for (size_t i = 0; i < r->note_n; i++)
		n += strstr(r->note[i].text, text) != NULL;
	return n;
}

/* One note covers all files without definitions. */
static void test_undefined_together(void)
{
	struct image one = { 0 }, two = { 0 };
	struct load_report report = { 0 };
	struct error e = { 0 };
	struct profile *p;

	file_remove("events.0.edf");
	node_write(&one, 0, 0);
	node_write(&two, 1, 5);
	file_write("tautrace.0.0.0.trc", one.p, one.n);
	file_write("tautrace.1.0.0.trc", two.p, two.n);
	p = load(&report, &e);
	ok(p && notes_have(&report, "and 1 other: there is no .edf file beside them") == 1 &&
	   notes_have(&report, "there is no .edf") == 1 && notes_have(&report, "ids of records without") == 1,
	   "two files without definitions are noted together: %s", report.note_n ? report.note[0].text : "no note");
	profile_free(p);
	load_report_release(&report);
	file_remove("tautrace.1.0.0.trc");
	file_write("events.0.edf", edf, sizeof(edf) - 1);
}

/* tau_merge gives all events other ids, that of the first record too; only the definitions identify them. */
static void test_merged(void)
{
	file_remove("tautrace.0.0.0.trc");
	file_remove("events.0.edf");
	for (int k = 0; k < 8; k++) {
		struct image m = { .wide = k & 1, .swap = k >> 1 & 1, .merged = 1 };
		const char *edf_name = k & 4 ? "of-the-job.edf" : "tau.edf";
		struct load_report report = { 0 };
		struct error e = { 0 };
		struct profile *p;
		char what[64];

		/* Node 3 first: its number is where the other width has the parameter. */
		node_write(&m, 3, 0);
		file_write("app.trc", m.p, m.n);
		file_write(edf_name, merged_edf, sizeof(merged_edf) - 1);
		p = load(&report, &e);
		snprintf(what, sizeof(what), "merged, %d bytes, %s endian, %s", k & 1 ? 32 : 24, k & 2 ? "big" : "little",
			 edf_name);
		if (ok(p && !report.note_n, "%s: read without a note %s%s", what, e.text, report.note_n ? report.note[0].text : "")) {
			check(p, 0, what);
			profile_free(p);
		}
		load_report_release(&report);
		file_remove(edf_name);
	}
	file_remove("app.trc");
}

/* Without definitions each id whose records are enters and leaves is a region. */
static void test_undefined(void)
{
	for (int k = 0; k < 2; k++) {
		struct image m = { .merged = k };
		const char *name = k ? "app.trc" : "tautrace.0.0.0.trc", *root = k ? "(undefined region 2)" : "(undefined region 1)";
		struct load_report report = { 0 };
		struct error e = { 0 };
		struct profile *p;

		node_write(&m, 0, 0);
		file_write(name, m.p, m.n);
		p = load(&report, &e);
		if (ok(p != NULL, "without definitions, %s: read %s", name, e.text)) {
			ok(row_is(p, 0, root, 1, 1000, 10), "%s: the root is a region", name);
			ok(row_is(p, 0, k ? "(undefined region 4)" : "(undefined region 3)", 10, 200, 200),
			   "%s: ten calls under their own id", name);
			ok(row_is(p, 0, k ? "(undefined region 6)" : "(undefined region 5)", 1, 100, 100),
			   "%s: another id is another region", name);
			ok(notes_have(&report, "records of the others not included") == 1, "%s: what is left out is counted", name);
			profile_free(p);
		}
		load_report_release(&report);
		file_remove(name);
	}
}

/* The same of what the trace becomes in a format that we write. */
static void converted(const char *format, int triggered)
{
	struct write_options o = { 0 };
	struct load_options l = { 0 };
	struct error e = { 0 };
	struct trace *t;
	struct profile **p;
	char to[200], command[300];
	size_t n;

	snprintf(to, sizeof(to), "%s.%s", dir, format);
	if (!ok(!trace_open(dir, &t, &e) && !write_format_of(format)->write(t, to, &o, &e) && !load_path_profiles(to, &l, &p, &n, &e),
		"it is written as %s and read %s", format, e.text))
		return;
	ok(sample_is(p[0], 0, "Message size sent to all nodes", 10, triggered ? 70009 : 70000), "the same ten in %s", format);
	trace_free(t);
	profile_free(p[0]);
	free(p);
	snprintf(command, sizeof(command), "rm -r %s", to);
	ok(!system(command), "removed");
}

/* Messages that TAU counted by an event of its own are not counted a second time from the records; a definition alone counts nothing. */
static void test_doubled(void)
{
	static const char more[] = "7 TAUEVENT 0 \"Message size sent to all nodes\" TriggerValue\n";

	for (int triggered = 0; triggered < 2; triggered++) {
		struct image m = { 0 };
		struct error e = { 0 };
		struct profile *p;
		char text[sizeof(edf) + sizeof(more)];

		node_write(&m, 0, 0);
		for (unsigned i = 0; triggered && i < 10; i++)
			value(&m, 1000, 7, 0, 70000 + i);
		snprintf(text, sizeof(text), "%s%s", edf, more);
		file_write("tautrace.0.0.0.trc", m.p, m.n);
		file_write("events.0.edf", text, strlen(text));
		p = load(NULL, &e);
		ok(sample_is(p, 0, "Message size sent to all nodes", 10, triggered ? 70009 : 70000),
		   "ten messages are ten, with TAU's event %s", triggered ? "triggered" : "only defined");
		converted("tau", triggered);
		converted("otf2", triggered);
		ok(sample_is(p, 0, "Message size sent to node 300", 10, 70000), "what only the records show remains");
		profile_free(p);
	}
}

/* Whole records before a cut count unchanged; the function that is open ends with the last of them. */
static void test_cuts(void)
{
	struct image m = { 0 };
	size_t wrong = 0, said = 0, refused = 0;

	node_write(&m, 0, 0);
	for (size_t n = 0; n < m.n; n++) {
		struct load_report report = { 0 };
		struct error e = { 0 };
		struct profile *p;

		file_write("tautrace.0.0.0.trc", m.p, n);
		p = load(&report, &e);
		if (p && n / 24 > 4) {
			/* MPI_Send has been entered once in three records from the fifth on. */
			double calls = n / 24 >= 34 ? 10 : (double)((n / 24 - 4 + 2) / 3);
			const struct profile_row *r = row(p, 0, "MPI_Send()");

			wrong += !r || r->calls != calls;
		}
		refused += !p;
		wrong += !p && n >= 24;
		for (size_t i = 0; i < report.note_n; i++)
			said += strstr(report.note[i].text, "cut short") != NULL;
		load_report_release(&report);
		profile_free(p);
	}
	ok(!wrong, "every truncation: whole records before it count (%zu wrong)", wrong);
	ok(said == m.n - 24 - (m.n / 24 - 1) && refused == 24, "a record that is cut is said (%zu of %zu)", said, m.n);
}

static void test_flips(const char *name, const void *p, size_t n)
{
	unsigned char *copy = malloc(n);
	size_t read = 0, silent = 0;

	for (size_t i = 0; i < n; i++) {
		struct load_report report = { 0 };
		struct error e = { 0 };
		struct profile *got;

		memcpy(copy, p, n);
		copy[i] ^= 0xff;
		file_write(name, copy, n);
		got = load(&report, &e);
		read += got != NULL;
		silent += !got && strlen(e.text) < 20;
		load_report_release(&report);
		profile_free(got);
	}
	ok(read > n / 2 && !silent, "every flipped byte of %s: a profile (%zu of %zu) or a sentence", name, read, n);
	file_write(name, p, n);
	free(copy);
}

int main(void)
{
	char command[200];
	struct image m = { 0 };

	if (!mkdtemp(dir))
		return 1;
	test_layouts();
	test_marks();
	test_many();
	test_undefined_together();
	test_merged();
	test_many_nodes();
	test_undefined();
	test_doubled();
	file_write("events.0.edf", edf, sizeof(edf) - 1);
	test_cuts();
	node_write(&m, 0, 0);
	file_write("tautrace.0.0.0.trc", m.p, m.n);
	test_flips("tautrace.0.0.0.trc", m.p, m.n);
	test_flips("events.0.edf", edf, sizeof(edf) - 1);
	file_remove("tautrace.0.0.0.trc");
	m = (struct image){ .merged = 1 };
	node_write(&m, 0, 0);
	file_write("app.trc", m.p, m.n);
	file_write("tau.edf", merged_edf, sizeof(merged_edf) - 1);
	test_flips("app.trc", m.p, m.n);
	test_flips("tau.edf", merged_edf, sizeof(merged_edf) - 1);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command) || tap_end();
}
