/* queue_use.c: queues of devices are no threads: how busy they are, and sums without them or of them alone. */
#include <math.h>
#include <string.h>

#include "analyze/compare/run_matrix.h"
#include "analyze/profile/derived_threads.h"
#include "analyze/profile/imbalance.h"
#include "analyze/profile/pe_use.h"
#include "analyze/profile/profile_series.h"
#include "analyze/profile/queue_use.h"
#include "analyze/profile/region_rows.h"
#include "record/metadata.h"
#include "profiles.h"
#include "tap.h"

/* Two processes; the first has two queues, the second one with a name. */
static struct profile *make(void)
{
	struct profile *p = profile_new();
	static const int32_t at[][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}};

	profile_add_metric(p, "TIME");
	for (uint32_t i = 0; i < 5; i++) {
		profile_add_thread(p, at[i][0], 0, at[i][1]);
		if (at[i][1])
			profile_set_meta(p, i, TAU_META_DEVICE_QUEUE, "yes");
	}
	profile_set_meta(p, 4, TAU_META_THREAD_NAME, "stream");
	profiles_put(p, 0, "work", "TAU_USER", 100);
	profiles_put(p, 1, ".TAU application", "", 70);
	profiles_put(p, 1, "kernel", "CUDA_KERNEL", 20);
	profiles_put(p, 1, "copy", "CUDA_COPY", 5);
	profiles_put(p, 2, ".TAU application", "", 10);
	profiles_put(p, 2, "CUDA wait for a stream", "CUDA_WAIT", 60);
	profiles_put(p, 3, "work", "TAU_USER", 50);
	profiles_put(p, 3, "MPI_Recv()", "MPI", 50);
	profiles_put(p, 4, "kernel", "CUDA_KERNEL", 40);
	profiles_put(p, 4, "work", "TAU_USER", 1000);
	profile_sort(p);
	return p;
}

static void test_use(const struct profile *p)
{
	struct queue_use x;

	queue_use_make(&x, p, 0);
	ok(x.v_n == 3 && x.v[0].thread == 4 && x.v[1].thread == 1 && x.v[2].thread == 2, "three queues, the busiest first");
	ok(x.v[0].busy == 1040 && x.v[0].life == 100 && x.v[0].name && !strcmp(x.v[0].name, "stream"), "its name, time and process");
	ok(x.v[1].busy == 25 && x.v[1].calls == 2 && x.v[1].life == 100 && fabs(queue_share(&x.v[1]) - 0.25) < 1e-12 && !x.v[1].name,
	   "time outside of regions is not busy");
	ok(x.v[1].top != PROFILE_FLAT && !strcmp(p->timer[x.v[1].top].name, "kernel") && x.v[1].top_time == 20, "its largest region");
	ok(x.v[2].busy == 0 && x.v[2].top == PROFILE_FLAT, "a queue that waits is not busy");
	queue_use_release(&x);
}

static double excl_of(const struct region_rows *r, const struct profile *p, const char *name)
{
	for (size_t i = 0; i < r->v_n; i++)
		if (!strcmp(p->timer[p->path[r->v[i].path].timer].name, name))
			return r->v[i].excl;
	return NAN;
}

/* Kernels and copies have rows beside those of threads; what threads have, and idle time, is that of threads. */
static void test_together(const struct profile *p)
{
	struct waiting *w = waiting_find(&p, 1, TIMER_MEASURED);
	struct run_matrix m;
	struct timeline s;
	struct region_rows rows;
	double sum = 0;

	region_rows_with_devices(&rows, p, w, 0, ROWS_FLAT);
	ok(excl_of(&rows, p, "kernel") == 60 && excl_of(&rows, p, "copy") == 5 && excl_of(&rows, p, "work") == 150 &&
		   isnan(excl_of(&rows, p, ".TAU application")) && rows.threads == 2 && rows.queues == 3,
	   "rows of threads and of devices");
	region_rows_release(&rows);
	waiting_free(w);
	run_matrix_begin(&m, RUN_REGIONS, TIMER_MEASURED);
	run_matrix_add(&m, p, 0);
	ok(m.run[0].threads == 2 && m.run[0].elapsed == 100 && m.run[0].excl == 200 + 65 + 60, "a difference counts the same: %g of %zu", m.run[0].excl,
	   m.run[0].threads);
	run_matrix_release(&m);
	timeline_begin(&s, TIMER_MEASURED);
	timeline_look(&s, p);
	timeline_add(&s, (struct profile *)p);
	timeline_end(&s);
	for (size_t i = 0; i < s.region_n; i++)
		sum += s.region[i].excl;
	ok(sum == 200 + 65 + 60 && !s.idle_most, "so does a series of windows: %g", sum);
	timeline_release(&s);
}

