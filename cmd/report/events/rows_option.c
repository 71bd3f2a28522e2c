/* rows_option.c: reads --rows. */
#include "cmd/report/events/rows_option.h"

#include <stdio.h>
#include <string.h>

static const char *const levels[] = {
	[ROW_QUEUE] = "queue", [ROW_THREAD] = "thread", [ROW_PE] = "pe", [ROW_HOST] = "host"};
#define LEVELS (sizeof(levels) / sizeof(*levels))

const char *rows_level_name(enum row_level level)
{
	return levels[level];
}

static int level_read(const char *text, size_t n, enum row_level *out)
{
	for (size_t i = 0; i < LEVELS; i++)
		if (strlen(levels[i]) == n && !memcmp(levels[i], text, n)) {
			*out = (enum row_level)i;
			return 1;
		}
	return 0;
}

static int wrong(const char *text, struct error *e)
{
	return error_set(e, ERROR_USAGE,
			 "--rows: '%s' is not queue, thread, pe or host, or one of these followed "
			 "by HOST=LEVEL or "
			 "PE=LEVEL",
			 text);
}

int rows_read(const char *text, struct rows_wanted *out, struct error *e)
{
	size_t n;

	*out = (struct rows_wanted){.given = text != NULL};
	if (!text)
		return 0;
	n = strcspn(text, ",");
	if (!level_read(text, n, &out->level))
		return wrong(text, e);
	for (const char *s = text + n; *s; s += n) {
		const char *equals;
		struct rows_exception x;

		n = strcspn(++s, ",");
		equals = memchr(s, '=', n);
		if (!equals || equals == s ||
		    !level_read(equals + 1, n - (size_t)(equals + 1 - s), &x.level))
			return wrong(text, e);
		x.name = mem_printf("%.*s", (int)(equals - s), s);
		*array_add(out, v) = x;
	}
	return 0;
}

void rows_release(struct rows_wanted *w)
{
	for (size_t i = 0; i < w->v_n; i++)
		free(w->v[i].name);
	free(w->v);
	*w = (struct rows_wanted){0};
}

enum row_level rows_level(const struct rows_wanted *w, const struct trace_process *p)
{
	enum row_level level = w->level;
	char number[16];

	snprintf(number, sizeof(number), "%d", (int)p->node);
	for (size_t i = 0; i < w->v_n; i++)
		if (p->host && !strcmp(w->v[i].name, p->host))
			level = w->v[i].level;
	for (size_t i = 0; i < w->v_n && level != ROW_HOST; i++)
		if (w->v[i].level != ROW_HOST && !strcmp(w->v[i].name, number))
			level = w->v[i].level;
	return level;
}
