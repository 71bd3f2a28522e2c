/* follow_anomalies.h: what is unusual in the events of a run that is followed, as lines. */
#ifndef FOLLOW_ANOMALIES_H
#define FOLLOW_ANOMALIES_H

#include <stdio.h>

#include "convert/text/follow.h"

struct follow_anomalies;

/* least: ns that an instance takes longer than usual. */
struct follow_anomalies *follow_anomalies_new(FILE *to, int64_t least);
/* struct follow's `take`; to: a struct follow_anomalies. */
void follow_anomalies_receive(void *to, const struct follow_event *ev);
/* Prints on stderr how many instances were compared. */
void follow_anomalies_report(const struct follow_anomalies *a, const char *program);
/* NULL: nothing. */
void follow_anomalies_free(struct follow_anomalies *a);

#endif
