/* window.c: decides what must be searched in a trace to make its windows, and searches for it. */
#include "analyze/window/window.h"

#include <string.h>

#include "analyze/base/note.h"
#include "analyze/trace/filter.h"
#include "analyze/trace/region_names.h"
#include "analyze/window/instances.h"
#include "analyze/window/window_make.h"
#include "analyze/base/thread_pool.h"
#include "analyze/window/window_read.h"

/* ---- what must be searched ---- */

/* The slot of a region; adds it. Two names of one region have the same. */
static int slot_get(struct resolver *x, const struct window_text *r, const char *name, size_t *out,
		    struct error *e)
{
	struct instances_slot *slot;
	struct regions regions;
	uint32_t id = names_add(&x->name, name, strlen(name));
	char *where;
	int code;

	if (id < x->slot_n) {
		*out = x->slot[id];
		return 0;
	}
	where = mem_printf("window '%s'", r->text);
	code = region_find(x->trace, name, &regions, where, e);
	free(where);
	if (code < 0)
		return code;
	for (*out = 0; *out < x->selected.slot_n; ++*out)
		if (x->selected.slot[*out].region.v[0] == regions.v[0])
			break;
	*array_add(x, slot) = *out;
	if (*out < x->selected.slot_n) {
		free(regions.v);
		return 0;
	}
	slot = array_add(&x->selected, slot);
	slot->region = regions;
	slot->most = 1;
	slot->least = UINT64_MAX;
	return 0;
}

/* Requests instances of a region, from one number to another (0: to the last). */
static int want_slot(struct resolver *x, const struct window_text *r, const char *name,
		     uint64_t least, uint64_t most, struct error *e)
{
	size_t slot;
	int code = slot_get(x, r, name, &slot, e);

	if (code)
		return code;
	if (least < x->selected.slot[slot].least)
		x->selected.slot[slot].least = least;
	if (!most || !x->selected.slot[slot].most)
		x->selected.slot[slot].most = 0;
	else if (most > x->selected.slot[slot].most)
		x->selected.slot[slot].most = most;
	return 0;
}

static int want_of(struct resolver *x, const struct window_text *r, const struct window_text_of *of,
		   uint64_t least, uint64_t most, struct error *e)
{
	size_t slot = SIZE_MAX;
	int code = 0;

	if (!of->loop)
		return want_slot(x, r, of->region, least, most, e);
	if (of->region)
		code = slot_get(x, r, of->region, &slot, e);
	for (size_t i = 0; i < x->selected.loop_n; i++)
		if (x->selected.loop[i].slot == slot)
			return code;
	if (!code)
		array_add(&x->selected, loop)->slot = slot;
	return code;
}

static int want_reading(struct resolver *x, const struct window_text *r, struct error *e)
{
	const struct window_text_point *p[] = {&r->begin, &r->end};
	int code = 0;

	if (r->kind == WINDOW_INSTANCES)
		return want_of(x, r, &r->of, r->first, r->last, e);
	if (r->kind == WINDOW_PHASES) {
		code = want_slot(x, r, r->of.region, 1, 0, e);
		return code ? code : want_slot(x, r, r->to, 1, 0, e);
	}
	for (size_t i = 0; i < 2 && !code; i++)
		if (p[i]->kind == POINT_INSTANCE)
			code = want_of(x, r, &p[i]->of, p[i]->instance, p[i]->instance, e);
	return code;
}

/* ---- search ---- */

static int rank_named(const struct window_text *r, size_t n, int32_t node)
{
	for (size_t i = 0; i < n; i++)
		if (r[i].rank == node || r[i].begin.rank == node || r[i].end.rank == node)
			return 1;
	return 0;
}

static void choose_processes(struct resolver *x, const struct window_text *r, size_t n)
{
	const struct trace *t = x->trace;

	x->process = mem_alloc((t->process_n + 1) * sizeof(*x->process));
	for (size_t p = 0; p < t->process_n; p++)
		if (filter_process(x->options->only, &t->process[p]) ||
		    rank_named(r, n, t->process[p].node))
			x->process[x->process_n++] = p;
}

static void wait(void *to)
{
	const struct resolver *x = to;

	if (x->options->tick)
		x->options->tick(x->options->tick_to);
}