/* Statistics over threads, and over queues for what only they have: in two passes, and in one. */
static void test_derived(const struct profile *p)
{
	struct waiting *w = waiting_find(&p, 1, TIMER_MEASURED);
	struct derived_stream *stream = derived_stream_new(p);
	static const struct {
		const char *name;
		double mean, total, min, max, mean_all;
	} expected[] = {{"work", 75, 150, 50, 100, 75}, {"kernel", 30, 60, 20, 40, 20}, {"copy", 5, 5, 5, 5, 5 / 3.}, {".TAU application", 0, 0, 0, 0, 0}};

	for (size_t i = 0; i < p->thread_n; i++)
		derived_stream_add(stream, &p->thread[i]);
	for (int way = 0; way < 2; way++) {
		struct profile_thread d[STATS_DERIVED];

		if (way)
			derived_stream_derive(stream, d);
		else
			derived_derive(p, w, NULL, d);
		for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
			double v[STATS_DERIVED] = {0};

			for (int k = 0; k < STATS_DERIVED; k++)
				for (size_t r = 0; r < d[k].row_n; r++)
					if (!strcmp(p->timer[p->path[d[k].row[r].path].timer].name, expected[i].name))
						v[k] = d[k].values[d[k].row[r].first + 1];
			ok(v[0] == expected[i].mean && v[1] == expected[i].total && v[3] == expected[i].min && v[4] == expected[i].max &&
				   fabs(v[5] - expected[i].mean_all) < 1e-12,
			   "%s %s: %g %g %g %g %g", way ? "one pass" : "two passes", expected[i].name, v[0], v[1], v[3], v[4], v[5]);
		}
		derived_release(d);
	}
	derived_stream_free(stream);
	waiting_free(w);
}

static void test_selection(const struct profile *p)
{
	struct waiting *w = waiting_find(&p, 1, TIMER_MEASURED);
	struct region_rows rows;
	struct thread_rows threads;
	struct imbalance im;
	struct pe_use use;

	ok(waiting_queues(p) == 3 && waiting_threads(p) == 2, "the numbers of queues and threads");
	region_rows_make(&rows, p, w, 0, ROWS_FLAT);
	ok(rows.threads == 2 && rows.queues == 3 && !rows.waiting && rows.whole[TIMER_MEASURED] == 200 && excl_of(&rows, p, "work") == 150 &&
		   isnan(excl_of(&rows, p, "kernel")),
	   "sums of threads");
	region_rows_release(&rows);
	thread_rows_make(&threads, p, w, 0, 0);
	pe_use_make(&use, &threads);
	ok(threads.v_n == 2 && use.n == 2 && use.threads == 2 && use.load_balance == 0.75 && use.runtime == 100, "efficiencies of threads");
	thread_rows_release(&threads);
	imbalance_make(&im, p, w, 0);
	ok(im.v_n == 2 && im.useful_n == 1 && im.threads == 2 && im.v[0].n == 2 && im.v[0].largest == 100 && im.v[0].lost == 50, "queues are not compared");
	imbalance_release(&im);
	waiting_free(w);
	w = waiting_for_queues();
	region_rows_make(&rows, p, w, 0, ROWS_FLAT);
	ok(rows.threads == 3 && excl_of(&rows, p, "kernel") == 60 && excl_of(&rows, p, "work") == 1000, "sums of queues");
	region_rows_release(&rows);
	waiting_free(w);
}

int main(void)
{
	struct profile *p = make();

	test_use(p);
	test_selection(p);
	test_together(p);
	test_derived(p);
	profile_free(p);
	return tap_end();
}
