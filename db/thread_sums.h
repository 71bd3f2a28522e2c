/* thread_sums.h: sums of exclusive values over the timers of a thread, as the table thread_sum has them. */
#ifndef DB_THREAD_SUMS_H
#define DB_THREAD_SUMS_H

#include "db/private.h"

struct thread_sum {
	size_t timers;			/* rows that are added up; 0: the thread has no sums */
	double exclusive, runtimes;	/* of all, and of MPI and OpenSHMEM; NaN: none is known */
	double largest;			/* inclusive value of all rows, what percentages are of; NaN: it is not above 0 */
};

/* By path of p: what its rows belong to. To be freed. */
unsigned char *thread_sums_paths(const struct profile *p);

/* Of thread t of p and a metric; paths: of thread_sums_paths(). */
struct thread_sum thread_sums(const struct profile *p, const struct profile_thread *t, size_t metric,
			      const unsigned char *paths);

/* Inside a writing transaction, after db_upgrade(): adds the sums of trials that have none. */
int thread_sums_add(struct db *db, struct error *e);

/*
 * How many rows of the sums of a trial in a window differ from p, which is this window as it is loaded, or are missing. range: of the
 * window, 0: none. 0 if the trial has no sums.
 */
int thread_sums_check(struct db *db, int64_t trial, int64_t range, const struct profile *p, int64_t *wrong,
		      struct error *e);

/* Equal but for rounding: sums of the same values in another order. Two NaN are equal. */
int values_near(double a, double b);

#endif
