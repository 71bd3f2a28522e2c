/* critical_times.c: adds up the time of the critical path by call path and by thread. */
#include <string.h>

#include "analyze/messages/critical_path.h"
#include "analyze/messages/selection.h"

/* Makes room for an element, and sets new ones to 0. */
static int64_t *room(int64_t *v, size_t *n, size_t needed)
{
	size_t more = needed * 2 + 64;

	if (needed < *n)
		return v;
	v = mem_resize(v, more, sizeof(*v));
	memset(v + *n, 0, (more - *n) * sizeof(*v));
	*n = more;
	return v;
}

/* Adds time to a step, which keeps the call path with most of its time. */
static void step_add(struct critical_reader *r, struct critical_step *s, uint32_t path, int64_t ns)
{
	r->spent = room(r->spent, &r->spent_n, path);
	if (!r->spent[path])
		*array_add(r, touched) = path;
	r->spent[path] += ns;
	if (s->path == TRACE_NONE || r->spent[path] > r->spent[s->path])
		s->path = path;
}

static void step_next(struct critical_times *x, struct critical_reader *r)
{
	for (size_t i = 0; i < r->touched_n; i++)
		r->spent[r->touched[i]] = 0;
	r->touched_n = 0;
	r->step = x->next[r->step];
}

/*
 * Splits the time of a thread into steps; time inside its steps is on the path. Times and steps are
 * in order.
 */
static void on_busy(void *to, uint32_t stream, uint32_t path, int64_t from, int64_t until)
{
	struct critical_times *x = to;
	struct critical_reader *r = &x->reader[stream];
	int selected = selection_has(x->path->m->selection, stream, path);

	if (selected)
		path = selection_path(x->path->m->selection, path);
	while (r->step < x->path->step_n) {
		struct critical_step *s = &x->path->step[r->step];
		int64_t begin = s->begin > from ? s->begin : from;
		int64_t end = s->end < until ? s->end : until;

		if (end > begin && selected) {
			x->by_path = room(x->by_path, &x->by_path_n, path);
			x->by_path[path] += end - begin;
			x->by_stream[stream] += end - begin;
			step_add(r, s, path, end - begin);
			if (x->also)
				x->also->busy(x->also->to, stream, path, begin, end);
		}
		if (s->end > until)
			return;
		step_next(x, r);
	}
}

struct messages_use critical_times_use(struct critical_times *x, struct critical_path *path,
				       const struct messages_use *also)
{
	size_t streams = path->m->trace->stream_n;

	*x = (struct critical_times){.path = path, .also = also};
	x->reader = mem_alloc((streams + 1) * sizeof(*x->reader));
	x->by_stream = mem_alloc((streams + 1) * sizeof(*x->by_stream));
	x->next = mem_alloc((path->step_n + 1) * sizeof(*x->next));
	for (size_t i = 0; i < streams; i++)
		x->reader[i].step = path->step_n;
	for (size_t i = path->step_n; i-- > 0;) {
		struct critical_reader *r = &x->reader[path->step[i].stream];

		x->next[i] = r->step;
		r->step = i;
	}
	return (struct messages_use){.busy = on_busy, .window_only = 1, .to = x};
}

void critical_times_release(struct critical_times *x)
{
	for (size_t i = 0; x->reader && i < x->path->m->trace->stream_n; i++) {
		free(x->reader[i].spent);
		free(x->reader[i].touched);
	}
	free(x->reader);
	free(x->next);
	free(x->by_path);
	free(x->by_stream);
	*x = (struct critical_times){0};
}
