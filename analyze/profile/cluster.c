/* cluster.c: computes shares of regions by rank, k-means, and the silhouette that selects k. */
#include "analyze/profile/cluster.h"

#include <math.h>
#include <string.h>

#include "analyze/profile/profile.h"

#define ROUNDS 100
#define SAMPLE 1024
#define NEAR   0.01 /* a smaller k whose silhouette differs by less is as good */

/* One division into k clusters. */
struct division {
	size_t k;
	uint32_t *of;	/* by point */
	double *centre; /* [cluster * dims] */
	size_t *size;
};

static size_t real_ranks(const struct profile *p)
{
	size_t n = 0;
	int32_t last = -1;

	for (size_t i = 0; i < p->thread_n; i++)
		if (p->thread[i].node >= 0 && p->thread[i].node != last) {
			last = p->thread[i].node;
			n++;
		}
	return n;
}

static void point_fill(struct clusters *c, const struct profile *p, const struct profile_thread *t,
		       size_t metric, int waits)
{
	struct cluster_point *to = &c->point[c->point_n - 1];
	double *share = &c->share[(c->point_n - 1) * c->dims];

	for (size_t i = 0; p->metric_n && i < t->row_n; i++) {
		const struct profile_row *r = &t->row[i];
		uint32_t timer = p->path[r->path].timer;
		double excl = t->values[r->first + p->metric_n + metric];

		if (p->path[r->path].parent != PROFILE_FLAT || !(excl > 0) ||
		    profile_timer_kind(&p->timer[timer]) != TIMER_MEASURED ||
		    (waits && waiting_idles(p, timer)))
			continue;
		share[timer] += excl;
		to->time += excl;
	}
}

static void points_make(struct clusters *c, const struct profile *p, const struct waiting *waiting,
			size_t metric)
{
	int ranks = real_ranks(p) > 1;

	c->dims = p->timer_n;
	c->share = mem_alloc((p->thread_n * c->dims + 1) * sizeof(*c->share));
	memset(c->share, 0, (p->thread_n * c->dims + 1) * sizeof(*c->share));
	for (size_t i = 0; i < p->thread_n; i++) {
		const struct profile_thread *t = &p->thread[i];

		enum waiting_class class = waiting_class(waiting, t);

		/* As a point of its own, a thread that mostly waits is like no other. */
		if (t->node < 0 ||
		    (class != WAITING_COUNTS && !(ranks && class == WAITING_WAITS)))
			continue;
		if (!ranks || !c->point_n || c->point[c->point_n - 1].node != t->node)
			*array_add(c, point) =
				(struct cluster_point){.node = t->node,
						       .thread = ranks ? -1 : t->thread};
		point_fill(c, p, t, metric, class == WAITING_WAITS);
	}
	for (size_t i = 0; i < c->point_n; i++)
		for (size_t d = 0; d < c->dims && c->point[i].time > 0; d++)
			c->share[i * c->dims + d] /= c->point[i].time;
}

static double square_distance(const double *a, const double *b, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (a[i] - b[i]) * (a[i] - b[i]);
	return sum;
}

/* ---- k-means ---- */

/* Moves each centre to the mean of its points; a cluster without points keeps its centre. */
static void centres_move(const struct clusters *c, struct division *v)
{
	memset(v->size, 0, v->k * sizeof(*v->size));
	for (size_t i = 0; i < c->point_n; i++)
		v->size[v->of[i]]++;
	for (size_t j = 0; j < v->k; j++)
		if (v->size[j])
			memset(&v->centre[j * c->dims], 0, c->dims * sizeof(*v->centre));
	for (size_t i = 0; i < c->point_n; i++)
		for (size_t d = 0; d < c->dims; d++)
			v->centre[v->of[i] * c->dims + d] +=
				c->share[i * c->dims + d] / (double)v->size[v->of[i]];
}

/* Moves each point to its nearest centre. Returns how many have moved. */
static size_t points_move(const struct clusters *c, struct division *v)
{
	size_t moved = 0;

	for (size_t i = 0; i < c->point_n; i++) {
		const double *point = &c->share[i * c->dims];
		double nearest = INFINITY;
		uint32_t to = 0;

		for (uint32_t j = 0; j < v->k; j++) {
			double d = square_distance(point, &v->centre[j * c->dims], c->dims);

			if (d < nearest) {
				nearest = d;
				to = j;
			}
		}
		moved += v->of[i] != to;
		v->of[i] = to;
	}
	return moved;
}

/* The first centre is the point nearest to the mean, each other one the point farthest from all
 * before. */
static void centres_begin(const struct clusters *c, struct division *v)
{
	double *away = mem_alloc((c->point_n + 1) * sizeof(*away));
	size_t chosen = 0;

	memset(v->of, 0, c->point_n * sizeof(*v->of));
	centres_move(c, &(struct division){1, v->of, v->centre, v->size});
	for (size_t i = 0; i < c->point_n; i++) {
		away[i] = square_distance(&c->share[i * c->dims], v->centre, c->dims);
		if (away[i] < away[chosen])
			chosen = i;
	}
	for (size_t j = 0; j < v->k; j++) {
		size_t next = 0;

		memcpy(&v->centre[j * c->dims], &c->share[chosen * c->dims],
		       c->dims * sizeof(*v->centre));
		for (size_t i = 0; i < c->point_n; i++) {
			double d = square_distance(&c->share[i * c->dims], &v->centre[j * c->dims],
						   c->dims);

			away[i] = j ? fmin(away[i], d) : d;
			if (away[i] > away[next])
				next = i;
		}
		chosen = next;
	}
	free(away);
}

