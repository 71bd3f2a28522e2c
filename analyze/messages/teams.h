/*
 * teams.h: finds the threads of a process that are in one barrier of OpenMP.
 *
 * No thread leaves a barrier before all threads of its team have entered it. So when the first one
 * leaves, the team is all threads of the process that are in a barrier of the same source position.
 * At the end of a parallel region, only the thread that began it is in a barrier. The others are
 * idle then: those of the team have executed the same outlined function since the region began.
 *
 * Two teams of one process can be in a barrier of the same source position at the same time, as nested teams. The recorder stores
 * the number of a team that is active beside another one (TAU_LOCK_TEAM), and members of a barrier have the same one. In traces
 * without them, as of Score-P, such teams are treated as one. A thread that communicates inside a barrier, in a task, counts as
 * having left it.
 */
#ifndef TEAMS_H
#define TEAMS_H

#include "analyze/messages/messages.h"

/* Are both in the same barrier? `first` is the call that leaves first. */
int team_has(const struct message_call *first, const struct message_call *other);
/*
 * Makes the call a member of the meeting. m NULL: makes a meeting first. Returns the meeting, which
 * matching_left() frees for its last member.
 */
struct meeting *team_join(struct meeting *m, struct message_call *c);

#endif
