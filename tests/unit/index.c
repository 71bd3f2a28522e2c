/*
 * index.c: windows read with the index equal windows read without it, over thousands of random windows of random programs, of loops,
 * and of traces of others.
 */
#include <unistd.h>

#include "convert/formats.h"
#include "convert/native/native.h"
#include "convert/native/file/native_pages.h"
#include "convert/native/native_run.h"
#include "convert/trace_write.h"
#include "index_check.h"

static void programs_of(const char *what, unsigned features, unsigned mask, size_t n, size_t steps, size_t windows, int only)
{
	different = windows_tried = refused = wasteful = 0;
	read_with = read_without = 0;
	for (size_t i = 0; i < n && different < 5; i++) {
		unsigned chosen = features | ((unsigned)roll(ALL + 1) & mask);
		int64_t end = program(chosen, 1 + roll(2), steps);

		check_whole(chosen);
		check_windows(end, windows, chosen, only);
	}
	ok(!different && refused < windows_tried / 4, "%s: %zu windows are the same with the index and without, %zu are not there", what,
	   windows_tried, refused);

}

static void programs(const char *what, unsigned features, unsigned mask, size_t n, size_t steps, size_t windows)
{
	programs_of(what, features, mask, n, steps, windows, 0);
}

/* All calls of one region in a run whose values are all recorded by path. */
static void check_chosen(void)
{
	struct set s = { .o = { .callpath_depth = -1 } };
	int same;

	filter_name("region 1", 0, &s.only.region);
	s.o.only = &s.only;
	read_with = read_without = 0;
	set_same(&s, INDEX_ALWAYS);
	read_with = read_without = 0;
	same = set_same(&s, INDEX_ALWAYS);
	filter_release(&s.only);
	ok(same && read_with < read_without / 3, "with it %llu instead of %llu events were read", (unsigned long long)read_with,
	   (unsigned long long)read_without);
}

/* Of windows with memory of which little is known what is around that is not read twice. */
static void check_short(void)
{
	struct set s = { .window = { s.text[0] }, .o = { .window = s.window, .window_n = 1 } };
	int64_t end = program(MEMORY, 2, 8000);

	check_whole(MEMORY);
	wasteful = different = 0;
	for (int i = 0; i < 80; i++) {
		int64_t a = (int64_t)roll((uint64_t)end), b = a + end / 100 + (int64_t)roll((uint64_t)end / 15);

		snprintf(s.text[0], sizeof(s.text[0]), "%lldns:%lldns", (long long)a, (long long)b);
		different += !set_same(&s, INDEX_ALWAYS);
	}
	ok(!different && wasteful < 8, "of 80 short windows with memory %zu read much more with the index than without", wasteful);
}

/* ---- loops ---- */

enum { MAIN, INIT, STEP, SOLVE, LEAF, OUTPUT };

/* Writes n calls of leaves, of random regions. Some of these regions have the name of another. */
static uint64_t leaves(struct writer *w, uint64_t now, uint64_t n)
{
	while (n--) {
		writer_enter(w, now += roll(5), LEAF + (uint32_t)roll(REGIONS - LEAF));
		writer_leave(w, now += roll(9));
	}
	return now;
}

/*
 * main calls steps, each of which calls solvers; every now and then there is an output, which may iterate as well. Most of the time may
 * be taken by what is no loop, recording may have been stopped, and calls folded.
 */
