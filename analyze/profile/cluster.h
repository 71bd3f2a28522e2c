/*
 * cluster.h: groups ranks, or the threads of one rank, that spend their time in the same way.
 *
 * A point has the shares of its exclusive time by region: v[r] = time in r / time of the point.
 * The waiting of threads that mostly wait is excluded. For each k from 2 to 8, but less than points: k-means (Lloyd 1982), which begins
 * with the point nearest to the mean and adds each time the point farthest from all centres so far,
 * so that nothing is random. Silhouette (Rousseeuw 1987) of point i, with a = mean distance to the
 * others of its cluster and b = smallest mean distance to another cluster:
 *
 *	s(i) = (b - a) / max(a, b),	0 if it is alone in its cluster
 *
 * A k counts only if each cluster has a point and each two centres differ in at least 1 % of the time: sum of |difference| / 2 (a
 * threshold of this project). Of these k, the smallest is used whose mean silhouette is within 0.01 of the largest one, if it is at
 * least 0.7, a strong structure after Kaufman and Rousseeuw (1990): points without clusters, even or normal, reach about 0.6.
 * Otherwise there is one cluster. Above 1024 points the silhouette is that of 513 to 1024 of them, evenly spaced, among each other.
 */
#ifndef CLUSTER_H
#define CLUSTER_H

#include "analyze/profile/waiting_threads.h"

#define CLUSTER_MOST	   8
#define CLUSTER_SILHOUETTE 0.7
#define CLUSTER_DISTANCE   0.01

struct cluster_point {
	int32_t node, thread; /* thread -1: the whole rank */
	double time;	      /* of all its regions */
	uint32_t cluster;
};

struct clusters {
	struct cluster_point *point; /* by node and thread */
	size_t point_n, point_cap;
	size_t dims;	 /* regions: timers of the profile */
	double *share;	 /* [point * dims + timer] */
	size_t k;
	double silhouette; /* of the best k >= 2, even if k is 1; NaN: not computed */
	size_t best;	   /* that k; 0: none */
	double *centre;	   /* [cluster * dims + timer] */
	size_t *size;	   /* points, by cluster; the largest cluster first */
};

/*
 * Clusters the ranks of p, or the threads if p has one rank; waiting: threads to exclude. Release
 * c.
 */
void clusters_make(struct clusters *c, const struct profile *p, const struct waiting *waiting,
		   size_t metric);
void clusters_release(struct clusters *c);

/* Share of a region in the mean of all points that are not in the cluster; NaN: all points are. */
double clusters_others(const struct clusters *c, size_t cluster, size_t timer);

#endif
