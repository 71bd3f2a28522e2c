/*
 * each_byte.c: small files of every reader whose own test does not do so, cut at each byte and with each byte wrong, in a bit and as a
 * whole: the result is an error that names the file, or the contents of the rest.
 */
#include <sys/stat.h>

#include "cmd/shared/trace_options.h"
#include "cmd/record/options/types.h"
#include "convert/load.h"
#include "convert/profile_format.h"
#include "convert/code/select.h"
#include "convert/native/live/command_file.h"
#include "files.h"
#include "profiles.h"
#include "tap.h"
#include "trace_writer.h"

static char dir[] = "/tmp/tau-byte.XXXXXX";

static const char *below(const char *name)
{
	return file_below(dir, name);
}

static void put(const char *name, const void *p, size_t n)
{
	file_put(below(name), p, n);
}

/* ---- readers: a text of all they found, and how many notes they made; NULL: an error ---- */

typedef char *reader(const char *path, size_t *notes, struct error *e);

static char *profile_of(const char *path, size_t *notes, struct error *e)
{
	struct load_report report = { 0 };
	struct load_options o = { .callpath_depth = -1, .report = &report };
	struct profile **p;
	char *text = NULL;
	size_t n;

	if (!load_path_profiles(path, &o, &p, &n, e)) {
		/* The notes differ: they report what is wrong with a file. */
		profile_set_meta(p[0], UINT32_MAX, "TAU Notes", "");
		text = profiles_text(p[0]);
		profile_free(p[0]);
		free(p);
	}
	*notes = report.note_n;
	load_report_release(&report);
	return text;
}

static char *folder_of(const char *path, size_t *notes, struct error *e)
{
	(void)path;
	return profile_of(dir, notes, e);
}

static char *trc_of(const char *path, size_t *notes, struct error *e)
{
	(void)path;
	return profile_of(below("tau.trc"), notes, e);
}

static char *run_of(const char *path, size_t *notes, struct error *e)
{
	(void)path;
	return profile_of(below("run"), notes, e);
}

static char *selection_of(const char *path, size_t *notes, struct error *e)
{
	static const char *const name[] = { "main", "void solve(int, double)", "f()", "g", "MPI_Send()" };
	struct select *s;
	char *text;
	size_t size;

	(void)notes;
	if (select_read(path, &s, e))
		return NULL;
	free(select_table(s, NULL, 0, &size));
	text = mem_printf("%zu bytes, %zu instructions:", size, select_section_n(s));
	for (size_t i = 0; i < sizeof(name) / sizeof(*name); i++) {
		char *more = mem_printf("%s %d", text, select_wants(s, name[i], i & 1 ? "solve.c" : NULL));

		free(text);
		text = more;
	}
	select_free(s);
	return text;
}

static char *rules_of(const char *path, size_t *notes, struct error *e)
{
	(void)notes;
	return types_set(path, NULL, e) ? NULL : mem_string(getenv("TAU_RECORD_TYPES"));
}

static char *windows_of(const char *path, size_t *notes, struct error *e)
{
	struct trace_options r = TRACE_OPTIONS_DEFAULT;
	struct load_options o = { 0 };
	char *text = NULL;

	(void)notes;
	r.windows = path;
	if (!trace_options_parse(&r, &o, e)) {
		text = mem_printf("%zu:", o.window_n);
		for (size_t i = 0; i < o.window_n; i++) {
			char *more = mem_printf("%s %s", text, o.window[i]);

			free(text);
			text = more;
		}
	}
	trace_options_release(&r);
	return text;
}

static char *command_of(const char *path, size_t *notes, struct error *e)
{
	(void)path;
	(void)notes;
	return command_file_send(dir, &(struct command){.text = "off"}, e) < 0 ? NULL : mem_string("obeyed");
}

/* ---- damage ---- */

enum rule {
	ANYTHING,	/* a text file that may as well end there */
	LINES,		/* only whole lines count, or a note */
	ALL_OR_ERROR,	/* what is missing is an error */
	TOLD,		/* an error, or a note */
	SAME,		/* nothing depends on it; damage is noted */
};

/* Where a cut is right for the rule. */
static int cut_good(enum rule rule, const char *whole, const char *got, size_t notes, const unsigned char *p, size_t n)
{
	switch (rule) {
	case LINES:
		return !got || notes || n == 0 || p[n - 1] == '\n';
	case ALL_OR_ERROR:
		return !got || !strcmp(got, whole);
	case TOLD:
		return !got || notes || !strcmp(got, whole);
	case SAME:
		return got && !strcmp(got, whole);
	default:
		return 1;
	}
}

