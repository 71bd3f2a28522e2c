/* window_instances.c: makes windows from instances of regions, iterations of loops, and phases. */
#include "analyze/window/window_make.h"

#include <stdio.h>
#include <string.h>

const struct window_spans *window_found(const struct resolver *x, const struct window_text_of *of,
					size_t process)
{
	static const struct window_spans none;
	const struct instances *f = &x->found[process];
	size_t slot = SIZE_MAX;

	if (of->region)
		slot = x->slot[names_find(&x->name, of->region, strlen(of->region))];
	if (!f->slot)
		return &none;
	if (!of->loop)
		return &f->slot[slot];
	for (size_t i = 0; i < x->selected.loop_n; i++)
		if (x->selected.loop[i].slot == slot)
			return &f->loop[i].span;
	return &none;
}

int window_rank(const struct resolver *x, const struct window_text *r, int64_t rank, size_t *out,
		struct error *e)
{
	const struct trace *t = x->trace;

	for (*out = 0; *out < t->process_n; ++*out)
		if (t->process[*out].node == rank)
			return 0;
	return error_set(e, ERROR_INPUT, "window '%s': there is no rank %lld", r->text,
			 (long long)rank);
}

/*
 * "solve", "iter" or "iter(solve)", with quotes if it would otherwise be parsed as something else.
 */
static char *counted_name(const struct window_text *r)
{
	const char *end = strrchr(r->text, r->of.loop ? '=' : '#');

	if (r->first == 1 && !r->last && !r->together)
		return mem_string(r->text);
	return mem_printf("%.*s", (int)(end - r->text), r->text);
}

static char *counted_text(const struct window_text *r, const char *name, uint64_t first,
			  uint64_t last)
{
	char sign = r->of.loop ? '=' : '#', rank[32] = "";

	if (r->rank >= 0)
		snprintf(rank, sizeof(rank), "@%lld", (long long)r->rank);
	if (first == last)
		return mem_printf("%s%c%llu%s", name, sign, (unsigned long long)first, rank);
	return mem_printf("%s%c%llu..%llu%s", name, sign, (unsigned long long)first,
			  (unsigned long long)last, rank);
}

/* Lists of spans by process, or one list for all. */
struct lists {
	struct window_spans *v;
	size_t n;
};

static uint64_t longest(const struct lists *l)
{
	uint64_t most = 0;

	for (size_t i = 0; i < l->n; i++)
		most = l->v[i].v_n > most ? l->v[i].v_n : most;
	return most;
}

static uint64_t shortest(const struct lists *l)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].v_n && l->v[i].v_n < least)
			least = l->v[i].v_n;
	return least;
}

/* Adds one window with the spans [first, last] of each list. */
static int append_group(struct resolver *x, const struct window_text *r, const struct lists *l,
			uint64_t first, uint64_t last, char *text, struct error *e)
{
	struct window_base b = {.reading = r, .window = {.text = text}};
	int single = 1;

	b.window.of_n = l->n;
	b.window.of = mem_alloc(l->n * sizeof(*b.window.of));
	for (size_t i = 0; i < l->n; i++) {
		for (uint64_t k = first; k <= last && k <= l->v[i].v_n; k++)
			window_span_add(&b.window.of[i], l->v[i].v[k - 1]);
		single &= b.window.of[i].v_n < 2;
	}
	if (!single && (x->options->series.slices || x->options->series.every_ns)) {
		window_base_release(&b);
		return error_set(
			e, ERROR_USAGE,
			"window '%s': it is several spans of time, and only one span can be cut "
			"into slices",
			r->text);
	}
	if (first == last && r->kind == WINDOW_INSTANCES)
		b.instance = mem_string(text);
	return window_base_cut(x, &b, e);
}

