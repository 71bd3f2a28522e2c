/*
 * index.c: windows read with the index equal windows read without it, bit for bit: over random programs that do all that a
 * trace can hold, over thousands of random windows, with the index damaged in all places, and of another time. The
 * seed is printed; TAU_TEST_SEED repeats it.
 */
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <utime.h>

#include "convert/formats.h"
#include "convert/load.h"
#include "convert/native/native.h"
#include "convert/native/native_pages.h"
#include "convert/native/native_run.h"
#include "convert/trace_write.h"
#include "files.h"
#include "profiles.h"
#include "seed.h"
#include "tap.h"
#include "trace_writer.h"

#define REGIONS 9
#define TYPES 3
#define EVENTS 4
#define MARKS 512
#define CODE 0x400000u

/*
 * What sanitizers look for is found in a part of the windows: too few to make up for the index that is made first. And they keep what is
 * freed, so memory is not theirs to judge.
 */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SHARE 5
#else
#define SHARE 1
#endif

/* Bit 2048: all values are recorded by path. STILL: time hardly moves, and outer regions are hardly ever left. */
enum feature {
	MEMORY = 1, METRICS = 2, SAMPLES = 4, OFF_ON = 8, UNWINDS = 16, THREADS = 32, FOLDS = 64, MESSAGES = 128, SEAMS = 256,
	KILLED = 512, DEEP = 1024, TOLD = 2048, STILL = 4096, ALL = 8191
};

static char dir[] = "/tmp/tau-index.XXXXXX";
static char run[300];
static uint64_t seed, start_seed;
static int64_t mark[MARKS];	/* moments where chunks begin */
static size_t marks;
static struct filter_names known_region, known_group; /* of which some are chosen */
static size_t windows_tried, refused, wasteful, different;
static uint64_t read_with, read_without;

static uint64_t roll(uint64_t n)
{
	return profiles_random(&seed, n);
}

/* ---- random programs ---- */

struct program {
	struct writer w;
	unsigned features;
	int off;
};

static void define(struct program *p)
{
	struct writer *w = &p->w;
	struct buffer f = { 0 };
	char name[40];
	uint64_t at[3] = { CODE, CODE + 4096, 0 };

	for (uint32_t r = 0; r < REGIONS; r++) {
		/* Two numbers for one name: they are one region. */
		snprintf(name, sizeof(name), "region %u", r == REGIONS - 1 ? 0 : r);
		writer_region(w, r, name, r % 3 == 1 ? "ODD" : r % 3 ? "EVEN|TAU_USER" : "TAU_USER");
	}
	for (uint32_t e = 0; e < EVENTS; e++) {
		snprintf(name, sizeof(name), "event %u", e);
		writer_event(w, e, name, e & 1 ? TAU_EVENT_CONTEXT : 0);
	}
	for (uint32_t m = 0; m < TYPES && p->features & MEMORY; m++) {
		snprintf(name, sizeof(name), "type %u", m);
		writer_memtype(w, m + 1, m, TAU_MEM_CLASS, name, "");
	}
	for (uint32_t m = 0; m < w->metrics; m++)
		writer_metric(w, m, 0, m ? "COUNT" : "LEVEL", m ? "" : "ns");
	if (p->features & SAMPLES) {
		put_bytes(&f, at, sizeof(at));
		put_string(&f, "/nowhere/program");
		put_string(&f, "");
		writer_define(w, TAU_DEF_MODULE, &f);
	}
}

static void sample(struct writer *w, uint64_t now)
{
	struct buffer f = { 0 };
	uint64_t n = roll(4);
	int64_t last = 0;

	put_varint(&f, roll(1000000));
	put_varint(&f, roll(8) == 0);
	put_varint(&f, roll(9) == 0);
	put_varint(&f, n);
	for (uint64_t i = 0; i < n; i++) {
		int64_t at = CODE + (int64_t)roll(12) * 16;

		put_zigzag(&f, at - last);
		last = at;
	}
	writer_extended(w, now, TAU_REC_SAMPLE, &f);
}

