/*
 * trimmed.c: the profile of a trace that was cut out of another is the profile of the window, exactly, and that of a copy is the
 * profile of all: random windows over random traces of several processes and streams, with pauses between chunks, threads that end,
 * recording that is off for a while, memory and metrics. The seed is printed; TAU_TEST_SEED repeats it.
 */
#include <sys/stat.h>
#include <time.h>

#include "convert/formats.h"
#include "convert/load.h"
#include "convert/trace_write.h"
#include "files.h"
#include "profile_text.h"
#include "seed.h"
#include "tap.h"
#include "trace_writer.h"

#define REGIONS	  4
#define TYPES	  5 /* 2 and 3 have one name; 4 and 5 have one name, too, and differ in the place of their site */
#define PROCESSES 3
#define THREADS	  3
#define PROGRAMS  40
#define WINDOWS	  12

static char dir[] = "/tmp/tau-trimmed.XXXXXX";
static uint64_t seed;

static uint64_t random_below(uint64_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % n;
}

/* ---- random programs ---- */

/* A site in a binary that is not there: it is called by its address and the last part of the path. */
static void define_site(struct writer *w, uint32_t type, uint64_t begin, const char *path)
{
	uint64_t at[3] = {begin, begin + 4096, begin}, site = begin + 256;
	struct buffer f = {0};

	put_bytes(&f, at, sizeof(at));
	put_string(&f, path);
	put_string(&f, "");
	writer_define(w, TAU_DEF_MODULE, &f);
	f = (struct buffer){0};
	put_varint(&f, type);
	put_bytes(&f, &site, sizeof(site));
	writer_define(w, TAU_DEF_SITE, &f);
	writer_memtype(w, type, 0, TAU_MEM_CLASS | TAU_MEM_SITE, "z", "");
}

static void define_all(struct writer *w)
{
	static const char *const name[REGIONS] = {"a", "b", "c", "d"};

	for (uint32_t r = 0; r < REGIONS; r++)
		writer_region(w, r, name[r], "");
	writer_event(w, 0, "value", 0);
	writer_memtype(w, 1, 0, TAU_MEM_CLASS, "x", "");
	writer_memtype(w, 2, 0, TAU_MEM_CLASS, "y", "");
	writer_memtype(w, 3, 0, TAU_MEM_CLASS, "y", "");
	define_site(w, 4, 0x100000, "/nowhere/one/lib.so");
	define_site(w, 5, 0x200000, "/nowhere/two/lib.so");
	for (uint32_t m = 0; m < w->metrics; m++)
		writer_metric(w, m, 0, m ? ".TAU heap" : "INSTRUCTIONS", "");
}

static void play_memory(struct writer *w, uint64_t now)
{
	static const uint32_t kind[] = {TAU_REC_ALLOC, TAU_REC_ALLOC, TAU_REC_FREE, TAU_REC_RETYPE};

	writer_memory(w, now, kind[random_below(4)], 1 + (uint32_t)random_below(TYPES), 1 + (uint32_t)random_below(TYPES),
		      1 + random_below(100));
}

/* The thread ends, and after a while another takes the stream over, or none does. */
static void play_thread(struct writer *w, uint64_t *now)
{
	struct buffer f = {0};

	writer_extended(w, *now, TAU_REC_THREAD_END, &f);
	w->depth = 0;
	w->idle = 1;
	if (random_below(3) == 0)
		return;
	*now += random_below(100000);
	put_varint(&f, 5);
	writer_extended(w, *now, TAU_REC_THREAD_BEGIN, &f);
	w->idle = 0;
}

/* Recording is off; when it goes on some of what was open has ended. */
static void play_off(struct writer *w, uint64_t *now)
{
	size_t keep = random_below(w->depth + 1);
	struct buffer f = {0};

	writer_extended(w, *now, TAU_REC_OFF, &f);
	*now += random_below(100000);
	put_varint(&f, keep);
	for (size_t i = 0; i < keep; i++)
		put_varint(&f, w->open[i]);
	writer_extended(w, *now, TAU_REC_ON, &f);
	w->depth = keep;
}

