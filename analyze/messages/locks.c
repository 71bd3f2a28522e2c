/* locks.c: adds up waits for locks, and finds which threads hold them meanwhile. */
#include "analyze/messages/locks.h"

#include <string.h>

#include "analyze/base/map.h"
#include "analyze/messages/selection.h"

struct locks_lane {
	int64_t began; /* ns: begin of the region that began last */
	size_t wait;   /* 1 + index of its open wait; 0: none */
	size_t deeper; /* number of regions open inside the wait */
};

struct locks_reader {
	size_t next;	   /* its first entry of `hold` that has not begun */
	size_t *now;	   /* entries that have begun and not ended: at most one per lock */
	size_t now_n, now_cap;
};

/* ---- first pass: waits ---- */

/* The thread with this number in the process of a stream. */
static uint32_t stream_of(const struct trace *t, uint32_t stream, double number)
{
	const struct trace_process *p = &t->process[t->stream[stream].process];
	size_t low = 0, high = p->stream_n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if ((double)t->stream[p->stream[middle]].thread < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < p->stream_n && (double)t->stream[p->stream[low]].thread == number
		       ? p->stream[low]
		       : TRACE_NONE;
}

static void on_begin(void *to, uint32_t stream, uint32_t path, int64_t time)
{
	struct locks_lane *l = &((struct locks *)to)->lane[stream];

	(void)path;
	l->began = time;
	l->deeper += l->wait > 0;
}

static void on_value(void *to, uint32_t stream, uint32_t path, int64_t time,
		     const struct event_args *a, int inside)
{
	struct locks *x = to;
	struct locks_lane *l = &x->lane[stream];
	const struct trace *t = x->m->trace;

	(void)time;
	if (!inside || l->wait || !t->event[a->value.event].lock ||
	    !selection_has(x->m->selection, stream, path))
		return;
	*array_add(x, wait) = (struct locks_wait){
		.lock = a->value.event,
		.stream = stream,
		.path = path,
		.holder = stream_of(t, stream, a->value.value),
		.none = a->value.value == HOLDER_NONE,
		.from = l->began,
		.until = INT64_MIN,
	};
	l->wait = x->wait_n;
	l->deeper = 0;
}

static void on_end(void *to, uint32_t stream, uint32_t path, int64_t time)
{
	struct locks *x = to;
	struct locks_lane *l = &x->lane[stream];

	(void)path;
	if (!l->wait)
		return;
	if (l->deeper) {
		l->deeper--;
		return;
	}
	x->wait[l->wait - 1].until = time;
	l->wait = 0;
}

struct messages_use locks_use(struct locks *x, const struct messages *m)
{
	*x = (struct locks){.m = m};
	x->lane = mem_alloc((m->trace->stream_n + 1) * sizeof(*x->lane));
	memset(x->lane, 0, (m->trace->stream_n + 1) * sizeof(*x->lane));
	return (struct messages_use){
		.begins = on_begin, .ends = on_end, .value = on_value, .to = x};
}

/* ---- holders of a lock while other threads wait ---- */

static int by_lock(const void *va, const void *vb)
{
	const struct locks_wait *a = va, *b = vb;

	if (a->lock != b->lock)
		return a->lock < b->lock ? -1 : 1;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return (a->stream > b->stream) - (a->stream < b->stream);
}

static int by_end(const void *va, const void *vb)
{
	const struct locks_wait *a = *(const struct locks_wait *const *)va,
				*b = *(const struct locks_wait *const *)vb;

	if (a->until != b->until)
		return a->until < b->until ? -1 : 1;
	return (a->stream > b->stream) - (a->stream < b->stream);
}

static void hold_add(struct locks *x, uint32_t lock, uint32_t holder, uint32_t waiting,
		     int64_t from, int64_t until)
{
	if (waiting && until > from)
		*array_add(x, hold) = (struct locks_hold){
			lock, holder, waiting, from, until, until - from};
}

/* Plays the waits of one lock, in order of their begins and ends. */
static void lock_play(struct locks *x, const struct locks_wait *v, size_t n)
{
	const struct locks_wait **end = mem_alloc((n + 1) * sizeof(*end));
	uint32_t holder = TRACE_NONE, waiting = 0;
	int64_t last = INT64_MIN;
	size_t b = 0;

	for (size_t i = 0; i < n; i++)
		end[i] = &v[i];
	qsort(end, n, sizeof(*end), by_end);
	for (size_t e = 0; e < n;) {
		int begins = b < n && v[b].from <= end[e]->until;
		int64_t time = begins ? v[b].from : end[e]->until;

		hold_add(x, v->lock, holder, waiting, last, time);
		last = time;
		if (begins) {
			if (v[b].holder != TRACE_NONE)
				holder = v[b].holder;
			else if (!waiting || holder == v[b].stream)
				holder = TRACE_NONE;
			waiting++;
			b++;
		} else {
			holder = end[e++]->stream;
			waiting--;
		}
	}
	free(end);
}

/* Adds the waits of one lock as a row. */
static void row_add(struct locks *x, const struct locks_wait *v, size_t n)
{
	struct locks_row *r = array_add(x, row);
	struct map streams = {0};

	*r = (struct locks_row){.lock = v->lock, .holder = TRACE_NONE, .none = v->none};
	for (size_t i = 0; i < n; i++) {
		int64_t ns = v[i].until - v[i].from;

		r->waits++;
		r->ns += ns;
		r->most = ns > r->most ? ns : r->most;
		if (map_get(&streams, v[i].stream) == MAP_NONE) {
			map_set(&streams, v[i].stream, 1);
			r->threads++;
		}
	}
	map_release(&streams);
}

static int by_stream(const void *va, const void *vb)
{
	const struct locks_hold *a = va, *b = vb;

	if (a->stream != b->stream)
		return a->stream < b->stream ? -1 : 1;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return (a->lock > b->lock) - (a->lock < b->lock);
}

/* Sums the blocked time of a row, and finds the stream with most of it. ns: by stream, all 0. */
static void row_holder(struct locks_row *r, const struct locks_hold *v, size_t n, int64_t *ns)
{
	for (size_t i = 0; i < n; i++) {
		int64_t one = v[i].until - v[i].from;

		r->blocked += one;
		if (v[i].stream == TRACE_NONE)
			continue;
		ns[v[i].stream] += one;
		if (ns[v[i].stream] > r->holder_ns) {
			r->holder_ns = ns[v[i].stream];
			r->holder = v[i].stream;
		}
	}
	for (size_t i = 0; i < n; i++)
		if (v[i].stream != TRACE_NONE)
			ns[v[i].stream] = 0;
}

void locks_waits(struct locks *x)
{
	size_t kept = 0, streams = x->m->trace->stream_n;
	int64_t *ns = mem_alloc((streams + 1) * sizeof(*ns));

	memset(ns, 0, (streams + 1) * sizeof(*ns));
	for (size_t i = 0; i < x->wait_n; i++)
		if (x->wait[i].until >= x->wait[i].from)
			x->wait[kept++] = x->wait[i];
	x->wait_n = kept;
	if (kept)
		qsort(x->wait, kept, sizeof(*x->wait), by_lock);
	for (size_t i = 0, n; i < kept; i += n) {
		size_t before = x->hold_n;

		for (n = 1; i + n < kept && x->wait[i + n].lock == x->wait[i].lock;)
			n++;
		row_add(x, &x->wait[i], n);
		if (x->wait[i].none)
			continue;
		lock_play(x, &x->wait[i], n);
		if (x->hold_n > before)
			row_holder(&x->row[x->row_n - 1], &x->hold[before], x->hold_n - before, ns);
	}
	free(ns);
	if (x->hold_n)
		qsort(x->hold, x->hold_n, sizeof(*x->hold), by_stream);
	x->reader = mem_alloc((streams + 1) * sizeof(*x->reader));
	for (size_t s = 0, i = 0; s < streams; s++) {
		while (i < x->hold_n && x->hold[i].stream < s)
			i++;
		x->reader[s].next = i;
	}
}

/* ---- second pass: the call paths of the holders ---- */

static struct locks_path *holder_of(struct locks *x, uint32_t lock, uint32_t stream, uint32_t path)
{
	uint64_t of = ((uint64_t)lock << 32 | stream) * 0x9e3779b97f4a7c15u;
	uint64_t key = of ^ of >> 29 ^ path;
	uint32_t at;

	/* keys of two rows may be equal: then use the next one */
	while ((at = map_get(&x->holder_at, key)) != MAP_NONE) {
		struct locks_path *p = &x->holder[at];

		if (p->lock == lock && p->stream == stream && p->path == path)
			return p;
		key++;
	}
	map_set(&x->holder_at, key, (uint32_t)x->holder_n);
	*array_add(x, holder) = (struct locks_path){.lock = lock, .stream = stream, .path = path};
	return &x->holder[x->holder_n - 1];
}

static void hold_charge(struct locks *x, struct locks_hold *h, uint32_t stream, uint32_t path,
			int64_t ns)
{
	struct locks_path *p = holder_of(x, h->lock, stream, path);

	h->rest -= ns;
	p->blocked += ns;
	p->ns += ns * h->waiting;
}

static void on_busy(void *to, uint32_t stream, uint32_t path, int64_t from, int64_t until)
{
	struct locks *x = to;
	struct locks_reader *r = &x->reader[stream];
	size_t kept = 0;

	for (; r->next < x->hold_n && x->hold[r->next].stream == stream &&
	       x->hold[r->next].from < until;
	     r->next++)
		*array_add(r, now) = r->next;
	for (size_t i = 0; i < r->now_n; i++) {
		struct locks_hold *h = &x->hold[r->now[i]];
		int64_t begin = h->from > from ? h->from : from,
			end = h->until < until ? h->until : until;

		if (end > begin)
			hold_charge(x, h, stream, path, end - begin);
		if (h->until > until)
			r->now[kept++] = r->now[i];
	}
	r->now_n = kept;
}

struct messages_use locks_use_holders(struct locks *x)
{
	return (struct messages_use){.busy = on_busy, .to = x};
}

static int by_path(const void *va, const void *vb)
{
	const struct locks_wait *a = va, *b = vb;

	if (a->lock != b->lock)
		return a->lock < b->lock ? -1 : 1;
	if (a->stream != b->stream)
		return a->stream < b->stream ? -1 : 1;
	return (a->path > b->path) - (a->path < b->path);
}

static int most_first(const void *va, const void *vb)
{
	const struct locks_path *a = va, *b = vb;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	if (a->lock != b->lock)
		return a->lock < b->lock ? -1 : 1;
	if (a->stream != b->stream)
		return a->stream < b->stream ? -1 : 1;
	return (a->path > b->path) - (a->path < b->path);
}

static int most_row_first(const void *va, const void *vb)
{
	const struct locks_row *a = va, *b = vb;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return (a->lock > b->lock) - (a->lock < b->lock);
}

static void waiters_make(struct locks *x)
{
	struct locks_path *p = NULL;

	if (x->wait_n)
		qsort(x->wait, x->wait_n, sizeof(*x->wait), by_path);
	for (size_t i = 0; i < x->wait_n; i++) {
		const struct locks_wait *w = &x->wait[i];
		int64_t ns = w->until - w->from;

		if (!p || by_path(w, &x->wait[i - 1])) {
			p = array_add(x, waiter);
			*p = (struct locks_path){.lock = w->lock, .stream = w->stream,
						 .path = w->path};
		}
		p->waits++;
		p->ns += ns;
		p->most = ns > p->most ? ns : p->most;
	}
}

void locks_end(struct locks *x)
{
	for (size_t i = 0; i < x->hold_n; i++)
		if (x->hold[i].rest > 0)
			hold_charge(x, &x->hold[i], TRACE_NONE, 0, x->hold[i].rest);
	waiters_make(x);
	if (x->row_n)
		qsort(x->row, x->row_n, sizeof(*x->row), most_row_first);
	if (x->holder_n)
		qsort(x->holder, x->holder_n, sizeof(*x->holder), most_first);
	if (x->waiter_n)
		qsort(x->waiter, x->waiter_n, sizeof(*x->waiter), most_first);
}

void locks_release(struct locks *x)
{
	for (size_t s = 0; x->reader && s < x->m->trace->stream_n; s++)
		free(x->reader[s].now);
	free(x->wait);
	free(x->lane);
	free(x->hold);
	free(x->reader);
	free(x->row);
	free(x->holder);
	free(x->waiter);
	map_release(&x->holder_at);
	*x = (struct locks){0};
}
