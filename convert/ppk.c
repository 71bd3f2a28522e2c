/*
 * ppk.c: TAU's packed profiles, read and written. One gzip stream of what Java's DataOutputStream
 *writes: big-endian numbers, and texts (UTF) of a 16-bit length and so many bytes of Java's UTF-8.
 *
 *	char 'P' 'P' 'K' (16 bits each), int version, int oldest reader that can read it (1 or 2)
 *	int h, and h bytes:	version 2: int s, s bytes to skip, int n { UTF name, UTF value } of
 *the trial, int threads { int node, context, thread, int n { UTF name, UTF value } } int metrics {
 *UTF name } int groups { UTF name } int functions { UTF name, int k { int group } } int events {
 *UTF name } int threads { int node, context, thread, int n { int function, double calls, subrs,
 *metrics x { double exclusive, inclusive } }, int n { int event, int samples, double min, max,
 *mean, sum of squares } }
 */
#include <limits.h>
#include <string.h>
#include <zlib.h>

#include "bytes.h"
#include "flat.h"
#include "profile_format.h"
#include "utf8.h"

#define PPK_VERSION 2

/* ---- reading ---- */

struct reader {
	struct bytes b;
	const unsigned char *start;
	const char *path;
	struct error *e;
	struct flat f;
	struct names group;
	uint32_t *function, *event; /* number in the file -> number in f */
	uint32_t function_n, event_n;
	char *text; /* the one read last */
};

static int bad(struct reader *r, const char *what)
{
	return error_set(r->e, ERROR_INPUT, "%s: offset %zu of the unpacked bytes: %s", r->path,
			 (size_t)(r->b.p - r->start), what);
}

static uint32_t get_int(struct reader *r)
{
	struct bytes v = bytes_part(&r->b, 4);

	return v.bad ? 0
		     : (uint32_t)v.p[0] << 24 | (uint32_t)v.p[1] << 16 | (uint32_t)v.p[2] << 8 |
			       v.p[3];
}

