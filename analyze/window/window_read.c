/* window_read.c: finds the possible meanings of the text of a window, and selects one. */
#include "analyze/window/window_read.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyze/base/quantity.h"
#include "analyze/trace/region_names.h"
#include "analyze/window/window_wall.h"

/* A part of the text. */
struct text_piece {
	const char *s;
	size_t n;
};

struct window_reader {
	const char *text;
	const struct trace *trace;
	char *unknown; /* the first name in a reading that the trace lacks */
	int whole;     /* the whole text may be one name */
	struct error *error;
};

static struct text_piece piece(const char *s, const char *end)
{
	return (struct text_piece){s, (size_t)(end - s)};
}

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* ---- numbers ---- */

int window_time(const char *s, size_t n, int64_t *value, int *share)
{
	*share = quantity_read(QUANTITY_PERCENT, s, n, NULL, value);
	return *share || quantity_read(QUANTITY_TIME, s, n, NULL, value);
}

/* Does it begin with a number and end without a valid unit, or is it too large? */
static int number_without_unit(struct text_piece x)
{
	size_t i = x.n && (*x.s == '+' || *x.s == '-');

	if (i == x.n || !is_digit(x.s[i]))
		return 0;
	while (i < x.n && (is_digit(x.s[i]) || x.s[i] == '.'))
		i++;
	return i == x.n;
}

/* Reads a whole number, 1 or larger. Returns its end, or NULL. */
static const char *read_count(const char *s, const char *end, uint64_t *out)
{
	const char *at = s;

	for (*out = 0; at < end && is_digit(*at); at++) {
		if (*out > UINT64_MAX / 10 - 1)
			return NULL;
		*out = *out * 10 + (uint64_t)(*at - '0');
	}
	return at > s ? at : NULL;
}

/* ---- names ---- */

/* The end of the quotes that begin at s; NULL: they are not closed. */
static const char *quote_end(const char *s, const char *end)
{
	for (s++; s < end; s++) {
		if (*s == '\\' && s + 1 < end)
			s++;
		else if (*s == '"')
			return s;
	}
	return NULL;
}

/* The name in a piece, without its quotes. NULL: it is empty. */
static char *name_of(struct text_piece x)
{
	char *name, *to;

	if (!x.n)
		return NULL;
	if (x.n < 3 || *x.s != '"' || quote_end(x.s, x.s + x.n) != x.s + x.n - 1)
		return mem_printf("%.*s", (int)x.n, x.s);
	name = to = mem_alloc(x.n);
	for (const char *s = x.s + 1; s < x.s + x.n - 1; s++) {
		s += *s == '\\' && s + 2 < x.s + x.n;
		*to++ = *s;
	}
	return name;
}

/* Has the trace a region of that name? Without a trace, yes. */
static int known(struct window_reader *r, const char *name)
{
	struct error ambiguous = {0};
	struct regions found;
	int there;

	if (!name)
		return 0;
	if (!r->trace)
		return 1;
	there = region_find(r->trace, name, &found, "", &ambiguous);
	free(found.v);
	if (!there && !r->unknown && !r->whole)
		r->unknown = mem_string(name);
	return there != 0;
}

/* Takes the name over if the trace has such a region. */
static int parse_name(struct window_reader *r, struct text_piece x, char **out)
{
	char *name = name_of(x);

	if (!known(r, name)) {
		free(name);
		return 0;
	}
	*out = name;
	return 1;
}

/* ---- instances ---- */

/* The text after NAME# or LOOP=. */
struct tail {
	uint64_t first, last; /* last 0: none; both 0: * */
	int range, all;
	int64_t rank;
	enum point_offset offset;
	int64_t offset_value;
	int offset_share;
};

static int tail_parse(struct text_piece x, struct tail *out)
{
	const char *s = x.s, *end = x.s + x.n;
	uint64_t rank;

	*out = (struct tail){.rank = -1};
	if (s < end && *s == '*') {
		out->all = 1;
		s++;
	} else {
		s = read_count(s, end, &out->first);
		if (!s)
			return 0;
		if (end - s > 2 && s[0] == '.' && s[1] == '.' && is_digit(s[2])) {
			out->range = 1;
			s = read_count(s + 2, end, &out->last);
			if (!s)
				return 0;
		}
	}
	if (end - s > 1 && *s == '@') {
		s = read_count(s + 1, end, &rank);
		if (!s)
			return 0;
		out->rank = rank < INT64_MAX ? (int64_t)rank : INT64_MAX;
	}
	if (s < end && (*s == '+' || *s == '-') && !out->all && !out->range) {
		out->offset = *s == '+' ? OFFSET_AFTER_BEGIN : OFFSET_BEFORE_END;
		return window_time(s + 1, (size_t)(end - s - 1), &out->offset_value,
				   &out->offset_share);
	}
	return s == end;
}