static void message(struct writer *w, uint64_t now)
{
	struct buffer f = { 0 };

	switch (roll(4)) {
	case 0:
		put_zigzag(&f, (int64_t)roll(4));
		put_zigzag(&f, 7);
		put_varint(&f, 0);
		put_varint(&f, roll(5000));
		writer_extended(w, now, roll(2) ? TAU_REC_SEND : TAU_REC_RECV, &f);
		break;
	case 1:
		put_varint(&f, roll(TAU_COLLS));
		put_varint(&f, 0);
		put_zigzag(&f, -1);
		put_varint(&f, roll(100));
		put_varint(&f, roll(100));
		writer_extended(w, now, TAU_REC_COLL, &f);
		break;
	case 2:
		put_varint(&f, roll(TAU_RMAS));
		put_zigzag(&f, (int64_t)roll(4));
		put_varint(&f, roll(5000));
		writer_extended(w, now, TAU_REC_RMA, &f);
		break;
	default:
		put_varint(&f, roll(2));
		put_varint(&f, roll(EVENTS));
		put_varint(&f, roll(5000));
		put_varint(&f, roll(300));
		writer_extended(w, now, TAU_REC_IO, &f);
	}
}

static void fold(struct writer *w, uint64_t now)
{
	struct buffer f = { 0 };
	uint64_t n = 1 + roll(2);

	put_varint(&f, roll(3));
	put_varint(&f, 1 + roll(20));
	put_varint(&f, roll(50));
	put_varint(&f, n);
	while (n--)
		put_varint(&f, roll(REGIONS));
	writer_extended(w, now, TAU_REC_FOLD, &f);
}

static void unwind(struct writer *w, uint64_t now)
{
	struct buffer f = { 0 };
	uint64_t n = 1 + roll(w->depth);

	put_varint(&f, n);
	writer_extended(w, now, TAU_REC_UNWIND, &f);
	w->depth -= n;
}

static void off_on(struct program *p, uint64_t now)
{
	struct buffer f = { 0 };
	struct writer *w = &p->w;

	if (!p->off) {
		writer_extended(w, now, TAU_REC_OFF, &f);
	} else {
		/* Some of what was open has ended meanwhile. */
		w->depth -= roll(w->depth + 1);
		put_varint(&f, w->depth);
		for (size_t i = 0; i < w->depth; i++)
			put_varint(&f, w->open[i]);
		writer_extended(w, now, TAU_REC_ON, &f);
	}
	p->off = !p->off;
}

static void thread_change(struct writer *w, uint64_t now)
{
	struct buffer f = { 0 };

	writer_extended(w, now, TAU_REC_THREAD_END, &f);
	w->depth = 0;
	put_varint(&f, 5);
	writer_extended(w, now + roll(30), TAU_REC_THREAD_BEGIN, &f);
}

static void memory(struct writer *w, uint64_t now)
{
	static const uint32_t kind[] = { TAU_REC_ALLOC, TAU_REC_FREE, TAU_REC_RETYPE };

	writer_memory(w, now, kind[roll(3)], 1 + (uint32_t)roll(TYPES), 1 + (uint32_t)roll(TYPES), roll(1000));
}

/* Writes records of an unknown kind: chunks get large, so that a span has few of them. */
static void fill(struct writer *w, uint64_t now)
{
	static const unsigned char zero[2000];
	struct buffer f = { 0 };

	put_bytes(&f, zero, sizeof(zero));
	writer_extended(w, now, 60, &f);
}

/* One of the rarer records, if the program has such. 0: none. */
static int rare(struct program *p, uint64_t now)
{
	const unsigned what = 1u << roll(9);
	struct writer *w = &p->w;

	switch (what & p->features) {
	case MEMORY: memory(w, now); return 1;
	case SAMPLES: sample(w, now); return 1;
	case OFF_ON: off_on(p, now); return 1;
	case UNWINDS:
		if (!w->depth || roll(4))
			return 0;
		unwind(w, now);
		return 1;
	case THREADS:
		if (roll(20))
			return 0;
		thread_change(w, now);
		return 1;
	case FOLDS: fold(w, now); return 1;
	case MESSAGES: message(w, now); return 1;
	case SEAMS:
		/* A leave is lost: the next snapshot knows better. */
		if (w->depth && !roll(30))
			w->depth--;
		return 0;
	default:
		return 0;
	}
}

