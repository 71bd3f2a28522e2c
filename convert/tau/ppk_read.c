/* ppk_read.c: reads packed profiles (format: ppk.c) by thread, from memory, a file or a pipe. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "analyze/profile/profile.h"
#include "analyze/profile/waiting_threads.h"
#include "convert/tau/tau_numbered.h"
#include "convert/tau/ppk_stream.h"
#include "convert/profile_format.h"
#include "convert/io/regular.h"
#include "convert/io/utf8.h"

#define PPK_VERSION 2
#define BUFFER      (1 << 18)
#define GROUPS_MOST 65536 /* bytes of the names of a timer's groups; more are damage */

struct ppk_stream {
	char *path;
	gzFile file;           /* NULL: all bytes are in memory */
	unsigned char *buffer; /* the caller's, when in memory */
	size_t at, n;          /* of the buffer */
	uint64_t before;       /* bytes before the buffer */
	int owned, bad, failed; /* the buffer is the stream's; it is damaged; the system refused */
	unsigned options;
	struct tau_numbered f; /* the definitions */
	struct names group;
	uint32_t *group_of; /* number in the file -> number in `group` */
	size_t group_of_n, group_of_cap;
	uint32_t *function, *event; /* number in the file -> number in f */
	size_t function_n, function_cap, event_n, event_cap;
	struct profile *p;
	uint32_t *path_of;           /* by function of f */
	struct numbered_place *place_of; /* by event of f */
	struct numbered_thread *meta;    /* metadata of threads in the order of the file */
	size_t meta_n, meta_cap;
	struct names meta_of; /* node, context and thread -> index of meta */
	uint32_t left; /* threads still to come */
	struct profile_thread thread;
	char *text; /* the one read last */
	size_t text_cap;
};

/* ---- bytes ---- */

/* Makes at least one more byte available. 0: there is none. */
static int refill(struct ppk_stream *s)
{
	int got;

	if (!s->file)
		return 0;
	s->before += s->n;
	s->at = s->n = 0;
	got = gzread(s->file, s->buffer, BUFFER);
	if (got > 0)
		s->n = (size_t)got;
	else
		s->failed = (gzerror(s->file, &got), got == Z_ERRNO);
	return s->n > 0;
}

static unsigned get_byte(struct ppk_stream *s)
{
	if (s->at == s->n && !refill(s)) {
		s->bad = 1;
		return 0;
	}
	return s->buffer[s->at++];
}

static uint32_t get_int(struct ppk_stream *s)
{
	const unsigned char *b = s->buffer + s->at;
	uint32_t v = 0;

	if (s->n - s->at >= 4) {
		s->at += 4;
		return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
	}
	for (int i = 0; i < 4; i++)
		v = v << 8 | get_byte(s);
	return s->bad ? 0 : v;
}

