/* profile_series.c: adds up threads, window by window. */
#include "analyze/profile/profile_series.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/profile/waiting_threads.h"

void timeline_begin(struct timeline *s, enum profile_timer_kind kind)
{
	*s = (struct timeline){.kind = kind, .waiting = waiting_new()};
}

void timeline_look(struct timeline *s, const struct profile *p)
{
	waiting_note(s->waiting, p);
}

/* The cell of a region in the window that is being added, which is the last one. */
static struct timeline_cell *cell_of(struct timeline *s, struct timeline_window *w,
				     const struct profile_timer *t)
{
	uint32_t id = names_add(&s->name, t->name, strlen(t->name));

	if (id == s->region_n) {
		*array_add(s, region) = (struct timeline_region){mem_string(t->name),
								 mem_string(t->groups), 0};
		array_add(s, at);
	}
	if (!s->at[id]) {
		array_add(s, cell)->region = id;
		s->at[id] = (uint32_t)++w->cell_n;
	}
	return &s->cell[w->cell + s->at[id] - 1];
}

static void row_add(struct timeline *s, struct timeline_window *w, const struct profile_timer *t,
		    double calls, double excl, double incl)
{
	struct timeline_cell *c = cell_of(s, w, t);

	c->threads++;
	c->calls += calls;
	c->excl += excl;
	c->incl += incl;
	w->excl += excl;
	s->region[c->region].excl += excl;
}

/* Adds the time that a thread waited. */
static void idle_add(struct timeline *s, struct timeline_window *w, const struct profile *p,
		     struct profile_thread *t)
{
	w->idle.threads++;
	for (size_t k = 0; k < t->row_n; k++) {
		const struct profile_path *path = &p->path[t->row[k].path];

		if (path->parent == PROFILE_FLAT && waiting_idles(p, path->timer))
			w->idle.excl += p->metric_n ? *profile_excl(p, t, &t->row[k]) : 0;
	}
	w->idle.incl = w->idle.excl;
	if (w->idle.threads > s->idle_most)
		s->idle_most = w->idle.threads;
}

void timeline_add(struct timeline *s, struct profile *p)
{
	struct timeline_window *w;
	char *device;

	if (!s->window_n) {
		waiting_judge(s->waiting, s->kind);
		s->counts = profile_is_time(p, 0) ? NULL : mem_string(p->metric[0].name);
	}
	device = waiting_device_timers(s->waiting, p);
	w = array_add(s, window);
	w->name = p->window ? mem_string(p->window) : NULL;
	w->begin_us = p->begin_us;
	w->end_us = p->end_us;
	w->cell = s->cell_n;
	for (size_t i = 0; i < p->thread_n; i++) {
		struct profile_thread *t = &p->thread[i];
		enum waiting_class class = waiting_class(s->waiting, t);

		if (t->node < 0)
			continue;
		if (class == WAITING_WAITS && t->row_n)
			idle_add(s, w, p, t);
		for (size_t k = 0; k < t->row_n; k++) {
			const struct profile_row *r = &t->row[k];
			const struct profile_timer *timer = &p->timer[p->path[r->path].timer];

			if (p->path[r->path].parent != PROFILE_FLAT ||
			    !waiting_row_counts(class, device, p, p->path[r->path].timer))
				continue;
			if (profile_timer_kind(timer) == s->kind)
				row_add(s, w, timer, r->calls,
					p->metric_n ? *profile_excl(p, t, r) : 0,
					p->metric_n ? *profile_incl(t, r) : 0);
			else
				s->left_out++;
		}
	}
	for (size_t i = 0; i < w->cell_n; i++)
		s->at[s->cell[w->cell + i].region] = 0;
	free(device);
}

static int region_order(const void *va, const void *vb, void *to)
{
	const struct timeline_region *region = to;
	const struct timeline_region *a = &region[*(const uint32_t *)va],
				     *b = &region[*(const uint32_t *)vb];

	if (a->excl != b->excl)
		return a->excl > b->excl ? -1 : 1;
	return strcmp(a->name, b->name);
}

static int cell_order(const void *va, const void *vb)
{
	const struct timeline_cell *a = va, *b = vb;

	return (a->region > b->region) - (a->region < b->region);
}

void timeline_end(struct timeline *s)
{
	struct timeline_region *sorted = mem_alloc((s->region_n + 1) * sizeof(*sorted));
	uint32_t *order = mem_alloc((s->region_n + 1) * sizeof(*order));

	for (size_t i = 0; i < s->region_n; i++)
		order[i] = (uint32_t)i;
	if (s->region_n)
		qsort_r(order, s->region_n, sizeof(*order), region_order, s->region);
	for (size_t i = 0; i < s->region_n; i++) {
		sorted[i] = s->region[order[i]];
		s->at[order[i]] = (uint32_t)i;
	}
	for (size_t i = 0; i < s->cell_n; i++)
		s->cell[i].region = s->at[s->cell[i].region];
	for (size_t w = 0; w < s->window_n; w++)
		if (s->window[w].cell_n)
			qsort(s->cell + s->window[w].cell, s->window[w].cell_n, sizeof(*s->cell),
			      cell_order);
	free(s->region);
	free(order);
	s->region = sorted;
	waiting_free(s->waiting);
	names_release(&s->name);
	free(s->at);
	s->waiting = NULL;
	s->at = NULL;
}

void timeline_release(struct timeline *s)
{
	for (size_t i = 0; i < s->region_n; i++) {
		free(s->region[i].name);
		free(s->region[i].groups);
	}
	for (size_t w = 0; w < s->window_n; w++)
		free(s->window[w].name);
	waiting_free(s->waiting);
	names_release(&s->name);
	free(s->at);
	free(s->region);
	free(s->cell);
	free(s->window);
	free(s->counts);
	memset(s, 0, sizeof(*s));
}

const struct timeline_cell *timeline_cell(const struct timeline *s, size_t window, size_t region)
{
	const struct timeline_window *w = &s->window[window];
	struct timeline_cell key = {.region = (uint32_t)region};

	if (!w->cell_n)
		return NULL;
	return bsearch(&key, s->cell + w->cell, w->cell_n, sizeof(key), cell_order);
}

int timeline_in_order(const struct timeline *s)
{
	for (size_t i = 0; i < s->window_n; i++) {
		const struct timeline_window *w = &s->window[i];

		if (w->end_us < w->begin_us)
			return 0;
		/*
		 * Processes of a run end at slightly different times; a smaller overlap is not
		 * visible.
		 */
		if (i && w->begin_us < w[-1].end_us - 0.002)
			return 0;
	}
	return s->window_n > 0;
}
