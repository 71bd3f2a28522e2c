/* process.c: location groups and locations as processes and streams, with their ranks and
 * hosts. */
#include <stdio.h>
#include <string.h>

#include "analyze/base/map.h"
#include "analyze/trace/trace.h"
#include "convert/otf2/definitions.h"
#include "record/metadata.h"

#define DEPTH 64 /* of the system, and of processes that created each other; more is a circle */

/* The name of the machine that a node of the system tree belongs to: the nearest "node", else the
 * node itself. */
static const char *host_name(const struct archive_raw *d, uint32_t ref)
{
	uint32_t at = map_get(&d->node_of, ref);
	const char *first = at == MAP_NONE ? NULL : archive_text(d, d->node[at].name);

	for (size_t depth = 0; at != MAP_NONE && depth < DEPTH; depth++) {
		if (!strcmp(archive_text(d, d->node[at].class), "node"))
			return archive_text(d, d->node[at].name);
		at = map_get(&d->node_of, d->node[at].parent);
	}
	return first;
}

static void process_meta(struct trace_process *p, const char *name, const char *value)
{
	struct trace_attribute *a = array_add(p, meta);

	a->name = mem_string(name);
	a->value = mem_string(value);
}

static uint32_t process_new(struct archive_raw *d, const struct raw_group *g)
{
	struct trace *t = d->trace;
	struct trace_process *p = array_add(t, process);
	const char *host = g ? host_name(d, g->node) : NULL;
	long long rank;

	p->id = t->process_n;
	p->rank = p->size = -1;
	if (g && sscanf(archive_text(d, g->name), "MPI Rank %lld", &rank) == 1 && rank >= 0 &&
	    rank < INT32_MAX)
		p->rank = rank;
	if (host && *host)
		p->host = mem_string(host);
	return (uint32_t)t->process_n - 1;
}

/* Index of the process's group: of an accelerator the creator's, if that is known. */
static uint32_t group_process(const struct archive_raw *d, uint32_t ref)
{
	uint32_t at = map_get(&d->group_of, ref);

	for (size_t depth = 0; at != MAP_NONE && depth < DEPTH; depth++) {
		uint32_t up = map_get(&d->group_of, d->group[at].creator);

		if (d->group[at].type != OTF2_LOCATION_GROUP_TYPE_ACCELERATOR || up == MAP_NONE)
			break;
		at = up;
	}
	return at;
}

/* Locations whose group is not defined: one process for each group number, none of them for
 * "undefined". */
static uint32_t orphan_process(struct archive_raw *d, struct map *seen, size_t location)
{
	const struct raw_location *l = &d->location[location];
	uint32_t p = l->group == OTF2_UNDEFINED_UINT32 ? MAP_NONE : map_get(seen, l->group);

	if (p == MAP_NONE) {
		p = process_new(d, NULL);
		map_set(seen, l->group, p);
	}
	return p;
}

static int location_compare(const void *va, const void *vb)
{
	const struct raw_location *a = va, *b = vb;

	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	if (a->accelerator != b->accelerator)
		return a->accelerator - b->accelerator;
	return a->ref < b->ref ? -1 : a->ref > b->ref;
}

static void add_streams(struct archive_raw *d)
{
	struct trace *t = d->trace;
	uint32_t thread = 0;

	if (d->location_n)
		qsort(d->location, d->location_n, sizeof(*d->location), location_compare);
	for (size_t i = 0; i < d->location_n; i++) {
		const struct raw_location *l = &d->location[i];
		struct archive_location *x = array_add(d->run, location);
		struct trace_stream *s;

		x->id = l->ref;
		x->events = l->events;
		s = array_add(t, stream);
		thread = i && d->location[i - 1].process == l->process ? thread + 1 : 0;
		s->process = l->process;
		s->thread = thread;
		s->name = mem_printf("%s: location %llu", t->path, (unsigned long long)l->ref);
		s->device = l->type == OTF2_LOCATION_TYPE_ACCELERATOR_STREAM;
		s->values = l->type == OTF2_LOCATION_TYPE_METRIC;
		s->label = *archive_text(d, l->name) ? mem_string(archive_text(d, l->name)) : NULL;
		s->reader = (void *)(uintptr_t)(i + 1);
	}
}

