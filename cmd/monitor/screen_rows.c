/* screen_rows.c: views that are tables, as lines. */
#include "cmd/monitor/screen_rows.h"

#include <stdio.h>
#include <string.h>

#include "analyze/base/mem_stream.h"
#include "analyze/profile/profile.h"
#include "cmd/monitor/look_cells.h"
#include "cmd/monitor/look_hang.h"
#include "cmd/monitor/look_processes.h"
#include "cmd/monitor/look_read.h"
#include "cmd/table/table.h"

static void lines_free(struct view_rows *x)
{
	for (size_t i = 0; i < x->line_n; i++)
		free(x->line[i]);
	free(x->header);
	x->header = NULL;
	x->line_n = 0;
}

static void lines_read(struct view_rows *x, const struct table *t, int columns)
{
	char *text = NULL, *rest = NULL, *line;
	size_t size;
	FILE *f = mem_stream(&text, &size);

	table_print_lines(t, f, (size_t)columns);
	fclose(f);
	line = strtok_r(text, "\n", &rest);
	x->header = mem_string(line ? line : "");
	while ((line = strtok_r(NULL, "\n", &rest)))
		*array_add(x, line) = mem_string(line);
	free(text);
}

void view_rows_make(struct view *v, int columns)
{
	struct table *t;

	lines_free(&v->rows);
	v->rows.columns = columns;
	if (v->kind == VIEW_WAITS && v->look.hang)
		lines_read(&v->rows, v->look.hang->people, columns);
	if (v->kind != VIEW_PROCESSES && v->kind != VIEW_CELLS)
		return;
	t = v->kind == VIEW_PROCESSES ? look_processes_table(&v->look, 1, 0)
				      : look_cells_table(&v->cells, &v->chosen, CELLS_FOR_VIEW, 0);
	lines_read(&v->rows, t, columns);
	table_free(t);
}

static void cells_renew(struct view *v)
{
	struct error e = {0};
	const struct profile *p = v->look.profile;

	look_cells_release(&v->cells);
	if (v->profile)
		profile_free(v->profile);
	v->profile = NULL;
	if (!p && !look_profile(v->run, &v->look, &v->profile, &e))
		p = v->profile;
	if (!p || look_cells_make(&v->cells, p, &v->chosen, v->order, &e))
		snprintf(v->message, sizeof(v->message), "%s", e.text);
}

void view_rows_renew(struct view *v)
{
	const struct look_hang *h = v->look.hang;

	free(v->alarm);
	v->alarm = look_hang_alarm(h);
	v->alarmed = h && h->stuck;
	if (!v->alarm && v->kind == VIEW_WAITS && h)
		v->alarm = mem_string(h->sentence);
	if (v->kind == VIEW_CELLS)
		cells_renew(v);
	v->rows.columns = 0;
}

void view_rows_release(struct view *v)
{
	lines_free(&v->rows);
	free(v->rows.line);
	look_cells_release(&v->cells);
	if (v->profile)
		profile_free(v->profile);
	free(v->alarm);
	free(v->chosen.function);
	for (size_t i = 0; i < v->before_n; i++)
		free(v->before[i].chosen.function);
}