/* Returns the last moment. */
static uint64_t play(const char *run, int process, int thread, uint32_t metrics, int ranked)
{
	uint64_t now = random_below(3) ? random_below(50) : random_below(400000);
	size_t steps = random_below(300);
	struct writer w;
	char name[40];

	snprintf(name, sizeof(name), "p%d.%d.tau", process, thread);
	writer_open(&w, file_below(run, name), 7 + (uint64_t)process, (uint32_t)thread, 0, now);
	w.limit = (uint32_t)(3 + random_below(60));
	w.metrics = metrics;
	/* What the first chunk begins with has to know of the metrics. */
	w.args.n = 0;
	writer_begin(&w, now);
	if (ranked)
		writer_rank(&w, (uint32_t)process, PROCESSES);
	define_all(&w);
	for (size_t i = 0; i < steps && !w.idle; i++) {
		uint64_t what = random_below(20);

		now += random_below(20) == 0 ? 70000 : random_below(9);
		for (uint32_t m = 0; m < metrics; m++)
			w.metric[m] += (int64_t)random_below(1000) - (m ? 500 : 0);
		if (what < 7 && w.depth < 40)
			writer_enter(&w, now, (uint32_t)random_below(REGIONS));
		else if (what < 13 && w.depth)
			writer_leave(&w, now);
		else if (what < 15)
			writer_value(&w, now, 0, (double)random_below(1000));
		else if (what < 18)
			play_memory(&w, now);
		else if (random_below(4) == 0)
			play_thread(&w, &now);
		else if (random_below(4) == 0)
			play_off(&w, &now);
	}
	now = w.last;
	if (random_below(2))
		writer_kill(&w);
	else
		writer_close(&w);
	return now;
}

static int64_t program(const char *run)
{
	uint32_t metrics = (uint32_t)random_below(3);
	int ranked = (int)random_below(2);
	uint64_t end = 0;

	for (int p = 0; p < 1 + (int)random_below(PROCESSES); p++)
		for (int i = 0; i < 1 + (int)random_below(THREADS); i++) {
			uint64_t last = play(run, p, i, metrics, ranked || !p);

			end = last > end ? last : end;
		}
	return (int64_t)end;
}

/* ---- the property ---- */

static size_t tried, shown, wrong[4], inner_wrong, failed;

/* Leaves only lines about the heap, or all others. */
static void keep_heap(char *text, int only)
{
	char *to = text;

	for (size_t n; *text; text += n) {
		const char *heap = strstr(text, "Heap Memory");

		n = strcspn(text, "\n") + 1;
		if ((heap && heap < text + n) != only)
			continue;
		memmove(to, text, n);
		to += n;
	}
	*to = 0;
}

/* The profile of a run or archive as text, and how many threads it has. NULL: it cannot be read. */
static char *text_of(const char *path, const char *window, int depth)
{
	struct load_options o = {.window = &window, .window_n = window != NULL, .callpath_depth = depth};
	struct profile **p;
	struct error e;
	char *rows, *all;
	size_t n;

	if (load_path_profiles(path, &o, &p, &n, &e)) {
		/* The window is after the end. */
		if (e.code == ERROR_INPUT && window)
			return mem_string("0 threads\n");
		printf("# %s\n", e.text);
		failed++;
		return mem_string("");
	}
	rows = profile_text(p[0]);
	all = mem_printf("%zu threads\n%s", p[0]->thread_n, rows);
	profile_free(p[0]);
	free(p);
	free(rows);
	return all;
}

/* Are they the same? The first line that differs is printed. */
static int texts_same(const char *want, const char *got)
{
	while (*want && *want == *got) {
		size_t n = strcspn(want, "\n") + 1;

		if (strncmp(want, got, n))
			break;
		want += n;
		got += n;
	}
	if (!strcmp(want, got))
		return 1;
	if (++shown <= 6)
		printf("# want %.*s\n# got  %.*s\n", (int)strcspn(want, "\n"), want, (int)strcspn(got, "\n"), got);
	return 0;
}

/* Writes [a, b) of a run, or everything, and reads that, or a window of it. back: an archive is turned back into a run first. */
static char *cut_text(const char *run, const char *format, const struct window_span *span, const char *inner, int back, int depth)
{
	struct window_span by_process[PROCESSES];
	struct write_options o = {.span = span ? by_process : NULL, .chunk_records = 1 + (uint32_t)random_below(100)};
	struct error e = {0};
	struct trace *t;
	const char *to = file_below(dir, format), *again = file_below(dir, "back");
	char *text = NULL;
	int code;

	for (int i = 0; span && i < PROCESSES; i++)
		by_process[i] = *span;
	code = trace_open(run, &t, &e);
	if (!code) {
		code = write_format_of(format)->write(t, to, &o, &e);
		trace_free(t);
	}
	if (!code && back && !trace_open(to, &t, &e)) {
		o = (struct write_options){.chunk_records = o.chunk_records};
		code = native_write(t, again, &o, &e);
		trace_free(t);
	}
	/* Nothing of it is in the window: then nothing is in its profile. */
	if (code == ERROR_INPUT && span)
		text = mem_string("0 threads\n");
	else if (code)
		printf("# %s\n", e.text);
	else
		text = text_of(back ? again : to, inner, depth);
	failed += code && code != ERROR_INPUT;
	folder_remove(to);
	folder_remove(again);
	return text ? text : mem_string("");
}

