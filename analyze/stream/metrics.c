/* metrics.c: plays metrics as clocks through the segments of a process. */
#include "analyze/stream/metrics.h"

#include <string.h>

#include "analyze/stream/squares.h"

void metrics_init(struct metrics *m, const struct trace *t, struct callstack_paths *paths,
		  const struct segments *s, size_t window_n)
{
	memset(m, 0, sizeof(*m));
	m->n = t->metric_n;
	m->where.of = s;
	m->window_n = window_n;
	m->time = INT64_MIN;
	m->tally = mem_alloc((m->n * window_n + 1) * sizeof(*m->tally));
	if (!m->n)
		return;
	m->callstack = mem_alloc(m->n * sizeof(*m->callstack));
	m->value = mem_alloc(m->n * sizeof(*m->value));
	for (size_t k = 0; k < m->n; k++)
		callstack_init(&m->callstack[k], (uint32_t)t->region_n, paths);
	for (size_t i = 0; i < m->n * window_n; i++)
		m->tally[i].row = mem_alloc((t->region_n + 1) * sizeof(*m->tally[i].row));
}

void metrics_release(struct metrics *m)
{
	for (size_t i = 0; i < m->n * m->window_n; i++) {
		free(m->tally[i].row);
		free(m->tally[i].path_row);
	}
	for (size_t k = 0; k < m->n; k++) {
		callstack_release(&m->callstack[k]);
		if (m->squares)
			squares_release(&m->squares[k]);
	}
	free(m->squares);
	free(m->tally);
	free(m->callstack);
	free(m->value);
	free(m->event);
}

void metrics_square(struct metrics *m)
{
	if (!m->n)
		return;
	m->squares = mem_alloc(m->n * sizeof(*m->squares));
	for (size_t k = 0; k < m->n; k++) {
		squares_init(&m->squares[k], m->where.of, m->window_n, NULL);
		m->callstack[k].squares = &m->squares[k];
		for (size_t w = 0; w < m->window_n; w++)
			m->tally[w * m->n + k].squares = &m->squares[k].window[w];
	}
}

/* ---- boundaries ---- */

static void rows_add(struct callstack_row *to, const struct callstack_row *from, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		to[i].excl += from[i].excl;
		to[i].incl += from[i].incl;
	}
}

static void tally_add(struct metrics *m, const struct segment *s, size_t metric)
{
	const struct callstack *x = &m->callstack[metric];
	size_t n = callstack_path_rows(x);

	for (uint32_t i = 0; i < s->n; i++) {
		struct metrics_tally *t =
			&m->tally[m->where.of->member[s->first + i] * m->n + metric];

		if (t->path_row_n < n) {
			t->path_row = mem_resize(t->path_row, n, sizeof(*t->path_row));
			memset(t->path_row + t->path_row_n, 0,
			       (n - t->path_row_n) * sizeof(*t->path_row));
			t->path_row_n = n;
		}
		rows_add(t->row, x->row, (size_t)x->region_n + 1);
		rows_add(t->path_row, x->path_row, n);
	}
}

/*
 * Opens and closes segments up to `time`, at which the metrics have these values. even: they
 * changed evenly up to there.
 */
static void cross_all(struct metrics *m, int64_t time, const int64_t *value, int even)
{
	int64_t now = segment_edge(&m->where);
	const struct segment *s;

	for (; (s = segment_cross(&m->where, time)); now = segment_edge(&m->where))
		for (size_t k = 0; k < m->n; k++) {
			int between = even && m->time != INT64_MIN && m->time < now && now < time;
			int64_t at = between ? metrics_between(m->time, m->value[k], time, value[k],
							       now)
					     : value[k];

			if (m->where.open) {
				callstack_begin(&m->callstack[k], at);
				if (m->squares)
					squares_begin(&m->squares[k], s);
			} else {
				callstack_end(&m->callstack[k], at);
				if (m->squares)
					squares_end(&m->squares[k]);
				tally_add(m, s, k);
			}
		}
}

static void values_set(struct metrics *m, int64_t time, const int64_t *value)
{
	memcpy(m->value, value, m->n * sizeof(*value));
	m->time = time;
}

/* ---- playing ---- */

void metrics_jump(struct metrics *m, int64_t from, const int64_t *value, int64_t to,
		  const int64_t *then)
{
	if (!m->n)
		return;
	cross_all(m, from, value, 0);
	for (size_t k = 0; k < m->n; k++)
		callstack_jump(&m->callstack[k], value[k], then[k]);
	values_set(m, to, then);
}

void metrics_state(struct metrics *m, const struct event_state *s, int sought)
{
	const int64_t *value = s->metric ? s->metric : m->value;

	if (!m->n)
		return;
	cross_all(m, s->time, value, 0);
	for (size_t k = 0; k < m->n; k++)
		callstack_state(&m->callstack[k], s, value[k], sought);
	if (s->metric)
		values_set(m, s->time, value);
	else
		m->time = s->time;
}

/* Plays one metric for a run of events; events without values are ignored. */
static void play_metric(struct metrics *m, size_t metric, const struct event_batch *b, size_t at,
			size_t n)
{
	struct callstack *x = &m->callstack[metric];
	size_t events = 0, i = 0;

	for (size_t k = at; k < at + n; k++) {
		if (!event_has_metrics(b->event[k].kind))
			continue;
		m->event[events] = b->event[k];
		m->event[events++].time =
			b->metric ? b->metric[k * m->n + metric] : m->value[metric];
	}
	while (i < events) {
		i += callstack_run(x, m->event + i, events - i);
		if (i < events)
			callstack_other(x, b, &m->event[i++]);
	}
}

void metrics_play(struct metrics *m, const struct event_batch *b, size_t at, size_t n)
{
	size_t end = at + n;

	if (!m->n || !segments_left(&m->where))
		return;
	if (n > m->event_cap) {
		m->event_cap = n;
		m->event = mem_resize(m->event, n, sizeof(*m->event));
	}
	while (at < end) {
		size_t last = end, k = at;

		/*
		 * a run: up to the first value at or after a boundary, which is crossed before it
		 */
		for (; k < end; k++) {
			if (!event_has_metrics(b->event[k].kind))
				continue;
			if (segments_left(&m->where) && b->event[k].time >= segment_edge(&m->where))
				break;
			last = k;
		}
		for (size_t metric = 0; metric < m->n; metric++)
			play_metric(m, metric, b, at, k - at);
		if (last < end && b->metric)
			values_set(m, b->event[last].time, b->metric + last * m->n);
		else if (last < end)
			m->time = b->event[last].time;
		if (k < end)
			cross_all(m, b->event[k].time, b->metric ? b->metric + k * m->n : m->value,
				  1);
		at = k;
	}
}

void metrics_finish(struct metrics *m)
{
	if (!m->n)
		return;
	for (size_t k = 0; k < m->n; k++)
		callstack_finish(&m->callstack[k], m->value[k]);
	cross_all(m, INT64_MAX, m->value, 0);
}
