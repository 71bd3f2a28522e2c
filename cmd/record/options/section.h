/* section.h: instructions to TAU's parser of sources in a selective instrumentation file. */
#ifndef SECTION_H
#define SECTION_H

struct select;

/* Prints on stderr, once for each kind of instruction, what happens in place of it. file: for messages. */
void section_print(const struct select *s, const char *file);

#endif
