/* selection.c: decides which call paths are selected, as paths are added. */
#include "analyze/messages/selection.h"

#include <string.h>

#include "analyze/summary/filter_cursor.h"

int selection_make(struct selection *s, struct trace *t, const struct filter *f, struct error *e)
{
	int code = filter_check(f, t, e);

	*s = (struct selection){.trace = t, .filter = f};
	return code ? code : filter_selected_make(&s->regions, t, f, e);
}

void selection_release(struct selection *s)
{
	filter_selected_release(&s->regions);
	free(s->path);
	*s = (struct selection){0};
}

/* Paths use the first region of a name, so it is selected if any region of the name is. */
static void names_join(unsigned char *set, size_t n, const uint32_t *first)
{
	for (size_t i = 0; i < n; i++)
		set[first[i]] |= set[i];
}

void selection_begin(struct selection *s, const struct callstack_paths *paths,
		     const uint32_t *first)
{
	struct filter_selected *f = &s->regions;

	s->paths = paths;
	s->path_n = 0;
	names_join(f->region, f->region_n, first);
	for (size_t i = 0; i < f->chain_n; i++)
		for (size_t k = 0; k < f->chain[i].set_n; k++)
			names_join(f->chain[i].set[k], f->region_n, first);
}

int selection_stream(const struct selection *s, uint32_t stream)
{
	return !s || filter_stream(s->filter, s->trace, stream);
}

int selection_streams(const struct selection *s)
{
	return s && (s->filter->rank.v_n || s->filter->thread.v_n);
}

int selection_regions(const struct selection *s)
{
	return s && filter_regions(s->filter);
}

int selection_rank(const struct selection *s, int64_t rank)
{
	const struct trace_process p = {.node = (int32_t)rank};

	return !s || (!filter_regions(s->filter) && !s->filter->thread.v_n &&
		      filter_process(s->filter, &p));
}

/* Does a call path end with the regions of a chain? */
static int chain_ends(const struct filter_cursor_chain *x, const struct callstack_path *v,
		      uint32_t path)
{
	if (x->from_root && !x->set_n)
		return 1;
	for (size_t n = x->set_n; n; n--, path = v[path].parent)
		if (!path || !x->set[n - 1][v[path].region])
			return 0;
	return !x->from_root || !path;
}

static void path_follow(struct selection *s, uint32_t path)
{
	const struct filter_selected *f = &s->regions;
	const struct callstack_path *v = s->paths->v;
	struct selection_path x = {TRACE_NONE, !f->chain_n};

	if (path) {
		x = s->path[v[path].parent];
		for (size_t i = 0; i < f->chain_n && !x.inside; i++)
			x.inside = (char)chain_ends(&f->chain[i], v, path);
		if (x.inside && f->region[v[path].region])
			x.nearest = path;
	}
	*array_add(s, path) = x;
}

uint32_t selection_path(struct selection *s, uint32_t path)
{
	if (!selection_regions(s))
		return path;
	/* a path has a higher number than its parent */
	while (s->path_n <= path)
		path_follow(s, (uint32_t)s->path_n);
	return s->path[path].nearest;
}

int selection_has(struct selection *s, uint32_t stream, uint32_t path)
{
	return !s || (selection_stream(s, stream) && selection_path(s, path) != TRACE_NONE);
}
