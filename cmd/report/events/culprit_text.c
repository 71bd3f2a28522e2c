/* culprit_text.c: ranks and threads that are late, those that wait for them, and the kinds of waits. */
#include "cmd/report/events/culprit_text.h"

#include <inttypes.h>
#include <string.h>

#include "analyze/base/mem_stream.h"
#include "analyze/messages/awaited.h"
#include "cmd/table/region_name.h"

#define PART 0.1 /* of a culprit, that a rank or a kind of waits has to be named */

/* ---- who ---- */

static int32_t node_of(const struct report_trace *r, uint32_t stream)
{
	return r->trace->process[r->trace->stream[stream].process].node;
}

/* Processes with a part of it; *first: the first numbers of their streams in c->who. */
static uint32_t processes_of(const struct report_trace *r, const struct culprits *c,
			     const struct culprit *v, size_t first[CULPRIT_FEW])
{
	uint32_t n = 0;

	for (size_t i = v->who; i < v->who + v->who_n; i++) {
		size_t k = v->who;

		if (c->who[i].ns < PART * v->ns && i > v->who)
			break;
		while (k < i && node_of(r, c->who[k].stream) != node_of(r, c->who[i].stream))
			k++;
		if (k < i)
			continue;
		if (n < CULPRIT_FEW)
			first[n] = i;
		n++;
	}
	return n;
}

/* Streams with a part of it. */
static uint32_t streams_of(const struct culprits *c, const struct culprit *v)
{
	uint32_t n = 1;

	while (n < v->who_n && c->who[v->who + n].ns >= PART * v->ns)
		n++;
	return n;
}

int culprit_is_one(const struct report_trace *r, const struct culprits *c, const struct culprit *v)
{
	size_t first[CULPRIT_FEW];

	return processes_of(r, c, v, first) == 1;
}

static char *one_process(const struct report_trace *r, const struct culprits *c,
			 const struct culprit *v)
{
	uint32_t stream = c->who[v->who].stream, thread = r->trace->stream[stream].thread;

	if (streams_of(c, v) > 1)
		return mem_printf("threads of rank %" PRId32, node_of(r, stream));
	if (thread || v->pattern_ns[WAIT_TEAM] > 0)
		return mem_printf("thread %" PRId32 ".%" PRIu32, node_of(r, stream), thread);
	return mem_printf("rank %" PRId32, node_of(r, stream));
}

char *culprit_who_text(const struct report_trace *r, const struct culprits *c,
		       const struct culprit *v)
{
	size_t first[CULPRIT_FEW], size;
	uint32_t n = processes_of(r, c, v, first);
	char *text;
	FILE *f;

	if (n == 1)
		return one_process(r, c, v);
	if (n > CULPRIT_FEW)
		return mem_printf("%" PRIu32 " ranks, most rank %" PRId32, n,
				  node_of(r, c->who[v->who].stream));
	f = mem_stream(&text, &size);
	for (uint32_t i = 0; i < n; i++)
		fprintf(f, "%s%" PRId32,
			!i	     ? "ranks "
			: i + 1 == n ? " and "
				     : ", ",
			node_of(r, c->who[first[i]].stream));
	fclose(f);
	return text;
}

/* ---- where ---- */

char *culprit_where_text(const struct report_trace *r, const struct culprit *v, size_t width)
{
	uint32_t path = v->path ? v->path : v->before;
	char *name, *text;

	if (!path)
		return mem_string("outside of all regions");
	name = report_trace_path(r, path);
	if (width)
		region_name_fit(name, width);
	text = mem_printf("%s %s", v->path ? "in" : "before", name);
	free(name);
	return text;
}

/* ---- whom ---- */

static int by_number(const void *va, const void *vb)
{
	const int32_t *a = va, *b = vb;

	return (*a > *b) - (*a < *b);
}

int culprit_is_mutual(const struct report_trace *r, const struct culprits *c,
		      const struct culprit *v)
{
	size_t first[CULPRIT_FEW];
	uint32_t n = processes_of(r, c, v, first), found = 0;

	if (n < 2 || n > CULPRIT_FEW || n != v->waiting.n)
		return 0;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < n; k++)
			found += r->trace->stream[c->who[first[i]].stream].process ==
				 v->waiting.v[k];
	return found == n;
}

/* The nodes that wait: without that of a culprit that is one process, unless it is the only one. */
static uint32_t others_of(const struct report_trace *r, const struct culprits *c,
			  const struct culprit *v, int32_t node[CULPRIT_FEW])
{
	int32_t own = node_of(r, c->who[v->who].stream);
	int one = culprit_is_one(r, c, v) && v->waiting.n > 1;
	uint32_t n = 0;

	for (uint32_t i = 0; i < v->waiting.n; i++) {
		int32_t other = r->trace->process[v->waiting.v[i]].node;

		if (!one || other != own)
			node[n++] = other;
	}
	return n;
}

char *culprit_waiting_text(const struct report_trace *r, const struct culprits *c,
			   const struct culprit *v)
{
	int team = v->pattern_ns[WAIT_TEAM] >= PART * v->ns;
	int32_t node[CULPRIT_FEW];
	uint32_t n = v->waiting.n;
	size_t size;
	char *text;
	FILE *f = mem_stream(&text, &size);

	if (team)
		fprintf(f, "its team%s", n ? " and " : "");
	if (culprit_is_mutual(r, c, v)) {
		fputs("each other", f);
	} else if (n > CULPRIT_FEW) {
		fputs("other ranks", f);
	} else {
		n = others_of(r, c, v, node);
		qsort(node, n, sizeof(*node), by_number);
		for (uint32_t i = 0; i < n; i++)
			fprintf(f, "%s%" PRId32,
				!i	     ? (n > 1 ? "ranks " : "rank ")
				: i + 1 == n ? " and "
					     : ", ",
				node[i]);
	}
	if (!team && !n)
		fputs("itself", f);
	fclose(f);
	return text;
}

/* ---- how ---- */

char *culprit_states_text(const struct report_trace *r, const struct culprit *v)
{
	enum wait_pattern order[WAIT_TEAM + 1];
	size_t n = 0, size;
	char *text, time[QUANTITY_TEXT];
	FILE *f = mem_stream(&text, &size);

	for (enum wait_pattern p = 0; p <= WAIT_TEAM; p++) {
		size_t at = n;

		if (!(v->pattern_ns[p] > 0) || v->pattern_ns[p] < PART * v->ns)
			continue;
		for (; at && v->pattern_ns[order[at - 1]] < v->pattern_ns[p]; at--)
			order[at] = order[at - 1];
		order[at] = p;
		n++;
	}
	for (size_t i = 0; i < n; i++)
		fprintf(f, "%s%s %s", i ? ", " : "", wait_name(order[i]),
			report_trace_time(r, v->pattern_ns[order[i]], time));
	fclose(f);
	return text;
}
