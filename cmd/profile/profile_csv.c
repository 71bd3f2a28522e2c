/*
 * profile_csv.c: prints profiles as one CSV table. A row costs what its bytes cost: cells that rows
 * share are made once, and rows are written many at a time.
 */
#include <math.h>
#include <stdlib.h>

#include "analyze/base/mem_stream.h"
#include "analyze/profile/profile.h"
#include "convert/io/csv.h"
#include "analyze/base/number.h"
#include "cmd/profile/profile_lines.h"
#include "cmd/profile/profile_print.h"

/* The rows of one thread after the other. */
struct csv {
	FILE *f;
	const struct profile *p;
	int time;	      /* the first metric is one */
	struct line_text rows;     /* that are not written so far */
	struct line_text begin;    /* of all rows of the thread, */
	size_t kind;          /* in which the cell of the kind begins here */
	struct path_cells names;
	struct line_text *group;   /* by 2 * timer + call path: the cell; empty until it is used */
	size_t numbers;       /* limit of the bytes of a row after its group */
};

/* A text as a cell; to be freed. */
static char *cell_text(const char *s, size_t *n)
{
	char *text = NULL;
	FILE *f = mem_stream(&text, n);

	csv_cell(f, s);
	fclose(f);
	return text;
}

/* A name inside a cell: quotes are doubled. What may be a formula is left to csv_cell(). */
static void piece_make(struct piece *piece, const char *name)
{
	size_t n = strlen(name);

	piece->marks = (strpbrk(name, "\",\r\n") ? PIECE_QUOTED : 0) |
		       (*name == ' ' ? PIECE_BLANK_BEGIN : 0) |
		       (n && name[n - 1] == ' ' ? PIECE_BLANK_END : 0) |
		       (!n || strchr("=+-@\t\r", *name) ? PIECE_ALONE : 0);
	text_room(&piece->text, n + 1);
	for (; *name; name += n) {
		n = strcspn(name, "\"");
		n += name[n] == '"';
		text_add(&piece->text, name, n);
		if (name[n - 1] == '"')
			text_add(&piece->text, "\"", 1);
	}
}

static const struct line_text *row_group(struct csv *c, uint32_t timer, int path)
{
	struct line_text *cell = &c->group[2 * timer + (path != 0)];
	char *text;

	if (cell->s)
		return cell;
	text = profile_groups_text(&c->p->timer[timer], path);
	cell->s = cell_text(text, &cell->n);
	free(text);
	return cell;
}

/* Writes the begin of a row whose name cannot be composed. */
static void name_alone(struct csv *c, uint32_t path)
{
	char *name = profile_path_text(c->p, path);

	text_add(&c->rows, c->begin.s, c->begin.n);
	text_flush(&c->rows, c->f);
	csv_cell(c->f, name);
	free(name);
}

static char *name_put(char *to, const struct path_cells *x, uint32_t timer, int quotes)
{
	if (quotes)
		*to++ = '"';
	to = text_put(to, &x->above);
	to = text_put(to, &x->piece[timer].text);
	if (quotes)
		*to++ = '"';
	return to;
}

static char *numbers_put(const struct csv *c, char *to, const struct profile_row *r,
			 const double *incl, const double *excl)
{
	const struct profile *p = c->p;

	*to++ = ',';
	to = number_text(to, r->calls);
	*to++ = ',';
	to = number_text(to, r->subrs);
	*to++ = ',';
	if (c->time)
		to = number_us_text(to, p->metric_n ? excl[0] : NAN);
	*to++ = ',';
	if (c->time)
		to = number_us_text(to, p->metric_n ? incl[0] : NAN);
	to = stpcpy(to, ",,,,,");
	for (size_t k = c->time != 0; k < p->metric_n; k++) {
		*to++ = ',';
		to = number_text(to, excl[k]);
		*to++ = ',';
		to = number_text(to, incl[k]);
	}
	return stpcpy(to, "\r\n");
}

