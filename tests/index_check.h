/*
 * index_check.h: for tests of the index: random programs that do all that a trace can hold, and random windows of them, whose
 * profiles must be the same with the index and without it, bit for bit. The seed is printed; TAU_TEST_SEED repeats it.
 */
#ifndef TESTS_INDEX_CHECK_H
#define TESTS_INDEX_CHECK_H

#include <stdlib.h>
#include <string.h>

#include "convert/load.h"
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
static struct filter_names known_region, known_group; /* some of them are selected */
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

__attribute__((unused)) static int64_t program(unsigned features, size_t threads, size_t steps)
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
	load_path_profiles(run, &s->o, &a, &n, &e);
	s->o.report = &with;
	s->o.index = how;
	/* If there is no such instance, both report it. */
	same = load_path_profiles(run, &s->o, &b, &m, &other) == e.code && n == m && !strcmp(e.text, other.text);
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

__attribute__((unused)) static void check_windows(int64_t end, size_t n, unsigned features, int chosen)
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

__attribute__((unused)) static void check_whole(unsigned features)
{
	struct set s = { .o = { .callpath_depth = -1 } };

	if (!set_same(&s, INDEX_ALWAYS) && !different++)
		printf("# the whole run, features %#x\n", features);
}

/* ---- the index ---- */

/* The index of the first stream. */
__attribute__((unused)) static char *index_path(void)
{
	return mem_printf("%s/x.0.index", run);
}

/* What notes a load has: "" none. */
__attribute__((unused)) static char *notes(enum index_policy how, uint64_t *events)
{
	struct load_report r = { 0 };
	struct load_options o = { .report = &r, .index = how };
	struct profile **p;
	struct error e;
	size_t n;
	char *text = mem_string("");

	if (load_path_profiles(run, &o, &p, &n, &e)) {
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

/* ---- begin and end of a test ---- */

/* Draws the seed, and makes the folder of the runs. 0: it cannot be made. */
static int check_begin(void)
{
	start_seed = seed = test_seed(2654435761u);
	if (!mkdtemp(dir))
		return 0;
	snprintf(run, sizeof(run), "%s/run", dir);
	return 1;
}

/* Removes the folder. The exit status of the test. */
static int check_end(void)
{
	char command[300];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	if (system(command))
		return 1;
	return tap_end();
}

#endif
