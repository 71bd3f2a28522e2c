/* communicators.c: communicators, windows and groups of the definitions, with world ranks. */
#include "analyze/base/map.h"
#include "convert/otf2/archive.h"
#include "convert/otf2/definitions.h"

/* The list that ranks of a group count in, by paradigm: the first one. */
struct group_lists {
	const struct raw_members *of[UINT8_MAX + 1];
};

static struct group_lists lists_of(const struct archive_raw *d)
{
	struct group_lists lists = {{NULL}};

	for (size_t i = d->members_n; i-- > 0;)
		if (d->members[i].type == OTF2_GROUP_TYPE_COMM_LOCATIONS)
			lists.of[d->members[i].paradigm] = &d->members[i];
	return lists;
}

static uint32_t world_rank(const struct archive_raw *d, const struct map *process_at,
			   uint64_t location)
{
	uint32_t p = map_get(process_at, location);

	return p != MAP_NONE && d->trace->process[p].rank >= 0 ? (uint32_t)d->trace->process[p].rank
							       : TRACE_NONE;
}

/* The world rank of a member of a group. */
static uint32_t member_rank(const struct archive_raw *d, const struct map *process_at,
			    const struct raw_members *m, const struct raw_members *all, size_t i)
{
	uint64_t location = m->member[i];
	uint32_t rank;

	if (m->type != OTF2_GROUP_TYPE_COMM_LOCATIONS) {
		if (!all || m->member[i] >= all->n)
			return (uint32_t)m->member[i];
		location = all->member[m->member[i]];
	}
	rank = world_rank(d, process_at, location);
	return rank == TRACE_NONE ? (uint32_t)m->member[i] : rank;
}

/* The groups with which accesses to windows can be synchronised. */
static void groups_add(struct archive_raw *d, const struct map *process_at,
		       const struct group_lists *lists)
{
	struct archive *run = d->run;

	for (size_t k = 0; k < d->members_n; k++) {
		const struct raw_members *m = &d->members[k];
		struct archive_group *g;

		/* a group that has more members than there are processes is damage */
		if (m->type != OTF2_GROUP_TYPE_COMM_GROUP || m->n > d->trace->process_n)
			continue;
		map_set(&run->group_of, m->ref, (uint32_t)run->group_n);
		g = array_add(run, group);
		g->n = m->n;
		g->rank = mem_alloc((m->n + 1) * sizeof(*g->rank));
		for (size_t i = 0; i < m->n; i++)
			g->rank[i] = member_rank(d, process_at, m, lists->of[m->paradigm], i);
	}
}

/* One side of a communicator as a communicator of the trace. */
static uint32_t comm_add(struct archive_raw *d, const struct map *process_at,
			 const struct group_lists *lists, const struct raw_comm *r, uint32_t group,
			 int *self)
{
	uint32_t g = map_get(&d->members_of, group);
	const struct raw_members *m = g == MAP_NONE ? NULL : &d->members[g], *all;
	struct trace_comm *c = array_add(d->trace, comm);

	c->name = mem_string(archive_text(d, r->name));
	c->number = (uint64_t)r->ref + 1;
	c->n = m ? m->n : 0;
	c->rank = mem_alloc((c->n + 1) * sizeof(*c->rank));
	*self = m && m->type == OTF2_GROUP_TYPE_COMM_SELF;
	all = m ? lists->of[m->paradigm] : NULL;
	for (size_t i = 0; i < c->n; i++)
		c->rank[i] = member_rank(d, process_at, m, all, i);
	return (uint32_t)d->trace->comm_n - 1;
}

void archive_communicators(struct archive_raw *d)
{
	struct archive *run = d->run;
	struct map process_at = {0};
	const struct group_lists lists = lists_of(d);

	for (size_t i = 0; i < d->location_n; i++)
		map_set(&process_at, d->location[i].ref, d->location[i].process);
	for (size_t i = 0; i < d->comm_n; i++) {
		const struct raw_comm *r = &d->comm[i];
		struct archive_comm c = {.remote = TRACE_NONE};
		int self;

		c.comm = comm_add(d, &process_at, &lists, r, r->group, &c.self);
		if (r->other != OTF2_UNDEFINED_UINT32) {
			c.remote = comm_add(d, &process_at, &lists, r, r->other, &self);
			d->trace->comm[c.comm].inter = c.remote + 1;
			d->trace->comm[c.remote].inter = c.comm + 1;
		}
		map_set(&run->comm_of, r->ref, (uint32_t)run->comm_n);
		*array_add(run, comm) = c;
	}
	for (size_t i = 0; i < d->window_n; i++)
		map_set(&run->window_of, d->window[i].ref, d->window[i].comm);
	if (d->window_n)
		groups_add(d, &process_at, &lists);
	map_release(&process_at);
}