/* Calls what it usually calls: so there are not very many call paths. */
static uint32_t next_region(const struct program *p)
{
	const struct writer *w = &p->w;
	uint32_t from = w->depth ? w->open[w->depth - 1] : 0;

	if (p->features & DEEP && !roll(3))
		return (uint32_t)roll(REGIONS);
	return (from * 2 + 1 + (uint32_t)roll(2)) % REGIONS;
}

static void play(unsigned thread, unsigned features, size_t steps)
{
	struct program p = { .features = features };
	struct writer *w = &p.w;
	uint64_t now = roll(50), depth = features & DEEP ? 30 : 5;
	uint32_t seq = 0;
	char path[400];

	snprintf(path, sizeof(path), "%s/x.%u.tau", run, thread);
	writer_open(w, path, 7, thread, 0, now);
	w->metrics = features & METRICS && !(thread & 1) ? 2 : 0;
	if (w->metrics)
		writer_begin(w, now);
	w->limit = (uint32_t)(20 + roll(100));
	w->raw = features & DEEP ? 0 : 1;
	define(&p);
	for (size_t i = 0; i < steps; i++) {
		size_t least = features & STILL && roll(150) ? 3 : 1;

		now += roll(200) == 0 ? 70000 : features & STILL ? !roll(8) : roll(7);
		w->metric[0] += (int64_t)roll(9) - 4;
		w->metric[1] += (int64_t)roll(5);
		if (i % 20 == 0)
			fill(w, now);
		if (p.off)
			now += 200, off_on(&p, now);
		else if (!roll(4) && rare(&p, now))
			;
		else if (!roll(12))
			writer_value(w, now, (uint32_t)roll(EVENTS) | (features & TOLD ? 1 : 0), (double)roll(1000) - 300 + (roll(2) ? 0.375 : 0));
		else if (w->depth < depth && (roll(2) || w->depth < least))
			writer_enter(w, now, next_region(&p));
		else
			writer_leave(w, now);
		now = w->last;
		if (w->seq != seq && marks < MARKS)
			mark[marks++] = (int64_t)w->first;
		seq = w->seq;
	}
	if (features & KILLED)
		writer_kill(w);
	else
		writer_close(w);
}

static void names_drop(struct filter_names *l)
{
	for (size_t i = 0; i < l->v_n; i++)
		free(l->v[i]);
	l->v_n = 0;
}

static int64_t program(unsigned features, size_t threads, size_t steps)
{
	char command[700];

	names_drop(&known_region);
	names_drop(&known_group);
	for (unsigned r = 0; r < REGIONS - 1; r++)
		*array_add(&known_region, v) = mem_printf("region %u", r);
	filter_name("ODD,EVEN,TAU_USER", 1, &known_group);

	snprintf(command, sizeof(command), "rm -rf %s && mkdir %s", run, run);
	if (system(command))
		exit(1);
	marks = 0;
	for (unsigned i = 0; i < threads; i++)
		play(i, features, steps);
	return marks ? mark[marks - 1] + 100 : 1000;
}

/* ---- windows ---- */

static int64_t moment(int64_t end)
{
	if (marks && roll(3) == 0) {
		int64_t at = mark[roll(marks)] + (int64_t)roll(3) - 1;

		return at < 0 ? 0 : at;
	}
	return (int64_t)roll((uint64_t)end + 20);
}

#define TOGETHER 6
struct set {
	char text[TOGETHER][80];
	const char *window[TOGETHER];
	struct load_options o;
	struct filter only;
};

static const char *one_of(const struct filter_names *l)
{
	return l->v_n ? l->v[roll(l->v_n)] : "";
}

/* Some of the regions, in one or several of the ways in which they are chosen. */
static void only_make(struct filter *o)
{
	unsigned ways = 1 + (unsigned)roll(7);
	char path[3000] = "";

	for (uint64_t n = roll(3); n < 3 && ways & 1; n++)
		filter_name(one_of(&known_region), 0, &o->region);
	for (uint64_t n = roll(2); n < 2 && ways & 2; n++)
		filter_name(one_of(&known_group), 1, &o->group);
	for (uint64_t n = roll(2); n < 2 && ways & 4; n++) {
		snprintf(path, sizeof(path), "%s", roll(3) ? one_of(&known_region) : ".TAU application");
		for (uint64_t more = roll(3); more; more--)
			snprintf(path + strlen(path), sizeof(path) - strlen(path), " => %s", one_of(&known_region));
		filter_name(path, 0, &o->path);
	}
}

