/* lane_team.c: barriers of threads as calls of a stream. */
#include "analyze/messages/lane.h"
#include "analyze/messages/lane_time.h"
#include "analyze/messages/matching.h"
#include "analyze/messages/teams.h"

void lane_team_begins(struct lane *l, size_t depth, enum team_role role)
{
	const struct lane_frame *f = &l->frame[depth], *ended = &l->ended;
	struct message_call *c = matching_call(&l->m->pass->matching);

	c->stream = l->stream;
	c->process = l->process;
	c->path = c->after = f->path;
	c->region = lane_region(l, f);
	c->enter = f->enter;
	c->role = role;
	c->team = l->team;
	c->forked = TRACE_NONE;
	if (ended->enter != INT64_MIN && l->ended_depth == depth) {
		c->forked = lane_region(l, ended);
		c->fork = role == TEAM_IDLE ? ended->enter : l->frame[depth - 1].enter;
		c->after = ended->path;
	}
	l->call = c;
	l->call_depth = depth;
	l->nested = 0;
	lane_spent_pass(l, c);
}

void lane_team_forget(struct lane *l)
{
	struct message_call *c = l->call;

	lane_spent_add(l, c->path, lane_clipped(l, c->enter, l->last) - l->nested);
	l->call = NULL;
	matching_left(&l->m->pass->matching, c);
}

void lane_team_pass(struct messages *m, struct message_call *c)
{
	const struct trace_process *p = &m->trace->process[c->process];
	const struct message_time time = {c->path, c->exclusive};
	int in = lane_inside(&m->pass->lane[c->stream], c->leave);

	if (!c->meeting && c->role == TEAM_BARRIER) {
		struct meeting *team = team_join(NULL, c);

		for (size_t i = 0; i < p->stream_n; i++) {
			struct message_call *o = m->pass->lane[p->stream[i]].done;

			if (o && o->role && team_has(c, o))
				team_join(team, o);
		}
		m->found.teams += team->members > 1;
		CALL_USES(m, team_met, team);
	}
	for (size_t u = 0; u < m->use_n; u++) {
		const struct messages_use *use = &m->use[u];

		if (use->teams && use->left)
			use->left(use->to, c, in);
		else if (!use->teams && use->spent)
			use->spent(use->to, c->stream, &time, 1, NULL);
	}
	matching_left(&m->pass->matching, c);
}
