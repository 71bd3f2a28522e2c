/* anomaly_text.c: names, places and windows of anomalies. */
#include "cmd/report/events/anomaly_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyze/anomalies/instance_times.h"
#include "cmd/table/region_name.h"

const char *anomaly_name(enum anomaly_kind kind)
{
	static const char *const name[ANOMALY_KINDS] = {"slow instance", "odd rank", "growth"};

	return name[kind];
}

static const char *region_get(const void *of, size_t i)
{
	return ((const struct trace *)of)->region[i].name;
}

char *anomaly_region(const struct trace *t, const struct anomaly *a)
{
	const struct region_list list = {t, t->region_n, region_get};

	return region_word(&list, a->region);
}

char *anomaly_place(const struct trace *t, const struct anomaly *a)
{
	const struct trace_stream *s = &t->stream[a->stream];
	const struct trace_process *p = &t->process[s->process];

	if (p->stream_n < 2)
		return mem_printf("%d", (int)p->node);
	return mem_printf("%d.%u", (int)p->node, (unsigned)s->thread);
}

/* In double quotes, unless it can mean nothing else than a name. */
static char *window_name(const char *name)
{
	char *out, *to;
	int plain = strcmp(name, "iter") && !isdigit((unsigned char)*name);

	for (const char *c = name; *c; c++)
		plain &= isalnum((unsigned char)*c) || *c == '_';
	if (plain)
		return mem_string(name);
	to = out = mem_alloc(2 * strlen(name) + 3);
	*to++ = '"';
	for (const char *c = name; *c; c++) {
		if (*c == '"' || *c == '\\')
			*to++ = '\\';
		*to++ = *c;
	}
	*to++ = '"';
	return out;
}

/* Is each call of the region outside of other regions? Then windows have the same iterations. */
static int is_outermost(const struct messages *m, uint32_t region)
{
	const struct callstack_path *v = m->paths.v;

	for (size_t i = 1; i < m->paths.v_n; i++)
		if (v[i].region == region && v[i].parent)
			return 0;
	return 1;
}

/* Iterations are counted in each process, so the window is that of all processes. */
static char *iterations(const char *region, const struct anomaly *a)
{
	char last[32] = "";

	if (a->last > a->first)
		snprintf(last, sizeof(last), "..%" PRIu64, a->last);
	return mem_printf("iter(%s)=%" PRIu64 "%s", region, a->first, last);
}

char *anomaly_window(const struct instance_times *x, const struct anomaly *a)
{
	const struct trace *t = x->m->trace;
	const struct trace_stream *s = &t->stream[a->stream];
	char *name, *quoted, *out, rank[32] = "", last[32] = "";

	if (a->kind == ANOMALY_RANK)
		return NULL;
	if (!instance_is_counted(x, instance_series_of(x, a->stream, a->region, a->loop)) ||
	    (a->loop && !is_outermost(x->m, a->region)))
		return mem_printf("%" PRId64 "ns:%" PRId64 "ns", a->begin, a->end);
	name = anomaly_region(t, a);
	quoted = window_name(name);
	if (a->streams == 1 && t->process_n > 1)
		snprintf(rank, sizeof(rank), "@%d", (int)t->process[s->process].node);
	if (a->last > a->first)
		snprintf(last, sizeof(last), "..%" PRIu64, a->last);
	out = a->loop ? iterations(quoted, a)
		      : mem_printf("%s#%" PRIu64 "%s%s", quoted, a->first, last, rank);
	free(name);
	free(quoted);
	return out;
}