static int find_in(struct resolver *x, unsigned worker, size_t process)
{
	return instances_find(x->trace, (uint32_t)process, &x->selected, worker == 0 ? wait : NULL,
			      x, &x->found[process], &x->error[process]);
}

static int find_item(void *to, unsigned worker, size_t i)
{
	struct resolver *x = to;

	return find_in(x, worker, x->process[i + 1]);
}

/* Searches the first process alone: the loop found there is preferred in the other processes. */
static int find_all(struct resolver *x, struct error *e)
{
	struct regions rather = {0};
	int code = find_in(x, 0, x->process[0]);

	for (size_t i = 0; !code && i < x->selected.loop_n; i++) {
		uint32_t head = x->found[x->process[0]].loop[i].head;

		if (x->selected.loop[i].slot != SIZE_MAX || head == TRACE_NONE)
			continue;
		*array_add(&rather, v) = head;
		x->selected.loop[i].rather = &rather;
	}
	if (!code)
		code = thread_pool_run(&(struct thread_pool){find_item, wait, x},
				       x->options->threads, x->process_n - 1);
	for (size_t p = 0; code && p < x->process_n; p++)
		if (x->error[x->process[p]].code) {
			*e = x->error[x->process[p]];
			break;
		}
	free(rather.v);
	return code;
}

static void resolver_release(struct resolver *x)
{
	for (size_t p = 0; x->found && p < x->trace->process_n; p++)
		instances_release(&x->found[p], &x->selected);
	for (size_t i = 0; i < x->selected.slot_n; i++)
		free(x->selected.slot[i].region.v);
	free(x->selected.slot);
	free(x->selected.loop);
	names_release(&x->name);
	free(x->slot);
	free(x->process);
	free(x->found);
	free(x->error);
}

static int resolve(struct resolver *x, struct window_text *r, struct error *e)
{
	const struct window_options *o = x->options;
	struct trace *t = x->trace;
	int code = 0;

	for (size_t i = 0; i < o->n && !code; i++) {
		if (o->between)
			window_text_between(&o->between[i], &r[i]);
		else
			code = window_text_parse(o->text[i], t, &r[i], e);
		if (!code)
			code = want_reading(x, &r[i], e);
	}
	if (code)
		return code;
	x->selected.index = o->index;
	choose_processes(x, r, o->n);
	x->found = mem_alloc((t->process_n + 1) * sizeof(*x->found));
	x->error = mem_alloc((t->process_n + 1) * sizeof(*x->error));
	if ((x->selected.slot_n || x->selected.loop_n) && x->process_n)
		code = find_all(x, e);
	for (size_t i = 0; i < o->n && !code; i++) {
		size_t first = x->out->v_n;

		code = windows_append(x, &r[i], e);
		for (size_t k = first; k < x->out->v_n; k++)
			x->out->v[k].series = x->out->v_n - first > 1;
	}
	return code;
}

int windows_resolve(struct trace *t, const struct window_options *o, struct windows *out,
		    struct error *e)
{
	struct resolver x = {.trace = t, .options = o, .out = out};
	struct window_text *r = mem_alloc((o->n + 1) * sizeof(*r));
	int code;

	memset(out, 0, sizeof(*out));
	code = resolve(&x, r, e);
	for (size_t i = 0; i < o->n; i++)
		window_text_release(&r[i]);
	free(r);
	resolver_release(&x);
	if (code)
		windows_release(out);
	return code;
}

int windows_resolve_inside(struct trace *t, const struct window_options *o, struct windows *out,
			   struct error *e)
{
	int code = windows_resolve(t, o, out, e);
	char *outside;

	if (code || !o->n || out->outside != o->n)
		return code;
	outside = note_sentence(&out->note[0]);
	error_set(e, ERROR_INPUT, "%s: %s", t->path, outside);
	free(outside);
	windows_release(out);
	return e->code;
}

void windows_release(struct windows *w)
{
	for (size_t i = 0; i < w->v_n; i++) {
		for (size_t p = 0; p < w->v[i].of_n; p++)
			free(w->v[i].of[p].v);
		free(w->v[i].of);
		free(w->v[i].text);
	}
	notes_free(w->note, w->note_n);
	free(w->v);
	memset(w, 0, sizeof(*w));
}

int window_check(const char *text, struct error *e)
{
	struct window_text r;
	int code = window_text_parse(text, NULL, &r, e);

	if (!code)
		window_text_release(&r);
	return code;
}