static double get_double(struct ppk_stream *s)
{
	uint64_t high = get_int(s), bits = high << 32 | get_int(s);
	double v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

static void skip(struct ppk_stream *s, uint64_t n)
{
	while (n && !s->bad) {
		size_t here = s->n - s->at;

		if (!here && !refill(s)) {
			s->bad = 1;
			return;
		}
		here = s->n - s->at < n ? s->n - s->at : (size_t)n;
		s->at += here;
		n -= here;
	}
}

static int bad(struct ppk_stream *s, const char *what, struct error *e)
{
	if (s->failed)
		return error_set(e, ERROR_SYSTEM, "%s: %s", s->path, strerror(errno));
	return error_set(e, ERROR_INPUT, "%s: offset %ju of the unpacked bytes: %s", s->path,
			 (uintmax_t)(s->before + s->at), what);
}

/* ---- texts ---- */

/* Java writes NUL as two bytes, and characters beyond 16 bits as two surrogates of three bytes each. */
static uint32_t java_char(const unsigned char **p, const unsigned char *end)
{
	const unsigned char *s = *p;

	if (end - s >= 2 && s[0] == 0xc0 && s[1] == 0x80) {
		*p = s + 2;
		return ' ';
	}
	if (end - s >= 6 && s[0] == 0xed && s[1] >= 0xa0 && s[1] < 0xb0 && s[3] == 0xed &&
	    s[4] >= 0xb0 && s[4] < 0xc0) {
		*p = s + 6;
		return 0x10000 + ((uint32_t)(s[1] & 0xf) << 16 | (uint32_t)(s[2] & 0x3f) << 10 |
				  (uint32_t)(s[4] & 0xf) << 6 | (s[5] & 0x3f));
	}
	return utf8_next(p, end);
}

/* Valid until the next text. */
static const char *get_text(struct ppk_stream *s)
{
	size_t length = get_byte(s) << 8, n = 0;
	unsigned char raw[UINT16_MAX + 8];
	const unsigned char *at = raw;

	length |= get_byte(s);
	for (size_t i = 0; i < length && !s->bad; i++)
		raw[i] = (unsigned char)get_byte(s);
	if (s->text_cap < 2 * length + 4) {
		s->text_cap = 2 * length + 4;
		s->text = mem_resize(s->text, s->text_cap, 1);
	}
	while (!s->bad && at < raw + length) {
		uint32_t c = java_char(&at, raw + length);

		n += utf8_put(s->text + n, c ? c : ' ');
	}
	s->text[n] = 0;
	return s->text;
}

static void get_attribute(struct ppk_stream *s, struct profile_attribute *a)
{
	a->name = mem_string(get_text(s));
	a->value = mem_string(get_text(s));
}

/* ---- definitions ---- */

/* Of a thread that is named twice, the first metadata hold. */
static void read_thread_meta(struct ppk_stream *s)
{
	uint32_t place[3] = {get_int(s)}, n;
	struct numbered_thread *t = NULL;

	place[1] = get_int(s);
	place[2] = get_int(s);
	n = get_int(s);
	if (n && !s->bad && names_add(&s->meta_of, (const char *)place, sizeof(place)) == s->meta_n)
		t = array_add(s, meta);
	for (; n && !s->bad; n--) {
		struct profile_attribute a;

		get_attribute(s, &a);
		if (t && (!(s->options & PPK_FEW_THREAD_META) || waiting_decides(a.name))) {
			*array_add(t, meta) = a;
			continue;
		}
		free(a.name);
		free(a.value);
	}
}

static int read_header(struct ppk_stream *s, uint64_t length, struct error *e)
{
	uint64_t from = s->before + s->at, used;

	skip(s, get_int(s));
	for (uint32_t n = get_int(s); n && !s->bad; n--)
		get_attribute(s, array_add(&s->f, meta));
	for (uint32_t n = get_int(s); n && !s->bad; n--)
		read_thread_meta(s);
	used = s->before + s->at - from;
	if (used > length)
		s->bad = 1;
	skip(s, s->bad ? 0 : length - used);
	return s->bad ? bad(s, "the header with the metadata is cut short or damaged", e) : 0;
}

static int read_names(struct ppk_stream *s, struct error *e)
{
	uint32_t n;

	for (n = get_int(s); n && !s->bad; n--) {
		const char *name = get_text(s);

		if (names_find(&s->f.metric, name, strlen(name)) >= 0)
			return bad(s, "a metric is in it twice", e);
		names_add(&s->f.metric, name, strlen(name));
	}
	for (n = get_int(s); n && !s->bad; n--) {
		const char *name = get_text(s);

		*array_add(s, group_of) = names_add(&s->group, name, strlen(name));
	}
	return s->bad ? bad(s, "the names of metrics and groups are cut short or damaged", e) : 0;
}

/* "A|B"; to be freed. */
static char *read_groups(struct ppk_stream *s)
{
	struct {
		char *v;
		size_t v_n, v_cap;
	} to = {0};

	for (uint32_t k = get_int(s); k && !s->bad; k--) {
		uint32_t g = get_int(s);

		s->bad |= g >= s->group_of_n || to.v_n > GROUPS_MOST;
		if (to.v_n && !s->bad)
			*array_add(&to, v) = '|';
		for (const char *c = s->bad ? "" : s->group.name[s->group_of[g]]; *c; c++)
			*array_add(&to, v) = *c;
	}
	*array_add(&to, v) = 0;
	return to.v;
}

static int read_functions(struct ppk_stream *s, struct error *e)
{
	for (uint32_t n = get_int(s); n && !s->bad; n--) {
		char *name = mem_string(get_text(s)), *groups = read_groups(s);

		*array_add(s, function) = numbered_function(&s->f, name, groups);
		free(name);
		free(groups);
	}
	return s->bad ? bad(s, "the table of timers is cut short or damaged", e) : 0;
}

static int read_events(struct ppk_stream *s, struct error *e)
{
	for (uint32_t n = get_int(s); n && !s->bad; n--) {
		const char *name = get_text(s);
		size_t before = s->f.event.name_n;
		uint32_t id = numbered_event(&s->f, name, 0);

		if (s->f.event.name_n == before)
			id = numbered_event(&s->f, name, 1);
		*array_add(s, event) = id;
	}
	return s->bad ? bad(s, "the table of events is cut short or damaged", e) : 0;
}

static int read_definitions(struct ppk_stream *s, struct error *e)
{
	uint32_t version, oldest, length;
	int code = 0;

	skip(s, 6);
	version = get_int(s);
	oldest = get_int(s);
	length = get_int(s);
	if (s->bad)
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
		skip(s, length);
	code = code ? code : read_names(s, e);
	code = code ? code : read_functions(s, e);
	code = code ? code : read_events(s, e);
	if (code)
		return code;
	s->path_of = mem_alloc((s->f.function_n + 1) * sizeof(*s->path_of));
	s->place_of = mem_alloc((s->f.event.name_n + 1) * sizeof(*s->place_of));
	code = numbered_define(&s->f, s->path, s->p, s->path_of, s->place_of, e);
	numbered_trial(&s->f, s->p);
	s->left = get_int(s);
	return code || !s->bad ? code : bad(s, "the table of threads is cut short or damaged", e);
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

	for (uint32_t n = get_int(s); n && !s->bad; n--) {
		uint32_t id = get_int(s);
		struct profile_row *row;

		if (id >= s->function_n)
			return bad(s, "a row names a timer that is not in the table", e);
		row = array_add(t, row);
		row->path = s->path_of[s->function[id]];
		row->calls = get_double(s);
		row->subrs = get_double(s);
		row->first = t->values_n;
		for (size_t m = 0; m < 2 * metrics; m++)
			*array_add(t, values) = 0;
		for (size_t m = 0; m < metrics; m++) {
			t->values[row->first + metrics + m] = get_double(s);
			t->values[row->first + m] = get_double(s);
		}
	}
	for (uint32_t n = get_int(s); n && !s->bad; n--) {
		uint32_t id = get_int(s);
		struct profile_sample *v;

		if (id >= s->event_n)
			return bad(s, "a row names an event that is not in the table", e);
		v = array_add(t, sample);
		v->counter = s->place_of[s->event[id]].counter;
		v->path = s->place_of[s->event[id]].path;
		v->n = (int32_t)get_int(s);
		v->min = get_double(s);
		v->max = get_double(s);
		v->mean = get_double(s);
		v->sumsq = get_double(s);
	}
	return s->bad ? bad(s, "the rows of a thread are cut short or damaged", e) : 0;
}

/* The metadata that the header has for a thread. */
static void find_meta(struct ppk_stream *s)
{
	struct profile_thread *t = &s->thread;
	const int32_t place[3] = {t->node, t->context, t->thread};
	int64_t at = names_find(&s->meta_of, (const char *)place, sizeof(place));

	t->meta = at < 0 ? NULL : s->meta[at].meta;
	t->meta_n = at < 0 ? 0 : s->meta[at].meta_n;
}

int ppk_stream_next(struct ppk_stream *s, const struct profile_thread **out, struct error *e)
{
	struct profile_thread *t = &s->thread;
	int code;

	*out = t;
	if (!s->left && (s->at < s->n || refill(s) || s->failed))
		return bad(s, s->n - s->at >= 6 && !memcmp(s->buffer + s->at, "\0P\0P\0K", 6) ?
			   "another packed profile follows: import each by itself" :
			   "there are bytes after the last thread", e);
	if (!s->left)
		return 0;
	s->left--;
	t->row_n = t->values_n = t->sample_n = 0;
	t->node = (int32_t)get_int(s);
	t->context = (int32_t)get_int(s);
	t->thread = (int32_t)get_int(s);
	if (s->bad)
		return bad(s, "the table of threads is cut short or damaged", e);
	if (t->node < 0)
		return bad(s, "a thread has a negative node", e);
	code = read_rows(s, e);
	if (code < 0)
		return code;
	thread_sort(t, s->p->metric_n);
	find_meta(s);
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
	}
	return code;
}

