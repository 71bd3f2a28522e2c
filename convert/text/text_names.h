/* text_names.h: what events are called in formats of text, and how values are written. */
#ifndef TEXT_NAMES_H
#define TEXT_NAMES_H

#include "convert/text/text_lines.h"

const char *text_kind_of(const struct trace *t, const struct clip_event *ev);
/* The shortest text that reads back as the value. */
void text_value(FILE *f, double v);
const char *text_code_name(const struct trace_code *c);
/* A whole file of one format. */
int text_write(const struct text_kind *kind, struct trace *t, const char *to, struct write_options *o, struct error *e);

#endif
