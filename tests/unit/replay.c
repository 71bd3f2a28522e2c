/* replay.c: what profiles count, on small traces whose truth is written beside them. */
#include <math.h>
#include <sys/stat.h>

#include "analyze/profile/profile.h"
#include "convert/load.h"
#include "files.h"
#include "tap.h"
#include "trace_writer.h"

static char dir[] = "/tmp/tau-replay.XXXXXX";

/* A fresh run directory below the folder of this test. */
static const char *run_new(const char *name)
{
	static char path[300];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	mkdir(path, 0777);
	return path;
}

static void stream_new(struct writer *w, const char *run, uint64_t process, uint32_t thread,
		       uint64_t first)
{
	char path[400];

	snprintf(path, sizeof(path), "%s/h.%llu.%u.tau", run, (unsigned long long)process, thread);
	writer_open(w, path, process, thread, 1000, first);
}

static struct profile **load(const char *run, int depth, size_t n, const char **window)
{
	struct load_options o = { .window = window, .window_n = n, .callpath_depth = depth };
	struct profile **p;
	struct error e;
	size_t got;

	if (!load_path_profiles(run, &o, &p, &got, &e))
		return p;
	printf("# %s\n", e.text);
	return NULL;
}

static void unload(struct profile **p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		profile_free(p[i]);
	free(p);
}

/* The row of a timer or path on a thread, "calls subrs excl incl" in ns. */
static const char *row(struct profile *p, int node, int thread, const char *name)
{
	static char text[8][120];
	static int at;
	char path[400], *out = text[at++ % 8];

	for (size_t i = 0; i < p->thread_n; i++) {
		struct profile_thread *t = &p->thread[i];

		if (t->node != node || t->thread != thread)
			continue;
		for (size_t r = 0; r < t->row_n; r++) {
			profile_path_name(p, t->row[r].path, path, sizeof(path));
			if (strcmp(path, name))
				continue;
			snprintf(out, sizeof(*text), "%g %g %g %g", t->row[r].calls,
				 t->row[r].subrs, rint(*profile_excl(p, t, &t->row[r]) * 1000),
				 rint(*profile_incl(t, &t->row[r]) * 1000));
			return out;
		}
	}
	return "none";
}

/* The sample of a counter, "n max min mean". */
static const char *sample(struct profile *p, int node, int thread, const char *name)
{
	static char text[8][120];
	static int at;
	char *out = text[at++ % 8];

	for (size_t i = 0; i < p->thread_n; i++) {
		const struct profile_thread *t = &p->thread[i];

		if (t->node != node || t->thread != thread)
			continue;
		for (size_t s = 0; s < t->sample_n; s++) {
			const struct profile_sample *x = &t->sample[s];
			char full[400], path[300];

			profile_path_name(p, x->path, path,
					  x->path == PROFILE_FLAT ? 0 : sizeof(path));
			snprintf(full, sizeof(full), "%s%s%s", p->counter[x->counter].name,
				 x->path == PROFILE_FLAT ? "" : " : ",
				 x->path == PROFILE_FLAT ? "" : path);
			if (strcmp(full, name))
				continue;
			snprintf(out, sizeof(*text), "%g %g %g %g", x->n, x->max, x->min, x->mean);
			return out;
		}
	}
	return "none";
}

static void is(const char *got, const char *want, const char *what)
{
	if (!ok(!strcmp(got, want), "%s", what))
		printf("# got '%s', want '%s'\n", got, want);
}

