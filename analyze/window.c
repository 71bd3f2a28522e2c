/* window.c: reads the language of windows and finds what a window is in a trace. */
#include "window.h"

#include <stdio.h>
#include <string.h>

#include "replay.h"

#define SHARE_ONE 1000000000	/* one percent */

static const struct {
	const char *name;
	int64_t ns;
} unit[] = {
	{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 },
	{ "m", 60 * 1000000000ll }, { "h", 3600 * 1000000000ll }, { "%", SHARE_ONE },
};

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* ---- reading ---- */

/* Decimal digits from s on, with their weight in *scale when they are a fraction; stops before they overflow. */
static const char *read_digits(const char *s, unsigned __int128 *value, unsigned __int128 *scale)
{
	for (; is_digit(*s); s++) {
		if (*value >= (unsigned __int128)1 << 90)
			continue;
		*value = *value * 10 + (unsigned)(*s - '0');
		if (scale)
			*scale *= 10;
	}
	return s;
}

/*
 * NUMBER UNIT as a whole number of ns (or of 10^-9 percent). 1: it is one, 0: it does not look like a number,
 * < 0: it does but has no unit.
 */
static int point_number(const char *text, struct window_point *p, const char *window,
			struct error *e)
{
	unsigned __int128 value = 0, scale = 1;
	const char *s = read_digits(text, &value, NULL);

	if (s == text)
		return 0;
	if (*s == '.')
		s = read_digits(s + 1, &value, &scale);
	for (size_t i = 0; i < sizeof(unit) / sizeof(*unit); i++) {
		if (strcmp(s, unit[i].name))
			continue;
		p->kind = *s == '%' ? POINT_SHARE : POINT_TIME;
		if (value / scale > INT64_MAX / (uint64_t)unit[i].ns)
			return error_set(e, ERROR_USAGE, "window '%s': '%s' is too large", window,
					 text);
		p->value = (int64_t)(value * (uint64_t)unit[i].ns / scale);
		return 1;
	}
	if (!*s)
		return error_set(e, ERROR_USAGE,
				 "window '%s': '%s' needs a unit: ns, us, ms, s, m, h or %%",
				 window, text);
	return 0;
}

/* REGION, REGION#N or REGION#N@RANK. */
static int point_region(const char *text, struct window_point *p, const char *window,
			struct error *e)
{
	const char *hash = strrchr(text, '#');
	char *end;

	p->kind = POINT_REGION;
	p->rank = -1;
	if (!hash || !is_digit(hash[1])) {
		p->region = mem_string(text);
		return 0;
	}
	p->region = mem_printf("%.*s", (int)(hash - text), text);
	p->instance = strtoull(hash + 1, &end, 10);
	if (*end == '@' && is_digit(end[1]))
		p->rank = (int64_t)(strtoull(end + 1, &end, 10) & INT32_MAX);
	if (*end || !p->instance || !*p->region)
		return error_set(
			e, ERROR_USAGE,
			"window '%s': '%s' is no instance: write REGION#N or REGION#N@RANK, "
			"counted from 1",
			window, text);
	return 0;
}

static int point_parse(const char *text, struct window_point *p, const char *window,
		       struct error *e)
{
	int code;

	p->rank = -1;
	if (!*text)
		return 0;
	code = point_number(text, p, window, e);
	if (code)
		return code < 0 ? code : 0;
	code = point_region(text, p, window, e);
	if (!code && !p->instance)
		return error_set(
			e, ERROR_USAGE,
			"window '%s': '%s' is neither a time (10ms), nor a share (10%%), nor an "
			"instance of a region (NAME#1)",
			window, text);
	return code;
}

/* The colon between begin and end; the pairs in C++ names are none. NULL: there is none. */
static const char *find_colon(const char *s)
{
	for (; *s; s++) {
		if (*s != ':')
			continue;
		if (s[1] != ':')
			return s;
		s++;
	}
	return NULL;
}