/* Adds all selected spans, one window each or in groups. */
static int append_lists(struct resolver *x, const struct window_text *r, const struct lists *l,
			const char *name, struct error *e)
{
	uint64_t most = longest(l), last = r->last && r->last < most ? r->last : most;
	uint64_t size = x->options->series.every_n ? x->options->series.every_n
			: r->together              ? most
						   : 1;
	int code = 0;

	if (last >= r->first)
		code = window_too_many(x, r, (last - r->first) / size + 1, e);
	for (uint64_t k = r->first; k <= last && !code; k += size) {
		uint64_t to = size - 1 < last - k ? k + size - 1 : last;
		int whole = r->together && k == r->first && to == last;

		code = append_group(x, r, l, k, to,
				    whole ? mem_string(r->text) : counted_text(r, name, k, to), e);
	}
	return code;
}

/* The spans that were found, by process, or of one process for all. */
static int lists_make(const struct resolver *x, const struct window_text *r, struct lists *out,
		      struct error *e)
{
	size_t process = 0;
	int code = r->rank >= 0 ? window_rank(x, r, r->rank, &process, e) : 0;

	*out = (struct lists){0};
	if (code)
		return code;
	out->n = r->rank >= 0 || !x->trace->process_n ? 1 : x->trace->process_n;
	out->v = mem_alloc(out->n * sizeof(*out->v));
	for (size_t i = 0; i < out->n && x->trace->process_n; i++)
		out->v[i] = *window_found(x, &r->of, r->rank >= 0 ? process : i);
	return 0;
}

/* The loops that were found in the selected processes; heads may differ. */
struct loop_found {
	uint32_t head, inside;
	size_t without, other;
	uint64_t least, most; /* iterations */
};

static struct loop_found loop_found(const struct resolver *x, const struct window_text_of *of)
{
	struct loop_found out = {TRACE_NONE, TRACE_NONE, 0, 0, UINT64_MAX, 0};
	size_t slot = SIZE_MAX, i = 0;

	if (of->region)
		slot = x->slot[names_find(&x->name, of->region, strlen(of->region))];
	while (x->selected.loop[i].slot != slot)
		i++;
	for (size_t k = 0; k < x->process_n; k++) {
		const struct instances_iterations *f = &x->found[x->process[k]].loop[i];

		if (f->head == TRACE_NONE) {
			out.without++;
			continue;
		}
		if (out.head == TRACE_NONE) {
			out.head = f->head;
			out.inside = f->inside;
		}
		out.other += f->head != out.head;
		out.least = f->span.v_n < out.least ? f->span.v_n : out.least;
		out.most = f->span.v_n > out.most ? f->span.v_n : out.most;
	}
	return out;
}

void window_note_loop(struct resolver *x, const struct window_text *r,
		      const struct window_text_of *of)
{
	const struct trace *t = x->trace;
	struct loop_found f = loop_found(x, of);
	char count[64], rest[128] = "";

	if (f.head == TRACE_NONE)
		return;
	if (f.least == f.most)
		snprintf(count, sizeof(count), "%llu", (unsigned long long)f.most);
	else
		snprintf(count, sizeof(count), "%llu to %llu", (unsigned long long)f.least,
			 (unsigned long long)f.most);
	if (f.other)
		snprintf(rest, sizeof(rest), "; %zu processes have a different loop", f.other);
	else if (f.without)
		snprintf(rest, sizeof(rest), "; %zu processes have none", f.without);
	window_note(
		x, r,
		mem_printf("the loop in '%s' whose iterations begin with '%s': "
			   "%s iterations%s",
			   f.inside < t->region_n ? t->region[f.inside].name : "the whole program",
			   t->region[f.head].name, count, rest));
}

static int none_found(const struct resolver *x, const struct window_text *r, const struct lists *l,
		      struct error *e)
{
	uint64_t most = longest(l);

	if (r->of.loop && !most)
		return error_set(e, ERROR_INPUT, "window '%s': no loop was found%s", r->text,
				 r->of.region
					 ? " that begins with this region"
					 : " that takes much of the time; name the region that "
					   "its iterations begin with: iter(NAME)");
	if (r->kind == WINDOW_PHASES)
		return error_set(e, ERROR_INPUT, "window '%s': there %s %llu such phase%s", r->text,
				 most == 1 ? "is" : "are", (unsigned long long)most,
				 most == 1 ? "" : "s");
	if (!most)
		return error_set(e, ERROR_INPUT, "window '%s': the region is never entered%s",
				 r->text, x->options->only ? " on the selected ranks" : "");
	return error_set(e, ERROR_INPUT,
			 "window '%s': no process has such an instance; there are %llu", r->text,
			 (unsigned long long)most);
}