/* main 0 to 10, foo 3 to 8. */
static void test_published(void)
{
	const char *window[] = {"0ns:5ns", "0ns:9ns",   ":",   "3ns:8ns",
				"4ns:4ns", "20ns:30ns", "9ns:"};
	const char *run = run_new("published");
	struct profile **p;
	struct writer w;

	stream_new(&w, run, 1, 0, 1000);
	writer_region(&w, 0, "main", "TAU_USER");
	writer_region(&w, 1, "foo", "TAU_USER");
	writer_enter(&w, 1000, 0);
	writer_enter(&w, 1003, 1);
	writer_chunk(&w, 1004);
	writer_leave(&w, 1008);
	writer_leave(&w, 1010);
	writer_close(&w);
	p = load(run, 2, 7, window);
	if (!ok(p != NULL, "the published example loads"))
		return;
	is(row(p[0], 0, 0, "main"), "1 1 3 5", "main at t=5");
	is(row(p[0], 0, 0, "foo"), "1 0 2 2", "foo at t=5");
	is(row(p[1], 0, 0, "main"), "1 1 4 9", "main at t=9");
	is(row(p[1], 0, 0, "foo"), "1 0 5 5", "foo at t=9");
	is(row(p[2], 0, 0, "main"), "1 1 5 10", "main at the end");
	is(row(p[2], 0, 0, ".TAU application"), "1 1 0 10", "the root lasts as long as the thread");
	is(row(p[2], 0, 0, "main => foo"), "1 0 5 5", "foo from main");
	is(row(p[3], 0, 0, "main"), "0 1 0 5", "a region open at begin has time and no call");
	is(row(p[3], 0, 0, "foo"), "1 0 5 5", "what enters at begin belongs to the window");
	ok(p[4]->thread_n == 0, "an empty window has no rows");
	ok(p[5]->thread_n == 0, "a window behind the run has no rows");
	is(row(p[6], 0, 0, "main"), "0 0 1 1", "a window open at its end");
	is(row(p[6], 0, 0, "foo"), "none", "foo has left before");
	unload(p, 7);
}

static void test_recursion(void)
{
	const char *window[] = { ":", "15ns:35ns" };
	const char *run = run_new("recursion");
	struct profile **p;
	struct writer w;

	stream_new(&w, run, 1, 0, 1000);
	writer_region(&w, 0, "f", "");
	writer_region(&w, 1, "g", "");
	writer_enter(&w, 1010, 0);
	writer_enter(&w, 1020, 0);
	writer_enter(&w, 1025, 1);
	writer_enter(&w, 1030, 0);
	writer_leave(&w, 1032);
	writer_leave(&w, 1034);
	writer_leave(&w, 1040);
	writer_leave(&w, 1050);
	writer_close(&w);
	p = load(run, -1, 2, window);
	if (!ok(p != NULL, "a recursion loads"))
		return;
	is(row(p[0], 0, 0, "f"), "3 2 33 40", "inclusive time is the outermost activation's");
	is(row(p[0], 0, 0, ".TAU application => f => f"), "1 1 11 20",
	   "a path has its own recursion");
	is(row(p[1], 0, 0, "f"), "2 2 13 20", "two activations enter inside the window");
	is(row(p[1], 0, 0, ".TAU application"), "0 0 0 20", "the root was open already");
	is(row(p[1], 0, 0, ".TAU application => f => f => g => f"), "1 0 2 2", "the whole path");
	unload(p, 2);
	p = load(run, 3, 2, window);
	is(row(p[0], 0, 0, "f => f => g"), "1 1 7 9", "paths of three regions");
	is(row(p[0], 0, 0, "f => g => f"), "1 0 2 2", "only the innermost three");
	unload(p, 2);
}

/* Unmatched leaves, unwinding, regions open at the end of a thread and of the stream. */
static void test_repairs(void)
{
	const char *run = run_new("repairs");
	struct buffer f = { 0 };
	struct profile **p;
	struct writer w;

	stream_new(&w, run, 1, 0, 1000);
	writer_region(&w, 0, "a", "");
	writer_region(&w, 1, "b", "");
	writer_leave(&w, 1001);
	writer_enter(&w, 1010, 0);
	writer_enter(&w, 1020, 1);
	writer_enter(&w, 1022, 1);
	put_varint(&f, 2);
	writer_extended(&w, 1030, TAU_REC_UNWIND, &f);
	w.depth -= 2;
	writer_leave(&w, 1040);
	writer_extended(&w, 1050, TAU_REC_THREAD_END, &f);
	w.idle = 1;
	put_varint(&f, 7);
	writer_extended(&w, 1060, TAU_REC_THREAD_BEGIN, &f);
	writer_enter(&w, 1061, 1);
	writer_enter(&w, 1065, 0);
	writer_value(&w, 1070, 0, 1);
	writer_event(&w, 0, "e", TAU_EVENT_CONTEXT);
	writer_close(&w);
	p = load(run, 0, 0, NULL);
	if (!ok(p != NULL, "a trace that needs repair loads"))
		return;
	is(row(p[0], 0, 0, "a"), "2 1 25 35", "a: its leave is found after the unwinding");
	is(row(p[0], 0, 0, "b"), "3 2 14 19", "b: ended by unwinding and by the end of the stream");
	is(row(p[0], 0, 0, ".TAU application"), "2 2 21 60",
	   "the root ends and begins with the threads");
	is(profile_meta(p[0], UINT32_MAX, "TAU Repaired Frames"), "5", "repairs are counted");
	is(sample(p[0], 0, 0, "e : b => a"), "1 1 1 1", "a context event stands under its callers");
	unload(p, 1);
}

