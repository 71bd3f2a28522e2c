/*
 * delays.c: keeps the times of streams between their waits, and finds in which paths a late stream
 * spent more time than a waiting one.
 */
#include "analyze/messages/delays.h"

#include <string.h>

#include "analyze/base/map.h"

void delays_init(struct delays *d, size_t streams, const struct window_span *span)
{
	*d = (struct delays){.lane_n = streams, .span = span};
	d->lane = mem_alloc((streams + 1) * sizeof(*d->lane));
}

void delays_release(struct delays *d)
{
	for (size_t i = 0; i < d->lane_n; i++) {
		free(d->lane[i].kept);
		free(d->lane[i].origin);
		free(d->lane[i].met);
		map_release(&d->lane[i].met_at);
	}
	free(d->lane);
	free(d->pair);
	map_release(&d->pair_at);
	free(d->excess);
	free(d->touched);
}

/* ---- times ---- */

void delays_waited(struct delays *d, uint32_t stream, uint64_t at, int64_t wait)
{
	struct delay_lane *l = &d->lane[stream];
	struct delay_time *t;

	if (at >= l->n || l->n - at > DELAYS_KEPT)
		return;
	t = &l->kept[at & (DELAYS_KEPT - 1)];
	t->ns -= wait;
	t->wait += wait;
}

void delays_origin(struct delays *d, uint32_t stream, uint64_t at, uint32_t origin)
{
	struct delay_lane *l = &d->lane[stream];

	if (at >= l->n || l->n - at > DELAYS_KEPT)
		return;
	if (!l->origin) {
		l->origin = mem_resize(NULL, DELAYS_KEPT, sizeof(*l->origin));
		memset(l->origin, 0xff, DELAYS_KEPT * sizeof(*l->origin));
	}
	l->origin[at & (DELAYS_KEPT - 1)] = origin;
}

void delays_origins(const struct delays *d, const struct message_call *a,
		    void (*each)(void *to, uint32_t origin, int64_t wait), void *to)
{
	const struct delay_lane *l = &d->lane[a->stream];

	for (uint64_t at = d->since; l->origin && at < a->log; at++) {
		uint64_t i = at & (DELAYS_KEPT - 1);

		if (l->kept[i].wait > 0 && l->origin[i] != UINT32_MAX)
			each(to, l->origin[i], l->kept[i].wait);
	}
}

/* ---- synchronisation ---- */

