/* report_paths.c: paths of calls in reports: as rows of text, and as folded stacks. */
#include <math.h>
#include <string.h>

#include "analyze/trace/call_text.h"
#include "cmd/report/report.h"
#include "cmd/table/table.h"

#define ARROW (sizeof(CALLS_ARROW) - 1)

/* The last arrow before `end`, NULL: none. */
static const char *arrow_before(const char *path, const char *end)
{
	for (const char *s = end; s - path >= (long)ARROW; s--)
		if (!memcmp(s - ARROW, CALLS_ARROW, ARROW))
			return s - ARROW;
	return NULL;
}

const char *report_path_inner(const char *path)
{
	const char *arrow = path ? arrow_before(path, path + strlen(path)) : NULL;

	return arrow ? arrow + ARROW : path;
}

int report_is_path(const char *path)
{
	return path && strstr(path, CALLS_ARROW) != NULL;
}

void report_paths_note(struct table *t, int any)
{
	if (!any)
		table_note(t, "No call stacks recorded: only call sites are known. Try: tau-record "
			      "--memory=stacks");
}

void report_path_rows(struct table *t, size_t column, const char *path)
{
	const char *end = path ? arrow_before(path, path + strlen(path)) : NULL, *arrow;

	for (; end; end = arrow) {
		const char *from;
		char *text;

		arrow = arrow_before(path, end);
		from = arrow ? arrow + ARROW : path;
		text = mem_printf("%.*s", (int)(end - from), from);
		table_row_more(t);
		table_put_text(t, column, text);
		free(text);
	}
}

/* A function without its place; the signs of the format become others. */
static void function_put(FILE *f, const char *from, size_t n)
{
	const char *place = memchr(from, '[', n);

	while (place && (place == from || place[-1] != ' '))
		place = memchr(place + 1, '[', n - (size_t)(place + 1 - from));
	if (place)
		n = (size_t)(place - 1 - from);
	for (size_t i = 0; i < n; i++)
		putc(from[i] == ';' ? ':' : from[i] == '\n' ? ' ' : from[i], f);
}

void report_path_folded(FILE *f, const char *first, const char *path, const char *last,
			double number)
{
	const char *arrow, *stop = "";

	if (!(number > 0))
		return;
	if (first)
		stop = (fputs(first, f), ";");
	for (const char *from = path; from; from = arrow ? arrow + ARROW : NULL) {
		arrow = strstr(from, CALLS_ARROW);
		fputs(stop, f);
		function_put(f, from, arrow ? (size_t)(arrow - from) : strlen(from));
		stop = ";";
	}
	if (last) {
		fputs(stop, f);
		for (const char *c = last; *c; c++)
			putc(*c == ';' ? ':' : *c, f);
	}
	fprintf(f, " %.0f\n", round(number));
}

int report_paths_check(const struct report_options *o, struct error *e)
{
	if (o->format == REPORT_FOLDED && !o->paths)
		return error_set(e, ERROR_USAGE, "--format: folded needs --by stack");
	return 0;
}