static void test_on_off(void)
{
	const char *run = run_new("on-off");
	struct buffer f = { 0 };
	struct profile **p;
	struct writer w;

	stream_new(&w, run, 1, 0, 1000);
	writer_region(&w, 0, "a", "");
	writer_region(&w, 1, "b", "");
	writer_region(&w, 2, "c", "");
	writer_enter(&w, 1010, 0);
	writer_enter(&w, 1020, 1);
	writer_extended(&w, 1030, TAU_REC_OFF, &f);
	put_varint(&f, 2);
	put_varint(&f, 0);
	put_varint(&f, 2);
	writer_extended(&w, 1040, TAU_REC_ON, &f);
	writer_leave(&w, 1045);
	writer_leave(&w, 1050);
	w.depth = 0;
	writer_close(&w);
	p = load(run, 0, 0, NULL);
	if (!ok(p != NULL, "a trace with recording off and on loads"))
		return;
	is(row(p[0], 0, 0, "a"), "1 1 15 40", "a stays open while recording is off");
	is(row(p[0], 0, 0, "b"), "1 0 20 20", "b lasts until recording goes on");
	is(row(p[0], 0, 0, "c"), "0 0 5 5", "c was entered unseen: time, but no call");
	is(profile_meta(p[0], UINT32_MAX, "TAU Repaired Frames"), "0",
	   "nothing of that is a repair");
	unload(p, 1);
}

static void test_memory(void)
{
	const char *window[] = { ":", "0ns:25ns", "25ns:45ns", "45ns:" };
	const char *run = run_new("memory");
	struct profile **p;
	struct writer w;

	for (uint32_t thread = 0; thread < 2; thread++) {
		stream_new(&w, run, 1, thread, 1000);
		writer_memtype(&w, 1, 0, TAU_MEM_CLASS, "a", "");
		writer_memtype(&w, 2, 1, TAU_MEM_CLASS, "b", "");
		writer_memtype(&w, 3, 0, TAU_MEM_UNTYPED, "", "libx.so");
		writer_memtype(&w, 4, 2, TAU_MEM_CLASS | TAU_MEM_SLAB, "c", "");
		if (thread == 0) {
			writer_memory(&w, 1010, TAU_REC_ALLOC, 1, 0, 100);
			writer_memory(&w, 1020, TAU_REC_ALLOC, 2, 0, 10);
			writer_chunk(&w, 1024);
			writer_memory(&w, 1040, TAU_REC_RETYPE, 3, 4, 5);
			writer_memory(&w, 1050, TAU_REC_FREE, 1, 0, 100);
		} else {
			writer_memory(&w, 1030, TAU_REC_ALLOC, 3, 0, 5);
			writer_memory(&w, 1035, TAU_REC_FREE, 2, 0, 10);
		}
		writer_close(&w);
	}
	p = load(run, 0, 4, window);
	if (!ok(p != NULL, "a trace with memory loads"))
		return;
	is(sample(p[0], 0, 0, "alloc a"), "1 100 100 100",
	   "an allocation is a sample of its thread");
	is(sample(p[0], 0, 0, "alloc b <= a"), "1 10 10 10", "it counts for its owner too");
	is(sample(p[0], 0, 1, "free b"), "1 10 10 10", "another thread may free");
	is(sample(p[0], 0, 1, "alloc untyped [libx.so]"), "1 5 5 5",
	   "memory without a type names its library");
	is(sample(p[0], 0, 0, "alloc c[] <= b <= a"), "1 5 5 5",
	   "a slab, with the chain of its owners");
	is(sample(p[0], 0, 0, "retyped untyped [libx.so]"), "1 5 5 5", "a block found its type");
	is(sample(p[0], 0, 0, "live a"), "1 0 0 0", "a is gone at the end");
	is(sample(p[0], 0, 0, "peak a"), "1 100 100 100", "and was there");
	is(sample(p[0], 0, 0, "live c[]"), "1 5 5 5", "the slab is still there");
	is(sample(p[0], 0, 0, "peak (all)"), "1 115 115 115", "the most of all threads together");
	is(sample(p[1], 0, 0, "live (all)"), "1 110 110 110",
	   "live at the end of the first window");
	is(sample(p[2], 0, 0, "peak (all)"), "1 115 115 115", "a window begins with what is live");
	is(sample(p[2], 0, 0, "live b"), "1 0 0 0", "freed by the other thread inside the window");
	is(sample(p[2], 0, 0, "peak b"), "1 10 10 10", "it was live when the window began");
	is(sample(p[3], 0, 0, "peak untyped [libx.so]"), "none",
	   "what was gone before the window has no row");
	is(sample(p[3], 0, 0, "live objects (all)"), "1 1 1 1", "blocks are counted as well");
	unload(p, 4);
}

