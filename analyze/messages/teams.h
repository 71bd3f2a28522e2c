/*
 * teams.h: which threads of a process are in one barrier of OpenMP.
 *
 * No thread leaves a barrier before all threads of its team are in it. So when the first one leaves, the team is all threads of
 * the process that are in a barrier of the same place. At the end of a parallel region only the thread that began it is in a
 * barrier. The others are idle then: those of the team have executed the same outlined function since the region began.
 *
 * The recorder does not store which team a thread belongs to. Two teams of one process that are in a barrier of the same place
 * at the same time, as nested ones can be, are taken for one. A thread that communicates inside a barrier, in a task, has left
 * it for this purpose.
 */
#ifndef TEAMS_H
#define TEAMS_H

#include "analyze/messages/messages.h"

/* Are both in the same barrier? The first is the one that leaves first. */
int team_has(const struct message_call *first, const struct message_call *other);
/* Makes the call a member of the meeting, which is made if it is NULL. */
struct meeting *team_join(struct meeting *m, struct message_call *c);

#endif