/* Reads LOOP, or a text that begins with it: "iter", "iter(NAME)". rest: the text after it. */
static int loop_parse(struct window_reader *r, struct text_piece x, struct window_text_of *of,
		      struct text_piece *rest)
{
	const char *end = x.s + x.n, *close;

	if (x.n < 4 || memcmp(x.s, "iter", 4))
		return 0;
	*rest = piece(x.s + 4, end);
	if (rest->n && *rest->s != '=' && *rest->s != '(')
		return 0;
	of->loop = 1;
	if (!rest->n || *rest->s == '=')
		return 1;
	for (close = end - 1; close > rest->s; close--)
		if (*close == ')' && (close + 1 == end || close[1] == '='))
			break;
	if (close == rest->s || !parse_name(r, piece(rest->s + 1, close), &of->region))
		return 0;
	*rest = piece(close + 1, end);
	return 1;
}

/* Reads NAME#TAIL or LOOP=TAIL. The caller owns the names in `of`. */
static int counted_parse(struct window_reader *r, struct text_piece x, struct window_text_of *of,
			 struct tail *tail)
{
	struct text_piece rest;

	*of = (struct window_text_of){0};
	if (loop_parse(r, x, of, &rest)) {
		if (rest.n && tail_parse(piece(rest.s + 1, rest.s + rest.n), tail) &&
		    tail->rank < 0)
			return 1;
		free(of->region);
	}
	*of = (struct window_text_of){0};
	for (size_t i = x.n; i-- > 1;) {
		if (x.s[i] != '#')
			continue;
		return tail_parse(piece(x.s + i + 1, x.s + x.n), tail) &&
		       parse_name(r, piece(x.s, x.s + i), &of->region);
	}
	return 0;
}

/* ---- points ---- */

static int point_time(struct text_piece x, int is_end, struct window_text_point *out)
{
	char sign = x.n && (*x.s == '+' || *x.s == '-') ? *x.s : 0;
	int share;

	if (!window_time(x.s + (sign != 0), x.n - (sign != 0), &out->value, &share))
		return 0;
	if (!sign) {
		out->kind = share ? POINT_SHARE : POINT_TIME;
	} else if (sign == '+') {
		out->kind = share ? POINT_LENGTH_SHARE : POINT_LENGTH;
		return is_end;
	} else {
		out->kind = share ? POINT_SHARE : POINT_FROM_END;
		out->value = share ? 100 * SHARE_ONE - out->value : out->value;
		return out->value >= 0;
	}
	return 1;
}

/* 1: it is a point, and the caller owns the names in out. regions: names may be regions. */
static int point_parse(struct window_reader *r, struct text_piece x, int is_end, int regions,
		       struct window_text_point *out)
{
	struct tail tail;

	*out = (struct window_text_point){.kind = POINT_OPEN, .rank = -1};
	if (!x.n || point_time(x, is_end, out))
		return 1;
	out->kind = POINT_WALL;
	if (wall_moment(x.s, x.n, &out->value))
		return 1;
	out->kind = POINT_CLOCK;
	if (wall_clock(x.s, x.n, &out->value))
		return 1;
	out->kind = POINT_INSTANCE;
	if (!regions || !counted_parse(r, x, &out->of, &tail))
		return 0;
	if (tail.all || tail.range || !tail.first) {
		free(out->of.region);
		out->of.region = NULL;
		return 0;
	}
	out->instance = tail.first;
	out->rank = tail.rank;
	out->offset = tail.offset;
	out->offset_value = tail.offset_value;
	out->offset_share = tail.offset_share;
	return 1;
}

/* ---- readings ---- */

/*
 * Finds the next separator at or after s, and its length: ".." or ":", unless the ":" is part of
 * "::". NULL: there is none.
 */
static const char *separator(const char *text, const char *s, size_t *n)
{
	const char *end = text + strlen(text);

	for (; *s; s++) {
		const char *close =
			*s == '"' && (s == text || strchr(":.(", s[-1])) ? quote_end(s, end) : NULL;

		if (close) {
			s = close;
			continue;
		}
		*n = s[0] == ':' ? 1 : s[0] == '.' && s[1] == '.' ? 2 : 0;
		if (s[0] == ':' && s[1] == ':') {
			/* "::" is a separator if only the end follows it */
			s++;
			continue;
		}
		if (*n)
			return s;
	}
	return NULL;
}