static void loop_play(unsigned thread, unsigned steps, unsigned odd)
{
	struct program p = { .features = odd & 8 ? FOLDS : 0 };
	static const char *const name[] = { "main", "MPI_Init", "step", "solve", "leaf", "output" };
	struct writer *w = &p.w;
	uint64_t now = 10, solves = 1 + roll(4);
	char path[400];

	snprintf(path, sizeof(path), "%s/x.%u.tau", run, thread);
	writer_open(w, path, 7, thread, 0, now);
	w->limit = (uint32_t)(20 + roll(200));
	for (uint32_t r = 0; r < REGIONS; r++)
		writer_region(w, r, r <= OUTPUT ? name[r] : r == REGIONS - 1 ? "leaf" : (char[]){ (char)('a' + r), 0 }, "TAU_USER");
	writer_enter(w, now, MAIN);
	writer_enter(w, now, INIT);
	now = leaves(w, now, roll(30));
	writer_leave(w, now += odd & 1 ? 1000 * steps : 5);
	now = leaves(w, now, roll(100));
	for (unsigned i = 0; i < steps; i++) {
		writer_enter(w, ++now, STEP);
		for (uint64_t k = solves + !roll(20); k && roll(100); k--) {
			writer_enter(w, ++now, SOLVE);
			now = leaves(w, now, 1 + roll(60));
			writer_leave(w, ++now);
		}
		writer_leave(w, ++now);
		if (i % 16 == 9) {
			writer_enter(w, ++now, OUTPUT);
			now = leaves(w, now, 60);
			writer_leave(w, now += odd & 2 ? 4000 : 10);
		}
		if (odd & 4 && !roll(60))
			off_on(&p, ++now), off_on(&p, now += 1000);
		if (odd & 8 && !roll(9))
			fold(w, ++now);
	}
	now = leaves(w, now, roll(50));
	if (odd & 16)
		writer_kill(w);
	else
		writer_close(w);
}

static void loop_text(char *to, size_t size, unsigned steps)
{
	static const char *const head[] = { "", "", "", "(step)", "(solve)", "(leaf)", "(output)", "(MPI_Init)" };
	const char *of = head[roll(8)];
	unsigned n = 1 + (unsigned)roll(roll(2) ? 8 : steps), more = n + (unsigned)roll(20);

	switch (roll(4)) {
	case 0: snprintf(to, size, "iter%s=%u:iter%s=%u", of, n, of, more); break;
	case 1: snprintf(to, size, "iter%s=%u", of, n); break;
	case 2: snprintf(to, size, "solve#%u", n); break;
	default: snprintf(to, size, "iter%s=%u..%u", of, n, more); break;
	}
}

static void check_loops(size_t programs, size_t windows)
{
	uint64_t with, without;
	size_t tried;

	different = windows_tried = refused = tried = 0;
	for (size_t i = 0; i < programs && different < 5; i++) {
		unsigned odd = (unsigned)roll(3) ? (unsigned)roll(32) : 0, steps = 20 + (unsigned)roll(150);
		struct set s = { .window = { s.text[0], s.text[1] }, .o = { .window = s.window } };

		program(0, 0, 0);
		for (unsigned k = 0; k < 1 + roll(2); k++)
			loop_play(k, steps, odd);
		for (size_t k = 0; k < windows; k++, tried++) {
			s.o.window_n = 1 + !roll(3);
			loop_text(s.text[0], sizeof(s.text[0]), steps);
			loop_text(s.text[1], sizeof(s.text[1]), steps);
			if (!set_same(&s, INDEX_ALWAYS) && !different++)
				printf("# a loop of %u steps, odd %#x, seed at the start %llu\n", steps, odd,
				       (unsigned long long)start_seed);
		}
	}
	ok(!different && refused < tried / 2, "%zu sets of iterations are the same with the index and without, %zu are not there", tried,
	   refused);
	program(0, 0, 0);
	loop_play(0, 1000, 0);
	check_whole(0);
	for (const char *const *of = (const char *const[]){ "iter=500..502", "iter(step)=500..502", "iter=3:iter=5", NULL }; *of; of++) {
		struct set s = { .window = { *of }, .o = { .window = s.window, .window_n = 1, .callpath_depth = -1 } };

		read_with = read_without = 0;
		different = !set_same(&s, INDEX_ALWAYS);
		with = read_with;
		without = read_without;
		ok(!different && with < without / 20, "%s of 1000 reads %llu instead of %llu events", *of, (unsigned long long)with,
		   (unsigned long long)without);
	}
}

