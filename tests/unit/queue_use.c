/* queue_use.c: queues of devices are no threads: how busy they are, and sums without them or of them alone. */
#include <math.h>
#include <string.h>

#include "analyze/profile/imbalance.h"
#include "analyze/profile/pe_use.h"
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

static void test_selection(const struct profile *p)
{
	struct waiting *w = waiting_find(&p, 1, TIMER_MEASURED);
	struct region_rows rows;
	struct thread_rows threads;
	struct imbalance im;
	struct pe_use use;

	ok(waiting_without_queues(w, p) == 3, "the number of queues");
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
	profile_free(p);
	return tap_end();
}