/* The same as test_memory() has by records, by tokens, among regions and with metrics beside. */
static void test_blocks(void)
{
	const char *window[] = { ":", "0ns:25ns", "25ns:" };
	const char *run = run_new("blocks");
	struct profile **p;
	struct writer w;

	stream_new(&w, run, 1, 0, 1000);
	writer_region(&w, 0, "main", "");
	writer_memtype(&w, 1, 0, TAU_MEM_CLASS, "a", "");
	writer_memtype(&w, 2, 0, TAU_MEM_CLASS, "b", "");
	writer_block(&w, 7, 1, 100);
	writer_block(&w, 10921, 2, 8);
	writer_enter(&w, 1005, 0);
	writer_block_op(&w, 1010, 7, TAU_BLOCK_ALLOC, 1, 100);
	writer_block_op(&w, 1010, 10921, TAU_BLOCK_BRIEF, 2, 8);
	writer_block_op(&w, 1020, 10921, TAU_BLOCK_ALLOC, 2, 8);
	writer_chunk(&w, 1024);
	writer_block_op(&w, 1030, 7, TAU_BLOCK_FREE, 1, 100);
	writer_memory(&w, 1031, TAU_REC_BRIEF, 1, 0, 50);
	w.bytes[1] += 50, w.blocks[1]++;
	writer_leave(&w, 1040);
	writer_close(&w);
	p = load(run, 0, 3, window);
	if (!ok(p != NULL, "a trace with blocks loads"))
		return;
	is(sample(p[0], 0, 0, "alloc a"), "2 100 50 75", "allocations by token, and by record, are samples");
	is(sample(p[0], 0, 0, "free a"), "2 100 50 75", "so are frees");
	is(sample(p[0], 0, 0, "alloc b"), "2 8 8 8", "a brief block was allocated");
	is(sample(p[0], 0, 0, "free b"), "1 8 8 8", "and freed");
	is(sample(p[0], 0, 0, "live b"), "1 8 8 8", "the other is there");
	is(sample(p[0], 0, 0, "peak b"), "1 8 8 8", "they were not there together");
	is(sample(p[0], 0, 0, "peak (all)"), "1 108 108 108", "what was brief counts in the peak");
	is(sample(p[1], 0, 0, "live (all)"), "1 108 108 108", "a window has what is live at its end");
	is(sample(p[2], 0, 0, "peak (all)"), "1 108 108 108", "and at its beginning");
	is(sample(p[2], 0, 0, "live (all)"), "1 8 8 8", "and what is left");
	is(row(p[0], 0, 0, "main"), "1 0 35 35", "regions around it are as they were");
	unload(p, 3);
}