/* Instances and phases: where they are has to be looked for first. */
static void counted_text(char *to, size_t size)
{
	unsigned r = (unsigned)roll(REGIONS), other = (unsigned)roll(REGIONS);
	unsigned n = 1 + (unsigned)roll(roll(2) ? 12 : 600), more = n + (unsigned)roll(4);

	switch (roll(8)) {
	case 6: snprintf(to, size, "iter=%u..%u", 1 + n % 9, 1 + more % 9); break;
	case 7: snprintf(to, size, "iter(region %u)=%u", r, n); break;
	case 0: snprintf(to, size, "region %u#%u..%u", r, n, more); break;
	case 1: snprintf(to, size, "region %u#%u:region %u#%u", r, n, other, more); break;
	case 2: snprintf(to, size, "region %u..region %u#%u", r, other, n); break;
	case 3: snprintf(to, size, "region %u#*", r); break;
	default: snprintf(to, size, "region %u#%u", r, n); break;
	}
}

static void set_make(struct set *s, int64_t end, int chosen)
{
	static const int depth[] = { 0, -1, 2, 3, 7 };

	memset(&s->o, 0, sizeof(s->o));
	memset(&s->only, 0, sizeof(s->only));
	s->o.only = &s->only;
	if (chosen)
		only_make(&s->only);
	s->o.window = s->window;
	s->o.window_n = roll(3) ? 1 : 1 + roll(TOGETHER);
	s->o.callpath_depth = depth[roll(5)];
	s->o.resolution = STACK_FUNCTION;
	if (!roll(12))
		s->o.series.slices = 2 + roll(6);
	for (size_t i = 0; i < s->o.window_n; i++) {
		int64_t a = moment(end), b = moment(end);

		s->window[i] = s->text[i];
		if (!roll(4)) {
			counted_text(s->text[i], sizeof(s->text[i]));
			continue;
		}
		snprintf(s->text[i], sizeof(s->text[i]), "%lldns:%lldns", (long long)(a < b ? a : b), (long long)(a < b ? b : a));
	}
}

/* 1 when the profiles of a set are the same with and without the index. */
static int set_same(struct set *s, enum index_policy how)
{
	struct load_report with = { 0 }, without = { 0 };
	struct profile **a = NULL, **b = NULL;
	struct error e = { 0 }, other = { 0 };
	size_t n = 0, m = 0;
	int same;

	s->o.report = &without;
	s->o.index = INDEX_NEVER;
	load_profiles(run, &s->o, &a, &n, &e);
	s->o.report = &with;
	s->o.index = how;
	/* If there is no such instance, both report it. */
	same = load_profiles(run, &s->o, &b, &m, &other) == e.code && n == m && !strcmp(e.text, other.text);
	refused += e.code != 0;
	for (size_t i = 0; i < n && same; i++) {
		/* A damaged index is named there. */
		if (how == INDEX_AUTO)
			profile_set_meta(b[i], UINT32_MAX, "TAU Notes", profile_meta(a[i], UINT32_MAX, "TAU Notes"));
		same = profiles_same(a[i], b[i]);
	}
	for (size_t i = 0; i < s->only.region.v_n + s->only.group.v_n + s->only.path.v_n && !same; i++)
		printf("# of '%s'\n", i < s->only.region.v_n ? s->only.region.v[i]
			: i < s->only.region.v_n + s->only.group.v_n ? s->only.group.v[i - s->only.region.v_n]
			: s->only.path.v[i - s->only.region.v_n - s->only.group.v_n]);
	for (size_t i = 0; i < (s->o.window_n ? s->o.window_n : 1) && !same; i++)
		printf("# window %s of %zu, %llu slices, depth %d %s\n", s->o.window_n ? s->text[i] : ":", n,
		       (unsigned long long)s->o.series.slices, s->o.callpath_depth, e.text);
	windows_tried += n ? n : 1;
	wasteful += with.events > without.events + without.events / 4;
	read_without += without.events;
	read_with += with.events;
	for (size_t i = 0; i < n; i++)
		profile_free(a[i]);
	for (size_t i = 0; i < m; i++)
		profile_free(b[i]);
	free(a);
	free(b);
	load_report_release(&with);
	load_report_release(&without);
	return same;
}

