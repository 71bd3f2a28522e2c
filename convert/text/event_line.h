/* event_line.h: an event as one line: of CSV, or an object of JSON. */
#ifndef EVENT_LINE_H
#define EVENT_LINE_H

#include "convert/text/text_lines.h"

/* What the event is about, "" for nothing or a sample; of a leave of a plain clip its region. */
const char *event_line_name(const struct trace *t, const struct clip_event *ev);
/* The line with the names of the columns. */
void event_csv_head(struct text *x);
void event_csv(struct text *x, const struct clip_event *ev);
/* {"node":0,"thread":0,"time_ns":5,"kind":"enter","name":"main"}: keys are the columns of CSV that are not empty; a leave has its name, too. */
void event_json(struct text *x, const struct clip_event *ev);

#endif