static int sentence_good(const char *got, const struct error *e)
{
	return got || (e->code < 0 && !strncmp(e->text, dir, strlen(dir)) && strlen(e->text) > strlen(dir) + 15);
}

/* Takes each damage of a file that is there, step bytes apart, and leaves it as it was. */
static void hurt(const char *what, const char *name, reader *read, enum rule rule, size_t step)
{
	size_t n = 0, notes = 0, cuts = 0, flips = 0, odd = 0, read_anyway = 0, told = 0;
	unsigned char *p = file_get(below(name), &n);
	struct error e = { 0 };
	char *whole = p ? read(below(name), &notes, &e) : NULL, *got;

	if (!ok(whole && !notes, "%s: %zu bytes %s", what, n, e.text))
		return;
	for (size_t i = 0; i < n; i += step) {
		put(name, p, i);
		notes = 0;
		got = read(below(name), &notes, &e);
		if (!sentence_good(got, &e) || !cut_good(rule, whole, got, notes, p, i)) {
			cuts++;
			printf("# cut at %zu: %s\n", i, got ? got : e.text);
		}
		free(got);
	}
	ok(!cuts, "%s cut at each byte", what);
	for (size_t i = 0; i < n; i += step)
		for (int way = 0; way < (rule == SAME ? 1 : 2); way++, flips++) {
			unsigned char was = p[i];

			p[i] ^= (rule == SAME ? (int)i & 1 : way) ? 0xff : (unsigned char)(1 << i % 8);
			put(name, p, n);
			p[i] = was;
			notes = 0;
			got = read(below(name), &notes, &e);
			read_anyway += got != NULL;
			told += notes != 0;
			if (!sentence_good(got, &e) || (rule == SAME && strcmp(got, whole) != 0)) {
				odd++;
				printf("# byte %zu: %s\n", i, got ? got : e.text);
			}
			free(got);
		}
	ok(!odd && (rule != SAME || told), "%s with each byte wrong: %zu of %zu times it is read all the same, %zu times with a note", what,
	   read_anyway, flips, told);
	put(name, p, n);
	free(whole);
	free(p);
}

static void hurt_text(const char *what, const char *text, reader *read, enum rule rule)
{
	put("file", text, strlen(text));
	hurt(what, "file", read, rule, 1);
	unlink(below("file"));
}

static void hurt_copy(const char *what, const char *from, reader *read, enum rule rule)
{
	size_t n = 0;
	void *p = file_get(from, &n);

	put("file", p, n);
	hurt(what, "file", read, rule, 1);
	unlink(below("file"));
	free(p);
}

/* ---- files ---- */

/* Two metrics of one thread. */
static void folders(void)
{
	static const char *const name[] = { "MULTI__TIME/profile.0.0.0", "MULTI__PAPI_L1_DCM/profile.0.0.0" };
	char text[600];

	for (int i = 0; i < 2; i++) {
		mkdir(below(i ? "MULTI__PAPI_L1_DCM" : "MULTI__TIME"), 0777);
		snprintf(text, sizeof(text),
			 "2 templated_functions_MULTI_%s\n# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>a</name>"
			 "<value>&lt;b</value></attribute></metadata>\n\"main\" 1 1 %d 15 0 GROUP=\"TAU_USER\" \n"
			 "\"main => f\" 1 0 10 10 0 GROUP=\"TAU_CALLPATH|X\" \n0 aggregates\n",
			 i ? "PAPI_L1_DCM" : "TIME", 5);
		put(name[i], text, strlen(text));
	}
	hurt("the first of two metrics", name[0], folder_of, TOLD, 1);
	hurt("the second of two metrics", name[1], folder_of, TOLD, 1);
	for (int i = 0; i < 2; i++)
		unlink(below(name[i]));
	rmdir(below("MULTI__TIME"));
	rmdir(below("MULTI__PAPI_L1_DCM"));
}

static void trc_put(unsigned char **p, uint64_t v, int n)
{
	for (int i = 0; i < n; i++)
		*(*p)++ = (unsigned char)(v >> 8 * i);
}

