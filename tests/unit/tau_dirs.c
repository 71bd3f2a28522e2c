/* tau_dirs.c: folders of TAU profiles, and the numbers and definitions of TAU's traces. */
#include "convert/tau/tau_dir.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "convert/tau/tau_trace.h"
#include "files.h"
#include "tap.h"

static int folders_find(const char *path, struct tau_folders *f, struct error *e)
{
	struct input *in = input_new(path);
	int code = tau_folders_find(in, f, e);

	input_free(in);
	return code;
}

static char folder[] = "/tmp/tau-dirs-XXXXXX";

static void test_place(void)
{
	static const struct {
		const char *path;
		int is, node, context, thread;
	} cases[] = {
		{"dump.0.0.1", 1, 0, 0, 1},	  {"a.b/dump.7.1.2", 1, 7, 1, 2},	   {"x.2147483647.0.0", 1, INT32_MAX, 0, 0},
		{"x.2147483648.0.0", 0, 0, 0, 0}, {"dump.0.0", 0, 0, 0, 0},	   {"dump.0.0.1x", 0, 0, 0, 0},
		{"my.dump.1.2.3", 1, 1, 2, 3},
		{"dump.0.0.-1", 0, 0, 0, 0},	  {"dump", 0, 0, 0, 0},	   {"dump...", 0, 0, 0, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct tau_dir_file f = {0};
		int is = tau_dir_place(cases[i].path, &f);

		ok(is == cases[i].is && (!is || (f.node == cases[i].node && f.context == cases[i].context && f.thread == cases[i].thread)),
		   "%s %s", cases[i].path, is ? "names a thread" : "does not");
	}
}

static void make(const char *name)
{
	file_put(file_below(folder, name), "", 0);
}

static void test_folders(void)
{
	struct tau_folders f = {.v = NULL};
	struct tau_dir d;
	struct error e = {0};
	char *other = NULL;

	ok(tau_dir_scan("/nonexistent/folder", &d, &e) == ERROR_SYSTEM, "a folder that is not there: %s", e.text);
	ok(folders_find(folder, &f, &e) == ERROR_INPUT, "an empty one: %s", e.text);
	tau_folders_release(&f);
	ok(tau_dir_pure(folder, &other, &e) == 1 && !other, "it holds nothing else");
	mkdir(file_below(folder, "MULTI__PAPI_FP_OPS"), 0700);
	mkdir(file_below(folder, "MULTI__TIME"), 0700);
	mkdir(file_below(folder, "MULTI__EMPTY"), 0700);
	make("MULTI__TIME/profile.10.0.0");
	make("MULTI__TIME/profile.9.0.1");
	make("MULTI__TIME/profile.9.0.0");
	make("MULTI__PAPI_FP_OPS/profile.9.0.0");
	f = (struct tau_folders){.v = NULL};
	ok(!folders_find(folder, &f, &e) && f.v_n == 2, "folders with files are read");
	ok(f.v_n == 2 && strstr(f.v[0].path, "MULTI__TIME") && f.v[0].dir.file_n == 3 && f.v[0].dir.file[0].node == 9 &&
		   f.v[0].dir.file[2].node == 10,
	   "the time first, files by number");
	ok(f.empty && !strcmp(f.empty, "MULTI__EMPTY (no files), "), "one without files is named: %s", f.empty ? f.empty : "none");
	tau_folders_release(&f);
	make("profile.0.0.0");
	f = (struct tau_folders){.v = NULL};
	ok(folders_find(folder, &f, &e) == ERROR_INPUT && strstr(e.text, "both"), "files and folders: %s", e.text);
	tau_folders_release(&f);
	make("MULTI__TIME/notes");
	ok(tau_dir_pure(folder, &other, &e) == 0 && other && !strcmp(other, "MULTI__TIME/notes"), "a file that is no profile: %s", other ? other : "none");
	free(other);
	tau_dir_remove(folder);
	ok(!tau_dir_scan(folder, &d, &e) && !d.file_n && d.multi_n == 1 && !strcmp(d.multi[0], "MULTI__TIME"), "only the folder with it stays");
	tau_dir_release(&d);
}

/* A folder that is a link belongs to another profile: the link goes, its files stay. */
static void test_links(void)
{
	struct tau_dir d;
	struct error e = {0};
	char *mine;

	mkdir(file_below(folder, "theirs"), 0700);
	make("theirs/profile.0.0.0");
	mkdir(file_below(folder, "mine"), 0700);
	ok(!symlink("../theirs", file_below(folder, "mine/MULTI__TIME")), "a link to a folder");
	mine = mem_string(file_below(folder, "mine"));
	tau_dir_remove(mine);
	ok(tau_dir_scan(mine, &d, &e) == ERROR_SYSTEM, "the folder is removed with the link");
	ok(!tau_dir_scan(file_below(folder, "theirs"), &d, &e) && d.file_n == 1, "what the link leads to stays");
	tau_dir_release(&d);
	ok(!symlink("nowhere", file_below(folder, "theirs/MULTI__PAPI_FP_OPS")), "a link that leads nowhere");
	make("theirs/profile.00.0.0");
	ok(!tau_dir_scan(file_below(folder, "theirs"), &d, &e) && d.file_n == 1 && d.other, "is no error, and profile.00.0.0 is not a second profile.0.0.0");
	tau_dir_release(&d);
	free(mine);
}

static void test_records(void)
{
	unsigned char narrow[24] = {0xff, 0xff, 0xff, 0xff, 2, 0, 3, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 5};
	unsigned char wide[32] = {0, 0, 0, 1, 0, 0, 0, 7, 0, 2, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0};
	const struct trc_file little = {.size = 24}, big = {.size = 32, .swap = 1};
	struct trc_record r = trc_record(&little, narrow);

	ok(r.event == -1 && r.node == 2 && r.thread == 3 && r.parameter == -1 && r.time == 5, "a record of 24 bytes");
	r = trc_record(&big, wide);
	ok(r.event == (1ll << 32) + 7 && r.node == 2 && r.thread == 3 && r.parameter == 1 && r.time == 256, "one of 32 bytes, the other byte order");
	ok(trc_number(wide + 3, 1, 1) == 1 && trc_number(wide, 0, 0) == 0, "one byte, and none");
}

static void test_definitions(void)
{
	static const struct {
		const char *text;
		int is;
		int64_t init;
	} cases[] = {
		{"2 dynamic_trace_events\n# FunctionId Group Tag \"Name Type\" Parameters\n1 TAU_DEFAULT 0 \".TAU application  \" EntryExit\n"
		 "60000 TRACER 0 \"EV_INIT\" none\n", 1, 60000},
		{"1 dynamic_trace_events\n# FunctionId Group Tag \"Name Type\" Parameters\n77 TRACER 0 \"EV_INIT\" none\n", 1, 77},
		{"1 dynamic_trace_events\n1 G 0 \"f\" EntryExit\n", 1, -1},
		{"", 0, -1},
		{"hello\n", 0, -1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *path = file_below(folder, "tau.edf");

		file_put(path, cases[i].text, strlen(cases[i].text));
		ok(edf_is(path) == cases[i].is, "file %zu %s", i, cases[i].is ? "has definitions" : "has none");
		ok(edf_init_id(path) == cases[i].init, "its first record is %lld", (long long)edf_init_id(path));
	}
	ok(edf_init_id("/nonexistent.edf") == -1 && !edf_is("/nonexistent.edf"), "no file");
}

static void on_free(struct trace *t)
{
	(void)t;
}

static void test_guess(void)
{
	static const struct trace_ops ops = {.free = on_free};
	struct trace *t = trace_new("t", &ops);
	struct trc_names names = {{0}, {0}, {0}};
	struct edf d = {0};
	size_t regions;

	edf_read(&d, t, &names, NULL);
	regions = t->region_n;
	edf_count(&d, 5, 1);
	edf_count(&d, 5, -1);
	edf_count(&d, 6, 17); /* neither an enter nor a leave */
	edf_guess(&d, t, &names);
	ok(t->region_n == regions + 1, "an undefined id with enters and leaves is a region: %s",
	   t->region_n > regions ? t->region[regions].name : "none");
	edf_release(&d);
	names_release(&names.region);
	names_release(&names.event);
	trace_free(t);
}

int main(void)
{
	if (!mkdtemp(folder))
		return 1;
	test_place();
	test_folders();
	test_links();
	test_records();
	test_definitions();
	test_guess();
	folder_remove(folder);
	return tap_end();
}