static void note_differing(struct resolver *x, const struct window_text *r, const struct lists *l)
{
	size_t without = 0;

	for (size_t k = 0; k < x->process_n && l->n > 1; k++)
		without += !l->v[x->process[k]].v_n;
	if (shortest(l) != longest(l))
		window_note(x, r,
			    mem_printf("processes have %llu to %llu instances; the last "
				       "windows are of fewer processes",
				       (unsigned long long)shortest(l),
				       (unsigned long long)longest(l)));
	if (without)
		window_note(x, r,
			    mem_printf("%zu of %zu processes have no instance and "
				       "contribute nothing",
				       without, x->process_n));
}

int windows_append_counted(struct resolver *x, const struct window_text *r, struct error *e)
{
	struct lists l;
	char *name = counted_name(r);
	int code = lists_make(x, r, &l, e), folded = 0, cut = 0;

	for (size_t p = 0; p < x->process_n; p++) {
		folded |= x->found[x->process[p]].folded;
		cut |= x->found[x->process[p]].cut;
	}
	if (!code && longest(&l) < r->first)
		code = none_found(x, r, &l, e);
	if (!code && folded)
		window_note(x, r,
			    mem_printf("some calls were folded when they were recorded; they are "
				       "not instances"));
	if (!code && cut && r->of.loop)
		window_note(x, r,
			    mem_printf("the loop was identified from the first million calls"));
	if (!code && r->of.loop)
		window_note_loop(x, r, &r->of);
	else if (!code && (!r->last || r->last > shortest(&l)))
		note_differing(x, r, &l);
	if (!code)
		code = append_lists(x, r, &l, name, e);
	free(l.v);
	free(name);
	return code;
}

/*
 * Spans from each enter of a region to the next leave of another one; a phase that is open at the
 * end of its process ends there.
 */
static void phases_in(const struct window_spans *from, const struct window_spans *to, int same,
		      int64_t end, struct window_spans *out)
{
	int64_t after = INT64_MIN;
	size_t k = 0;

	for (size_t i = 0; i < from->v_n; i++) {
		struct window_span s = {from->v[i].begin, end};

		if (s.begin < after)
			continue;
		while (k < to->v_n &&
		       (to->v[k].begin < s.begin || (same && to->v[k].begin == s.begin)))
			k++;
		if (k < to->v_n)
			s.end = to->v[k].end;
		after = s.end > s.begin ? s.end : s.begin + 1;
		s.end = s.end < s.begin ? s.begin : s.end;
		*array_add(out, v) = s;
	}
}

int windows_append_phases(struct resolver *x, const struct window_text *r, struct error *e)
{
	const struct trace *t = x->trace;
	const struct window_text_of to = {.region = r->to};
	struct lists l = {mem_alloc((t->process_n + 1) * sizeof(*l.v)), t->process_n};
	char *name = r->last ? mem_printf("%.*s", (int)(strrchr(r->text, '#') - r->text), r->text)
			     : mem_string(r->text);
	int code = 0;

	for (size_t p = 0; p < t->process_n; p++)
		phases_in(window_found(x, &r->of, p), window_found(x, &to, p),
			  window_found(x, &r->of, p) == window_found(x, &to, p), t->process[p].end,
			  &l.v[p]);
	if (longest(&l) < r->first)
		code = none_found(x, r, &l, e);
	if (!code && (!r->last || r->last > shortest(&l)))
		note_differing(x, r, &l);
	if (!code)
		code = append_lists(x, r, &l, name, e);
	for (size_t p = 0; p < t->process_n; p++)
		free(l.v[p].v);
	free(l.v);
	free(name);
	return code;
}