static void definitions(void)
{
	static const char edf[] = "5 dynamic_trace_events\n# FunctionId Group Tag \"Name Type\" Parameters\n"
				  "1 TAU_DEFAULT 0 \".TAU application  \" EntryExit\n2 TAU_USER 0 \"main() int (int, char **)\" EntryExit\n"
				  "3 MPI 0 \"MPI_Send()  \" EntryExit\n6 TAUEVENT 1 \"cycles\" TriggerValue\n"
				  "60007 TAU_MESSAGE -7 \"MESSAGE_SEND\" par\n";
	static const struct {
		int event, parameter;
	} record[] = { { 60000, 3 }, { 1, 1 }, { 2, 1 }, { 3, 1 }, { 60007, 77 }, { 3, -1 }, { 6, 12 }, { 2, -1 }, { 1, -1 } };
	unsigned char bytes[sizeof(record) / sizeof(*record) * 24], *p = bytes;

	for (size_t i = 0; i < sizeof(record) / sizeof(*record); i++) {
		trc_put(&p, (uint64_t)record[i].event, 4);
		trc_put(&p, 0, 4);
		trc_put(&p, (uint64_t)(int64_t)record[i].parameter, 8);
		trc_put(&p, 1000 + 10 * i, 8);
	}
	put("tau.trc", bytes, sizeof(bytes));
	put("tau.edf", edf, sizeof(edf) - 1);
	hurt("definitions of TAU's traces", "tau.edf", trc_of, TOLD, 1);
	hurt("a trace of TAU's", "tau.trc", trc_of, ANYTHING, 1);
	unlink(below("tau.trc"));
	unlink(below("tau.edf"));
}

/* A trace of several spans, and of memory, so that both kinds of index are kept. */
static void trace_write(void)
{
	struct writer w;

	mkdir(below("run"), 0777);
	writer_open(&w, below("run/x.tau"), 7, 0, 0, 10);
	w.limit = 60;
	w.raw = 1;
	writer_region(&w, 0, "main", "A");
	writer_region(&w, 1, "work", "A|B");
	writer_event(&w, 0, "value", 0);
	writer_memtype(&w, 1, 0, TAU_MEM_CLASS, "thing", "");
	writer_enter(&w, 10, 0);
	for (uint64_t i = 0; i < 700; i++) {
		writer_enter(&w, 20 + 20 * i, 1);
		writer_value(&w, 22 + 20 * i, 0, (double)i);
		writer_memory(&w, 25 + 20 * i, i % 2 ? TAU_REC_FREE : TAU_REC_ALLOC, 1, 0, 64);
		writer_leave(&w, 30 + 20 * i);
	}
	writer_leave(&w, 20000);
	writer_close(&w);
}

static void indexes(void)
{
	struct load_options o = { .callpath_depth = -1, .index = INDEX_ALWAYS };
	struct profile **p;
	struct error e = { 0 };
	size_t n;

	trace_write();
	if (!ok(!load_path_profiles(below("run"), &o, &p, &n, &e), "a trace is indexed %s", e.text))
		return;
	profile_free(p[0]);
	free(p);
	hurt("the index of a trace", "run/x.index", run_of, SAME, 1);
	hurt("what is kept of its memory", "run/x.levels", run_of, SAME, 1);
}

static void commands(void)
{
	struct error e = { 0 };
	char *path = command_file_make(dir, &e);

	ok(path != NULL, "a file of commands is made %s", e.text);
	hurt("a run's file of commands", path ? strrchr(path, '/') + 1 : "", command_of, ALL_OR_ERROR, 509);
	unlink(path);
	free(path);
}

int main(void)
{
	char command[100];

	if (!mkdtemp(dir))
		return 1;
	hurt_copy("folded stacks", "fixtures/fuzz/folded/small", profile_of, LINES);
	hurt_copy("a merged profile", "fixtures/fuzz/snapshot/small", profile_of, ALL_OR_ERROR);
	folders();
	definitions();
	hurt_text("a selection",
		  "# only these\nBEGIN_INCLUDE_LIST\nvoid solve(#\n\"main\"\nEND_INCLUDE_LIST\n\nBEGIN_FILE_EXCLUDE_LIST\n*.h\ns?lve.c\n"
		  "END_FILE_EXCLUDE_LIST\nBEGIN_INSTRUMENT_SECTION\nloops file=\"*\"\nEND_INSTRUMENT_SECTION\n",
		  selection_of, ANYTHING);
	hurt_text("rules of --types", "# where its class is, and the name\nclass 8 -> 24 string min 16 max 0x1000 library libpython\n"
				      "class 0 -> -8 chars prefix py: heap varying\n", rules_of, ANYTHING);
	hurt_text("a list of windows", "# two\n10%:20%\nsolve#2..3\n\n 1ms:2.5ms \niter=1..4\n", windows_of, ANYTHING);
	indexes();
	commands();
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command) ? 1 : tap_end();
}