static void check_windows(int64_t end, size_t n, unsigned features, int chosen)
{
	for (size_t before = windows_tried; windows_tried < before + (n + SHARE - 1) / SHARE;) {
		struct set s;
		int same;

		set_make(&s, end, chosen);
		same = set_same(&s, INDEX_ALWAYS);
		filter_release(&s.only);
		if (!same && !different++)
			printf("# features %#x, seed at the start %llu\n", features, (unsigned long long)start_seed);
		if (different > 5)
			return;
	}
}

static void check_whole(unsigned features)
{
	struct set s = { .o = { .callpath_depth = -1 } };

	if (!set_same(&s, INDEX_ALWAYS) && !different++)
		printf("# the whole run, features %#x\n", features);
}

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

/* ---- the file ---- */

/* The index of the first stream. */
static char *index_path(void)
{
	return mem_printf("%s/x.0.index", run);
}

/* Flips bytes of a file beside the trace, and cuts it short. */
static void check_damage_of(const char *path, size_t times)
{
	struct set whole = { .o = { .callpath_depth = -1 } };
	size_t n, wrong = 0, tried = 0;
	const char *name = strrchr(path, '/') + 1;
	unsigned char *p = file_get(path, &n);

	ok(p && n > 500, "%s was made (%zu bytes)", name, n);
	if (!p)
		return;
	for (size_t i = 0; i < n; i += 1 + roll(n / times + 1), tried++) {
		unsigned char was = p[i];

		p[i] ^= (unsigned char)(1 + roll(255));
		file_put(path, p, n);
		p[i] = was;
		wrong += !set_same(&whole, INDEX_AUTO);
	}
	ok(!wrong, "%zu times a byte of %s was wrong, and no number of the profile", tried, name);
	for (size_t i = wrong = tried = 0; i < n; i += 1 + roll(2 * n / times + 1), tried++) {
		file_put(path, p, i);
		wrong += !set_same(&whole, INDEX_AUTO);
	}
	ok(!wrong, "%zu times %s was cut short, and no number was wrong", tried, name);
	file_put(path, p, n);
	free(p);
}

static void check_damage(void)
{
	struct set whole = { .o = { .callpath_depth = -1 } };
	char *path = index_path(), *levels = mem_printf("%s/x.0.levels", run);

	program(ALL & ~(KILLED | DEEP | SEAMS), 1, 1200);
	different = 0;
	set_same(&whole, INDEX_ALWAYS);
	check_damage_of(path, 150);
	check_damage_of(levels, 100);
	free(path);
	free(levels);
}

/* ---- long traces ---- */

/* What a short window in the middle reads. */
static uint64_t window_bytes(int64_t end, enum index_policy how, struct profile **out)
{
	struct load_report r = { 0 };
	char text[80];
	const char *window = text;
	struct load_options o = { .report = &r, .index = how, .window = &window, .window_n = 1, .callpath_depth = -1 };
	struct profile **p;
	struct error e;
	uint64_t bytes;
	size_t n;

	snprintf(text, sizeof(text), "%lldns:%lldns", (long long)end / 2, (long long)end / 2 + 200);
	if (load_profiles(run, &o, &p, &n, &e)) {
		printf("# %s\n", e.text);
		return 0;
	}
	bytes = r.bytes_read;
	if (out)
		*out = p[0];
	else
		profile_free(p[0]);
	free(p);
	load_report_release(&r);
	return bytes;
}