static double get_double(struct reader *r)
{
	uint64_t high = get_int(r), bits = high << 32 | get_int(r);
	double v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

/* A count of things that take at least `least` bytes each; `bad` is set where they cannot be there.
 */
static uint32_t get_count(struct reader *r, size_t least)
{
	uint32_t n = get_int(r);

	if (n > bytes_left(&r->b) / least)
		r->b.bad = 1;
	return r->b.bad ? 0 : n;
}

/* Java writes NUL as two bytes, and characters beyond 16 bits as two surrogates of three bytes
 * each. */
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
static const char *get_text(struct reader *r)
{
	struct bytes length = bytes_part(&r->b, 2), s;
	size_t n = 0;

	s = bytes_part(&r->b, length.bad ? 0 : (uint64_t)length.p[0] << 8 | length.p[1]);
	r->text = mem_resize(r->text, 2 * (size_t)(s.end - s.p) + 4, 1);
	while (s.p < s.end) {
		uint32_t c = java_char(&s.p, s.end);

		n += utf8_put(r->text + n, c ? c : ' ');
	}
	r->text[n] = 0;
	return r->text;
}

static void get_attribute(struct reader *r, struct profile_attribute *a)
{
	a->name = mem_string(get_text(r));
	a->value = mem_string(get_text(r));
}

/* Metadata of threads stand before the threads' values: those of thread i are kept in meta[i]. */
static int read_header(struct reader *r, struct flat *meta)
{
	uint32_t n;

	bytes_part(&r->b, get_int(r));
	for (n = get_count(r, 4); n && !r->b.bad; n--)
		get_attribute(r, array_add(&r->f, meta));
	for (n = get_count(r, 16); n && !r->b.bad; n--) {
		struct flat_thread *t = array_add(meta, thread);

		t->node = (int32_t)get_int(r);
		t->context = (int32_t)get_int(r);
		t->thread = (int32_t)get_int(r);
		for (uint32_t k = get_count(r, 4); k && !r->b.bad; k--)
			get_attribute(r, array_add(t, meta));
	}
	return r->b.bad ? bad(r, "the header with the metadata is cut short or damaged") : 0;
}

static int read_functions(struct reader *r)
{
	r->function_n = get_count(r, 6);
	r->function = mem_resize(NULL, (size_t)r->function_n + 1, sizeof(*r->function));
	for (uint32_t i = 0; i < r->function_n; i++) {
		char *name = mem_string(get_text(r)), *groups = mem_string("");

		for (uint32_t k = get_count(r, 4); k && !r->b.bad; k--) {
			uint32_t g = get_int(r);
			char *more;

			if (g >= r->group.name_n) {
				r->b.bad = 1;
				break;
			}
			more = mem_printf("%s%s%s", groups, *groups ? "|" : "", r->group.name[g]);
			free(groups);
			groups = more;
		}
		r->function[i] = flat_function(&r->f, name, groups);
		free(name);
		free(groups);
	}
	return r->b.bad ? bad(r, "the table of timers is cut short or damaged") : 0;
}

static int read_names(struct reader *r)
{
	uint32_t n;

	for (n = get_count(r, 2); n && !r->b.bad; n--) {
		const char *name = get_text(r);

		if (names_find(&r->f.metric, name, strlen(name)) >= 0)
			return bad(r, "a metric stands there twice");
		names_add(&r->f.metric, name, strlen(name));
	}
	for (n = get_count(r, 2); n && !r->b.bad; n--) {
		/* Numbers count; the same text twice must stay two. */
		char *name = mem_string(get_text(r)), *key = name;

		if (names_find(&r->group, name, strlen(name)) >= 0)
			key = mem_printf("%s ", name);
		names_add(&r->group, key, strlen(key));
		if (key != name)
			free(key);
		free(name);
	}
	return r->b.bad ? bad(r, "the names of metrics and groups are cut short or damaged") : 0;
}

static int read_events(struct reader *r)
{
	r->event_n = get_count(r, 2);
	r->event = mem_resize(NULL, (size_t)r->event_n + 1, sizeof(*r->event));
	for (uint32_t i = 0; i < r->event_n; i++) {
		const char *name = get_text(r);
		size_t before = r->f.event.name_n;

		r->event[i] = flat_event(&r->f, name, 0);
		if (r->f.event.name_n == before)
			r->event[i] = flat_event(&r->f, name, 1);
	}
	return r->b.bad ? bad(r, "the table of events is cut short or damaged") : 0;
}

static int read_rows(struct reader *r, struct flat_thread *t)
{
	size_t metrics = r->f.metric.name_n;

	for (uint32_t n = get_count(r, 20 + 16 * metrics); n; n--) {
		uint32_t id = get_int(r);
		struct flat_row *row;

		if (id >= r->function_n)
			return bad(r, "a row names a timer that is not in the table");
		row = array_add(t, row);
		row->function = r->function[id];
		row->calls = get_double(r);
		row->subrs = get_double(r);
		row->first = t->value_n;
		for (size_t m = 0; m < 2 * metrics; m++)
			*array_add(t, value) = get_double(r);
	}
	for (uint32_t n = get_count(r, 40); n; n--) {
		uint32_t id = get_int(r);
		struct flat_sample *s;

		if (id >= r->event_n)
			return bad(r, "a row names an event that is not in the table");
		s = array_add(t, sample);
		s->event = r->event[id];
		s->n = (int32_t)get_int(r);
		s->min = get_double(r);
		s->max = get_double(r);
		s->mean = get_double(r);
		s->sumsq = get_double(r);
	}
	return r->b.bad ? bad(r, "the rows of a thread are cut short or damaged") : 0;
}

static int read_threads(struct reader *r)
{
	int code = 0;

	for (uint32_t n = get_count(r, 20); n && !code; n--) {
		struct flat_thread *t = array_add(&r->f, thread);

		t->node = (int32_t)get_int(r);
		t->context = (int32_t)get_int(r);
		t->thread = (int32_t)get_int(r);
		code = t->node < 0 ? bad(r, "a thread has a negative node") : read_rows(r, t);
	}
	if (!code && r->b.bad)
		code = bad(r, "the table of threads is cut short or damaged");
	return code || !bytes_left(&r->b) ? code : bad(r, "there are bytes behind the last thread");
}

/* Moves the metadata of each thread to where the thread is. */
static void join_meta(struct flat *f, struct flat *meta)
{
	for (size_t i = 0, k = 0; i < meta->thread_n; i++) {
		struct flat_thread *from = &meta->thread[i];

		for (size_t tried = 0; tried < f->thread_n; tried++, k++) {
			struct flat_thread *to = &f->thread[k %= f->thread_n];

			if (to->node != from->node || to->context != from->context ||
			    to->thread != from->thread || to->meta_n)
				continue;
			to->meta = from->meta;
			to->meta_n = from->meta_n;
			to->meta_cap = from->meta_cap;
			from->meta = NULL;
			from->meta_n = 0;
			break;
		}
	}
}

static int read_all(struct reader *r, struct flat *meta)
{
	uint32_t version, oldest, skip;
	const unsigned char *behind;
	int code = 0;

	bytes_part(&r->b, 6);
	version = get_int(r);
	oldest = get_int(r);
	skip = get_count(r, 1);
	if (r->b.bad)
		return bad(r, "a packed profile ends within its header");
	if (oldest > PPK_VERSION)
		return error_set(
			r->e, ERROR_INPUT,
			"%s: a packed profile of version %u, which only readers of version %u "
			"and later understand",
			r->path, version, oldest);
	behind = r->b.p + skip;
	if (version >= 2) {
		struct bytes rest = r->b;

		r->b.end = behind;
		code = read_header(r, meta);
		r->b.end = rest.end;
	}
	r->b.p = code ? r->b.p : behind;
	code = code ? code : read_names(r);
	code = code ? code : read_functions(r);
	code = code ? code : read_events(r);
	return code ? code : read_threads(r);
}

int ppk_is(const unsigned char *p, size_t n)
{
	return n >= 6 && !memcmp(p, "\0P\0P\0K", 6);
}

int ppk_read(const char *path, const unsigned char *p, size_t n, struct profile **out,
	     struct error *e)
{
	struct reader r = {.b = bytes_of(p, n), .start = p, .path = path, .e = e};
	struct flat meta = {0};
	int code = read_all(&r, &meta);

	if (!code) {
		join_meta(&r.f, &meta);
		code = flat_profile(&r.f, path, 0, out, e);
	}
	flat_release(&meta);
	flat_release(&r.f);
	names_release(&r.group);
	free(r.function);
	free(r.event);
	free(r.text);
	return code;
}

/* ---- writing ---- */

static void put_int(FILE *f, uint32_t v)
{
	for (int shift = 24; shift >= 0; shift -= 8)
		putc((int)(v >> shift & 0xff), f);
}

static void put_double(FILE *f, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	put_int(f, (uint32_t)(bits >> 32));
	put_int(f, (uint32_t)bits);
}

/* A text as Java has it, cut at the last character that fits. */
static void put_text(FILE *f, const char *s)
{
	const unsigned char *p = (const unsigned char *)s, *end = p + strlen(s);
	char *out = mem_alloc(3 * (size_t)(end - p) + 8);
	size_t n = 0;

	while (p < end) {
		uint32_t c = utf8_next(&p, end);
		size_t size = c < 0x10000 ? 3 : 6;

		if (n + size > UINT16_MAX)
			break;
		if (c >= 0x10000) {
			n += utf8_put(out + n, 0xd800 + ((c - 0x10000) >> 10));
			c = 0xdc00 + (c & 0x3ff);
		}
		n += utf8_put(out + n, c);
	}
	putc((int)(n >> 8), f);
	putc((int)(n & 0xff), f);
	fwrite(out, 1, n, f);
	free(out);
}

static void put_meta(FILE *f, const struct profile_attribute *meta, size_t n)
{
	put_int(f, (uint32_t)n);
	for (size_t i = 0; i < n; i++) {
		put_text(f, meta[i].name);
		put_text(f, meta[i].value);
	}
}

static void put_header(FILE *to, const struct flat *f)
{
	char *text;
	size_t n;
	FILE *header = open_memstream(&text, &n);

	put_int(header, 0);
	put_meta(header, f->meta, f->meta_n);
	put_int(header, (uint32_t)f->thread_n);
	for (size_t i = 0; i < f->thread_n; i++) {
		const struct flat_thread *t = &f->thread[i];

		put_int(header, (uint32_t)t->node);
		put_int(header, (uint32_t)t->context);
		put_int(header, (uint32_t)t->thread);
		put_meta(header, t->meta, t->meta_n);
	}
	fclose(header);
	fwrite("\0P\0P\0K", 1, 6, to);
	put_int(to, PPK_VERSION);
	put_int(to, 1);
	put_int(to, (uint32_t)n);
	fwrite(text, 1, n, to);
	free(text);
}

static void put_names(FILE *to, const struct names *n)
{
	put_int(to, (uint32_t)n->name_n);
	for (size_t i = 0; i < n->name_n; i++)
		put_text(to, n->name[i]);
}

/* Numbers the groups in `known`, and puts the numbers where `to` is not NULL. Returns how many
 * there are. */
static uint32_t split_groups(const char *groups, struct names *known, FILE *to)
{
	uint32_t count = 0;

	for (const char *s = groups; *s;) {
		size_t n = strcspn(s, "|");

		if (n) {
			uint32_t id = names_add(known, s, n);

			count++;
			if (to)
				put_int(to, id);
		}
		s += n + (s[n] == '|');
	}
	return count;
}

static void put_functions(FILE *to, const struct flat *f)
{
	struct names group = {0};

	for (size_t i = 0; i < f->function_n; i++)
		split_groups(f->function[i].groups, &group, NULL);
	put_names(to, &group);
	put_int(to, (uint32_t)f->function_n);
	for (size_t i = 0; i < f->function_n; i++) {
		put_text(to, f->function[i].name);
		put_int(to, split_groups(f->function[i].groups, &group, NULL));
		split_groups(f->function[i].groups, &group, to);
	}
	names_release(&group);
}

static void put_thread(FILE *to, const struct flat_thread *t, size_t metrics)
{
	put_int(to, (uint32_t)t->node);
	put_int(to, (uint32_t)t->context);
	put_int(to, (uint32_t)t->thread);
	put_int(to, (uint32_t)t->row_n);
	for (size_t i = 0; i < t->row_n; i++) {
		const struct flat_row *r = &t->row[i];

		put_int(to, r->function);
		put_double(to, r->calls);
		put_double(to, r->subrs);
		for (size_t m = 0; m < 2 * metrics; m++)
			put_double(to, t->value[r->first + m]);
	}
	put_int(to, (uint32_t)t->sample_n);
	for (size_t i = 0; i < t->sample_n; i++) {
		const struct flat_sample *s = &t->sample[i];

		put_int(to, s->event);
		put_int(to, s->n < INT32_MAX ? (uint32_t)(int32_t)s->n : INT32_MAX);
		put_double(to, s->min);
		put_double(to, s->max);
		put_double(to, s->mean);
		put_double(to, s->sumsq);
	}
}

/* Everything in one stream; without a time in its header, so that the same profile gives the same
 * bytes. */
static void pack(FILE *f, char *text, size_t n)
{
	unsigned char out[65536];
	z_stream z = {.next_in = (unsigned char *)text};
	int code =
		deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);

	while (code == Z_OK) {
		uInt part = n > INT_MAX ? INT_MAX : (uInt)n;

		if (!z.avail_in) {
			z.avail_in = part;
			n -= part;
		}
		z.next_out = out;
		z.avail_out = sizeof(out);
		code = deflate(&z, n ? Z_NO_FLUSH : Z_FINISH);
		fwrite(out, 1, sizeof(out) - z.avail_out, f);
	}
	deflateEnd(&z);
}

void ppk_print(FILE *to, struct profile *const *p, size_t n)
{
	struct flat f = {0};
	char *text;
	size_t length;
	FILE *m = open_memstream(&text, &length);

	(void)n;
	flat_take(&f, p[0]);
	flat_window_meta(&f, p[0]);
	put_header(m, &f);
	put_names(m, &f.metric);
	put_functions(m, &f);
	put_int(m, (uint32_t)f.event.name_n);
	for (uint32_t i = 0; i < f.event.name_n; i++)
		put_text(m, flat_event_name(&f, i));
	put_int(m, (uint32_t)f.thread_n);
	for (size_t i = 0; i < f.thread_n; i++)
		put_thread(m, &f.thread[i], f.metric.name_n);
	fclose(m);
	pack(to, text, length);
	free(text);
	flat_release(&f);
}
