/* ppk_read.c: reads packed profiles (format: ppk.c) by thread, from memory, a file or a pipe. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <zlib.h>

#include "analyze/profile/profile.h"
#include "analyze/profile/waiting_threads.h"
#include "convert/tau/tau_numbered.h"
#include "convert/tau/ppk_bytes.h"
#include "convert/tau/ppk_stream.h"
#include "convert/profile_format.h"
#include "convert/io/blob.h"
#include "convert/io/regular.h"

#define PPK_VERSION 2
#define GROUPS_MOST 65536 /* bytes of the names of a timer's groups; more are damage */
#define GROUPS_MANY                                                                                \
	(16 << 20) /* of all timers: at most this and the bytes read, because timers share names   \
		    */

struct ppk_stream {
	char *path;
	struct ppk_bytes b;
	unsigned options;
	struct tau_numbered f; /* the definitions */
	struct names group;
	uint32_t *group_of; /* number in the file -> number in `group` */
	size_t group_of_n, group_of_cap;
	uint64_t groups_n;          /* bytes of the names of all timers' groups */
	uint32_t *function, *event; /* number in the file -> number in f */
	size_t function_n, function_cap, event_n, event_cap;
	char *text; /* the groups read last */
	size_t text_n, text_cap;
	struct profile *p;
	uint32_t *path_of;           /* by function of f */
	struct numbered_place *place_of; /* by event of f */
	struct numbered_thread *meta;    /* metadata of threads in the order of the file */
	size_t meta_n, meta_cap;
	struct names meta_of; /* node, context and thread -> index of meta */
	uint32_t left; /* threads still to come */
	struct profile_thread thread;
};

static int bad(struct ppk_stream *s, const char *what, struct error *e)
{
	if (s->b.failed)
		return error_set(e, ERROR_SYSTEM, "%s: %s", s->path, strerror(errno));
	if (s->b.vast)
		return error_set(e, ERROR_INPUT,
				 "%s: its definitions unpack to more than %d times their size, so "
				 "memory may not suffice: "
				 "unpack it with gzip -d if this is right",
				 s->path, BLOB_RATIO);
	return error_set(e, ERROR_INPUT, "%s: offset %ju of the unpacked bytes: %s", s->path,
			 (uintmax_t)(s->b.before + s->b.at), what);
}

static void get_attribute(struct ppk_stream *s, struct profile_attribute *a)
{
	a->name = mem_string(ppk_text(&s->b));
	a->value = mem_string(ppk_text(&s->b));
}

/* ---- definitions ---- */

/* The metadata of a thread, to be filled; NULL: it has been named before, whose metadata hold. */
static struct numbered_thread *thread_meta(struct ppk_stream *s, const uint32_t *place)
{
	uint32_t id = names_add(&s->meta_of, (const char *)place, 3 * sizeof(*place));

	return id == s->meta_n ? array_add(s, meta) : NULL;
}

static void meta_free(struct numbered_thread *t)
{
	for (size_t i = 0; i < t->meta_n; i++) {
		free(t->meta[i].name);
		free(t->meta[i].value);
	}
	free(t->meta);
	t->meta = NULL;
	t->meta_n = t->meta_cap = 0;
}

static void read_thread_meta(struct ppk_stream *s)
{
	uint32_t place[3] = {ppk_int(&s->b)}, n;
	struct numbered_thread *t = NULL;
	int looked = 0;

	place[1] = ppk_int(&s->b);
	place[2] = ppk_int(&s->b);
	n = ppk_int(&s->b);
	for (; n && !s->b.bad; n--) {
		struct profile_attribute a;
		int kept;

		get_attribute(s, &a);
		kept = !(s->options & PPK_FEW_THREAD_META) || waiting_decides(a.name);
		if (kept && !looked++)
			t = thread_meta(s, place);
		if (kept && t) {
			*array_add(t, meta) = a;
			continue;
		}
		free(a.name);
		free(a.value);
	}
}

static int read_header(struct ppk_stream *s, uint64_t length, struct error *e)
{
	uint64_t from = s->b.before + s->b.at, used;

	ppk_skip(&s->b, ppk_int(&s->b));
	for (uint32_t n = ppk_int(&s->b); n && !s->b.bad; n--)
		get_attribute(s, array_add(&s->f, meta));
	for (uint32_t n = ppk_int(&s->b); n && !s->b.bad; n--)
		read_thread_meta(s);
	used = s->b.before + s->b.at - from;
	if (used > length)
		s->b.bad = 1;
	ppk_skip(&s->b, s->b.bad ? 0 : length - used);
	return s->b.bad ? bad(s, "the header with the metadata is cut short or damaged", e) : 0;
}

