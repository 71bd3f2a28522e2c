/* message.h: text for people that may contain names from data: a sentence on standard error, or a name on any stream. */
#ifndef MESSAGE_H
#define MESSAGE_H

#include <stdio.h>

/* "program: text" as one line, made safe for a terminal (text_clean()). */
void message_print(const char *program, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same of a name, without more. */
void name_print(FILE *f, const char *name);
/* The same of text that contains names; a newline at its end ends the line. */
void text_printf(FILE *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
