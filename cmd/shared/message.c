/* message.c: prints text from data so that a terminal takes no orders from it. */
#include "cmd/shared/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/base/base.h"

void message_print(const char *program, const char *format, ...)
{
	va_list args;
	char *text, *clean;

	va_start(args, format);
	text = mem_vprintf(format, args);
	va_end(args);
	clean = text_clean(text);
	fprintf(stderr, "%s: %s\n", program, clean);
	free(clean);
	free(text);
}

void name_print(FILE *f, const char *name)
{
	const char *s = name;
	char *clean;

	while (*s >= ' ' && *s < 0x7f)
		s++;
	clean = *s ? text_clean(name) : NULL;
	fputs(clean ? clean : name, f);
	free(clean);
}

void text_printf(FILE *f, const char *format, ...)
{
	va_list args;
	char *text, *clean;
	size_t n;
	int ends;

	va_start(args, format);
	text = mem_vprintf(format, args);
	va_end(args);
	n = strlen(text);
	ends = n && text[n - 1] == '\n';
	if (ends)
		text[n - 1] = 0;
	clean = text_clean(text);
	fprintf(f, "%s%s", clean,
		ends ? "\n" : ""); /* in one write, also of a stream without a buffer */
	free(clean);
	free(text);
}
