/* profile_rows.c: rows by group, file, thread and rank, computed by hand; kinds of work; rows in other orders. */
#include <math.h>
#include <string.h>

#include "analyze/profile/grouped_rows.h"
#include "analyze/profile/region_rows.h"
#include "analyze/profile/thread_rows.h"
#include "tap.h"

static uint32_t flat(struct profile *p, const char *name, const char *groups)
{
	return profile_add_path(p, profile_add_timer(p, name, groups, NULL, 0), PROFILE_FLAT);
}

static void put(struct profile *p, uint32_t thread, uint32_t path, double calls, double excl, double incl)
{
	struct profile_row *r = profile_add_row(p, thread, path);

	r->calls = calls;
	p->thread[thread].values[r->first] = incl;
	p->thread[thread].values[r->first + 1] = excl;
}

/*
 * Two ranks, rank 1 with a second thread:
 *	        0.0  1.0  1.1
 *	main     1    2    4	USER, a.c
 *	work     8   16    -	USER|KERNEL|USER, a.c
 *	MPI_Send 32   -    -	MPI
 *	sampled   5    -    -	part of work
 */
static struct profile *made(void)
{
	struct profile *p = profile_new();
	uint32_t main_at, work, send, sample;

	profile_add_metric(p, "TIME");
	main_at = flat(p, "main [{a.c} {3,0}]", "USER");
	work = flat(p, "work [{a.c} {9,0}]", "USER|KERNEL|USER");
	send = flat(p, "MPI_Send()", "MPI");
	sample = flat(p, "[SAMPLE] work [{a.c} {10}]", "TAU_SAMPLE");
	profile_add_thread(p, 0, 0, 0);
	profile_add_thread(p, 1, 0, 0);
	profile_add_thread(p, 1, 0, 1);
	put(p, 0, main_at, 1, 1, 41);
	put(p, 0, work, 3, 8, 8);
	put(p, 0, send, 2, 32, 32);
	put(p, 0, sample, 5, 5, 5);
	put(p, 1, main_at, 1, 2, 18);
	put(p, 1, work, 4, 16, 16);
	put(p, 2, main_at, 1, 4, 4);
	profile_sort(p);
	return p;
}

static void check_groups(void)
{
	struct profile *p = made();
	struct grouped_rows g;

	grouped_rows_make(&g, p, NULL, 0, GROUPED_GROUP);
	ok(g.v_n == 3 && g.whole == 63 && g.several == 1 && g.threads == 3,
	   "three groups; each region counts once in the whole, samples not at all: %zu %g %u", g.v_n, g.whole, g.several);
	ok(!strcmp(g.v[0].name, "MPI") && g.v[0].sum.excl == 32 && g.v[0].sum.threads == 1 && g.v[0].regions == 1, "the largest first");
	ok(!strcmp(g.v[1].name, "USER") && g.v[1].sum.excl == 31 && g.v[1].sum.largest == 18 && g.v[1].sum.largest_at == 1 &&
		   g.v[1].sum.threads == 3 && g.v[1].regions == 2 && g.v[1].sum.calls == 10,
	   "USER: sums per thread 9, 18, 4");
	ok(!strcmp(g.v[2].name, "KERNEL") && g.v[2].sum.excl == 24 && region_row_imbalance(&g.v[2].sum) == 16 / 12.0 &&
		   isnan(g.v[2].sum.incl),
	   "KERNEL: a region of two groups counts in both");
	grouped_rows_release(&g);
	grouped_rows_make(&g, p, NULL, 0, GROUPED_FILE);
	ok(g.v_n == 2 && !g.v[0].name && g.v[0].sum.excl == 32 && !strcmp(g.v[1].name, "a.c") && g.v[1].sum.excl == 31,
	   "files: regions without one have a row");
	grouped_rows_release(&g);
	profile_free(p);
}

static void check_threads(void)
{
	struct profile *p = made();
	struct thread_rows r;

	thread_rows_make(&r, p, NULL, 0, 0);
	ok(r.v_n == 3 && r.whole == 63 && r.v[0].time == 41 && r.v[1].time == 18 && r.v[2].time == 4, "by thread");
	ok(r.v[0].work[WORK_COMPUTE] == 9 && r.v[0].work[WORK_MESSAGES] == 32 && r.v[0].top_time == 32 &&
		   !strcmp(p->timer[r.v[0].top].name, "MPI_Send()"),
	   "kinds of work and the largest region of a thread");
	thread_rows_release(&r);
	thread_rows_make(&r, p, NULL, 0, 1);
	ok(r.v_n == 2 && r.v[1].threads == 2 && r.v[1].time == 22 && r.v[1].calls == 6 && r.v[1].top_time == 16,
	   "by rank: sums over its threads");
	thread_rows_release(&r);
	profile_free(p);
}

static void check_order(void)
{
	struct profile *p = made();
	struct region_rows r;
	static const char *const first[ROWS_KEYS] = {"MPI_Send()", "main [{a.c} {3,0}]", "work [{a.c} {9,0}]", "MPI_Send()",
						     "MPI_Send()", "MPI_Send()", "MPI_Send()"};

	region_rows_make(&r, p, NULL, 0, ROWS_FLAT);
	for (int key = 0; key < ROWS_KEYS; key++) {
		region_rows_sort(&r, p, (enum region_rows_key)key);
		ok(!strcmp(p->timer[p->path[r.v[0].path].timer].name, first[key]) &&
			   profile_timer_kind(&p->timer[p->path[r.v[3].path].timer]) == TIMER_SAMPLE,
		   "by %s: %s is first, samples are last", region_rows_keys[key], first[key]);
	}
	region_rows_release(&r);
	profile_free(p);
}

static void check_work(const char *name, const char *groups, enum region_work want)
{
	ok(region_work_of(name, groups) == want, "%s in '%s': %s", name, groups ? groups : "", region_work_name(want));
}

int main(void)
{
	check_groups();
	check_threads();
	check_order();
	check_work("main", "TAU_USER", WORK_COMPUTE);
	check_work("main", NULL, WORK_COMPUTE);
	check_work("MPI_Send()", "TAU_USER|MPI", WORK_MESSAGES);
	check_work("MPI_Send()", "TAU_DEFAULT", WORK_MESSAGES);
	check_work("MPIX", "MPIX", WORK_COMPUTE);
	check_work("shmem_put()", "SHMEM", WORK_MESSAGES);
	check_work("read()", "TAU_IO", WORK_FILES);
	check_work(".TAU application", "TAU_UTILITY", WORK_COMPUTE);
	check_work(".TAU memory census", "TAU_UTILITY", WORK_TOOL);
	check_work("!$omp parallel @a.c:3", "OPENMP", WORK_COMPUTE);
	check_work("!$omp implicit barrier @a.c:9", "OPENMP", WORK_THREADS);
	check_work("pthread_mutex_lock()", "PTHREAD", WORK_THREADS);
	ok(region_work_useful(WORK_FILES) && !region_work_useful(WORK_TOOL), "files are useful work, the recorder is not");
	return tap_end();
}
