/* device_use.c: unions of the intervals in which queues of devices execute kernels and copies. */
#include "analyze/messages/device_use.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "analyze/messages/selection.h"
#include "analyze/trace/region_work.h"

/* ---- while streams are read ---- */

static int is_copy(const char *groups)
{
	static const char *const ends[] = {"_COPY", "_MEMORY", "DATA_TRANSFER"};

	for (; groups && *groups; groups += strcspn(groups, "|"), groups += *groups == '|') {
		size_t n = strcspn(groups, "|");

		for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
			if (n >= strlen(ends[i]) &&
			    !strncasecmp(groups + n - strlen(ends[i]), ends[i], strlen(ends[i])))
				return 1;
	}
	return 0;
}

static signed char work_of(const struct trace_region *r)
{
	if (!region_work_useful(region_work_of(r->name, r->groups)) ||
	    !strcmp(r->name, REGION_ROOT))
		return -1;
	return is_copy(r->groups) ? DEVICE_COPY : DEVICE_KERNEL;
}

/* Spans of a stream come in order. */
static void span_add(struct device_spans *s, int64_t begin, int64_t end)
{
	struct device_span *last = s->v_n ? &s->v[s->v_n - 1] : NULL;

	if (end <= begin)
		return;
	if (last && begin <= last->end)
		last->end = end > last->end ? end : last->end;
	else
		*array_add(s, v) = (struct device_span){begin, end};
}

static uint32_t region_of(const struct device_use *x, uint32_t path)
{
	return x->m->paths.v[path].region;
}

static int is_selected(const struct device_use *x, uint32_t stream, uint32_t path)
{
	return path && selection_has(x->m->selection, stream, path);
}

static struct window_span span_of(const struct device_use *x, uint32_t process)
{
	const struct trace_process *p = &x->m->trace->process[process];
	struct window_span s = messages_span(x->m, process);

	s.begin = s.begin > p->start ? s.begin : p->start;
	s.end = s.end < p->end ? s.end : p->end;
	return s;
}

static void on_begins(void *to, uint32_t stream, uint32_t path, int64_t time)
{
	struct device_use *x = to;

	x->at[stream].open = path;
	x->at[stream].since = time;
}

/* The region that began last ends: it had no region inside. */
static void work_end(struct device_use *x, uint32_t stream, int64_t time)
{
	struct device_queue *q = &x->at[stream];
	uint32_t path = q->open;
	struct window_span s;
	signed char work;

	q->open = TRACE_NONE;
	if (path == TRACE_NONE || !is_selected(x, stream, path))
		return;
	work = x->work[region_of(x, path)];
	if (work < 0)
		return;
	s = span_of(x, x->m->trace->stream[stream].process);
	if (time > q->since && q->since >= s.begin && q->since < s.end)
		q->n[(int)work]++;
	span_add(&q->span[(int)work], q->since > s.begin ? q->since : s.begin,
		 time < s.end ? time : s.end);
}

static void on_ends(void *to, uint32_t stream, uint32_t path, int64_t time)
{
	struct device_use *x = to;

	if (x->m->trace->stream[stream].device && x->at[stream].open == path)
		work_end(x, stream, time);
	x->at[stream].open = TRACE_NONE;
}

static void on_value(void *to, uint32_t stream, uint32_t path, int64_t time,
		     const struct event_args *a, int inside)
{
	struct device_use *x = to;
	const struct trace *t = x->m->trace;
	const char *name = t->event[a->value.event].name;
	size_t n = strlen(name);

	(void)time;
	if (!inside || !t->stream[stream].device || !is_selected(x, stream, path) ||
	    x->work[region_of(x, path)] != DEVICE_COPY || n < 4 || strcmp(name + n - 4, " (B)"))
		return;
	x->at[stream].bytes += a->value.value;
}

struct messages_use device_use_use(struct device_use *x, const struct messages *m)
{
	const struct trace *t = m->trace;

	*x = (struct device_use){.m = m};
	x->at = mem_alloc((t->stream_n + 1) * sizeof(*x->at));
	x->work = mem_alloc(t->region_n + 1);
	for (size_t i = 0; i < t->stream_n; i++)
		x->at[i].open = TRACE_NONE;
	for (size_t i = 0; i < t->region_n; i++)
		x->work[i] = work_of(&t->region[i]);
	return (struct messages_use){
		.begins = on_begins, .ends = on_ends, .value = on_value, .to = x};
}

/* ---- rows ---- */

/* The length of a queue's name that is the name of its device. */
static size_t device_length(const char *name)
{
	static const char *const words[] = {" context", " stream", " queue", " other", " unified"};
	size_t n = strlen(name);
	const char *colon = strchr(name, '['), *word;

	colon = colon ? strchr(colon, ':') : NULL;
	if (colon)
		n = (size_t)(colon - name);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		word = strcasestr(name, words[i]);
		n = word && word > name && (size_t)(word - name) < n ? (size_t)(word - name) : n;
	}
	return n;
}

static char *device_name(const char *name)
{
	size_t n = device_length(name);

	return mem_printf("%.*s%s", (int)n, name, name[n] == ':' ? "]" : "");
}

static int by_begin(const void *va, const void *vb)
{
	const struct device_span *a = va, *b = vb;

	return (a->begin > b->begin) - (a->begin < b->begin);
}

/* Sorts, and joins what touches. */
static void spans_join(struct device_spans *s)
{
	size_t n = 0;

	if (s->v_n)
		qsort(s->v, s->v_n, sizeof(*s->v), by_begin);
	for (size_t i = 0; i < s->v_n; i++) {
		if (n && s->v[i].begin <= s->v[n - 1].end) {
			if (s->v[i].end > s->v[n - 1].end)
				s->v[n - 1].end = s->v[i].end;
			continue;
		}
		s->v[n++] = s->v[i];
	}
	s->v_n = n;
}

