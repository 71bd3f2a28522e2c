/* pe_use.c: efficiencies of first threads, computed by hand; they multiply to the whole. */
#include <math.h>
#include <string.h>

#include "analyze/profile/pe_use.h"
#include "analyze/profile/programs.h"
#include "record/metadata.h"
#include "profiles.h"
#include "tap.h"

int main(void)
{
	struct profile *p = profile_new();
	struct thread_rows r;
	struct pe_use u;

	profile_add_metric(p, "TIME");
	profile_add_thread(p, 0, 0, 0);
	profile_add_thread(p, 0, 0, 1);
	profile_add_thread(p, 1, 0, 0);
	profiles_put(p, 0, "work", "TAU_USER", 30);
	profiles_put(p, 0, "read()", "TAU_IO", 30);
	profiles_put(p, 0, "MPI_Recv()", "MPI", 20);
	profiles_put(p, 1, "work", "TAU_USER", 500);
	profiles_put(p, 2, "work", "TAU_USER", 40);
	profiles_put(p, 2, "MPI_Recv()", "MPI", 60);
	profile_sort(p);
	thread_rows_make(&r, p, NULL, 0, 0);
	pe_use_make(&u, &r);
	ok(u.n == 2 && u.runtime == 100 && u.useful == 100 && u.useful_largest == 60, "first threads only; files are useful");
	ok(u.load_balance == 50 / 60.0 && u.communication == 0.6 && u.parallel == 0.5, "load balance, communication, parallel efficiency");
	ok(fabs(u.load_balance * u.communication - u.parallel) < 1e-12, "they multiply to the whole");
	ok(u.threads == 3 && fabs(u.hybrid - 2) < 1e-12, "all threads: (60 + 500 + 40) / 3 / 100");
	ok(r.v[u.largest_at].node == 0 && r.v[u.least_at].node == 1 && u.work[WORK_MESSAGES] == 80, "who has most and least");
	thread_rows_release(&r);
	profile_free(p);

	/* Two ranks of one program, and two processes of another one that starts them. */
	p = profile_new();
	profile_add_metric(p, "TIME");
	for (int32_t i = 0; i < 4; i++) {
		profile_add_thread(p, i, 0, 0);
		profile_set_meta(p, (uint32_t)i, TAU_META_EXECUTABLE, i < 2 ? "/app" : "/bin/sh");
	}
	profiles_put(p, 0, "work", "TAU_USER", 40);
	profiles_put(p, 1, "work", "TAU_USER", 20);
	profiles_put(p, 2, "wait", "TAU_USER", 50);
	profiles_put(p, 3, "wait", "TAU_USER", 1);
	profile_sort(p);
	thread_rows_make(&r, p, NULL, 0, 0);
	pe_use_make(&u, &r);
	ok(u.n == 2 && u.others == 2 && u.threads == 2 && u.load_balance == 0.75 && u.runtime == 40, "the program with the most time");
	thread_rows_release(&r);
	profiles_put(p, 3, "MPI_Recv()", "MPI", 9);
	profile_sort(p);
	thread_rows_make(&r, p, NULL, 0, 0);
	pe_use_make(&u, &r);
	ok(u.n == 2 && u.others == 2 && u.runtime == 50 && u.useful == 51, "the program that exchanges messages");
	thread_rows_release(&r);
	profile_free(p);

	p = profile_new();
	thread_rows_make(&r, p, NULL, 0, 0);
	pe_use_make(&u, &r);
	ok(u.n == 0 && !u.others && isnan(u.parallel) && isnan(u.load_balance) && isnan(u.hybrid), "nothing: no efficiency");
	thread_rows_release(&r);
	profile_free(p);
	return tap_end();
}