static int read_names(struct ppk_stream *s, struct error *e)
{
	uint32_t n;

	for (n = ppk_int(&s->b); n && !s->b.bad; n--) {
		const char *name = ppk_text(&s->b);

		if (names_find(&s->f.metric, name, strlen(name)) >= 0)
			return bad(s, "a metric is in it twice", e);
		names_add(&s->f.metric, name, strlen(name));
	}
	for (n = ppk_int(&s->b); n && !s->b.bad; n--) {
		const char *name = ppk_text(&s->b);

		*array_add(s, group_of) = names_add(&s->group, name, strlen(name));
	}
	return s->b.bad ? bad(s, "the names of metrics and groups are cut short or damaged", e) : 0;
}

/* "A|B"; valid until the next call. */
static const char *read_groups(struct ppk_stream *s)
{
	s->text_n = 0;

	for (uint32_t k = ppk_int(&s->b); k && !s->b.bad; k--) {
		uint32_t g = ppk_int(&s->b);

		s->b.bad |= g >= s->group_of_n || s->text_n > GROUPS_MOST ||
			    s->groups_n > GROUPS_MANY + s->b.before + s->b.at;
		if (s->text_n && !s->b.bad)
			*array_add(s, text) = '|';
		for (const char *c = s->b.bad ? "" : s->group.name[s->group_of[g]]; *c; c++)
			*array_add(s, text) = *c;
	}
	s->groups_n += s->text_n;
	*array_add(s, text) = 0;
	return s->text;
}

static int read_functions(struct ppk_stream *s, struct error *e)
{
	for (uint32_t n = ppk_int(&s->b); n && !s->b.bad; n--) {
		char *name = mem_string(ppk_text(&s->b));
		const char *groups = read_groups(s);

		*array_add(s, function) = numbered_function(&s->f, name, groups);
		free(name);
	}
	if (s->groups_n > GROUPS_MANY + s->b.before + s->b.at)
		return bad(s, "the names of the timers' groups together are larger than the file",
			   e);
	return s->b.bad ? bad(s, "the table of timers is cut short or damaged", e) : 0;
}

static int read_events(struct ppk_stream *s, struct error *e)
{
	for (uint32_t n = ppk_int(&s->b); n && !s->b.bad; n--) {
		const char *name = ppk_text(&s->b);
		size_t before = s->f.event.name_n;
		uint32_t id = numbered_event(&s->f, name, 0);

		if (s->f.event.name_n == before)
			id = numbered_event(&s->f, name, 1);
		*array_add(s, event) = id;
	}
	return s->b.bad ? bad(s, "the table of events is cut short or damaged", e) : 0;
}

static int read_definitions(struct ppk_stream *s, struct error *e)
{
	uint32_t version, oldest, length;
	int code = 0;

	ppk_skip(&s->b, 6);
	version = ppk_int(&s->b);
	oldest = ppk_int(&s->b);
	length = ppk_int(&s->b);
	if (s->b.bad)
		return bad(s, "a packed profile ends within its header", e);
	if (oldest > PPK_VERSION)
		return error_set(
			e, ERROR_INPUT,
			"%s: a packed profile of version %u, which only readers of version "
			"%u and later understand",
			s->path, version, oldest);
	if (version >= 2)
		code = read_header(s, length, e);
	else
		ppk_skip(&s->b, length);
	code = code ? code : read_names(s, e);
	code = code ? code : read_functions(s, e);
	code = code ? code : read_events(s, e);
	if (code)
		return code;
	s->path_of = mem_alloc((s->f.function_n + 1) * sizeof(*s->path_of));
	s->place_of = mem_alloc((s->f.event.name_n + 1) * sizeof(*s->place_of));
	code = numbered_define(&s->f, s->path, s->p, s->path_of, s->place_of, e);
	numbered_trial(&s->f, s->p);
	s->left = ppk_int(&s->b);
	return code || !s->b.bad ? code : bad(s, "the table of threads is cut short or damaged", e);
}

/* ---- threads ---- */

static int row_order(const void *va, const void *vb)
{
	const struct profile_row *a = va, *b = vb;

	return a->path != b->path ? (a->path > b->path) - (a->path < b->path)
				  : (a->first > b->first) - (a->first < b->first);
}

static int sample_order(const void *va, const void *vb)
{
	const struct profile_sample *a = va, *b = vb;

	return a->counter != b->counter ? (a->counter > b->counter) - (a->counter < b->counter)
					: (a->path > b->path) - (a->path < b->path);
}