int window_parse(const char *text, struct window *out, struct error *e)
{
	const char *colon = find_colon(text);
	char *begin;
	int code;

	memset(out, 0, sizeof(*out));
	out->text = mem_string(text);
	if (!*text) {
		code = error_set(e, ERROR_USAGE,
				 "a window must not be empty: ':' is the whole run");
	} else if (!colon) {
		struct window_point number = { 0 };

		out->single = 1;
		code = point_number(text, &number, text, e);
		if (code > 0)
			code = error_set(
				e, ERROR_USAGE,
				"window '%s': one end is missing: write BEGIN:END, '%s:' or "
				"':%s'",
				text, text, text);
		if (!code)
			code = point_region(text, &out->begin, text, e);
	} else {
		begin = mem_printf("%.*s", (int)(colon - text), text);
		code = point_parse(begin, &out->begin, text, e);
		free(begin);
		if (!code)
			code = point_parse(colon + 1, &out->end, text, e);
	}
	if (code)
		window_release(out);
	return code;
}

void window_release(struct window *w)
{
	free(w->text);
	free(w->begin.region);
	free(w->end.region);
	memset(w, 0, sizeof(*w));
}

/* ---- finding regions ---- */

/* How well a region answers to a name: 3 exactly, 2 without its place, 1 without its arguments as well, 0 not. */
static int region_match(const char *region, const char *name)
{
	const char *place = strstr(region, " [{"), *args;
	size_t n = strlen(name), bare = place ? (size_t)(place - region) : strlen(region);

	if (!strcmp(region, name))
		return 3;
	if (bare == n && !strncmp(region, name, n))
		return 2;
	args = memchr(region, '(', bare);
	return args && (size_t)(args - region) == n && !strncmp(region, name, n);
}

/* The region that answers best to a name; several that answer equally well are an error. */
static int region_find(const struct trace *t, const struct window *w, const char *name,
		       uint32_t *out, struct error *e)
{
	int best = 0;

	for (size_t i = 0; i < t->region_n; i++) {
		int match = region_match(t->region[i].name, name);

		if (match && match == best)
			return error_set(e, ERROR_INPUT,
					 "window '%s': '%s' may be '%s' or '%s': say which",
					 w->text, name, t->region[*out].name, t->region[i].name);
		if (match > best) {
			best = match;
			*out = (uint32_t)i;
		}
	}
	if (!best)
		return error_set(e, ERROR_INPUT, "window '%s': the trace has no region '%s'",
				 w->text, name);
	return 0;
}

/* ---- resolving ---- */

/* Instances that were looked for, by (region, process); looked for once however many windows name them. */
struct found {
	uint32_t region, process;
	uint64_t most;
	struct window_spans spans;
};

struct resolver {
	struct trace *trace;
	struct found *found;
	size_t found_n, found_cap;
};

static int instances_get(struct resolver *r, uint32_t region, uint32_t process, uint64_t most,
			 struct window_spans *out, struct error *e)
{
	struct found *f = NULL;

	for (size_t i = 0; i < r->found_n && !f; i++)
		if (r->found[i].region == region && r->found[i].process == process)
			f = &r->found[i];
	if (f && (!f->most || (most && f->most >= most))) {
		*out = f->spans;
		return 0;
	}
	if (!f)
		f = array_add(r, found);
	f->region = region;
	f->process = process;
	f->most = most;
	f->spans.v_n = 0;
	if (replay_instances(r->trace, process, region, most, &f->spans, e))
		return e->code;
	*out = f->spans;
	return 0;
}

