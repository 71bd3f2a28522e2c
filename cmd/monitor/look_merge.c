/* look_merge.c: one look from several. */
#include "cmd/monitor/look_merge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/base/map.h"
#include "analyze/profile/profile.h"

/* ---- numbers of processes ---- */

static uint64_t node_key(size_t source, int32_t node)
{
	return (uint64_t)source << 32 | (uint32_t)node;
}

static uint32_t who(struct look_nodes *nodes, size_t source, const struct look_process *p)
{
	char text[400];
	int n = snprintf(text, sizeof(text), "%llx %.255s %u", (unsigned long long)p->id, p->host,
			 p->pid);
	uint32_t id;

	if (!p->id) /* nothing else identifies it */
		n += snprintf(text + n, sizeof(text) - (size_t)n, " %zu %d", source, p->node);
	id = names_add(&nodes->who, text, (size_t)n);
	while (nodes->node_n <= id)
		*array_add(nodes, node) = -1;
	return id;
}

/* Finds sources whose processes are those of an earlier source. */
static void twice_find(struct look_nodes *nodes, struct look_source *from, size_t n)
{
	struct map first = {0};

	for (size_t i = 0; i < n; i++) {
		const struct look *l = from[i].look;

		from[i].twice = 0;
		for (size_t k = 0; l && k < l->process_n; k++) {
			uint32_t id = who(nodes, i, &l->process[k]), at = map_get(&first, id);

			if (at != MAP_NONE && at != i) {
				from[i].twice = 1 + (size_t)at;
				break;
			}
			map_set(&first, id, (uint32_t)i);
		}
	}
	map_release(&first);
}

struct numbering {
	struct look_nodes *nodes;
	struct map used; /* node -> 1 */
	int32_t next;	 /* above all that are used */
};

static void node_number(struct numbering *g, size_t source, const struct look_process *p,
		      uint32_t id, int32_t node)
{
	g->nodes->node[id] = node;
	map_set(&g->nodes->at, node_key(source, p->node), (uint32_t)node);
	map_set(&g->used, (uint32_t)node, 1);
	if (node >= g->next && node < INT32_MAX)
		g->next = node + 1;
}

enum { RANKS, KNOWN, REST, ROUNDS };

/* Ranks first, then processes that keep their numbers, then the rest. */
static void node_find(struct numbering *g, size_t source, const struct look_process *p, int round)
{
	uint32_t id;
	int64_t node;

	if (map_get(&g->nodes->at, node_key(source, p->node)) != MAP_NONE)
		return;
	id = who(g->nodes, source, p);
	node = round == RANKS ? p->rank : round == KNOWN ? g->nodes->node[id] : g->next;
	if (node < 0 || (round != REST && map_get(&g->used, (uint64_t)node) != MAP_NONE))
		return;
	node_number(g, source, p, id, (int32_t)node);
}

static void nodes_number(struct look_nodes *nodes, const struct look_source *from, size_t n)
{
	struct numbering g = {.nodes = nodes};

	map_release(&nodes->at);
	nodes->at = (struct map){0};
	for (int round = RANKS; round < ROUNDS; round++)
		for (size_t i = 0; i < n; i++)
			for (size_t k = 0; from[i].look && !from[i].twice &&
					   k < from[i].look->process_n;
			     k++)
				node_find(&g, i, &from[i].look->process[k], round);
	map_release(&g.used);
}

static int32_t node_of(const struct look_nodes *nodes, size_t source, int32_t node)
{
	uint32_t to = map_get(&nodes->at, node_key(source, node));

	return to == MAP_NONE ? node : (int32_t)to;
}

/* ---- sums ---- */

/* A missing number adds nothing; the sum is missing if all are. */
static void add_known(double *to, double v)
{
	if (!isnan(v))
		*to = isnan(*to) ? v : *to + v;
}

static double whole_ns(double us)
{
	return round(us * 1000) / 1000;
}

static void regions_add(struct look *l, struct names *names, const struct look_source *s)
{
	for (size_t i = 0; i < s->look->region_n; i++) {
		const struct look_region *from = &s->look->region[i];
		size_t at = names_add(names, from->name, strlen(from->name));
		struct look_region *to;

		if (at == l->region_n) {
			to = array_add(l, region);
			to->name = mem_string(from->name);
			to->groups = mem_string(from->groups);
			to->new_calls = to->new_excl = NAN;
		}
		to = &l->region[at];
		if (!*to->groups && *from->groups) {
			free(to->groups);
			to->groups = mem_string(from->groups);
		}
		to->calls += from->calls;
		to->excl = whole_ns(to->excl + from->excl);
		to->incl = whole_ns(to->incl + from->incl);
		if (!s->fresh)
			continue;
		add_known(&to->new_calls, from->new_calls);
		add_known(&to->new_excl, whole_ns(from->new_excl));
	}
}

static void memory_add(struct look *l, struct names *types, const struct look *from)
{
	for (size_t i = 0; i < from->memory_n; i++) {
		const struct look_memory *x = &from->memory[i];
		size_t at = names_add(types, x->type, strlen(x->type));

		if (at == l->memory_n)
			array_add(l, memory)->type = mem_string(x->type);
		l->memory[at].bytes += x->bytes;
		l->memory[at].blocks += x->blocks;
	}
}