static int read_between(struct window_reader *r, struct window_text *out, int regions)
{
	const char *end = r->text + strlen(r->text), *at;
	size_t n;

	for (at = separator(r->text, r->text, &n); at; at = separator(r->text, at + 1, &n)) {
		out->kind = WINDOW_BETWEEN;
		if (!point_parse(r, piece(r->text, at), 0, regions, &out->begin))
			continue;
		if (point_parse(r, piece(at + n, end), 1, regions, &out->end))
			return 1;
		free(out->begin.of.region);
		out->begin.of.region = NULL;
	}
	return 0;
}

/* Reads one, several or all instances or iterations; range: only a text with a range. */
static int read_counted(struct window_reader *r, struct window_text *out, int range)
{
	struct text_piece all = {r->text, strlen(r->text)};
	struct tail tail;

	if (!counted_parse(r, all, &out->of, &tail))
		return 0;
	if (tail.offset || (range && !tail.range)) {
		free(out->of.region);
		out->of = (struct window_text_of){0};
		return 0;
	}
	out->kind = WINDOW_INSTANCES;
	out->together = 1;
	out->first = tail.all ? 1 : tail.first;
	out->last = tail.range ? tail.last : tail.all ? 0 : tail.first;
	out->rank = tail.rank;
	if (out->first && (!tail.range || out->last >= out->first))
		return 1;
	free(out->of.region);
	out->of = (struct window_text_of){0};
	error_set(r->error, ERROR_USAGE,
		  "window '%s': it names no instance: write #N or #N..M, counted from 1", r->text);
	return 0;
}

static int read_phases(struct window_reader *r, struct window_text *out)
{
	const char *end = r->text + strlen(r->text), *at;
	size_t n;

	for (at = separator(r->text, r->text, &n); at; at = separator(r->text, at + 1, &n)) {
		struct window_text_of to;
		struct tail tail;

		if (n != 2 || !parse_name(r, piece(r->text, at), &out->of.region))
			continue;
		out->kind = WINDOW_PHASES;
		out->first = 1;
		out->last = 0;
		if (parse_name(r, piece(at + n, end), &out->to))
			return 1;
		if (counted_parse(r, piece(at + n, end), &to, &tail) && !to.loop && !tail.range &&
		    !tail.all && !tail.offset && tail.rank < 0 && tail.first) {
			out->to = to.region;
			out->first = out->last = tail.first;
			return 1;
		}
		free(to.region);
		free(out->of.region);
		out->of.region = NULL;
	}
	return 0;
}

static int read_all(struct window_reader *r, struct window_text *out)
{
	struct text_piece all = {r->text, strlen(r->text)}, rest;
	int there;

	out->kind = WINDOW_INSTANCES;
	out->first = 1;
	out->last = 0;
	r->whole = 1;
	there = parse_name(r, all, &out->of.region);
	r->whole = 0;
	if (there)
		return 1;
	if (loop_parse(r, all, &out->of, &rest) && !rest.n)
		return 1;
	free(out->of.region);
	out->of = (struct window_text_of){0};
	return 0;
}

/* ---- why no reading is possible ---- */

/* A part between separators that looks like a number; n 0: there is none. */
static struct text_piece odd_number(const char *text)
{
	const char *from = text, *at;
	size_t n;

	for (;;) {
		struct text_piece x;

		at = separator(text, from, &n);
		x = piece(from, at ? at : text + strlen(text));
		if (number_without_unit(x))
			return x;
		if (!at)
			return (struct text_piece){text, 0};
		from = at + n;
	}
}

static int wrong(struct window_reader *r)
{
	struct text_piece odd = odd_number(r->text);
	int64_t value;
	int share;

	if (r->error->code)
		return r->error->code;
	if (window_time(r->text, strlen(r->text), &value, &share))
		return error_set(r->error, ERROR_USAGE,
				 "window '%s': one end is missing: write BEGIN:END, '%s:' or ':%s'",
				 r->text, r->text, r->text);
	if (odd.n)
		return error_set(r->error, ERROR_USAGE,
				 "window '%s': '%.*s' needs a unit: ns, us, ms, s, m, h or %%",
				 r->text, (int)odd.n, odd.s);
	return 0;
}

static int no_region(struct window_reader *r)
{
	const char *name = r->unknown ? r->unknown : r->text, *near = region_near(r->trace, name);

	if (near)
		return error_set(r->error, ERROR_INPUT,
				 "window '%s': the trace has no region '%s'; did you mean '%s'?",
				 r->text, name, near);
	return error_set(r->error, ERROR_INPUT, "window '%s': the trace has no region '%s'",
			 r->text, name);
}

