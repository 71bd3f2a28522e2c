/* json_parts.h: the parts that all of Chrome's trace events (JSON) are made of. */
#ifndef JSON_PARTS_H
#define JSON_PARTS_H

#include "convert/text/text_lines.h"

/* A string in quotes; bytes that are not UTF-8 are read as Latin-1. */
void json_text(FILE *f, const char *s);
/* The begin of an event; what follows is ",...}". name NULL: it has none. */
void json_head(struct text *x, const char *phase, int64_t time, const char *name);
/* "process_name" or "thread_name" is name. */
void json_name(struct text *x, const char *what, const char *name);
/* cat: a word. */
void json_counter(struct text *x, int64_t time, const char *cat, const char *name, double v);

#endif