static void check(const char *run, const struct window_span *span, const char *window)
{
	static const struct {
		const char *format;
		int back, depth;
	} way[4] = {{"tau", 0, 0}, {"tau", 0, -1}, {"otf2", 0, 0}, {"otf2", 1, -1}};

	for (int i = 0; i < 4; i++) {
		char *want = text_of(run, window, way[i].depth), *got = cut_text(run, way[i].format, span, NULL, way[i].back, way[i].depth);

		/* An archive does not store the size of the heap at the enters of regions that are open at its begin. */
		if (way[i].format[0] == 'o') {
			keep_heap(want, 0);
			keep_heap(got, 0);
		}
		if (!texts_same(want, got) && !wrong[i]++)
			printf("# that was %s, window %s\n", way[i].format, window ? window : "everything");
		tried++;
		free(want);
		free(got);
	}
}

/* Times stay what they are: how much the heap has become larger in a window of what was cut out is what it has in that of the whole. */
static void check_inner(const char *run, const struct window_span *span)
{
	struct window_span in = {span->begin + (int64_t)random_below((uint64_t)(span->end - span->begin)), span->end};
	char window[80], *want, *got;

	snprintf(window, sizeof(window), "%lldns:%lldns", (long long)in.begin, (long long)in.end);
	want = text_of(run, window, -1);
	got = cut_text(run, "tau", span, window, 0, -1);
	keep_heap(want, 1);
	keep_heap(got, 1);
	if (!texts_same(want, got) && !inner_wrong++)
		printf("# that was %s of %lldns:\n", window, (long long)span->begin);
	free(want);
	free(got);
}

static void check_program(void)
{
	char run[300], window[80];
	int64_t end;

	snprintf(run, sizeof(run), "%s/run", dir);
	mkdir(run, 0777);
	end = program(run);
	check(run, NULL, NULL);
	for (int i = 0; i < WINDOWS; i++) {
		struct window_span s = {(int64_t)random_below((uint64_t)end + 20), (int64_t)random_below((uint64_t)end + 20)};

		if (s.end < s.begin)
			s = (struct window_span){s.end, s.begin};
		s.end += s.end == s.begin;
		snprintf(window, sizeof(window), "%lldns:%lldns", (long long)s.begin, (long long)s.end);
		check(run, &s, window);
		check_inner(run, &s);
	}
	folder_remove(run);
}

/* Regions with numbers that no token has room for. */
static void check_far(void)
{
	char run[300], name[20];
	char *want, *got;
	struct writer w;

	snprintf(run, sizeof(run), "%s/run", dir);
	mkdir(run, 0777);
	writer_open(&w, file_below(run, "x.tau"), 7, 0, 0, 10);
	for (uint32_t r = 0; r < 66000; r++) {
		snprintf(name, sizeof(name), "r%u", r);
		writer_region(&w, r, name, "");
	}
	for (uint32_t i = 0; i < 200; i++) {
		struct buffer f = {0};

		put_varint(&f, 330 * i);
		writer_record(&w, 20 + 2 * i, TAU_TOKEN_FAR, &f);
		writer_record(&w, 21 + 2 * i, TAU_TOKEN_LEAVE, NULL);
		free(f.p);
	}
	writer_close(&w);
	want = text_of(run, NULL, 0);
	got = cut_text(run, "tau", NULL, NULL, 0, 0);
	ok(strstr(want, " r65670:") && texts_same(want, got), "a copy has regions of any number");
	free(want);
	free(got);
	folder_remove(run);
}

int main(void)
{
	const int programs = getenv("TAU_TEST_LONG") ? PROGRAMS : PROGRAMS / 4;

	seed = test_seed(2654435761u);
	if (!mkdtemp(dir))
		return 1;
	for (int i = 0; i < programs && !failed; i++)
		check_program();
	ok(!failed, "%zu windows and copies of %d random programs were written and read", tried, programs);
	ok(!wrong[0], "the profile of a run that was cut out is that of the window");
	ok(!wrong[1], "so it is with call paths");
	ok(!wrong[2], "the profile of an archive that was cut out is that of the window");
	ok(!wrong[3], "so it is when the archive is turned back into a run");
	ok(!inner_wrong, "the heap of a window of a run that was cut out is that of the whole");
	check_far();
	rmdir(dir);
	return tap_end();
}
