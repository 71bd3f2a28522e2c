/* teams.c: finds the members of a barrier of threads. */
#include "analyze/messages/teams.h"

/*
 * Are they the end of a parallel region: the barrier of the thread that began it, and a thread that
 * has left it?
 */
static int is_end(const struct message_call *barrier, const struct message_call *idle)
{
	return barrier->role == TEAM_BARRIER && idle->role == TEAM_IDLE &&
	       barrier->forked != TRACE_NONE && barrier->forked == idle->forked &&
	       idle->fork >= barrier->fork;
}

int team_has(const struct message_call *first, const struct message_call *other)
{
	if (other->meeting || other->enter > first->leave || other->team != first->team)
		return 0;
	if (first->role == TEAM_BARRIER && other->role == TEAM_BARRIER)
		return first->region == other->region;
	return is_end(first, other);
}

struct meeting *team_join(struct meeting *m, struct message_call *c)
{
	if (!m) {
		m = mem_alloc(sizeof(*m));
		*m = (struct meeting){.team = 1, .first_leave = c->leave, .ideal = INT64_MIN};
	}
	m->idle |= c->role == TEAM_IDLE;
	m->members++;
	m->joined++;
	c->meeting = m;
	c->next_in_meeting = m->first;
	m->first = c;
	c->held++;
	if (!m->latest || c->enter > m->latest->enter)
		m->latest = c;
	return m;
}