/* Two hosts, ranks, instances of regions. */
static void test_instances(void)
{
	const char *window[] = { "step#*", "step#2", "step#1@1", "step#2:end#1", ":50%" };
	const char *bad[] = {"step#9", "nosuch",   "5ns", "10:20", "9ns:3ns",
			     "step#0", "step#1@7", "",    "120%:"};
	const int code[] = {ERROR_INPUT, ERROR_INPUT, ERROR_USAGE, ERROR_USAGE, ERROR_INPUT,
			    ERROR_USAGE, ERROR_INPUT, ERROR_USAGE, ERROR_INPUT};
	const char *run = run_new("instances");
	struct profile **p;
	struct writer w;

	for (uint64_t process = 1; process <= 2; process++) {
		stream_new(&w, run, process, 0, 1000 * process);
		writer_rank(&w, (uint32_t)process - 1, 2);
		writer_region(&w, 0, "step", "");
		writer_region(&w, 1, "end", "");
		for (uint64_t i = 0; i < 3; i++) {
			writer_enter(&w, 1000 * process + 100 * i, 0);
			writer_leave(&w, 1000 * process + 100 * i + 10 * process);
		}
		writer_enter(&w, 1000 * process + 400, 1);
		writer_leave(&w, 1000 * process + 410);
		writer_close(&w);
	}
	p = load(run, 0, 5, window);
	if (!ok(p != NULL, "windows of region instances load"))
		return;
	is(row(p[0], 0, 0, "step"), "3 0 30 30", "all instances in one profile");
	is(row(p[0], 1, 0, "step"), "3 0 60 60", "each process its own");
	is(row(p[1], 0, 0, ".TAU application"), "0 1 0 10", "one instance");
	is(row(p[1], 1, 0, ".TAU application"), "0 1 0 20", "the instance of the other process");
	is(row(p[2], 1, 0, "step"), "1 0 20 20", "an instance of one rank");
	is(row(p[2], 0, 0, ".TAU application"), "none", "is a span of time for the others");
	is(row(p[3], 0, 0, ".TAU application"), "0 3 280 310", "from one instance to another");
	is(row(p[4], 1, 0, ".TAU application"), "none",
	   "half of the run is over before rank 1 begins");
	unload(p, 5);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct load_options o = { .window = &bad[i], .window_n = 1 };
		struct error e = { 0 };
		size_t n;

		ok(load_path_profiles(run, &o, &p, &n, &e) == code[i] && *e.text, "window '%s': %s",
		   bad[i], e.text);
	}
}

/* What a killed process leaves: the live chunk is the last one, unless it is stale. */
static void test_live(void)
{
	const char *run = run_new("live");
	char copy[600], live[600];
	struct profile **p;
	struct writer w;

	stream_new(&w, run, 1, 0, 1000);
	writer_region(&w, 0, "a", "");
	writer_enter(&w, 1010, 0);
	writer_chunk(&w, 1020);
	writer_leave(&w, 1030);
	writer_enter(&w, 100000, 0);
	writer_kill(&w);
	p = load(run, 0, 0, NULL);
	if (!ok(p != NULL, "a trace with a live chunk loads"))
		return;
	is(row(p[0], 0, 0, "a"), "2 0 20 20", "the live chunk counts");
	unload(p, 1);

	/* The same chunk sealed as well: the writer died between storing and restarting it. */
	snprintf(live, sizeof(live), "%s/h.1.0.live", run);
	snprintf(copy, sizeof(copy), "%s/copy", dir);
	rename(live, copy);
	stream_new(&w, run, 1, 0, 1000);
	writer_region(&w, 0, "a", "");
	writer_enter(&w, 1010, 0);
	writer_chunk(&w, 1020);
	writer_leave(&w, 1030);
	writer_enter(&w, 100000, 0);
	writer_chunk(&w, 100001);
	writer_kill(&w);
	rename(copy, live);
	p = load(run, 0, 0, NULL);
	is(row(p[0], 0, 0, "a"), "2 0 20 20", "a stale live chunk does not count twice");
	unload(p, 1);
}

int main(void)
{
	if (!mkdtemp(dir))
		return 1;
	test_published();
	test_recursion();
	test_repairs();
	test_on_off();
	test_memory();
	test_blocks();
	test_instances();
	test_live();
	folder_remove(dir);
	return tap_end();
}
