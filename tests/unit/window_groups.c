/*
 * window_groups.c: many windows cost what a few do. Shares of a job meet for each group of windows and hold no other; windows that are needed
 * twice are read once. Both give what all windows at once give.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/replay/replay.h"
#include "convert/formats.h"
#include "convert/load.h"
#include "files.h"
#include "profiles.h"
#include "tap.h"
#include "trace_writer.h"

#define THREADS 5
#define CALLS	600
#define WINDOWS 200
#define GROUP	16 /* the last of them is smaller */
#define GROUPS	((WINDOWS + GROUP - 1) / GROUP)
#define SHARES	3

static char dir[] = "/tmp/tau-groups.XXXXXX";

/* Thread t calls "f" and in it "g", and does so more slowly the larger t is: windows end anywhere. */
static void write_run(void)
{
	for (uint32_t t = 0; t < THREADS; t++) {
		char name[40];
		struct writer w;
		uint64_t now = 0;

		snprintf(name, sizeof(name), "h.7.%u.tau", t);
		writer_open(&w, file_below(dir, name), 7, t, 0, 0);
		w.limit = 50;
		writer_region(&w, 0, "f", "A");
		writer_region(&w, 1, "g", "B");
		for (int i = 0; i < CALLS; i++) {
			writer_enter(&w, now += 7, 0);
			writer_enter(&w, now += t, 1);
			writer_leave(&w, now += 90 + t);
			writer_leave(&w, now += 11);
		}
		writer_close(&w);
	}
}

static struct profile **load_all(struct load_options *o)
{
	struct profile **p;
	struct error e = {0};
	size_t n;

	if (load_path_profiles(dir, o, &p, &n, &e) || n != WINDOWS) {
		printf("# %zu windows: %s\n", n, e.text);
		exit(1);
	}
	return p;
}

/* ---- shares ---- */

/* One share after the other: those before the last keep their parts of each group for the next. */
struct job {
	struct replay_part part[GROUPS];
	size_t group, largest, last; /* largest: most windows that a share had at a time */
	struct profile *profile[WINDOWS];
};

static int gather(void *to, struct trace *t, struct replay_part *part, int code, struct error *e)
{
	struct job *j = to;
	struct replay_part *before = &j->part[j->group++];

	(void)t;
	(void)e;
	j->largest = part->n > j->largest ? part->n : j->largest;
	if (before->n)
		replay_join(part, before);
	if (!j->last) {
		*before = *part;
		*part = (struct replay_part){0};
	}
	return code;
}

static int keep(void *to, struct profile *p, size_t at, size_t n, struct error *e)
{
	struct job *j = to;

	(void)n;
	(void)e;
	j->profile[at] = p;
	return 0;
}

static int play_share(struct job *j, size_t share, struct error *e)
{
	const char *everything = ":";
	const struct window_options w = {.text = &everything, .n = 1, .series = {.slices = WINDOWS}};
	struct windows windows;
	struct replay_options o = {.windows = &windows,
				   .group = GROUP,
				   .share = share,
				   .shares = SHARES,
				   .gather = gather,
				   .gather_to = j};
	const struct replay_sink sink = {keep, j};
	struct trace *t;
	uint64_t repaired;
	int code = trace_open(dir, &t, e);

	if (code)
		return code;
	j->group = 0;
	j->last = share == 0;
	code = windows_resolve(t, &w, &windows, e);
	if (!code)
		code = replay_each(t, &o, &sink, &repaired, e);
	windows_release(&windows);
	trace_free(t);
	return code;
}

static void test_shares(struct profile *const *want)
{
	struct job j = {0};
	struct error e = {0};
	size_t same = 0;
	int code = 0;

	for (size_t share = SHARES; share-- > 0 && !code;)
		code = play_share(&j, share, &e);
	ok(!code && j.group == GROUPS, "%d shares meet %zu times (%s)", SHARES, j.group, e.text);
	ok(j.largest == GROUP, "with at most %zu windows at a time", j.largest);
	for (size_t i = 0; i < WINDOWS && !code; i++) {
		same += (size_t)profiles_same(j.profile[i], want[i]);
		profile_free(j.profile[i]);
	}
	ok(same == WINDOWS, "their sums are the profiles of one that reads all: %zu of %d", same, WINDOWS);
}

/* ---- twice ---- */

struct twice {
	struct profile *const *want;
	size_t looked, taken, same;
	int vanish; /* the trace, once all was looked at */
};

static int look(void *to, struct profile *p, size_t at, size_t n, struct error *e)
{
	struct twice *x = to;

	(void)e;
	profile_set_meta(p, UINT32_MAX, "seen", "yes");
	x->looked += at == x->looked;
	if (at + 1 == n && x->vanish)
		folder_remove(dir);
	return 0;
}

static int receive(void *to, struct profile *p, size_t at, size_t n, struct error *e)
{
	struct twice *x = to;
	const char *seen = profile_meta(p, UINT32_MAX, "seen");

	(void)e;
	x->taken += at == x->taken && n == WINDOWS && x->looked == WINDOWS && seen && !strcmp(seen, "yes");
	profile_set_meta(x->want[at], UINT32_MAX, "seen", "yes");
	x->same += (size_t)profiles_same(p, x->want[at]) && !strcmp(p->name, x->want[at]->name);
	profile_free(p);
	return 0;
}

static void test_twice(struct load_options *o, struct profile *const *want)
{
	struct twice x = {.want = want};
	const struct replay_sink first = {look, &x}, second = {receive, &x};
	struct input *in = input_new(dir);
	struct error e = {0};
	int code;

	setenv("TMPDIR", "/nonexistent", 1);
	code = load_twice(in, o, &first, &second, &e);
	ok(code == ERROR_SYSTEM && strstr(e.text, "/nonexistent") && strstr(e.text, "TMPDIR") && !x.taken,
	   "without room for them: %s", e.text);
	unsetenv("TMPDIR");
	x = (struct twice){.want = want, .vanish = 1};
	code = load_twice(in, o, &first, &second, &e);
	ok(!code && x.taken == WINDOWS, "%zu windows come twice, though the trace is gone then (%s)", x.taken,
	   code ? e.text : "no error");
	ok(x.same == WINDOWS, "as they were looked at: %zu of %d", x.same, WINDOWS);
	input_free(in);
}

int main(void)
{
	struct load_options o = {.series.slices = WINDOWS};
	struct profile **want;

	if (!mkdtemp(dir))
		return 1;
	write_run();
	want = load_all(&o);
	test_shares(want);
	test_twice(&o, want);
	for (size_t i = 0; i < WINDOWS; i++)
		profile_free(want[i]);
	free(want);
	folder_remove(dir);
	return tap_end();
}