static void row_add(struct csv *c, struct profile_thread *t, const struct profile_row *r)
{
	const struct profile_path *path = &c->p->path[r->path];
	const struct line_text *group = row_group(c, path->timer, path->parent != PROFILE_FLAT);
	unsigned marks = path_cells_go(&c->names, r->path);
	char *to;

	if (marks & PIECE_ALONE)
		name_alone(c, r->path);
	to = text_room(&c->rows, c->begin.n + c->names.above.n + group->n + c->numbers +
					 c->names.piece[path->timer].text.n);
	if (!(marks & PIECE_ALONE))
		to = name_put(text_put(to, &c->begin), &c->names, path->timer, marks != 0);
	*to++ = ',';
	to = text_put(to, group);
	to = numbers_put(c, to, r, profile_incl(t, r), profile_excl(c->p, t, r));
	c->rows.n = (size_t)(to - c->rows.s);
	if (c->rows.n >= TEXT_FULL)
		text_flush(&c->rows, c->f);
}

static void sample_print(struct csv *c, const struct named_sample *x)
{
	const struct profile_sample *s = x->sample;
	const double v[] = {s->n, s->max, s->min, s->mean, s->sumsq};

	fwrite(c->begin.s, 1, c->kind, c->f);
	fputs("counter,", c->f);
	csv_cell(c->f, x->name);
	fputs(",,,,,", c->f);
	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++) {
		putc(',', c->f);
		number_print(c->f, v[i]);
	}
	for (size_t k = c->time != 0; k < c->p->metric_n; k++)
		fputs(",,", c->f);
	fputs("\r\n", c->f);
}

static void thread_begin(struct csv *c, const struct profile_thread *t)
{
	static const char kind[] = "timer,";
	size_t n;
	char *window = cell_text(c->p->window ? c->p->window : "", &n);
	char *place = mem_printf(",%d,%d,%d,", t->node, t->context, t->thread);

	c->begin.n = 0;
	text_add(&c->begin, window, n);
	text_add(&c->begin, place, strlen(place));
	c->kind = c->begin.n;
	text_add(&c->begin, kind, sizeof(kind) - 1);
	free(place);
	free(window);
}

static void thread_print(struct csv *c, struct profile_thread *t, const uint32_t *place)
{
	uint32_t *order = profile_rows_by_name(c->p, t, place);
	struct named_sample *sample = profile_samples_by_name(c->p, t);

	thread_begin(c, t);
	for (size_t i = 0; i < t->row_n; i++)
		row_add(c, t, &t->row[order[i]]);
	text_flush(&c->rows, c->f);
	for (size_t i = 0; i < t->sample_n; i++)
		sample_print(c, &sample[i]);
	named_samples_free(sample, t->sample_n);
	free(order);
}

static void threads_print(FILE *f, struct profile *p)
{
	struct csv c = {.f = f,
			.p = p,
			.time = profile_is_time(p, 0),
			.group = mem_alloc(2 * p->timer_n * sizeof(*c.group)),
			.numbers = 2 * NUMBER_US_TEXT +
				   (2 * p->metric_n + 4) * (NUMBER_TEXT + 1)};
	uint32_t *place = profile_path_places(p);

	path_cells_init(&c.names, p, piece_make);
	text_room(&c.rows, TEXT_FULL);
	for (size_t i = 0; i < p->thread_n; i++)
		thread_print(&c, &p->thread[i], place);
	for (size_t i = 0; i < 2 * p->timer_n; i++)
		free(c.group[i].s);
	path_cells_release(&c.names);
	free(place);
	free(c.group);
	free(c.rows.s);
	free(c.begin.s);
}

/* Two columns for each metric besides the time. All profiles of a run have the same metrics. */
static void metrics_head(FILE *f, const struct profile *p)
{
	static const char *const which[] = { "exclusive", "inclusive" };

	for (size_t k = profile_is_time(p, 0) != 0; k < p->metric_n; k++)
		for (size_t i = 0; i < 2; i++) {
			char *name = mem_printf("%s %s", which[i], p->metric[k].name);

			fputc(',', f);
			csv_cell(f, name);
			free(name);
		}
}

void profile_print_csv(FILE *f, struct profile *p, size_t nth, size_t n)
{
	(void)n;
	if (!nth) {
		fputs("window,node,context,thread,kind,name,group,calls,subrs,exclusive_us,"
		      "inclusive_us,n,max,min,mean,sumsq",
		      f);
		metrics_head(f, p);
		fputs("\r\n", f);
	}
	threads_print(f, p);
}
