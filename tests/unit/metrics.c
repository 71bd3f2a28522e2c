/*
 * metrics.c: random programs whose metrics are known at every moment: each row of each window, rows of call paths, and windows
 * that meet. A metric changes evenly between records, and at once between the chunks.
 */
#include <math.h>
#include <sys/stat.h>
#include <time.h>

#include "analyze/profile/profile.h"
#include "convert/load.h"
#include "seed.h"
#include "tap.h"
#include "trace_writer.h"

#define REGIONS 5
#define METRICS 3
#define POINTS 4000
#define PROGRAMS 60
#define ROOT REGIONS

/* A moment at which values are known, and what is open from then on. */
struct point {
	int64_t time, value[METRICS];
	int snapshot;
	int open[24];
	int depth;
};

struct view {
	int64_t excl[REGIONS + 1][METRICS], incl[REGIONS + 1][METRICS];
};

static char dir[] = "/tmp/tau-metrics.XXXXXX";
static uint64_t seed;
static struct point point[POINTS];
static size_t points;
static size_t wrong_rows, wrong_sum, wrong_alone, wrong_paths, compared;
static const char *const region_name[REGIONS + 1] = { "a", "b", "c", "d", "e", ".TAU application" };

static uint64_t roll(uint64_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % n;
}

/* ---- truth ---- */

static void note(const struct writer *w, int64_t time, int snapshot)
{
	struct point *p = &point[points++];

	p->time = time;
	p->snapshot = snapshot;
	memcpy(p->value, w->metric, sizeof(p->value));
	p->depth = (int)w->depth;
	for (int i = 0; i < p->depth; i++)
		p->open[i] = (int)w->open[i];
}

/* The value at a moment inside the step from point i to the next. */
static int64_t value_at(size_t i, int64_t at, int k)
{
	const struct point *p = &point[i], *q = p + 1;
	__int128 part;

	if (q->snapshot)
		return q->value[k];
	part = (__int128)(q->value[k] - p->value[k]) * (at - p->time);
	return p->value[k] + (int64_t)(part / (q->time - p->time)) -
	       (part % (q->time - p->time) < 0);
}

static struct view truth(int64_t a, int64_t b)
{
	struct view v = { 0 };

	for (size_t i = 0; i + 1 < points; i++) {
		const struct point *p = &point[i], *q = p + 1;

		if (q->time < a || p->time >= b)
			continue;
		for (int k = 0; k < METRICS; k++) {
			int64_t low = p->time < a ? value_at(i, a, k) : p->value[k];
			int64_t gain = (q->time > b ? value_at(i, b, k) : q->value[k]) - low;
			int seen[REGIONS] = { 0 };

			v.excl[p->depth ? p->open[p->depth - 1] : ROOT][k] += gain;
			v.incl[ROOT][k] += gain;
			for (int d = 0; d < p->depth; d++)
				if (!seen[p->open[d]]++)
					v.incl[p->open[d]][k] += gain;
		}
	}
	return v;
}

/* ---- a random program ---- */

/* Metric 0 counts up, 1 is a level, 2 is mostly constant. */
static void move(struct writer *w)
{
	w->metric[0] += (int64_t)roll(1000);
	w->metric[1] += (int64_t)roll(100000) - 50000;
	w->metric[2] += roll(10) ? 0 : (int64_t)1 << roll(40);
}

static int64_t write_program(const char *path)
{
	struct buffer f = { 0 };
	struct writer w;
	int64_t now = 1000;
	size_t n = 5 + roll(400);

	writer_open(&w, path, 1, 0, 1000, 1000);
	w.metrics = METRICS;
	move(&w);
	writer_begin(&w, 1000);
	w.limit = roll(3) ? 1 + (uint32_t)roll(60) : 0;
	for (int i = 0; i < METRICS; i++)
		writer_metric(&w, (uint32_t)i, i == 1, i == 0 ? "count" : i == 1 ? "level" : "rare", "");
	for (uint32_t i = 0; i < REGIONS; i++)
		writer_region(&w, i, region_name[i], "G");
	writer_event(&w, 1, "sample", 0);
	points = 0;
	note(&w, now, 1);
	for (size_t i = 0; i < n; i++) {
		uint32_t before = w.seq, region = (uint32_t)roll(REGIONS);
		size_t depth = w.depth;
		/* A stream ends with some that have no values. */
		int what = i + 3 < n ? (int)roll(10) : 0;

		now += roll(20) ? (int64_t)roll(300) : (int64_t)roll(200000);
		move(&w);
		/* A full chunk ends before the record: its successor's snapshot has today's values and what was open. */
		if (w.limit && w.records >= w.limit)
			note(&w, now, 1);
		if (what < 2) {
			writer_value(&w, (uint64_t)now, 1, (double)i);
			if (w.seq == before)
				continue;
		} else if (what == 9 && depth > 1) {
			put_varint(&f, 1);
			writer_extended(&w, (uint64_t)now, TAU_REC_UNWIND, &f);
			w.depth--;
		} else if ((what < 6 || !depth) && depth < 20) {
			writer_enter(&w, (uint64_t)now, region);
		} else {
			writer_leave(&w, (uint64_t)now);
		}
		if (what >= 2)
			note(&w, now, 0);
	}
	writer_close(&w);
	return now;
}

