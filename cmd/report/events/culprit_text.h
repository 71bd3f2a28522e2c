/* culprit_text.h: who makes whom wait, in words. All texts are to be freed. */
#ifndef CULPRIT_TEXT_H
#define CULPRIT_TEXT_H

#include "analyze/messages/culprits.h"
#include "cmd/report/events/report_trace.h"

/* "rank 0", "thread 1.3", "ranks 0 and 2", "5 ranks, most rank 3": those that cause much of it. */
char *culprit_who_text(const struct report_trace *r, const struct culprits *c, const struct culprit *v);
/* "rank 1", "ranks 0, 2 and 3", "its team and other ranks", "each other" */
char *culprit_waiting_text(const struct report_trace *r, const struct culprits *c, const struct culprit *v);
/* "late broadcast 899.5 ms, wait at barrier 10.2 ms", the longest first, without those that are a small part. */
char *culprit_states_text(const struct report_trace *r, const struct culprit *v);
/* "in main => solve [a.c:9]", "before MPI_Send()", "outside of all regions"; the path is at most `width` wide, if that is not 0. */
char *culprit_where_text(const struct report_trace *r, const struct culprit *v, size_t width);
/* Do the same ranks wait that are late? */
int culprit_is_mutual(const struct report_trace *r, const struct culprits *c, const struct culprit *v);
/* Does one rank or thread cause it? Verbs follow from it. */
int culprit_is_one(const struct report_trace *r, const struct culprits *c, const struct culprit *v);

#endif
