/*
 * loop_times.h: chooses the regions whose iterations are tested for anomalies, in streams without a region of useful work that
 * has at least 10 instances.
 *
 * A series of at least 10 iterations is regular if most of its longer ones are alike: the time that 1 of 20 exceed is at most
 * four times that which 1 of 5 exceed; those that are longer than twice the former, without the 4 longest, have at most 0.1
 * of the time of all without these; and that is at least 0.1 of the time of all: a program that computes once, between many calls
 * that begin and end it, has no loop. It is even if the time that 1 of 20 exceed is also at most twice the median: a loop with one usual time per
 * iteration. Of the regular series of a stream, those that have less than 0.75 of the useful time of the one with the most are
 * before or after the program's loop. The region that is even in most streams is chosen; then the one that is regular in most;
 * then the one with most iterations, so that an anomaly is located as exactly as possible; then the one called first. This is
 * repeated for the streams in which the chosen regions have no such series. Method of this project.
 */
#ifndef LOOP_TIMES_H
#define LOOP_TIMES_H

#include "analyze/anomalies/instance_times.h"

enum loop_grade { LOOP_UNFIT, LOOP_REGULAR, LOOP_EVEN };

/* Sets `tested` of the series to the grade of those that were chosen. */
void loop_times_choose(struct instance_times *x);

/*
 * ns of useful work in all streams: the exclusive times of the regions, or the tested iterations of a stream if they have more, as
 * they contain what is outside of all regions. Costs of anomalies are shares of it. Call it after loop_times_choose().
 */
double loop_times_useful(const struct instance_times *x);

/*
 * Is the series tested: of instances, or of iterations that were chosen with at least this grade? Growth needs even ones, because
 * the times of the parts of a program that call the same region differ.
 */
static inline int instance_is_tested(const struct instance_series *s, uint64_t least, enum loop_grade grade)
{
	return s->n >= least && (!s->loop || s->tested >= (int)grade);
}

#endif