/* Reports an unknown name rather than a number without a unit, unless the name is such a number. */
static int no_reading(struct window_reader *r)
{
	int named = r->unknown &&
		    !number_without_unit((struct text_piece){r->unknown, strlen(r->unknown)});

	return (r->error->code || !named) && wrong(r) ? r->error->code : no_region(r);
}

/* ---- snapshots ---- */

#define SNAPSHOT "snapshot:"
#define SNAPSHOT_N (sizeof(SNAPSHOT) - 1)

/* Reads "MARK" or "MARK#N" in n bytes. The caller owns the name; NULL: there is none. */
static char *snapshot_name(const char *s, size_t n, uint64_t *number)
{
	const char *sign = memrchr(s, '#', n), *end = NULL;

	*number = 1;
	if (sign)
		end = read_count(sign + 1, s + n, number);
	if (end == s + n && *number)
		n = (size_t)(sign - s);
	else
		*number = 1;
	return n ? mem_printf("%.*s", (int)n, s) : NULL;
}

/* Reads a text of snapshots. 1: it is one. */
static int read_snapshots(const char *text, struct window_text *out)
{
	const char *second = strstr(text, ".." SNAPSHOT);
	const char *last = second ? second + 2 : text;

	out->kind = WINDOW_SNAPSHOTS;
	out->to = snapshot_name(last + SNAPSHOT_N, strlen(last) - SNAPSHOT_N, &out->last);
	if (second && out->to)
		out->from = snapshot_name(text + SNAPSHOT_N,
					  (size_t)(second - text) - SNAPSHOT_N, &out->first);
	return out->to && (!second || out->from);
}

int window_text_parse(const char *text, const struct trace *t, struct window_text *out,
		      struct error *e)
{
	struct error none = {0};
	struct window_reader r = {.text = text, .trace = t, .error = &none};
	int code = 0;

	*out = (struct window_text){
		.text = mem_string(text), .rank = -1, .begin = {.rank = -1}, .end = {.rank = -1}};
	if (!*text)
		code = error_set(e, ERROR_USAGE,
				 "a window must not be empty: ':' is the whole run");
	else if (!strncmp(text, SNAPSHOT, SNAPSHOT_N))
		code = read_snapshots(text, out)
			       ? 0
			       : error_set(e, ERROR_USAGE,
					   "window '%s': use snapshot:NAME or "
					   "snapshot:NAME..snapshot:NAME",
					   text);
	else if (!read_between(&r, out, 0) && !(t && read_all(&r, out)) &&
		 !read_counted(&r, out, 1) && !read_between(&r, out, 1) &&
		 !read_counted(&r, out, 0) && !read_phases(&r, out) && !(!t && read_all(&r, out)))
		code = no_reading(&r);
	else if (!t && out->kind == WINDOW_INSTANCES && !out->of.loop && !out->together)
		code = wrong(&r);
	if (none.code && code)
		*e = none;
	free(r.unknown);
	if (code)
		window_text_release(out);
	return code;
}

/* As window_time() reads it. */
static void point_text(char out[48], int64_t value, bool share)
{
	if (share)
		snprintf(out, 48, "%" PRId64 ".%09" PRId64 "%%", (int64_t)(value / SHARE_ONE),
			 (int64_t)(value % SHARE_ONE));
	else
		snprintf(out, 48, "%" PRId64 "ns", value);
}

void window_text_between(const struct window_between *b, struct window_text *out)
{
	const struct window_span *s = &b->span;
	enum point_kind kind = b->shares ? POINT_SHARE : POINT_TIME;
	char begin[48], end[48] = "";

	point_text(begin, s->begin, b->shares);
	if (s->end != INT64_MAX)
		point_text(end, s->end, b->shares);
	*out = (struct window_text){
		.text = mem_printf("%s:%s", begin, end),
		.kind = WINDOW_BETWEEN,
		.begin = {.kind = kind, .value = s->begin, .rank = -1},
		.end = {.kind = *end ? kind : POINT_OPEN, .value = s->end, .rank = -1},
		.rank = -1};
}

void window_text_release(struct window_text *r)
{
	free(r->text);
	free(r->begin.of.region);
	free(r->end.of.region);
	free(r->of.region);
	free(r->to);
	free(r->from);
	memset(r, 0, sizeof(*r));
}

int window_every(const char *text, struct window_series *out, struct error *e)
{
	size_t n = strlen(text);
	const char *end = read_count(text, text + n, &out->every_n);
	int share = 0;

	if (end && !*end && out->every_n)
		return 0;
	out->every_n = 0;
	if (window_time(text, n, &out->every_ns, &share) && !share && out->every_ns)
		return 0;
	*out = (struct window_series){0};
	return error_set(e, ERROR_USAGE,
			 "'%s' is neither a time (100ms) nor a number of instances (10)", text);
}
