/* filter.c: reads lists of ranks and threads, and checks which are selected. */
#include "analyze/trace/filter.h"

#include <string.h>

/*
 * Reads a number, 0 or larger, and returns the text after it; NULL: the text begins with no digit.
 */
static const char *number(const char *s, int64_t *out)
{
	const char *at = s;

	for (*out = 0; *at >= '0' && *at <= '9'; at++)
		if (*out < INT32_MAX)
			*out = *out * 10 + (*at - '0');
	return at > s ? at : NULL;
}

int filter_parse(const char *text, const char *what, struct filter_ranges *out, struct error *e)
{
	const char *s = text;

	do {
		struct filter_range r;

		s = number(s, &r.first);
		r.last = r.first;
		if (s && s[0] == '.' && s[1] == '.')
			s = number(s + 2, &r.last);
		if (!s || (*s && *s != ',') || r.last < r.first)
			return error_set(
				e, ERROR_USAGE,
				"'%s' is not a list of %ss: write numbers and ranges, as in 0,3..7",
				text,
				what);
		*array_add(out, v) = r;
	} while (*s++ == ',');
	return 0;
}

void filter_name(const char *text, int several, struct filter_names *out)
{
	size_t n = several ? strcspn(text, ",") : strlen(text);

	*array_add(out, v) = mem_printf("%.*s", (int)n, text);
	if (text[n])
		filter_name(text + n + 1, several, out);
}

static void names_drop(struct filter_names *l)
{
	for (size_t i = 0; i < l->v_n; i++)
		free(l->v[i]);
	free(l->v);
}

void filter_release(struct filter *o)
{
	free(o->rank.v);
	free(o->thread.v);
	names_drop(&o->group);
	names_drop(&o->region);
	names_drop(&o->path);
	memset(o, 0, sizeof(*o));
}

int filter_ranges_have(const struct filter_ranges *r, int64_t n)
{
	for (size_t i = 0; i < r->v_n; i++)
		if (n >= r->v[i].first && n <= r->v[i].last)
			return 1;
	return !r->v_n;
}

int filter_process(const struct filter *o, const struct trace_process *p)
{
	return !o || filter_ranges_have(&o->rank, p->node);
}

int filter_thread(const struct filter *o, int64_t thread)
{
	return !o || filter_ranges_have(&o->thread, thread);
}

int filter_stream(const struct filter *o, const struct trace *t, uint32_t stream)
{
	const struct trace_stream *s = &t->stream[stream];

	return filter_process(o, &t->process[s->process]) && filter_thread(o, s->thread);
}

int filter_check(const struct filter *o, const struct trace *t, struct error *e)
{
	for (uint32_t s = 0; s < t->stream_n; s++)
		if (filter_stream(o, t, s))
			return 0;
	return o && t->stream_n ? error_set(e, ERROR_INPUT,
					    "%s: no thread matches --rank and --thread",
					    t->path)
				: 0;
}