static uint64_t long_trace(size_t steps, uint64_t *before, int64_t *end)
{
	struct set whole = { .o = { .callpath_depth = -1 } };
	struct writer w;
	char path[400];

	program(0, 1, 0);
	snprintf(path, sizeof(path), "%s/x.0.tau", run);
	writer_open(&w, path, 7, 0, 0, 10);
	w.limit = 40;
	for (uint32_t r = 0; r < REGIONS; r++)
		writer_region(&w, r, r ? "other" : "main", "TAU_USER");
	writer_enter(&w, 10, 0);
	for (uint64_t i = 0; i < steps; i++) {
		writer_enter(&w, 20 + 20 * i, 1 + (uint32_t)roll(REGIONS - 1));
		writer_leave(&w, 30 + 20 * i);
	}
	writer_leave(&w, *end = 20 + 20 * (int64_t)steps);
	writer_close(&w);
	*before = window_bytes(*end, INDEX_NEVER, NULL);
	if (!set_same(&whole, INDEX_ALWAYS))
		return 0;
	return window_bytes(*end, INDEX_AUTO, NULL);
}

/* The list of chunks at the end of the trace is damaged, and the index refers to it: readers must not rely on it. */
static void check_list(int64_t end)
{
	char *trace = mem_printf("%s/x.0.tau", run);
	struct profile *good = NULL, *p;
	size_t n, from, tried, wrong = 0;
	unsigned char *bytes = file_get(trace, &n);
	struct stat st;

	stat(trace, &st);
	window_bytes(end, INDEX_AUTO, &good);
	profile_set_meta(good, UINT32_MAX, "TAU Notes", "");
	memcpy(&from, bytes + n - 48, sizeof(uint64_t));
	from += sizeof(struct tau_chunk_header);
	for (tried = 0; tried < 40; tried++) {
		size_t i = tried & 1 ? from + (n - from) / 2 - 2000 + roll(4000) : from + roll(n - 48 - from);
		unsigned char was = bytes[i];

		bytes[i] ^= (unsigned char)(1 + roll(255));
		file_put(trace, bytes, n);
		utimensat(AT_FDCWD, trace, (struct timespec[]){ st.st_mtim, st.st_mtim }, 0);
		bytes[i] = was;
		p = NULL;
		window_bytes(end, INDEX_AUTO, &p);
		/* That list is named there. */
		if (p)
			profile_set_meta(p, UINT32_MAX, "TAU Notes", "");
		if (!p || !profiles_same(good, p))
			wrong++;
		if (p)
			profile_free(p);
	}
	ok(!wrong, "%zu times its list of chunks was damaged behind the index's back, and no number was wrong", tried);
	profile_free(good);
	free(bytes);
	free(trace);
}

/* Kilobytes that a process takes at most to replay the whole trace. */
static long replay_memory(void)
{
	struct rusage u;
	pid_t pid = fork();

	if (!pid) {
		struct load_options o = { .index = INDEX_NEVER, .callpath_depth = -1 };
		struct profile **p;
		struct error e;
		size_t n;

		_exit(load_profiles(run, &o, &p, &n, &e) != 0);
	}
	return wait4(pid, NULL, 0, &u) == pid ? u.ru_maxrss : -1;
}

/* A program that hardly ever calls the same way twice. */
static void check_crowd(void)
{
	struct load_report r = { 0 };
	struct load_options o = { .report = &r, .index = INDEX_ALWAYS };
	struct set s = { .text = { "100ns:90000ns" }, .window = { s.text[0] }, .o = { .window = s.window, .window_n = 1 } };
	char path[400], *index = index_path();
	struct stat st, was;
	struct profile **p;
	struct writer w;
	struct error e;
	uint64_t now = 10;
	size_t n;

	program(0, 0, 0);
	snprintf(path, sizeof(path), "%s/x.0.tau", run);
	writer_open(&w, path, 7, 0, 0, now);
	w.limit = 20000;
	for (uint32_t i = 0; i < REGIONS; i++)
		writer_region(&w, i, i ? "other" : "main", "TAU_USER");
	for (uint32_t i = 1; i < REGIONS; i++)
		writer_region(&w, i, (char[]){ (char)('a' + i), 0 }, "TAU_USER");
	for (size_t i = 0; i < 30000; i++) {
		while (w.depth < 14)
			writer_enter(&w, ++now, (uint32_t)roll(REGIONS));
		while (w.depth)
			writer_leave(&w, ++now);
	}
	writer_close(&w);
	n = 0;
	if (load_profiles(run, &o, &p, &n, &e))
		printf("# %s\n", e.text);
	ok(n == 1 && !stat(index, &st) && st.st_size < 1000 && r.note_n == 1 && strstr(r.note[0].text, "call paths"),
	   "a trace with too many call paths gets an empty index, and that is said: %s", r.note_n ? r.note[0].text : "");
	if (n)
		profile_free(p[0]);
	free(p);
	was = st;
	load_report_release(&r);
	n = 0;
	if (load_profiles(run, &o, &p, &n, &e))
		printf("# %s\n", e.text);
	ok(n == 1 && !stat(index, &st) && st.st_ino == was.st_ino && !r.note_n, "which is not tried again");
	if (n)
		profile_free(p[0]);
	free(p);
	load_report_release(&r);
	ok(set_same(&s, INDEX_ALWAYS), "and changes no number");
	free(index);
}