static void spans_append(struct device_spans *to, const struct device_spans *from)
{
	for (size_t i = 0; i < from->v_n; i++)
		*array_add(to, v) = from->v[i];
}

static int64_t spans_length(const struct device_spans *s)
{
	int64_t sum = 0;

	for (size_t i = 0; i < s->v_n; i++)
		sum += s->v[i].end - s->v[i].begin;
	return sum;
}

/* The numbers of a row from its joined spans. */
static void row_fill(const struct device_use *x, struct device_row *r,
		     const struct device_spans span[DEVICE_WORKS])
{
	struct window_span life = span_of(x, r->process);
	struct device_spans all = {0};
	int64_t last = life.begin;

	r->life = life.end > life.begin ? life.end - life.begin : 0;
	for (int w = 0; w < DEVICE_WORKS; w++) {
		r->ns[w] = spans_length(&span[w]);
		spans_append(&all, &span[w]);
	}
	spans_join(&all);
	r->busy = spans_length(&all);
	r->both = r->ns[DEVICE_KERNEL] + r->ns[DEVICE_COPY] - r->busy;
	for (size_t i = 0; i < all.v_n; i++) {
		r->gap = all.v[i].begin - last > r->gap ? all.v[i].begin - last : r->gap;
		last = all.v[i].end;
	}
	if (r->life)
		r->gap = life.end - last > r->gap ? life.end - last : r->gap;
	free(all.v);
}

static void device_fill(struct device_use *x, uint32_t device)
{
	struct device_row *r = &x->device[device];
	struct device_spans span[DEVICE_WORKS] = {{0}};

	for (size_t i = 0; i < x->queue_n; i++) {
		const struct device_row *q = &x->queue[i];

		if (q->device != device)
			continue;
		r->queues++;
		r->bytes += q->bytes;
		for (int w = 0; w < DEVICE_WORKS; w++) {
			r->n[w] += q->n[w];
			spans_append(&span[w], &x->at[q->stream].span[w]);
		}
	}
	for (int w = 0; w < DEVICE_WORKS; w++)
		spans_join(&span[w]);
	row_fill(x, r, span);
	for (int w = 0; w < DEVICE_WORKS; w++)
		free(span[w].v);
}

static uint32_t device_find(struct device_use *x, struct names *names, uint32_t process,
			    const char *queue)
{
	char *name = device_name(queue), *key = mem_printf("%" PRIu32 " %s", process, name);
	uint32_t id = names_add(names, key, strlen(key));

	if (id == x->device_n)
		*array_add(x, device) =
			(struct device_row){.process = process, .stream = TRACE_NONE, .name = name};
	else
		free(name);
	free(key);
	return id;
}

static int busiest(const void *va, const void *vb)
{
	const struct device_row *a = va, *b = vb;

	if (a->busy != b->busy)
		return a->busy > b->busy ? -1 : 1;
	if (a->process != b->process)
		return a->process > b->process ? 1 : -1;
	return a->stream != b->stream ? (a->stream > b->stream ? 1 : -1)
				      : strverscmp(a->name, b->name);
}

static int by_device(const void *va, const void *vb)
{
	const struct device_row *a = va, *b = vb;

	return a->device != b->device ? (a->device > b->device ? 1 : -1) : busiest(va, vb);
}

/* Sorts devices, and queues by them. */
static void order(struct device_use *x)
{
	uint32_t *place = mem_alloc((x->device_n + 1) * sizeof(*place));

	for (uint32_t i = 0; i < x->device_n; i++)
		x->device[i].device = i;
	if (x->device_n)
		qsort(x->device, x->device_n, sizeof(*x->device), busiest);
	for (uint32_t i = 0; i < x->device_n; i++)
		place[x->device[i].device] = i;
	for (size_t i = 0; i < x->queue_n; i++)
		x->queue[i].device = place[x->queue[i].device];
	for (uint32_t i = 0; i < x->device_n; i++)
		x->device[i].device = i;
	if (x->queue_n)
		qsort(x->queue, x->queue_n, sizeof(*x->queue), by_device);
	free(place);
}

void device_use_end(struct device_use *x)
{
	const struct trace *t = x->m->trace;
	struct names names = {0};

	for (uint32_t s = 0; s < t->stream_n; s++) {
		const struct trace_stream *stream = &t->stream[s];
		struct device_queue *q = &x->at[s];
		const char *name = stream->label ? stream->label : stream->name;
		struct device_row *r;

		if (!stream->device || !selection_stream(x->m->selection, s))
			continue;
		if (q->open != TRACE_NONE)
			work_end(x, s, span_of(x, stream->process).end);
		r = array_add(x, queue);
		*r = (struct device_row){.process = stream->process,
					 .stream = s,
					 .name = mem_string(name ? name : ""),
					 .queues = 1,
					 .bytes = q->bytes};
		r->device = device_find(x, &names, stream->process, r->name);
		memcpy(r->n, q->n, sizeof(r->n));
		row_fill(x, r, q->span);
	}
	for (uint32_t i = 0; i < x->device_n; i++)
		device_fill(x, i);
	order(x);
	names_release(&names);
}

void device_use_release(struct device_use *x)
{
	for (size_t i = 0; x->at && i < x->m->trace->stream_n; i++)
		for (int w = 0; w < DEVICE_WORKS; w++)
			free(x->at[i].span[w].v);
	for (size_t i = 0; i < x->device_n; i++)
		free(x->device[i].name);
	for (size_t i = 0; i < x->queue_n; i++)
		free(x->queue[i].name);
	free(x->at);
	free(x->work);
	free(x->device);
	free(x->queue);
	*x = (struct device_use){0};
}
