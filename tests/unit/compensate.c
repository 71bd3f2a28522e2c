/*
 * compensate.c: the cost of recording is subtracted from the times of any window in the same way, whatever else is read: the cost of
 * the calls in the window, and the part of the storing of chunks that is in it.
 */
#include <math.h>
#include <sys/stat.h>

#include "convert/load.h"
#include "profiles.h"
#include "files.h"
#include "tap.h"
#include "trace_writer.h"

#define CHUNKS 30
#define CALLS 20	/* of a chunk */
#define STORE 900	/* ns that storing one takes */
/* ns of a call; the least time of the program is that with the most recording */
static const double inside[] = {4.137, 1.137}, outside[] = {2.861, 0.861};
enum { LEAST = 1, MOST }; /* metrics of a profile */
#define STEP 10		/* ns from event to event */
#define CHUNK (2 * CALLS * STEP + STORE)

static char dir[] = "/tmp/tau-compensate.XXXXXX";

/* Calls of "f" in "main", one after the other, STEP apart; after CALLS of them a chunk is stored. */
static void write_run(void)
{
	struct writer w;
	uint64_t now = 0;

	writer_open(&w, file_below(dir, "x.tau"), 7, 0, 0, 0);
	writer_meta(&w, "TAU Call Cost Inside (ps)", "3137");
	writer_meta(&w, "TAU Call Cost Outside (ps)", "1861");
	writer_meta(&w, "TAU Call Cost Least Inside (ps)", "1137");
	writer_meta(&w, "TAU Call Cost Least Outside (ps)", "861");
	writer_meta(&w, "TAU Call Cost Most Inside (ps)", "4137");
	writer_meta(&w, "TAU Call Cost Most Outside (ps)", "2861");
	writer_region(&w, 0, "main", "A");
	writer_region(&w, 1, "f", "A");
	writer_enter(&w, now, 0);
	for (int k = 0; k < CHUNKS; k++) {
		for (int i = 0; i < CALLS; i++) {
			writer_enter(&w, now += STEP, 1);
			writer_leave(&w, now += STEP);
		}
		now += STORE;
		w.sealed = STORE;
		writer_chunk(&w, now);
	}
	writer_leave(&w, now);
	writer_close(&w);
}

static struct profile **load(const char **window, size_t n, struct window_series series)
{
	struct load_options o = {.window = window, .window_n = n, .series = series, .compensate = 1};
	struct error e = {0};
	struct profile **p;
	size_t got;

	if (!load_path_profiles(dir, &o, &p, &got, &e))
		return p;
	printf("# %s\n", e.text);
	exit(1);
}

static double excl(const struct profile *p, const char *name, int limit)
{
	for (size_t t = 0; t < p->thread_n; t++)
		for (size_t i = 0; i < p->thread[t].row_n; i++)
			if (!strcmp(p->timer[p->path[p->thread[t].row[i].path].timer].name, name))
				return profile_excl(p, &p->thread[t], &p->thread[t].row[i])[limit];
	return NAN;
}

static void free_all(struct profile **p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		profile_free(p[i]);
	free(p);
}

/* A window alone, and beside one that begins before it. */
static void test_company(void)
{
	int differ = 0, storing = 0;

	for (int begin = 1; begin < 4 * CHUNK; begin += 37) {
		char text[40];
		const char *both[] = {"0ns:", text};
		struct profile **alone, **beside;

		snprintf(text, sizeof(text), "%dns:%dns", begin, begin + 200);
		alone = load(&both[1], 1, (struct window_series){0});
		beside = load(both, 2, (struct window_series){0});
		differ += !profiles_same(alone[0], beside[1]);
		/* The window is within the storing of a chunk, and nothing else happens in it. */
		if (begin % CHUNK >= 2 * CALLS * STEP && begin % CHUNK + 200 <= CHUNK) {
			storing++;
			differ += excl(alone[0], "main", MOST) > 0 || excl(alone[0], "main", 0) != 0.2;
		}
		free_all(alone, 1);
		free_all(beside, 2);
	}
	ok(storing > 10 && !differ, "a window pays the same whatever else is read, and storing chunks is no time of the program's");
}

/* In ps: all that there is to a time. */
static int64_t ps(double us)
{
	return isnan(us) ? 0 : llround(us * 1e6);
}

static void test_sum(void)
{
	struct profile **whole = load(NULL, 0, (struct window_series){0});
	double calls = CHUNKS * CALLS;
	int differ = 0;

	ok(fabs(excl(whole[0], "f", 0) - calls * STEP / 1000) < 0.0001, "the time is what was recorded");
	for (int k = LEAST; k <= MOST; k++) {
		double in = inside[k - 1], out = outside[k - 1];

		ok(fabs(excl(whole[0], "f", k) - calls * (STEP - in) / 1000) < 0.0001 &&
			   fabs(excl(whole[0], "main", k) - (calls * (STEP - out) - in) / 1000) < 0.0001,
		   "the whole took %s %g and %g us without recording", k == LEAST ? "at least" : "at most", excl(whole[0], "f", k), excl(whole[0], "main", k));
	}
	for (size_t n = 2; n <= 70; n += 17) {
		struct profile **part = load(NULL, 0, (struct window_series){.slices = n});
		int64_t sum[3][2] = {0};

		for (int k = 0; k <= MOST; k++) {
			for (size_t i = 0; i < n; i++) {
				sum[k][0] += ps(excl(part[i], "main", k));
				sum[k][1] += ps(excl(part[i], "f", k));
			}
			/* A limit in a part is not below 0, so that the sum may be more. */
			differ += sum[k][0] < ps(excl(whole[0], "main", k)) || sum[k][0] > ps(excl(whole[0], "main", k)) + 10000 * (int64_t)n;
			differ += sum[k][1] < ps(excl(whole[0], "f", k)) || sum[k][1] > ps(excl(whole[0], "f", k)) + 10000 * (int64_t)n;
		}
		free_all(part, n);
	}
	ok(!differ, "slices add up to it, but for the ends");
	free_all(whole, 1);
}

int main(void)
{
	if (!mkdtemp(dir))
		return 1;
	write_run();
	test_company();
	test_sum();
	folder_remove(dir);
	return tap_end();
}