/* Several timers of the file may be one path: their rows are added up. */
static void join_rows(struct profile_thread *t, size_t metrics)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->row_n; i++) {
		struct profile_row *last = kept ? &t->row[kept - 1] : NULL, r = t->row[i];

		if (!last || last->path != r.path) {
			t->row[kept++] = r;
			continue;
		}
		last->calls += r.calls;
		last->subrs += r.subrs;
		for (size_t k = 0; k < 2 * metrics; k++)
			t->values[last->first + k] += t->values[r.first + k];
	}
	t->row_n = kept;
}

static void join_samples(struct profile_thread *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->sample_n; i++) {
		struct profile_sample *s = kept ? &t->sample[kept - 1] : NULL, v = t->sample[i];
		double n;

		if (!s || s->counter != v.counter || s->path != v.path) {
			t->sample[kept++] = v;
			continue;
		}
		n = s->n + v.n;
		s->max = fmax(s->max, v.max);
		s->min = fmin(s->min, v.min);
		s->mean = n > 0 ? (s->mean * s->n + v.mean * v.n) / n : v.mean;
		s->sumsq += v.sumsq;
		s->n = n;
	}
	t->sample_n = kept;
}

/* Mostly in order already, and each once. */
static void thread_sort(struct profile_thread *t, size_t metrics)
{
	int in_order = 1;

	for (size_t i = 1; i < t->row_n; i++)
		in_order &= t->row[i - 1].path < t->row[i].path;
	if (!in_order) {
		qsort(t->row, t->row_n, sizeof(*t->row), row_order);
		join_rows(t, metrics);
	}
	in_order = 1;
	for (size_t i = 1; i < t->sample_n; i++)
		in_order &= sample_order(&t->sample[i - 1], &t->sample[i]) < 0;
	if (!in_order) {
		qsort(t->sample, t->sample_n, sizeof(*t->sample), sample_order);
		join_samples(t);
	}
}

static int read_rows(struct ppk_stream *s, struct error *e)
{
	struct profile_thread *t = &s->thread;
	size_t metrics = s->p->metric_n;

	for (uint32_t n = ppk_int(&s->b); n && !s->b.bad; n--) {
		uint32_t id = ppk_int(&s->b);
		struct profile_row *row;

		if (id >= s->function_n)
			return bad(s, "a row names a timer that is not in the table", e);
		row = array_add(t, row);
		row->path = s->path_of[s->function[id]];
		row->calls = ppk_double(&s->b);
		row->subrs = ppk_double(&s->b);
		row->first = t->values_n;
		for (size_t m = 0; m < 2 * metrics; m++)
			*array_add(t, values) = 0;
		for (size_t m = 0; m < metrics; m++) {
			t->values[row->first + metrics + m] = ppk_double(&s->b);
			t->values[row->first + m] = ppk_double(&s->b);
		}
	}
	for (uint32_t n = ppk_int(&s->b); n && !s->b.bad; n--) {
		uint32_t id = ppk_int(&s->b);
		struct profile_sample *v;

		if (id >= s->event_n)
			return bad(s, "a row names an event that is not in the table", e);
		v = array_add(t, sample);
		v->counter = s->place_of[s->event[id]].counter;
		v->path = s->place_of[s->event[id]].path;
		v->n = (int32_t)ppk_int(&s->b);
		v->min = ppk_double(&s->b);
		v->max = ppk_double(&s->b);
		v->mean = ppk_double(&s->b);
		v->sumsq = ppk_double(&s->b);
	}
	return s->b.bad ? bad(s, "the rows of a thread are cut short or damaged", e) : 0;
}

/* The metadata that the header has for a thread; NULL: none. */
static struct numbered_thread *find_meta(struct ppk_stream *s)
{
	const int32_t place[3] = {s->thread.node, s->thread.context, s->thread.thread};
	int64_t at = names_find(&s->meta_of, (const char *)place, sizeof(place));

	return at < 0 ? NULL : &s->meta[at];
}