/* What notes a load has: "" none. */
static char *notes(enum index_policy how, uint64_t *events)
{
	struct load_report r = { 0 };
	struct load_options o = { .report = &r, .index = how };
	struct profile **p;
	struct error e;
	size_t n;
	char *text = mem_string("");

	if (load_profiles(run, &o, &p, &n, &e)) {
		printf("# %s\n", e.text);
		return text;
	}
	profile_free(p[0]);
	free(p);
	*events = r.events;
	if (r.note_n) {
		free(text);
		text = mem_string(r.note[0].text);
	}
	load_report_release(&r);
	return text;
}

/* Writes a run that hardly calls the same way twice, if `crowded`, or always the same way. Returns how many bytes it has. */
static size_t vary(int crowded)
{
	char path[400];
	struct writer w;
	struct stat st;
	uint64_t now = 10;

	program(0, 0, 0);
	snprintf(path, sizeof(path), "%s/x.0.tau", run);
	writer_open(&w, path, 7, 0, 0, now);
	w.limit = 2000;
	for (uint32_t i = 0; i < REGIONS; i++)
		writer_region(&w, i, (char[]){ (char)('a' + i), 0 }, "TAU_USER");
	for (size_t i = 0; i < 20000; i++) {
		while (w.depth < 8)
			writer_enter(&w, now += 1 + roll(9), crowded ? (uint32_t)roll(REGIONS) : (uint32_t)w.depth);
		while (w.depth)
			writer_leave(&w, now += 1 + roll(9));
	}
	writer_close(&w);
	return stat(path, &st) ? 0 : (size_t)st.st_size;
}

/* An index that would be more than a fifth of its trace is left empty, and one that is less is not. */
static void check_share(void)
{
	struct set s = { .text = { "1000ns:900000ns" }, .window = { s.text[0] }, .o = { .window = s.window, .window_n = 1 } };
	char *index = index_path(), *text;
	size_t size = vary(1);
	struct stat st;
	uint64_t events, all;

	free(notes(INDEX_NEVER, &all));
	text = notes(INDEX_ALWAYS, &events);
	ok(!stat(index, &st), "an index is made in any case");
	ok(size && st.st_size < 1000 && strstr(text, "larger than a fifth"),
	   "a trace of %zu bytes whose index would be larger than a fifth gets one of %zu, and that is said: %s", size,
	   (size_t)st.st_size, text);
	free(text);
	text = notes(INDEX_ALWAYS, &events);
	ok(!*text && events == all, "which is not tried again: the trace is read, once (%llu of %llu events)",
	   (unsigned long long)events, (unsigned long long)all);
	free(text);
	different = !set_same(&s, INDEX_ALWAYS);
	check_windows(900000, 20, 0, 0);
	check_windows(900000, 20, 0, 1);
	ok(!different, "and its windows are the same as without");
	size = vary(0);
	text = notes(INDEX_ALWAYS, &events);
	ok(!stat(index, &st), "an index is made of it");
	ok(!*text && st.st_size > 1000 && (size_t)st.st_size < size / 5,
	   "one that always calls the same way has an index of %zu for %zu bytes %s", (size_t)st.st_size, size, text);
	free(text);
	free(index);
}

