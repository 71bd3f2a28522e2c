/*
 * windows.c: properties of windows over random programs: every row agrees with a plain count over the list of
 * calls, windows add up exactly, exclusive times add up to the roots, call paths add up to flat rows. The seed is
 * printed; TAU_TEST_SEED repeats it.
 */
#include <math.h>
#include <sys/stat.h>
#include <time.h>

#include "convert/load.h"
#include "profiles.h"
#include "files.h"
#include "seed.h"
#include "tap.h"
#include "trace_writer.h"

#define REGIONS 5
#define TYPES 3
#define COUNTERS (2 + 2 * TYPES)
#define THREADS 3
#define PROGRAMS 60

static char dir[] = "/tmp/tau-windows.XXXXXX";
static uint64_t seed;

static uint64_t random_next(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static uint64_t random_below(uint64_t n)
{
	return random_next() % n;
}

/* ---- the truth: what a program did, as plain lists ---- */

struct call {
	uint32_t region;	/* REGIONS: the root */
	int64_t enter, leave;
	int parent;		/* index, -1 the root has none */
	int outermost;		/* of its region */
};
struct sample_seen {
	uint32_t counter;
	int64_t time;
	double value;
};
struct memory_seen {
	int64_t time;
	int64_t bytes;
	uint32_t type;
	int blocks;
};

struct thread_truth {
	struct call *call;
	size_t call_n, call_cap;
	struct sample_seen *sample;
	size_t sample_n, sample_cap;
	struct memory_seen *memory;
	size_t memory_n, memory_cap;
};

/* What one thread shows in one window. */
struct view {
	double calls[REGIONS + 1], subrs[REGIONS + 1];
	int64_t excl[REGIONS + 1], incl[REGIONS + 1];
	double n[COUNTERS], max[COUNTERS], min[COUNTERS], sum[COUNTERS], sumsq[COUNTERS];
	double live[TYPES + 1], peak[TYPES + 1];	/* bytes; the last is all */
	int has_peak[TYPES + 1];
	double squares[REGIONS + 1];	/* ns^2 */
};

static struct thread_truth truth[THREADS];
static int threads;
static int64_t run_end;		/* the process is gone afterwards, and its memory with it */

static const char *const region_name[REGIONS + 1] = { "a", "b", "c", "d", "e", ".TAU application" };
static const char *const type_name[TYPES] = { "x", "y", "z" };

static int64_t overlap(const struct call *c, int64_t a, int64_t b)
{
	int64_t low = c->enter > a ? c->enter : a, high = c->leave < b ? c->leave : b;

	return high > low ? high - low : 0;
}

static void view_sample(struct view *v, uint32_t c, double value)
{
	v->max[c] = !v->n[c] || value > v->max[c] ? value : v->max[c];
	v->min[c] = !v->n[c] || value < v->min[c] ? value : v->min[c];
	v->n[c]++;
	v->sum[c] += value;
	v->sumsq[c] += value * value;
}

/* Each call's exclusive time in the window, squared. */
static void expect_squares(struct view *v, const struct thread_truth *t, int64_t a, int64_t b)
{
	int64_t *own = calloc(t->call_n + 1, sizeof(*own));

	for (size_t i = 0; i < t->call_n; i++) {
		own[i] += overlap(&t->call[i], a, b);
		if (t->call[i].parent >= 0)
			own[t->call[i].parent] -= overlap(&t->call[i], a, b);
	}
	for (size_t i = 0; i < t->call_n; i++)
		v->squares[t->call[i].region] += (double)own[i] * (double)own[i];
	free(own);
}

static struct view expect_thread(const struct thread_truth *t, int64_t a, int64_t b)
{
	struct view v = { 0 };

	for (size_t i = 0; i < t->call_n; i++) {
		const struct call *c = &t->call[i];

		v.excl[c->region] += overlap(c, a, b);
		v.incl[c->region] += c->outermost ? overlap(c, a, b) : 0;
		if (c->parent >= 0)
			v.excl[t->call[c->parent].region] -= overlap(c, a, b);
		if (c->enter < a || c->enter >= b)
			continue;
		v.calls[c->region]++;
		if (c->parent >= 0)
			v.subrs[t->call[c->parent].region]++;
	}
	expect_squares(&v, t, a, b);
	for (size_t i = 0; i < t->sample_n; i++)
		if (t->sample[i].time >= a && t->sample[i].time < b)
			view_sample(&v, t->sample[i].counter, t->sample[i].value);
	return v;
}

/* Levels of the process: all changes in order of time, then of thread. */
static void expect_levels(struct view *v, int64_t a, int64_t b)
{
	size_t at[THREADS] = { 0 };
	double now[TYPES + 1] = { 0 };
	int began = 0;

	for (;;) {
		const struct memory_seen *next = NULL;
		int from = -1;

		for (int i = 0; i < threads; i++) {
			const struct memory_seen *m = &truth[i].memory[at[i]];

			if (at[i] < truth[i].memory_n && (!next || m->time < next->time)) {
				next = m;
				from = i;
			}
		}
		if (!began && (!next || next->time >= a)) {
			memcpy(v->peak, now, sizeof(now));
			began = 1;
		}
		if (!next || next->time >= b)
			break;
		at[from]++;
		now[next->type] += (double)next->bytes;
		now[TYPES] += (double)next->bytes;
		for (int i = 0; began && i <= TYPES; i++)
			v->peak[i] = now[i] > v->peak[i] ? now[i] : v->peak[i];
	}
	memcpy(v->live, now, sizeof(now));
}

/* ---- random programs ---- */

/* Plays one thread and writes it down twice: as a trace and as truth. Returns its last moment. */
static int64_t play(int thread, const char *run, int leave_open, int kill)
{
	struct thread_truth *t = &truth[thread];
	struct writer w;
	int64_t now = (int64_t)random_below(50), begin = now;
	int stack[256], depth = 0, open[REGIONS] = { 0 };
	size_t steps = 20 + random_below(400);
	char path[400];

	snprintf(path, sizeof(path), "%s/x.%d.tau", run, thread);
	writer_open(&w, path, 7, (uint32_t)thread, 0, (uint64_t)now);
	w.limit = (uint32_t)(3 + random_below(60));
	w.raw = random_below(2);
	for (uint32_t r = 0; r < REGIONS; r++)
		writer_region(&w, r, region_name[r], "");
	writer_event(&w, 0, "whole", 0);
	writer_event(&w, 1, "fraction", 0);
	for (uint32_t m = 0; m < TYPES; m++)
		writer_memtype(&w, m + 1, 0, TAU_MEM_CLASS, type_name[m], "");
	t->call_n = t->sample_n = t->memory_n = 0;
	*array_add(t, call) = (struct call){ REGIONS, now, 0, -1, 1 };
	for (size_t i = 0; i < steps; i++) {
		uint64_t what = random_below(10);
		uint32_t r = (uint32_t)random_below(REGIONS), type = (uint32_t)random_below(TYPES);

		now += random_below(50) == 0 ? 70000 : (int64_t)random_below(9);
		if (what < 4 && depth < 40) {
			*array_add(t, call) = (struct call){ r, now, 0, depth ? stack[depth - 1] : 0, !open[r]++ };
			stack[depth++] = (int)t->call_n - 1;
			writer_enter(&w, (uint64_t)now, r);
		} else if (what < 7 && depth) {
			struct call *c = &t->call[stack[--depth]];

			c->leave = now;
			open[c->region]--;
			writer_leave(&w, (uint64_t)now);
		} else if (what == 7) {
			uint32_t event = (uint32_t)random_below(2);
			double value = (double)random_below(1000) - 300 + (event ? 0.125 : 0);

			*array_add(t, sample) = (struct sample_seen){ event, now, value };
			writer_value(&w, (uint64_t)now, event, value);
		} else if (what > 7) {
			int64_t bytes = (int64_t)random_below(100);
			int sign = random_below(2) ? 1 : -1;

			*array_add(t, memory) = (struct memory_seen){ now, sign * bytes, type, sign };
			*array_add(t, sample) = (struct sample_seen){ 2 + 2 * type + (sign < 0), now, (double)bytes };
			writer_memory(&w, (uint64_t)now, sign > 0 ? TAU_REC_ALLOC : TAU_REC_FREE,
				      type + 1, 0, (uint64_t)bytes);
		}
	}
	while (depth && !leave_open) {
		t->call[stack[--depth]].leave = now;
		writer_leave(&w, (uint64_t)now);
	}
	for (int i = 0; i < depth; i++)
		t->call[stack[i]].leave = -1;
	t->call[0].leave = -1;
	now = w.records || w.chunks ? (int64_t)w.last : begin;
	if (kill)
		writer_kill(&w);
	else
		writer_close(&w);
	return now;
}

/* A run of several threads. What is open at the end lasts until the process ends. Returns that time. */
static int64_t program(const char *run)
{
	int64_t end = 0;

	threads = 1 + (int)random_below(THREADS);
	for (int i = 0; i < threads; i++) {
		int64_t last = play(i, run, (int)random_below(2), (int)random_below(2));

		end = last > end ? last : end;
	}
	for (int i = 0; i < threads; i++)
		for (size_t c = 0; c < truth[i].call_n; c++)
			if (truth[i].call[c].leave < 0)
				truth[i].call[c].leave = end;
	return end;
}

/* ---- the contents of the profile ---- */

static int counter_number(const char *name)
{
	char text[40];

	if (!strcmp(name, "whole"))
		return 0;
	if (!strcmp(name, "fraction"))
		return 1;
	for (int m = 0; m < TYPES; m++) {
		snprintf(text, sizeof(text), "alloc %s", type_name[m]);
		if (!strcmp(name, text))
			return 2 + 2 * m;
		snprintf(text, sizeof(text), "free %s", type_name[m]);
		if (!strcmp(name, text))
			return 3 + 2 * m;
	}
	return -1;
}

static void view_level(struct view *v, const char *name, double value)
{
	for (int m = 0; m <= TYPES; m++) {
		char live[40], peak[40];

		snprintf(live, sizeof(live), "live %s", m < TYPES ? type_name[m] : "(all)");
		snprintf(peak, sizeof(peak), "peak %s", m < TYPES ? type_name[m] : "(all)");
		if (!strcmp(name, live))
			v->live[m] = value;
		if (!strcmp(name, peak)) {
			v->peak[m] = value;
			v->has_peak[m] = 1;
		}
	}
}

/* The flat rows of a thread; paths[] sums the rows with parents by their last region (excl and calls). */
static struct view profile_view(struct profile *p, int thread, struct view *paths)
{
	struct view v = { 0 };

	memset(paths, 0, sizeof(*paths));
	for (size_t i = 0; i < p->thread_n; i++) {
		struct profile_thread *t = &p->thread[i];

		if (t->thread != thread)
			continue;
		for (size_t r = 0; r < t->row_n; r++) {
			const struct profile_row *x = &t->row[r];
			const struct profile_path *path = &p->path[x->path];
			struct view *to = path->parent == PROFILE_FLAT ? &v : paths;
			int n = 0;

			while (n < REGIONS && strcmp(region_name[n], p->timer[path->timer].name))
				n++;
			to->calls[n] += x->calls;
			to->subrs[n] += x->subrs;
			to->excl[n] += llrint(*profile_excl(p, t, x) * 1000);
			to->incl[n] += llrint(*profile_incl(t, x) * 1000);
			to->squares[n] += t->squares_n ? rint(*profile_squares(t, x) * 1e6) : 0;
		}
		for (size_t s = 0; s < t->sample_n; s++) {
			const struct profile_sample *x = &t->sample[s];
			int c = counter_number(p->counter[x->counter].name);

			if (c < 0) {
				view_level(&v, p->counter[x->counter].name, x->max);
				continue;
			}
			v.n[c] = x->n;
			v.max[c] = x->max;
			v.min[c] = x->min;
			v.sum[c] = x->mean * x->n;
			v.sumsq[c] = x->sumsq;
		}
	}
	return v;
}

static int near(double a, double b)
{
	return fabs(a - b) <= 1e-12 * (fabs(a) + fabs(b));
}

/* Exactly equal, but for the rounding of a mean; sums here are multiples of 1/64, so sumsq is exact. */
static int view_equal(const struct view *a, const struct view *b)
{
	int bad = memcmp(a->calls, b->calls, sizeof(a->calls)) ||
		  memcmp(a->subrs, b->subrs, sizeof(a->subrs)) ||
		  memcmp(a->excl, b->excl, sizeof(a->excl)) ||
		  memcmp(a->incl, b->incl, sizeof(a->incl)) || memcmp(a->n, b->n, sizeof(a->n)) ||
		  memcmp(a->sumsq, b->sumsq, sizeof(a->sumsq));

	for (int c = 0; c < COUNTERS; c++)
		bad |= a->n[c] && (a->max[c] != b->max[c] || a->min[c] != b->min[c] ||
				   !near(a->sum[c], b->sum[c]));
	return !bad;
}

static void view_print(const char *what, const struct view *v)
{
	for (int r = 0; r <= REGIONS; r++)
		printf("# %s %s: %g %g %lld %lld\n", what, region_name[r], v->calls[r], v->subrs[r],
		       (long long)v->excl[r], (long long)v->incl[r]);
	for (int c = 0; c < COUNTERS; c++)
		printf("# %s counter %d: %g %g %g %g %g\n", what, c, v->n[c], v->max[c], v->min[c],
		       v->sum[c], v->sumsq[c]);
}

static struct view view_add(const struct view *a, const struct view *b)
{
	struct view v = *a;

	for (int r = 0; r <= REGIONS; r++) {
		v.calls[r] += b->calls[r];
		v.subrs[r] += b->subrs[r];
		v.excl[r] += b->excl[r];
		v.incl[r] += b->incl[r];
	}
	for (int c = 0; c < COUNTERS; c++) {
		if (!b->n[c])
			continue;
		v.max[c] = !v.n[c] || b->max[c] > v.max[c] ? b->max[c] : v.max[c];
		v.min[c] = !v.n[c] || b->min[c] < v.min[c] ? b->min[c] : v.min[c];
		v.n[c] += b->n[c];
		v.sum[c] += b->sum[c];
		v.sumsq[c] += b->sumsq[c];
	}
	return v;
}

/* ---- the properties ---- */

static size_t wrong_rows, wrong_sum, wrong_levels, wrong_balance, wrong_paths, windows_tried,
	wrong_apart, wrong_beside, wrong_groups, wrong_squares, squares_seen;

static int with_paths;

static void check_window(struct profile *p, int64_t a, int64_t b)
{
	for (int i = 0; i < threads; i++) {
		struct view paths, got = profile_view(p, i, &paths),
				   want = expect_thread(&truth[i], a, b);
		int64_t excl = 0;

		if (!view_equal(&got, &want) && !wrong_rows++) {
			printf("# thread %d, window %lld to %lld\n", i, (long long)a, (long long)b);
			view_print("got", &got);
			view_print("want", &want);
		}
		for (int r = 0; r <= REGIONS; r++) {
			excl += got.excl[r];
			/* Every activation but the root's has a parent. */
			wrong_paths += r < REGIONS && with_paths && (paths.calls[r] != got.calls[r] ||
						       paths.excl[r] != got.excl[r] ||
						       paths.subrs[r] != got.subrs[r]);
		}
		wrong_balance += excl != got.incl[REGIONS];
		for (int r = 0; p->squares && r <= REGIONS; r++) {
			squares_seen += got.squares[r] > 0;
			if ((got.squares[r] != want.squares[r] ||
			     (r < REGIONS && with_paths && paths.calls[r] &&
			      paths.squares[r] != got.squares[r])) &&
			    !wrong_squares++)
				printf("# %s, thread %d, window %lld to %lld: squares %.17g, by "
				       "path %.17g, want %.17g\n",
				       region_name[r], i, (long long)a, (long long)b,
				       got.squares[r], paths.squares[r], want.squares[r]);
		}
		if (i > 0 || a >= b)
			continue;
		if (a <= run_end)
			expect_levels(&want, a, b);
		for (int m = 0; m <= TYPES; m++) {
			int missing = !got.has_peak[m] && !want.live[m] && !want.peak[m];

			if (!missing &&
			    (got.live[m] != want.live[m] || got.peak[m] != want.peak[m]) &&
			    !wrong_levels++)
				printf("# type %d, window %lld to %lld: live %g peak %g, want %g "
				       "%g\n",
				       m, (long long)a, (long long)b, got.live[m], got.peak[m],
				       want.live[m], want.peak[m]);
		}
	}
}

static void check_program(int number)
{
	char run[300], text[3][80];
	const char *window[3] = { text[0], text[1], text[2] };
	int depth[] = { 2, 3, -1, 0 };
	struct load_options o = {
		.window = window, .window_n = 3, .callpath_depth = depth[number % 4],
		.squares = number % 5 > 1};
	int64_t end, cut[3];
	struct profile **p, **alone;
	struct error e;
	size_t n;

	with_paths = o.callpath_depth != 0;
	snprintf(run, sizeof(run), "%s/run", dir);
	mkdir(run, 0777);
	end = run_end = program(run);
	for (int i = 0; i < 12; i++) {
		for (int j = 0; j < 3; j++)
			cut[j] = (int64_t)random_below((uint64_t)end + 20);
		if (i == 0) {
			cut[0] = 0;
			cut[2] = end + 1;
		}
		for (int j = 0; j < 3; j++)
			for (int k = 0; k < 2; k++)
				if (cut[k] > cut[k + 1]) {
					int64_t swap = cut[k];

					cut[k] = cut[k + 1];
					cut[k + 1] = swap;
				}
		if (i == 1)
			cut[1] = cut[0];
		snprintf(text[0], sizeof(text[0]), "%lldns:%lldns", (long long)cut[0],
			 (long long)cut[1]);
		snprintf(text[1], sizeof(text[1]), "%lldns:%lldns", (long long)cut[1],
			 (long long)cut[2]);
		snprintf(text[2], sizeof(text[2]), "%lldns:%lldns", (long long)cut[0],
			 (long long)cut[2]);
		o.window_n = 3;
		o.window = window;
		if (load_path_profiles(run, &o, &p, &n, &e)) {
			printf("# %s\n", e.text);
			wrong_rows++;
			return;
		}
		windows_tried += 3;
		check_window(p[0], cut[0], cut[1]);
		check_window(p[1], cut[1], cut[2]);
		check_window(p[2], cut[0], cut[2]);
		/* A window alone is read from another chunk on, and has the same contents. */
		o.window_n = 1;
		o.window = &window[1];
		if (!load_path_profiles(run, &o, &alone, &n, &e)) {
			check_window(alone[0], cut[1], cut[2]);
			wrong_apart += alone[0]->thread_n != p[1]->thread_n;
			profile_free(alone[0]);
			free(alone);
		}
		o.window_n = 3;
		o.window = window;
		o.threads = 3;
		if (!load_path_profiles(run, &o, &alone, &n, &e)) {
			for (size_t j = 0; j < 3; j++) {
				wrong_beside += !profiles_same(p[j], alone[j]);
				profile_free(alone[j]);
			}
			free(alone);
		}
		o.threads = 1;
		o.group = 1 + (size_t)i % 2;
		if (!load_path_profiles(run, &o, &alone, &n, &e)) {
			for (size_t j = 0; j < 3; j++) {
				wrong_groups += !profiles_same(p[j], alone[j]);
				profile_free(alone[j]);
			}
			free(alone);
		}
		o.group = 0;
		for (int t = 0; t < threads; t++) {
			struct view x, ab = profile_view(p[0], t, &x),
				       bc = profile_view(p[1], t, &x);
			struct view ac = profile_view(p[2], t, &x), sum = view_add(&ab, &bc);

			wrong_sum += !view_equal(&sum, &ac);
		}
		for (size_t j = 0; j < 3; j++)
			profile_free(p[j]);
		free(p);
	}
	folder_remove(run);
}

int main(void)
{
	seed = test_seed(2654435761u);
	if (!mkdtemp(dir))
		return 1;
	for (int i = 0; i < PROGRAMS; i++)
		check_program(i);
	ok(windows_tried > PROGRAMS * 30, "%zu windows of %d random programs were read",
	   windows_tried, PROGRAMS);
	ok(!wrong_rows, "each row is what the calls and samples of the program add up to");
	ok(!wrong_sum, "[a,b) plus [b,c) is [a,c), exactly");
	ok(!wrong_apart, "a window read alone is the window read with others");
	ok(!wrong_beside, "threads that read side by side read the same");
	ok(!wrong_groups, "windows that are read a few at a time are the same");
	ok(!wrong_balance, "exclusive times add up to the root's inclusive time");
	ok(!wrong_paths, "call paths add up to the flat rows");
	ok(squares_seen > PROGRAMS && !wrong_squares,
	   "squares are those of each call's exclusive time in the window");
	ok(!wrong_levels, "live and peak memory follow all threads in order of time");
	rmdir(dir);
	return tap_end();
}