int ppk_stream_next(struct ppk_stream *s, const struct profile_thread **out, struct error *e)
{
	struct profile_thread *t = &s->thread;
	const struct numbered_thread *m;
	int code;

	*out = t;
	if (!s->left && (s->b.at < s->b.n || ppk_refill(&s->b) || s->b.failed))
		return bad(s,
			   ppk_is(s->b.buffer + s->b.at, s->b.n - s->b.at)
				   ? "another packed profile follows: import each by itself"
				   : "there are bytes after the last thread",
			   e);
	if (!s->left)
		return 0;
	s->left--;
	t->row_n = t->values_n = t->sample_n = 0;
	t->node = (int32_t)ppk_int(&s->b);
	t->context = (int32_t)ppk_int(&s->b);
	t->thread = (int32_t)ppk_int(&s->b);
	if (s->b.bad)
		return bad(s, "the table of threads is cut short or damaged", e);
	if (t->node < 0)
		return bad(s, "a thread has a negative node", e);
	code = read_rows(s, e);
	if (code < 0)
		return code;
	thread_sort(t, s->p->metric_n);
	m = find_meta(s);
	t->meta = m ? m->meta : NULL;
	t->meta_n = m ? m->meta_n : 0;
	return 1;
}

int ppk_stream_rest(struct ppk_stream *s, struct error *e)
{
	const struct profile_thread *t;
	struct profile *p = s->p;
	int code;

	while ((code = ppk_stream_next(s, &t, e)) == 1) {
		size_t before = p->thread_n;
		uint32_t id = profile_add_thread(p, t->node, t->context, t->thread);
		struct profile_thread *to = &p->thread[id];

		if (p->thread_n == before)
			return error_set(e, ERROR_INPUT, "%s: thread %d.%d.%d is in it twice",
					 s->path, t->node, t->context, t->thread);
		/* As much as there is, and no more: there may be very many. */
		to->row = mem_copy(t->row, t->row_n, sizeof(*t->row));
		to->values = mem_copy(t->values, t->values_n, sizeof(*t->values));
		to->sample = mem_copy(t->sample, t->sample_n, sizeof(*t->sample));
		to->row_n = to->row_cap = t->row_n;
		to->values_n = to->values_cap = t->values_n;
		to->sample_n = to->sample_cap = t->sample_n;
		for (size_t i = 0; i < t->meta_n; i++)
			profile_set_meta(p, id, t->meta[i].name, t->meta[i].value);
		/* Not two copies of all: metadata can be most of the memory. */
		if (t->meta_n)
			meta_free(find_meta(s));
	}
	return code;
}

/* ---- opening and closing ---- */

int ppk_is(const unsigned char *p, size_t n)
{
	return n >= 6 && !memcmp(p, "\0P\0P\0K", 6);
}

static struct ppk_stream *stream_new(const char *path, unsigned options)
{
	struct ppk_stream *s = mem_alloc(sizeof(*s));

	s->path = mem_string(strcmp(path, "-") ? path : "standard input");
	s->options = options;
	s->p = profile_new();
	s->p->source = 0;
	return s;
}

int ppk_stream_open(const char *path, unsigned options, struct ppk_stream **out, struct error *e)
{
	struct ppk_stream *s = stream_new(path, options);
	int code;

	*out = s;
	s->b.kept = 1;
	if (ppk_bytes_open(&s->b, path))
		return error_set(e, ERROR_SYSTEM, "%s: %s", s->path, strerror(errno));
	ppk_refill(&s->b);
	if (!ppk_is(s->b.buffer, s->b.n))
		return s->b.failed ? bad(s, "", e)
				 : error_set(e, ERROR_INPUT, "%s: not a packed profile", s->path);
	code = read_definitions(s, e);
	s->b.kept = s->b.vast = 0;
	return code;
}

void ppk_stream_close(struct ppk_stream *s)
{
	ppk_bytes_close(&s->b);
	for (size_t i = 0; i < s->meta_n; i++)
		meta_free(&s->meta[i]);
	free(s->meta);
	free(s->thread.row);
	free(s->thread.values);
	free(s->thread.sample);
	numbered_release(&s->f);
	names_release(&s->group);
	names_release(&s->meta_of);
	free(s->group_of);
	free(s->text);
	free(s->function);
	free(s->event);
	free(s->path_of);
	free(s->place_of);
	free(s->path);
	profile_free(s->p);
	free(s);
}

struct profile *ppk_stream_profile(struct ppk_stream *s)
{
	return s->p;
}

int ppk_read(const char *path, const unsigned char *p, size_t n, struct profile **out,
	     struct error *e)
{
	struct ppk_stream *s = stream_new(path, 0);
	int code;

	s->b.buffer = (unsigned char *)p;
	s->b.n = n;
	code = read_definitions(s, e);
	if (!code)
		code = ppk_stream_rest(s, e);
	if (!code) {
		*out = s->p;
		s->p = NULL;
		profile_sort(*out);
	}
	ppk_stream_close(s);
	return code;
}