/* The instance that a point means in a process. 1: found, 0: there is none. */
static int point_instance(struct resolver *r, const struct window *w, const struct window_point *p,
			  uint32_t process, struct window_span *out, struct error *e)
{
	const struct trace *t = r->trace;
	struct window_spans all;
	uint32_t region = 0, at = process;
	int code = region_find(t, w, p->region, &region, e);

	if (code)
		return code;
	if (p->rank >= 0) {
		for (at = 0; at < t->process_n && t->process[at].node != p->rank; at++)
			;
		if (at == t->process_n)
			return error_set(e, ERROR_INPUT, "window '%s': there is no rank %lld",
					 w->text, (long long)p->rank);
	}
	code = instances_get(r, region, at, p->instance, &all, e);
	if (code || all.v_n < p->instance)
		return code;
	*out = all.v[p->instance - 1];
	return 1;
}

/* Time of one end. 1: known, 0: an instance that this process does not have. */
static int point_resolve(struct resolver *r, const struct window *w, const struct window_point *p,
			 int is_end, uint32_t process, int64_t *out, struct error *e)
{
	struct window_span instance = { 0, 0 };
	int code;

	switch (p->kind) {
	case POINT_OPEN:
		*out = is_end ? INT64_MAX : 0;
		return 1;
	case POINT_TIME:
		*out = p->value;
		return 1;
	case POINT_SHARE:
		*out = (int64_t)((__int128)r->trace->end * p->value / (100ll * SHARE_ONE));
		if (p->value > 100ll * SHARE_ONE)
			return error_set(e, ERROR_INPUT, "window '%s': a share is at most 100%%",
					 w->text);
		return 1;
	case POINT_REGION:
		break;
	}
	code = point_instance(r, w, p, process, &instance, e);
	if (code > 0)
		*out = is_end ? instance.end : instance.begin;
	return code;
}

/* All instances of a region in one process. They are ascending and disjoint. */
static int resolve_all(struct resolver *r, const struct window *w, uint32_t process,
		       struct window_spans *out, struct error *e)
{
	struct window_spans all;
	uint32_t region = 0;
	int code = region_find(r->trace, w, w->begin.region, &region, e);

	if (!code)
		code = instances_get(r, region, process, 0, &all, e);
	for (size_t i = 0; !code && i < all.v_n; i++)
		*array_add(out, v) = all.v[i];
	return code;
}

static int resolve_one(struct resolver *r, const struct window *w, uint32_t process,
		       struct window_spans *out, struct error *e)
{
	const struct window_point *end = w->single ? &w->begin : &w->end;
	struct window_span span;
	int code;

	if (w->single && !w->begin.instance)
		return resolve_all(r, w, process, out, e);
	code = point_resolve(r, w, &w->begin, 0, process, &span.begin, e);
	if (code > 0)
		code = point_resolve(r, w, end, 1, process, &span.end, e);
	if (code <= 0)
		return code;
	if (span.end < span.begin)
		return error_set(e, ERROR_INPUT,
				 "window '%s': its end (%lld ns) lies before its begin (%lld ns)",
				 w->text, (long long)span.end, (long long)span.begin);
	*array_add(out, v) = span;
	return 0;
}

static int names_instance(const struct window *w)
{
	return w->begin.kind == POINT_REGION || w->end.kind == POINT_REGION;
}

int window_resolve(struct trace *t, const struct window *w, size_t n, struct window_spans **out,
		   struct error *e)
{
	struct resolver r = { .trace = t };
	int code = 0;

	*out = mem_alloc((t->process_n * n + 1) * sizeof(**out));
	for (size_t i = 0; i < n && !code; i++) {
		size_t found = 0;

		for (size_t p = 0; p < t->process_n && !code; p++) {
			code = resolve_one(&r, &w[i], (uint32_t)p, &(*out)[p * n + i], e);
			found += (*out)[p * n + i].v_n;
		}
		if (!code && !found && names_instance(&w[i]))
			code = error_set(e, ERROR_INPUT,
					 "window '%s': no process has such an instance", w[i].text);
	}
	for (size_t i = 0; i < r.found_n; i++)
		free(r.found[i].spans.v);
	free(r.found);
	if (code)
		window_spans_free(*out, t->process_n * n);
	return code;
}

void window_spans_free(struct window_spans *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(s[i].v);
	free(s);
}