static char *text_or_null(const char *s)
{
	return s ? mem_string(s) : NULL;
}

static void threads_add(const struct look_nodes *nodes, struct look *l, size_t source,
			const struct look_source *s)
{
	for (size_t i = 0; i < s->look->thread_n; i++) {
		struct look_thread *to = array_add(l, thread);

		*to = s->look->thread[i];
		to->node = node_of(nodes, source, to->node);
		to->label = text_or_null(to->label);
		to->open = s->lost ? NULL : text_or_null(to->open);
		to->unknown |= s->lost && to->running;
		to->running &= !s->lost;
		if (s->lost)
			to->since = NAN;
		if (!s->fresh)
			to->new_calls = isnan(to->new_calls) ? NAN : 0;
	}
}

static void processes_add(const struct look_nodes *nodes, struct look *l, size_t source,
			  const struct look_source *s)
{
	for (size_t i = 0; i < s->look->process_n; i++) {
		struct look_process *to = array_add(l, process);

		*to = s->look->process[i];
		to->node = node_of(nodes, source, to->node);
		to->host = mem_string(to->host);
		for (size_t k = 0; k < to->top_n; k++)
			to->top[k].name = mem_string(to->top[k].name);
		to->unknown |= s->lost && to->running;
		to->running &= !s->lost;
		l->running += to->running != 0;
		l->unknown += to->unknown != 0;
		l->ended += !to->running && !to->unknown;
	}
}

/* ---- the whole ---- */

static int thread_order(const void *x, const void *y)
{
	const struct look_thread *a = x, *b = y;

	return a->node != b->node ? (a->node > b->node) - (a->node < b->node)
				  : (a->thread > b->thread) - (a->thread < b->thread);
}

static int process_order(const void *x, const void *y)
{
	const struct look_process *a = x, *b = y;

	return a->node != b->node ? (a->node > b->node) - (a->node < b->node)
				  : (a->pid > b->pid) - (a->pid < b->pid);
}

static void source_add(const struct look_nodes *nodes, struct look *l, size_t source,
		       const struct look_source *s, int time)
{
	const struct look *from = s->look;

	if (time && from->now > l->now)
		l->now = from->now;
	if (s->fresh && from->elapsed > 0 && !(l->elapsed > from->elapsed))
		l->elapsed = from->elapsed;
	l->pes += from->pes;
	l->threads += from->threads;
	l->records += from->records;
	l->lost += from->lost;
	add_known(&l->messages, from->messages);
	add_known(&l->bytes, from->bytes);
	threads_add(nodes, l, source, s);
	processes_add(nodes, l, source, s);
}

void look_merge(struct look_nodes *nodes, struct look_source *from, size_t n, struct look *out)
{
	struct names names = {0}, types = {0};
	int fresh = 0;

	*out = (struct look){.elapsed = NAN, .messages = NAN, .bytes = NAN};
	twice_find(nodes, from, n);
	nodes_number(nodes, from, n);
	for (size_t i = 0; i < n; i++)
		fresh |= from[i].look && !from[i].twice && from[i].fresh;
	for (size_t i = 0; i < n; i++) {
		if (!from[i].look || from[i].twice)
			continue;
		source_add(nodes, out, i, &from[i], !fresh || from[i].fresh);
		regions_add(out, &names, &from[i]);
		memory_add(out, &types, from[i].look);
	}
	if (out->thread_n)
		qsort(out->thread, out->thread_n, sizeof(*out->thread), thread_order);
	if (out->process_n)
		qsort(out->process, out->process_n, sizeof(*out->process), process_order);
	if (out->memory_n)
		qsort(out->memory, out->memory_n, sizeof(*out->memory), look_memory_order);
	names_release(&names);
	names_release(&types);
}

int look_merge_profile(const struct look_nodes *nodes, size_t source, struct profile *from,
		       struct profile *into)
{
	int32_t *before;

	if (!into->metric_n && !into->thread_n)
		for (size_t i = 0; i < from->metric_n; i++)
			profile_add_metric(into, from->metric[i].name);
	if (into->metric_n != from->metric_n || from->squares)
		return -1;
	for (size_t i = 0; i < from->metric_n; i++)
		if (strcmp(into->metric[i].name, from->metric[i].name) != 0)
			return -1;
	before = mem_alloc((from->thread_n + 1) * sizeof(*before));
	for (size_t i = 0; i < from->thread_n; i++) {
		before[i] = from->thread[i].node;
		from->thread[i].node = node_of(nodes, source, before[i]);
	}
	profile_join(into, from);
	for (size_t i = 0; i < from->thread_n; i++)
		from->thread[i].node = before[i];
	free(before);
	if (from->end_us > into->end_us)
		into->end_us = from->end_us;
	return 0;
}

void look_nodes_release(struct look_nodes *nodes)
{
	names_release(&nodes->who);
	free(nodes->node);
	map_release(&nodes->at);
}