static uint64_t pair_key(uint32_t a, uint32_t b)
{
	return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

/* ns of the window from a moment to the end of a call. */
static int64_t completion(const struct delays *d, const struct message_call *c, int64_t from)
{
	const int64_t begin = d->span ? d->span[c->process].begin : INT64_MIN;

	from = from > begin ? from : begin;
	return c->leave != INT64_MAX && from < c->leave ? c->leave - from : 0;
}

void delays_met(struct delays *d, const struct message_call *a, const struct message_call *b)
{
	uint64_t key = pair_key(a->stream, b->stream);
	uint32_t at = map_get(&d->pair_at, key);
	int higher = a->stream > b->stream;

	if (at == MAP_NONE) {
		at = (uint32_t)d->pair_n;
		map_set(&d->pair_at, key, at);
		array_add(d, pair);
	}
	/* found late: they have met again since then */
	if (d->pair[at].point[!higher].at > b->log + 1)
		return;
	/* the call itself is added next */
	d->pair[at].point[higher] = (struct delay_point){a->log + 1, completion(d, a, b->leave)};
	d->pair[at].point[!higher] = (struct delay_point){b->log + 1, completion(d, b, a->leave)};
}

static struct delay_met *met_of(struct delay_lane *l, uint32_t comm)
{
	uint32_t at = map_get(&l->met_at, comm);

	return at == MAP_NONE ? NULL : &l->met[at];
}

static struct delay_met *met_add(struct delay_lane *l, uint32_t comm)
{
	struct delay_met *m = array_add(l, met);

	map_set(&l->met_at, comm, (uint32_t)(m - l->met));
	*m = (struct delay_met){.comm = comm, .nth_before = UINT64_MAX};
	return m;
}

void delays_all_met(struct delays *d, const struct message_call *c)
{
	struct delay_lane *l = &d->lane[c->stream];
	struct delay_met *m = met_of(l, c->meeting->comm);
	int64_t over = c->meeting->latest->enter;

	over = over > c->meeting->first_leave ? over : c->meeting->first_leave;
	if (!m) {
		m = met_add(l, c->meeting->comm);
	} else {
		m->nth_before = m->nth;
		m->before = m->point;
	}
	m->nth = c->meeting->nth;
	m->point = (struct delay_point){c->log + 1, completion(d, c, over)};
}

/* The last operation of a communicator that both have left: 1, and their positions. */
static int met_last(const struct delay_met *a, const struct delay_met *b, struct delay_point *at_a,
		    struct delay_point *at_b)
{
	if (a->nth != b->nth && a->nth_before != b->nth && a->nth != b->nth_before)
		return 0;
	*at_a = a->nth != b->nth && a->nth_before == b->nth ? a->before : a->point;
	*at_b = a->nth != b->nth && a->nth_before != b->nth ? b->before : b->point;
	return 1;
}

/* The last positions at which the two streams were synchronised. */
static void last_met(struct delays *d, uint32_t a, uint32_t b, struct delay_point *from_a,
		     struct delay_point *from_b)
{
	uint32_t pair = map_get(&d->pair_at, pair_key(a, b));

	*from_a = *from_b = (struct delay_point){0, 0};
	if (pair != MAP_NONE) {
		*from_a = d->pair[pair].point[a > b];
		*from_b = d->pair[pair].point[b > a];
	}
	for (size_t i = 0; i < d->lane[a].met_n; i++) {
		const struct delay_met *ma = &d->lane[a].met[i];
		const struct delay_met *mb = met_of(&d->lane[b], ma->comm);
		struct delay_point at_a, at_b;

		if (!mb || !met_last(ma, mb, &at_a, &at_b))
			continue;
		*from_a = at_a.at > from_a->at ? at_a : *from_a;
		*from_b = at_b.at > from_b->at ? at_b : *from_b;
	}
}

/* ---- excess times of a over b ---- */

static uint64_t kept_from(const struct delay_lane *l)
{
	return l->n > DELAYS_KEPT ? l->n - DELAYS_KEPT : 0;
}

static __attribute__((noinline)) void excess_grow(struct delays *d, uint32_t path)
{
	size_t n = (size_t)path * 2 + 64;

	d->touched = mem_resize(d->touched, n, sizeof(*d->touched));
	d->excess = mem_resize(d->excess, n, sizeof(*d->excess));
	memset(d->excess + d->excess_n, 0, (n - d->excess_n) * sizeof(*d->excess));
	d->excess_n = n;
}

static inline void excess_add(struct delays *d, uint32_t path, int64_t ns)
{
	if (path >= d->excess_n)
		excess_grow(d, path);
	if (d->excess[path].turn != d->turn) {
		d->excess[path] = (struct delay_excess){0, d->turn};
		d->touched[d->touched_n++] = path;
	}
	d->excess[path].ns += ns;
}

/* The two streams of a wait, and the positions from which on they are compared. */
struct compared_streams {
	const struct message_call *a, *b;
	struct delay_point from_a, from_b;
	int team; /* both are in one team */
};

static uint32_t path_of(const struct delay_time *t, int team)
{
	return team ? t->in_team : t->path;
}

/* Adds the times of a stream between two positions; returns the sum of its waits. */
static inline __attribute__((always_inline)) int64_t
excess_of(struct delays *d, const struct message_call *c, const struct delay_point *since, int team,
	  int sign)
{
	const struct delay_lane *l = &d->lane[c->stream];
	uint64_t from = since->at, kept = kept_from(l);
	int64_t wait = 0;

	if (from > kept && from <= c->log)
		excess_add(d, path_of(&l->kept[(from - 1) & (DELAYS_KEPT - 1)], team),
			   sign * since->completion);
	from = from > kept ? from : kept;
	for (; from < c->log; from++) {
		const struct delay_time *t = &l->kept[from & (DELAYS_KEPT - 1)];

		excess_add(d, path_of(t, team), sign * t->ns);
		wait += t->wait;
	}
	return wait;
}

static struct delay_found find(struct delays *d, const struct compared_streams *x, int64_t ns)
{
	struct delay_found f = {.unexplained = (double)ns};
	double sum = 0, waited;
	size_t n = 0;

	d->turn++;
	d->touched_n = 0;
	d->since = kept_from(&d->lane[x->a->stream]);
	d->since = d->since > x->from_a.at ? d->since : x->from_a.at;
	waited = (double)excess_of(d, x->a, &x->from_a, x->team, 1);
	excess_of(d, x->b, &x->from_b, x->team, -1);
	for (size_t i = 0; i < d->touched_n; i++) {
		uint32_t path = d->touched[i];

		if (d->excess[path].ns <= 0)
			continue;
		sum += (double)d->excess[path].ns;
		d->touched[n++] = path;
	}
	d->touched_n = n;
	if (sum + waited <= 0)
		return f;
	f.k = (double)ns / (sum + waited);
	f.k = f.k < 1 ? f.k : 1;
	f.indirect = f.k * waited;
	/* Not ns - k * (sum + waited), which rounding makes negative. */
	f.unexplained = (double)ns > sum + waited ? (double)ns - (sum + waited) : 0;
	return f;
}

struct delay_found delays_find(struct delays *d, const struct message_call *a,
			       const struct message_call *b, int64_t ns)
{
	struct compared_streams x = {.a = a, .b = b};

	last_met(d, a->stream, b->stream, &x.from_a, &x.from_b);
	return find(d, &x, ns);
}

/* ---- teams ---- */

void delays_team_met(struct delays *d, uint32_t stream, int64_t completion)
{
	struct delay_lane *l = &d->lane[stream];

	l->team = (struct delay_point){l->n, completion};
}

struct delay_found delays_find_team(struct delays *d, const struct message_call *a,
				    const struct message_call *b, int64_t ns)
{
	const struct compared_streams x = {a, b, d->lane[a->stream].team, d->lane[b->stream].team,
					   1};

	return find(d, &x, ns);
}