/* Ranks from the lists of locations of the paradigms that have ranks; the first list wins. */
static void set_ranks(struct archive_raw *d)
{
	static const uint8_t ranked[] = {OTF2_PARADIGM_MPI, OTF2_PARADIGM_SHMEM, OTF2_PARADIGM_UPC,
					 OTF2_PARADIGM_GASPI};
	struct map at = {0};

	for (size_t i = 0; i < d->location_n; i++)
		map_set(&at, d->location[i].ref, d->location[i].process);
	for (size_t k = 0; k < sizeof(ranked) / sizeof(*ranked); k++) {
		for (size_t g = 0; g < d->members_n; g++) {
			const struct raw_members *m = &d->members[g];

			if (m->type != OTF2_GROUP_TYPE_COMM_LOCATIONS || m->paradigm != ranked[k])
				continue;
			for (uint32_t i = 0; i < m->n; i++) {
				uint32_t p = map_get(&at, m->member[i]);

				if (p == MAP_NONE || map_get(&d->rank_of, p) != MAP_NONE)
					continue;
				/* What we write lists all processes, and names those that have a
				 * rank after it. */
				if (d->run->ours && d->trace->process[p].rank < 0)
					continue;
				map_set(&d->rank_of, p, i);
				d->trace->process[p].rank = i;
				d->trace->process[p].size = m->n;
			}
		}
	}
	map_release(&at);
}

/* The numbers that an archive of ours gives to the threads of a process, as far as they ascend. */
static void threads_number(struct trace *t, uint32_t process, const char *said)
{
	uint32_t next = 0;

	for (size_t i = 0; i < t->stream_n; i++) {
		unsigned long long thread;
		char *end;

		if (t->stream[i].process != process)
			continue;
		thread = strtoull(said, &end, 10);
		if (thread < next || thread > INT32_MAX)
			thread = next;
		t->stream[i].thread = (uint32_t)thread;
		next = (uint32_t)thread + 1;
		said = end;
	}
}

void archive_processes(struct archive_raw *d)
{
	struct trace *t = d->trace;
	struct map orphans = {0};

	for (size_t i = 0; i < d->location_n; i++) {
		struct raw_location *l = &d->location[i];
		uint32_t g = group_process(d, l->group);

		l->accelerator = l->type == OTF2_LOCATION_TYPE_ACCELERATOR_STREAM ? 1
				 : l->type == OTF2_LOCATION_TYPE_METRIC           ? 2
										  : 0;
		if (g == MAP_NONE) {
			l->process = orphan_process(d, &orphans, i);
			continue;
		}
		if (d->group[g].process == TRACE_NONE)
			d->group[g].process = process_new(d, &d->group[g]);
		l->process = d->group[g].process;
	}
	map_release(&orphans);
	add_streams(d);
	set_ranks(d);
	for (size_t i = 0; i < d->property_n; i++) {
		const char *name = archive_text(d, d->property[i].name);
		const char *value = archive_text(d, d->property[i].value);
		uint32_t g = map_get(&d->group_of, d->property[i].group);
		uint32_t p = g == MAP_NONE ? TRACE_NONE : d->group[g].process;

		if (p == TRACE_NONE)
			continue;
		if (d->run->ours && !strcmp(name, TAU_META_THREAD_NUMBERS))
			threads_number(t, p, value);
		else if (d->run->ours && !strcmp(name, TAU_META_PROCESS_NUMBER))
			t->process[p].number = trace_process_number(value);
		else
			process_meta(&t->process[p], name, value);
	}
	for (size_t p = 0; p < t->process_n; p++) {
		int known = t->process[p].host == NULL;

		for (size_t m = 0; m < t->process[p].meta_n; m++)
			known |= !strcmp(t->process[p].meta[m].name, TAU_META_HOSTNAME);
		if (!known)
			process_meta(&t->process[p], TAU_META_HOSTNAME, t->process[p].host);
	}
}