/* ---- traces of others ---- */

/* Windows of a trace that was made small chunks of. */
static void check_shared(const char *path, size_t n)
{
	struct write_options o = { .chunk_records = 20 + (uint32_t)roll(300) };
	struct trace *t = NULL;
	struct error e;
	int64_t end;
	int code;

	program(0, 0, 0);
	rmdir(run);
	code = trace_open(path, &t, &e);
	if (!code)
		code = native_write(t, run, &o, &e);
	if (t)
		trace_free(t);
	if (!code)
		code = native_open(run, &t, &e);
	if (code) {
		ok(0, "%s: %s", path, e.text);
		return;
	}
	end = t->end;
	names_drop(&known_region);
	names_drop(&known_group);
	for (size_t r = 0; r < t->region_n; r += 1 + t->region_n / 40) {
		filter_name(t->region[r].name, 0, &known_region);
		*array_add(&known_group, v) = mem_printf("%.*s", (int)strcspn(t->region[r].groups, "|"), t->region[r].groups);
	}
	for (size_t s = 0; s < t->stream_n; s++) {
		const struct native_stream *x = t->stream[s].reader;

		for (size_t k = 0; k < x->file->chunk_n && marks < MARKS; k += 1 + roll(4))
			mark[marks++] = native_time(&((struct native_run *)t->reader)->clock[x->clock],
						    native_file_chunk(x->file, k)->first_tick);
	}
	trace_free(t);
	different = windows_tried = 0;
	read_with = read_without = 0;
	check_whole(0);
	check_windows(end, n, 0, 0);
	check_windows(end, n / 4, 0, 1);
	ok(!different, "%s: %zu windows are the same with the index and without, of %llu and %llu events", path,
	   windows_tried, (unsigned long long)read_with, (unsigned long long)read_without);
}

static void check_all_shared(void)
{
	const char *data = getenv("TAU_TEST_DATA") ? getenv("TAU_TEST_DATA") : "../shared/data";
	const char *more = getenv("TAU_TEST_WINDOWS");
	char *command = mem_printf("ls %s/otf2/*/*.otf2 %s/otf2/*/*/*_log.otf2 2>/dev/null", data, data), path[500];
	FILE *f = popen(command, "r");
	size_t n = 0;

	for (; f && fgets(path, sizeof(path), f); n++) {
		path[strcspn(path, "\n")] = 0;
		check_shared(path, more ? strtoull(more, NULL, 0) : 60);
	}
	if (!n)
		skip("windows of traces of others", "TAU_TEST_DATA has none, nor ../shared/data");
	if (f)
		pclose(f);
	free(command);
}
int main(void)
{
	if (!check_begin())
		return 1;
	programs("calls alone", 0, 0, 1, 20000, 1000);
	ok(SHARE > 1 || read_with < read_without / 2, "with it %llu instead of %llu events were read", (unsigned long long)read_with,
	   (unsigned long long)read_without);
	programs("all that a trace can hold", ALL & ~(KILLED | DEEP | SEAMS | TOLD), 0, 1, 6000, 1000);
	programs("memory of several threads", MEMORY, METRICS | MESSAGES | SAMPLES, 6, 4000, 60);
	ok(SHARE > 1 || read_with < read_without, "with it %llu instead of %llu events were read", (unsigned long long)read_with,
	   (unsigned long long)read_without);
	check_short();
	programs("deep stacks with many call paths", DEEP, 0, 1, 6000, 200);
	programs("random mixtures", 0, ALL, 40, 1500, 20);
	programs_of("some regions of calls and values", TOLD, 0, 1, 20000, 200, 1);
	check_chosen();
	programs_of("some regions where time hardly moves", STILL, MESSAGES | OFF_ON | SAMPLES, 8, 5000, 60, 1);
	programs_of("some regions of random mixtures", 0, ALL, 40, 1500, 25, 1);
	check_loops(40, 25);
	check_all_shared();
	return check_end();
}