/* ---- opening and closing ---- */

int ppk_is(const unsigned char *p, size_t n)
{
	return n >= 6 && !memcmp(p, "\0P\0P\0K", 6);
}

int ppk_stream_is(const char *path)
{
	unsigned char head[6];
	int fd = regular_open(path, NULL);
	gzFile f = fd < 0 ? NULL : gzdopen(fd, "rb");
	int n = f ? gzread(f, head, sizeof(head)) : -1;

	gzclose(f);
	return n > 0 && ppk_is(head, (size_t)n);
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

	*out = s;
	s->buffer = mem_alloc(BUFFER);
	s->owned = 1;
	s->file = strcmp(path, "-") ? gzopen(path, "rb") : gzdopen(dup(0), "rb");
	if (!s->file)
		return error_set(e, ERROR_SYSTEM, "%s: %s", s->path, strerror(errno));
	gzbuffer(s->file, BUFFER);
	refill(s);
	if (!ppk_is(s->buffer, s->n))
		return s->failed ? bad(s, "", e)
				 : error_set(e, ERROR_INPUT, "%s: not a packed profile", s->path);
	return read_definitions(s, e);
}

void ppk_stream_close(struct ppk_stream *s)
{
	if (s->file)
		gzclose(s->file);
	if (s->owned)
		free(s->buffer);
	for (size_t i = 0; i < s->meta_n; i++) {
		for (size_t k = 0; k < s->meta[i].meta_n; k++) {
			free(s->meta[i].meta[k].name);
			free(s->meta[i].meta[k].value);
		}
		free(s->meta[i].meta);
	}
	free(s->meta);
	free(s->thread.row);
	free(s->thread.values);
	free(s->thread.sample);
	numbered_release(&s->f);
	names_release(&s->group);
	names_release(&s->meta_of);
	free(s->group_of);
	free(s->function);
	free(s->event);
	free(s->path_of);
	free(s->place_of);
	free(s->text);
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

	s->buffer = (unsigned char *)p;
	s->n = n;
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