static void check_long(void)
{
	long before;

	uint64_t plain, read, plain10, read10;
	int64_t end;

	read = long_trace(16000, &plain, &end);
	before = replay_memory();
	read10 = long_trace(160000, &plain10, &end);
	ok(before > 0 && (SHARE > 1 || replay_memory() < before + 4000),
	   "replaying it takes no more memory than replaying the short one (%ld and %ld KB)", replay_memory(), before);
	ok(read && read10 && read10 < read + 5 * 4096 && read10 < plain10 / 5,
	   "a window of a trace ten times as long reads %llu bytes instead of %llu (of a list read whole: %llu and %llu)",
	   (unsigned long long)read10, (unsigned long long)read, (unsigned long long)plain10, (unsigned long long)plain);
	check_list(end);
}

static const char letter[] = "This is the text of a letter. It has more than 128 bytes, as an index has, and nothing else that "
	"would make it one, neither at its beginning nor at its end.";

/* Bytes in the middle of an index are found damaged when they are used: that is reported once, and the next index is whole. */
static void check_middle(const char *path, uint64_t used)
{
	unsigned char *bytes;
	uint64_t events;
	char *text;
	size_t n;

	free(notes(INDEX_ALWAYS, &events));
	bytes = file_get(path, &n);
	for (size_t i = 144; i < n; i++) /* after the header */
		bytes[i] ^= 0x55;
	file_put(path, bytes, n);
	free(bytes);
	text = notes(INDEX_ALWAYS, &events);
	ok(events > used && strstr(text, path), "one that is damaged behind its header is named: %s", text);
	free(text);
	text = notes(INDEX_ALWAYS, &events);
	ok(!strstr(text, ".index"), "once");
	free(text);
	free(notes(INDEX_AUTO, &events));
	ok(events == used, "and the one that replaces it is used");
}

static void check_life(void)
{
	char *path = index_path(), *text, *trace = mem_printf("%s/x.0.tau", run);
	uint64_t whole, used, events;
	struct stat before, after;

	program(MESSAGES | SAMPLES, 1, 4000);
	free(notes(INDEX_NEVER, &whole));
	ok(access(path, F_OK) != 0, "reading the trace itself makes no index");
	free(notes(INDEX_AUTO, &events));
	ok(access(path, F_OK) != 0 && events == whole, "a short trace gets no index unasked");
	free(notes(INDEX_ALWAYS, &events));
	ok(!access(path, F_OK), "it gets one when asked");
	stat(path, &before);
	free(notes(INDEX_ALWAYS, &used));
	stat(path, &after);
	ok(before.st_ino == after.st_ino && used < whole / 2, "which is then used, not made again (%llu of %llu events read)",
	   (unsigned long long)used, (unsigned long long)whole);
	free(notes(INDEX_NEVER, &events));
	ok(events == whole, "and not used when it is not wanted");
	utime(trace, &(struct utimbuf){ 1000, 1000 });
	text = notes(INDEX_AUTO, &events);
	ok(events == whole && !strstr(text, ".index"), "once the trace has changed it counts no more, without a word");
	free(text);
	free(notes(INDEX_ALWAYS, &events));
	free(notes(INDEX_AUTO, &events));
	ok(events == used, "until it is made anew");
	file_put(path, (const unsigned char *)letter, strlen(letter));
	text = notes(INDEX_AUTO, &events);
	ok(events == whole && strstr(text, path) && strstr(text, "was removed"),
	   "a damaged one is named, and the trace read: %s", text);
	free(text);
	text = notes(INDEX_AUTO, &events);
	ok(events == whole && !strstr(text, ".index") && access(path, F_OK), "and is reported once, because it is removed");
	free(text);
	check_middle(path, used);
	unlink(path);
	mkdir(path, 0777);
	text = notes(INDEX_ALWAYS, &events);
	ok(events >= whole, "where none can be written the trace is read (%s)", text);
	free(text);
	free(path);
	free(trace);
}

int main(void)
{
	start_seed = seed = test_seed(2654435761u);
	if (!mkdtemp(dir))
		return 1;
	snprintf(run, sizeof(run), "%s/run", dir);
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
	check_damage();
	check_crowd();
	check_share();
	check_long();
	check_life();
	if (system(mem_printf("rm -rf %s", dir)))
		return 1;
	return tap_end();
}
