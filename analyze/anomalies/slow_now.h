/*
 * slow_now.h: finds instances that take unusually long, and ranks that become late, while a run is
 * followed.
 *
 * x = log of the own time of an instance (instance_times.h). An instance is slow if
 *
 *	x > max(median, q) + t s
 *
 * computed from the last instances before it of the same region in the same thread, SLOW_NOW_LEAST
 * to SLOW_NOW_KEPT of them. 1 of 20 of these exceeds q, s is at least 5 %, and t is that of
 * robust.h for SLOW_NOW_TESTS tests: a run of that number of instances, whose times are independent
 * and log-normal, has a false alarm with a probability of at most about 1 %. The instance must also
 * take `least` ns longer than the median. Median, q and s are computed at an alarm, and when the
 * number of instances has grown by an eighth: an instance that is as slow as all recent ones is not
 * an alarm.
 *
 * A rank becomes late in a region if the median of its last SLOW_NOW_BLOCK instances, m, is more
 * than SLOW_NOW_BEHIND times the median M of these medians over all ranks that have them, at least
 * 3 ranks, and
 *
 *	log m - log M > t s 1.2533 / sqrt(SLOW_NOW_BLOCK)	(the standard error of a median of normal values)
 *
 * It is reported once, and again after a block in which the rank was not late. Only thread 0 of a
 * rank counts.
 */
#ifndef SLOW_NOW_H
#define SLOW_NOW_H

#include "analyze/base/base.h"
#include "analyze/base/map.h"

#define SLOW_NOW_LEAST	32
#define SLOW_NOW_KEPT	256
#define SLOW_NOW_BLOCK	64
#define SLOW_NOW_BEHIND 1.5
#define SLOW_NOW_TESTS	1000000
#define SLOW_NOW_ALARMS 8 /* at most, from one call; further alarms come with the next block */

struct slow_now_region;
struct slow_now_series;
struct slow_now_thread;

/* Set `least` and zero all other fields. */
struct slow_now {
	double least; /* ns */
	struct names name; /* of regions */
	struct slow_now_region *region; /* parallel to the names */
	size_t region_n, region_cap;
	struct map series_at, thread_at;
	struct slow_now_series *series;
	size_t series_n, series_cap;
	struct slow_now_thread *thread;
	size_t thread_n, thread_cap;
	uint64_t instances, alarms; /* number of instances tested, and of alarms reported */
};

struct slow_now_alarm {
	const char *region;
	int32_t node;
	int rank_late;	 /* a rank becomes late: own is the m of the formula, typical the M */
	uint64_t nth;	 /* instance, from 1 */
	int64_t begin;	 /* ns since the start of the run */
	double own, typical; /* ns */
};

/*
 * A region begins. groups: of the region; NULL: none. open: it was entered before the recording, so
 * its length is unknown and it is not compared. time: ns. The name is copied.
 */
void slow_now_enter(struct slow_now *s, int32_t node, uint32_t thread, const char *region, const char *groups, int64_t time, int open);
/*
 * The innermost region of the thread ends. Returns the number of alarms in out, which refer to
 * names in s. Ranks are compared as soon as 3 of them have a block, in any order of their events,
 * so an alarm can be about another rank.
 */
int slow_now_leave(struct slow_now *s, int32_t node, uint32_t thread, int64_t time, struct slow_now_alarm out[SLOW_NOW_ALARMS]);
void slow_now_release(struct slow_now *s);

#endif