static void divide(const struct clusters *c, struct division *v)
{
	centres_begin(c, v);
	points_move(c, v);
	for (int i = 0; i < ROUNDS; i++) {
		centres_move(c, v);
		if (!points_move(c, v))
			break;
	}
	centres_move(c, v);
}

/* ---- the choice of k ---- */

static double silhouette_of(const struct clusters *c, const struct division *v, size_t i,
			    size_t step)
{
	double sum[CLUSTER_MOST] = {0}, other = INFINITY, own;
	size_t n[CLUSTER_MOST] = {0};

	for (size_t j = 0; j < c->point_n; j += step) {
		if (j == i)
			continue;
		sum[v->of[j]] += sqrt(square_distance(&c->share[i * c->dims],
						      &c->share[j * c->dims], c->dims));
		n[v->of[j]]++;
	}
	if (!n[v->of[i]])
		return 0;
	own = sum[v->of[i]] / (double)n[v->of[i]];
	for (size_t j = 0; j < v->k; j++)
		if (j != v->of[i] && n[j])
			other = fmin(other, sum[j] / (double)n[j]);
	return isinf(other) || fmax(own, other) <= 0 ? 0 : (other - own) / fmax(own, other);
}

static double silhouette(const struct clusters *c, const struct division *v)
{
	size_t step = (c->point_n + SAMPLE - 1) / SAMPLE, n = 0;
	double sum = 0;

	for (size_t i = 0; i < c->point_n; i += step, n++)
		sum += silhouette_of(c, v, i, step);
	return sum / (double)n;
}

/* Do all centres differ enough, and has each cluster a point? */
static int apart(const struct clusters *c, const struct division *v)
{
	for (size_t a = 0; a < v->k; a++) {
		if (!v->size[a])
			return 0;
		for (size_t b = 0; b < a; b++) {
			double sum = 0;

			for (size_t d = 0; d < c->dims; d++)
				sum += fabs(v->centre[a * c->dims + d] -
					    v->centre[b * c->dims + d]);
			if (sum / 2 < CLUSTER_DISTANCE)
				return 0;
		}
	}
	return 1;
}

/* The selected k; 1: no division is credible. */
static size_t choose(struct clusters *c, struct division *v)
{
	double of[CLUSTER_MOST + 1];
	size_t most = c->point_n ? c->point_n - 1 : 0;

	most = most < CLUSTER_MOST ? most : CLUSTER_MOST;
	for (v->k = 2; v->k <= most; v->k++) {
		divide(c, v);
		of[v->k] = apart(c, v) ? silhouette(c, v) : NAN;
		if (of[v->k] > c->silhouette || (isnan(c->silhouette) && !isnan(of[v->k])))
			c->silhouette = of[v->k];
	}
	for (size_t k = 2; k <= most && !c->best; k++)
		if (of[k] >= c->silhouette - NEAR) {
			c->best = k;
			c->silhouette = of[k];
		}
	return c->best && c->silhouette >= CLUSTER_SILHOUETTE ? c->best : 1;
}

/* Numbers the clusters: the largest first, equal ones by their first point. */
static void number(struct clusters *c, const struct division *v)
{
	uint32_t as[CLUSTER_MOST];
	size_t first[CLUSTER_MOST];

	for (size_t i = c->point_n; i-- > 0;)
		first[v->of[i]] = i;
	for (size_t j = 0; j < v->k; j++) {
		as[j] = 0;
		for (size_t o = 0; o < v->k; o++)
			as[j] += v->size[o] > v->size[j] ||
				 (v->size[o] == v->size[j] && o != j && first[o] < first[j]);
		c->size[as[j]] = v->size[j];
		memcpy(&c->centre[as[j] * c->dims], &v->centre[j * c->dims],
		       c->dims * sizeof(*c->centre));
	}
	for (size_t i = 0; i < c->point_n; i++)
		c->point[i].cluster = as[v->of[i]];
}

void clusters_make(struct clusters *c, const struct profile *p, const struct waiting *waiting,
		   size_t metric)
{
	struct division v = {0};

	*c = (struct clusters){.silhouette = NAN};
	points_make(c, p, waiting, metric);
	v.of = mem_alloc((c->point_n + 1) * sizeof(*v.of));
	v.centre = mem_alloc((CLUSTER_MOST * c->dims + 1) * sizeof(*v.centre));
	v.size = mem_alloc(CLUSTER_MOST * sizeof(*v.size));
	c->centre = mem_alloc((CLUSTER_MOST * c->dims + 1) * sizeof(*c->centre));
	c->size = mem_alloc(CLUSTER_MOST * sizeof(*c->size));
	memset(v.centre, 0, (CLUSTER_MOST * c->dims + 1) * sizeof(*v.centre));
	c->k = choose(c, &v);
	v.k = c->k;
	if (c->point_n) {
		divide(c, &v);
		number(c, &v);
	}
	free(v.of);
	free(v.centre);
	free(v.size);
}

double clusters_others(const struct clusters *c, size_t cluster, size_t timer)
{
	double sum = 0;
	size_t n = 0;

	for (size_t j = 0; j < c->k; j++)
		if (j != cluster) {
			sum += c->centre[j * c->dims + timer] * (double)c->size[j];
			n += c->size[j];
		}
	return n ? sum / (double)n : NAN;
}

void clusters_release(struct clusters *c)
{
	free(c->point);
	free(c->share);
	free(c->centre);
	free(c->size);
	*c = (struct clusters){0};
}
