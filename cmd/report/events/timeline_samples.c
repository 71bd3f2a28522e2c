/* timeline_samples.c: the timeline of a run without regions: which functions were sampled when. */
#include <string.h>

#include "analyze/base/map.h"
#include "analyze/messages/activity.h"
#include "analyze/messages/messages.h"
#include "analyze/messages/selection.h"
#include "cmd/report/events/report_trace.h"
#include "cmd/report/events/timeline_rows.h"

struct sampled {
	struct activity *a;
	int functions;
	struct names names;
	struct map number_of; /* by address: the number of its name */
};

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "unknown";
}

static uint32_t number_of(struct sampled *s, uint32_t code)
{
	uint32_t known = map_get(&s->number_of, code);
	const struct trace_code *f;
	const char *name;

	if (known != MAP_NONE)
		return known;
	f = trace_place(s->a->m->trace, code).code;
	name = s->functions && f->name ? f->name : base_name(f->module);
	known = names_add(&s->names, name, strlen(name));
	map_set(&s->number_of, code, known);
	return known;
}

static void on_sampled(void *to, uint32_t stream, uint32_t path, int64_t time,
		       const struct event_args *a, const uint32_t *code, int inside)
{
	struct sampled *s = to;

	if (inside && a->sample.stack.n && selection_has(s->a->m->selection, stream, path))
		activity_add(s->a, stream, number_of(s, code[0]), time, (int64_t)a->sample.ns);
}

int timeline_samples(struct timeline_rows *x, struct report_trace *r, struct activity *a,
		     int functions, struct error *e)
{
	struct sampled s = {.a = a, .functions = functions};
	struct messages_use use = {.sampled = on_sampled, .to = &s, .window_only = 1};
	int64_t *ns;
	int code;

	report_trace_again(r);
	r->messages.skip = NULL;
	code = report_trace_read(r, &use, 1, e);
	activity_end(a);
	if (!code) {
		ns = mem_alloc((s.names.name_n + 1) * sizeof(*ns));
		activity_regions(a, ns);
		timeline_choose_names(x, (const char *const *)s.names.name, s.names.name_n, ns);
		x->sampled = 1;
		free(ns);
	}
	names_release(&s.names);
	map_release(&s.number_of);
	return code;
}