/* ---- comparing ---- */

static struct view view_of(struct profile *p, int paths)
{
	struct view v = { 0 };

	for (size_t i = 0; p->thread_n && i < p->thread[0].row_n; i++) {
		struct profile_thread *t = &p->thread[0];
		const struct profile_path *path = &p->path[t->row[i].path];

		for (int r = 0; r <= ROOT; r++) {
			if (strcmp(p->timer[path->timer].name, region_name[r]) ||
			    (path->parent == PROFILE_FLAT) == paths)
				continue;
			for (int k = 0; k < METRICS; k++) {
				v.incl[r][k] += (int64_t)profile_incl(t, &t->row[i])[k + 1];
				v.excl[r][k] += (int64_t)profile_excl(p, t, &t->row[i])[k + 1];
			}
		}
	}
	return v;
}

static void check(const char *run, int64_t a, int64_t b, int64_t c)
{
	char text[3][80];
	const char *window[3] = { text[0], text[1], text[2] };
	const int64_t from[3] = { a, b, a }, to[3] = { b, c, c };
	struct load_options o = { .window = window, .window_n = 3, .callpath_depth = roll(2) ? -1 : 0 };
	struct profile **p, **alone;
	struct view v[3];
	struct error e;
	size_t n;

	for (int i = 0; i < 3; i++)
		snprintf(text[i], sizeof(text[i]), "%lldns:%lldns", (long long)from[i], (long long)to[i]);
	if (load_path_profiles(run, &o, &p, &n, &e)) {
		printf("# %s\n", e.text);
		wrong_rows++;
		return;
	}
	for (int i = 0; i < 3; i++) {
		/* Times of profiles begin with the recorder's start, which is tick 1000. */
		struct view want = truth(from[i] + 1000, to[i] + 1000), path = view_of(p[i], 1);

		v[i] = view_of(p[i], 0);
		if (memcmp(&want, &v[i], sizeof(want)) && !wrong_rows++)
			printf("# window %s of %s, %zu points\n", text[i], run, points);
		compared++;
		o.window = &window[i];
		o.window_n = 1;
		if (!load_path_profiles(run, &o, &alone, &n, &e)) {
			struct view one = view_of(alone[0], 0);

			wrong_alone += memcmp(&one, &v[i], sizeof(one)) != 0;
			profile_free(alone[0]);
			free(alone);
		}
		for (int r = 0; r < REGIONS && o.callpath_depth; r++)
			for (int k = 0; k < METRICS; k++)
				wrong_paths += path.excl[r][k] != v[i].excl[r][k];
	}
	for (int i = 0; i < (REGIONS + 1) * METRICS; i++)
		wrong_sum += (&v[0].excl[0][0])[i] + (&v[1].excl[0][0])[i] != (&v[2].excl[0][0])[i] ||
			     (&v[0].incl[0][0])[i] + (&v[1].incl[0][0])[i] != (&v[2].incl[0][0])[i];
	for (int i = 0; i < 3; i++)
		profile_free(p[i]);
	free(p);
}

int main(void)
{
	char run[200], path[300], command[300];

	seed = test_seed(2654435761u);
	if (!mkdtemp(dir))
		return 1;
	snprintf(run, sizeof(run), "%s/run", dir);
	snprintf(path, sizeof(path), "%s/h.1.0.tau", run);
	for (int i = 0; i < PROGRAMS; i++) {
		mkdir(run, 0777);
		int64_t end = write_program(path) - 1000 + 10;

		for (int j = 0; j < 10; j++) {
			int64_t cut[3];

			/* The first goes to the end, where nothing may come after a snapshot. */
			for (int k = 0; k < 3; k++)
				cut[k] = !j && k == 2 ? end : roll(3) ? (int64_t)roll((uint64_t)end)
						 : point[roll(points)].time - 1000;
			for (int k = 0; k < 3; k++)
				for (int m = 0; m < 2; m++)
					if (cut[m] > cut[m + 1]) {
						int64_t t = cut[m];

						cut[m] = cut[m + 1];
						cut[m + 1] = t;
					}
			if (cut[0] < cut[1] && cut[1] < cut[2])
				check(run, cut[0], cut[1], cut[2]);
		}
	}
	ok(compared > PROGRAMS * 10, "%zu windows of %d random programs were read", compared, PROGRAMS);
	ok(!wrong_rows, "each row is what the values of the program say");
	ok(!wrong_sum, "[a,b) plus [b,c) is [a,c), exactly");
	ok(!wrong_alone, "a window read alone is the window read with others");
	ok(!wrong_paths, "call paths add up to the flat rows");
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command) || tap_end();
}
