/* db_tidy.c: prints a table with one value in each row. */
#include "cmd/db/db_tidy.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analyze/base/mem_stream.h"
#include "cmd/table/table_text.h"
#include "convert/io/csv.h"

struct tidy {
	FILE *f;
	char *head; /* the cells up to the thread's */
	const char *item; /* kind and item */
	char **path; /* kind and item of rows of timers, by call path; NULL: not needed yet */
};

void tidy_head(FILE *f)
{
	fputs("trial,name,window,window_name,rank,context,thread,kind,item,metric,statistic,value"
	      "\r\n",
	      f);
}

/* A missing value has no row. */
static void print_value(struct tidy *t, const char *metric, const char *statistic, double v)
{
	if (isnan(v))
		return;
	fputs(t->head, t->f);
	putc(',', t->f);
	fputs(t->item, t->f);
	putc(',', t->f);
	csv_cell(t->f, metric);
	putc(',', t->f);
	fputs(statistic, t->f);
	putc(',', t->f);
	if (isinf(v))
		fputs(v > 0 ? "inf" : "-inf", t->f);
	else
		table_number(t->f, v);
	fputs("\r\n", t->f);
}

/* What csv_cell() writes, as a string; to be freed. */
static char *cells(const char *before, const char *text)
{
	char *out;
	size_t n;
	FILE *f = mem_stream(&out, &n);

	fputs(before, f);
	csv_cell(f, text);
	fclose(f);
	return out;
}

/* Kind and item as cells; name is freed. To be freed. */
static char *item_cells(const char *kind, char *name)
{
	char *out = cells(kind, name);

	free(name);
	return out;
}

static void print_row(struct tidy *t, const struct profile *p, struct profile_thread *at,
		      const struct profile_row *r)
{
	int flat = p->path[r->path].parent == PROFILE_FLAT;

	if (!t->path[r->path])
		t->path[r->path] = item_cells(flat ? "timer," : "callpath,",
					      profile_path_text(p, r->path));
	t->item = t->path[r->path];
	print_value(t, "", "calls", r->calls);
	print_value(t, "", "subroutines", r->subrs);
	for (size_t m = 0; m < p->metric_n; m++) {
		print_value(t, p->metric[m].name, "inclusive", profile_incl(at, r)[m]);
		print_value(t, p->metric[m].name, "exclusive", profile_excl(p, at, r)[m]);
		print_value(t, p->metric[m].name, "sum_exclusive_squared",
			    profile_squared(p, at, r, m));
	}
}

static void print_sample(struct tidy *t, const struct profile *p, const struct profile_sample *s)
{
	char *item = item_cells(s->path == PROFILE_FLAT ? "counter," : "context,",
				profile_sample_text(p, s));

	t->item = item;
	print_value(t, "", "count", s->n);
	print_value(t, "", "maximum", s->max);
	print_value(t, "", "minimum", s->min);
	print_value(t, "", "mean", s->mean);
	print_value(t, "", "sum_of_squares", s->sumsq);
	free(item);
}

void tidy_print(FILE *f, int64_t trial, size_t window, struct profile *p)
{
	char *number = mem_printf("%" PRId64 ",", trial),
	     *name = cells(number, p->name ? p->name : ""),
	     *before = mem_printf("%s,%zu,", name, window),
	     *span = cells(before, p->window ? p->window : "");
	struct tidy t = {.f = f, .path = mem_alloc((p->path_n + 1) * sizeof(*t.path))};

	for (size_t i = 0; i < p->thread_n; i++) {
		struct profile_thread *at = &p->thread[i];

		t.head = mem_printf("%s,%d,%d,%d", span, at->node, at->context, at->thread);
		for (size_t k = 0; k < at->row_n; k++)
			print_row(&t, p, at, &at->row[k]);
		for (size_t k = 0; k < at->sample_n; k++)
			print_sample(&t, p, &at->sample[k]);
		free(t.head);
	}
	for (size_t i = 0; i < p->path_n; i++)
		free(t.path[i]);
	free(t.path);
	free(span);
	free(before);
	free(name);
	free(number);
}
