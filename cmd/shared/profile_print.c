/* profile_print.c: prints profiles. */
#include "cmd/shared/profile_print.h"

#include <math.h>
#include <string.h>

#include "convert/io/csv.h"
#include "convert/io/number.h"
#include "cmd/shared/table.h"

/* One line of any of the outputs: a timer row or a sample, with its full name. */
struct line {
	char *name;		/* of a counter; NULL: line_name() makes it */
	const struct profile_row *row;	/* NULL: a counter */
	const struct profile_sample *sample;
	const double *value;	/* of a row: inclusive of each metric, then exclusive of each */
	double excl, incl;	/* of the first metric, or of the one being printed */
	const char *group;
	int path;		/* a call path */
	int sampled;		/* found by samples, inside the time of a timer */
};

struct lines {
	const struct profile *profile;
	int time;		/* the first metric is one */
	char *text;		/* of the name made last */
	size_t text_cap;
	struct line *v;
	size_t v_n, v_cap;
};

static char *path_name(const struct profile *p, uint32_t path)
{
	size_t n = profile_path_name(p, path, NULL, 0) + 1;
	char *s = mem_alloc(n);

	profile_path_name(p, path, s, n);
	return s;
}

/* Until the next call. */
static const char *line_name(struct lines *l, const struct line *x)
{
	size_t n;

	if (x->name)
		return x->name;
	n = profile_path_name(l->profile, x->row->path, l->text, l->text_cap);
	if (n >= l->text_cap) {
		l->text_cap = 2 * n + 64;
		l->text = mem_resize(l->text, l->text_cap, 1);
		profile_path_name(l->profile, x->row->path, l->text, l->text_cap);
	}
	return l->text;
}

static char *sample_name(const struct profile *p, const struct profile_sample *x)
{
	char *path, *name;

	if (x->path == PROFILE_FLAT)
		return mem_string(p->counter[x->counter].name);
	path = path_name(p, x->path);
	name = mem_printf("%s : %s", p->counter[x->counter].name, path);
	free(path);
	return name;
}

static int sample_compare(const void *va, const void *vb)
{
	return strcmp(((const struct line *)va)->name, ((const struct line *)vb)->name);
}

#define MANY_ROWS 8 /* a thread has many rows if one of this number of paths has one */

/* Rows of a thread by name. */
struct by_name {
	const struct profile_row *row;
	const uint32_t *place;
};

static int row_compare(const void *va, const void *vb, void *to)
{
	const struct by_name *x = to;
	uint32_t i = *(const uint32_t *)va, k = *(const uint32_t *)vb;
	uint32_t a = x->place[x->row[i].path], b = x->place[x->row[k].path];

	return a != b ? (a > b) - (a < b) : (i > k) - (i < k);
}

/* The numbers of a thread's rows in the order of their places among n paths; to be freed. */
static uint32_t *rows_by_name(const struct profile_thread *t, const uint32_t *place, size_t n)
{
	uint32_t *order = mem_alloc((t->row_n + 1) * sizeof(*order)), *next;

	if (t->row_n < n / MANY_ROWS) {
		for (size_t i = 0; i < t->row_n; i++)
			order[i] = (uint32_t)i;
		qsort_r(order, t->row_n, sizeof(*order), row_compare,
			&(struct by_name){t->row, place});
		return order;
	}
	next = mem_alloc((n + 1) * sizeof(*next));
	for (size_t i = 0; i < t->row_n; i++)
		next[place[t->row[i].path] + 1]++;
	for (size_t i = 0; i < n; i++)
		next[i + 1] += next[i];
	for (size_t i = 0; i < t->row_n; i++)
		order[next[place[t->row[i].path]]++] = (uint32_t)i;
	free(next);
	return order;
}

static void line_add(struct lines *l, const struct profile_row *r, const double *value)
{
	const struct profile *p = l->profile;
	const struct profile_path *path = &p->path[r->path];
	struct line *x = array_add(l, v);

	x->row = r;
	x->value = value;
	x->excl = p->metric_n ? x->value[p->metric_n] : NAN;
	x->incl = p->metric_n ? x->value[0] : NAN;
	x->group = p->timer[path->timer].groups;
	x->path = path->parent != PROFILE_FLAT;
	x->sampled = profile_timer_kind(&p->timer[path->timer]) != TIMER_MEASURED;
}

/* place: profile_path_places(). Rows by name, then counters by name. */
static void lines_make(struct lines *l, const struct profile *p, struct profile_thread *t,
		       const uint32_t *place)
{
	uint32_t *order = rows_by_name(t, place, p->path_n);

	*l = (struct lines){.profile = p, .time = profile_is_time(p, 0)};
	for (size_t i = 0; i < t->row_n; i++)
		line_add(l, &t->row[order[i]], profile_incl(t, &t->row[order[i]]));
	free(order);
	for (size_t i = 0; i < t->sample_n; i++) {
		struct line *x = array_add(l, v);

		x->sample = &t->sample[i];
		x->name = sample_name(p, x->sample);
	}
	if (t->sample_n)
		qsort(l->v + t->row_n, t->sample_n, sizeof(*l->v), sample_compare);
}

static void lines_release(struct lines *l)
{
	for (size_t i = 0; i < l->v_n; i++)
		free(l->v[i].name);
	free(l->text);
	free(l->v);
}

/* The metrics that are not the time which every output has columns for: all of them where the first is none. */
static size_t others(const struct profile *p)
{
	return profile_is_time(p, 0) ? 1 : 0;
}

/* ---- CSV ---- */

static char *group_text(const struct line *x)
{
	return mem_printf("%s%s%s", x->path ? "TAU_CALLPATH" : "", x->path && *x->group ? "|" : "",
			  x->group);
}

/* A text that grows. */
struct text {
	char *s;
	size_t n, cap;
};

/* Makes room for n more bytes, and returns where they begin. */
static char *text_room(struct text *t, size_t n)
{
	while (t->cap - t->n < n)
		t->s = array_grow(t->s, &t->cap, 1);
	return t->s + t->n;
}

static void text_add(struct text *t, const char *s, size_t n)
{
	if (n)
		memcpy(text_room(t, n), s, n);
	t->n += n;
}

/* The rows of one thread, line by line. */
struct csv {
	FILE *f;
	const struct profile *p;
	struct lines lines;
	struct text line;     /* of a row; all rows of a thread begin with the same `begin` bytes, */
	size_t begin, kind;   /* in which the cell of the kind is at `kind` */
	struct text *group;   /* by 2 * timer + call path: the cell; empty until it is used */
	unsigned char *plain; /* by timer: its name is a cell without quotes, alone and in a path */
	uint32_t parent;      /* of the row before, */
	struct text above;    /* and its name with an arrow; */
	int above_plain;      /* 0: that needs quotes */
	size_t numbers;       /* limit of the bytes of a row after its group */
};

/* A text as a cell; to be freed. */
static char *csv_text(const char *s, size_t *n)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, n);

	*n = 0;
	if (f) {
		csv_cell(f, s);
		fclose(f);
	}
	return text ? text : mem_string("");
}

static const struct text *csv_group(struct csv *c, const struct line *x)
{
	struct text *cell = &c->group[2 * c->p->path[x->row->path].timer + (x->path != 0)];
	char *text;

	if (cell->s)
		return cell;
	text = group_text(x);
	cell->s = csv_text(text, &cell->n);
	free(text);
	return cell;
}

static int is_plain(const char *name)
{
	size_t n = strlen(name);

	return n && !strpbrk(name, "\",\r\n") && !strchr(" =+-@\t", *name) && name[n - 1] != ' ';
}

static void csv_parent(struct csv *c, uint32_t parent)
{
	static const char arrow[] = " => ";
	size_t n;

	c->above.n = 0;
	c->above_plain = 1;
	c->parent = parent;
	for (uint32_t i = parent; i != PROFILE_FLAT; i = c->p->path[i].parent)
		c->above_plain &= c->plain[c->p->path[i].timer];
	if (!c->above_plain || parent == PROFILE_FLAT)
		return;
	n = profile_path_name(c->p, parent, NULL, 0);
	profile_path_name(c->p, parent, text_room(&c->above, n + 1), n + 1);
	c->above.n = n;
	text_add(&c->above, arrow, sizeof(arrow) - 1);
}

/* Adds the name to the line. Returns the bytes of the line that have been written. */
static size_t csv_name(struct csv *c, const struct line *x)
{
	const struct profile_path *path = &c->p->path[x->row->path];
	const char *name = c->p->timer[path->timer].name;

	c->line.n = c->begin;
	if (c->parent != path->parent)
		csv_parent(c, path->parent);
	if (!c->above_plain || !c->plain[path->timer]) {
		fwrite(c->line.s, 1, c->line.n, c->f);
		csv_cell(c->f, line_name(&c->lines, x));
		return c->line.n;
	}
	text_add(&c->line, c->above.s, c->above.n);
	text_add(&c->line, name, strlen(name));
	return 0;
}

static void csv_row(struct csv *c, const struct line *x)
{
	const struct profile *p = c->p;
	size_t written = csv_name(c, x);
	const struct text *group = csv_group(c, x);
	char *to;

	text_add(&c->line, ",", 1);
	text_add(&c->line, group->s, group->n);
	to = text_room(&c->line, c->numbers);
	*to++ = ',';
	to = number_text(to, x->row->calls);
	*to++ = ',';
	to = number_text(to, x->row->subrs);
	*to++ = ',';
	if (c->lines.time)
		to = number_us_text(to, x->excl);
	*to++ = ',';
	if (c->lines.time)
		to = number_us_text(to, x->incl);
	to = stpcpy(to, ",,,,,");
	for (size_t k = c->lines.time != 0; k < p->metric_n; k++) {
		*to++ = ',';
		to = number_text(to, x->value[p->metric_n + k]);
		*to++ = ',';
		to = number_text(to, x->value[k]);
	}
	to = stpcpy(to, "\r\n");
	fwrite(c->line.s + written, 1, (size_t)(to - c->line.s) - written, c->f);
}

static void csv_sample(struct csv *c, const struct line *x)
{
	const struct profile_sample *s = x->sample;
	const double v[] = {s->n, s->max, s->min, s->mean, s->sumsq};

	csv_cell(c->f, x->name);
	fputs(",,,,,", c->f);
	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++) {
		putc(',', c->f);
		number_print(c->f, v[i]);
	}
	for (size_t k = c->lines.time != 0; k < c->p->metric_n; k++)
		fputs(",,", c->f);
	fputs("\r\n", c->f);
}

static void csv_begin(struct csv *c, const struct profile_thread *t)
{
	static const char kind[] = "timer,";
	size_t n;
	char *window = csv_text(c->p->window ? c->p->window : "", &n);
	char *place = mem_printf(",%d,%d,%d,", t->node, t->context, t->thread);

	c->line.n = 0;
	text_add(&c->line, window, n);
	text_add(&c->line, place, strlen(place));
	c->kind = c->line.n;
	text_add(&c->line, kind, sizeof(kind) - 1);
	c->begin = c->line.n;
	free(place);
	free(window);
}

static void csv_thread(struct csv *c, struct profile_thread *t, const uint32_t *place)
{
	csv_begin(c, t);
	lines_make(&c->lines, c->p, t, place);
	for (size_t i = 0; i < c->lines.v_n; i++) {
		const struct line *x = &c->lines.v[i];

		if (x->row) {
			csv_row(c, x);
			continue;
		}
		fwrite(c->line.s, 1, c->kind, c->f);
		fputs("counter,", c->f);
		csv_sample(c, x);
	}
	lines_release(&c->lines);
}

static void csv_threads(FILE *f, struct profile *p)
{
	struct csv c = {.f = f,
			.p = p,
			.group = mem_alloc(2 * p->timer_n * sizeof(*c.group)),
			.plain = mem_alloc(p->timer_n + 1),
			.parent = PROFILE_FLAT,
			.above_plain = 1,
			.numbers = 2 * NUMBER_US_TEXT +
				   (2 * p->metric_n + 4) * (NUMBER_TEXT + 1)};
	uint32_t *place = profile_path_places(p);

	for (size_t i = 0; i < p->timer_n; i++)
		c.plain[i] = (unsigned char)is_plain(p->timer[i].name);
	for (size_t i = 0; i < p->thread_n; i++)
		csv_thread(&c, &p->thread[i], place);
	for (size_t i = 0; i < 2 * p->timer_n; i++)
		free(c.group[i].s);
	free(place);
	free(c.group);
	free(c.plain);
	free(c.line.s);
	free(c.above.s);
}

/* Two columns for each metric besides the time. All profiles of a run have the same metrics. */
static void csv_metrics(FILE *f, const struct profile *p)
{
	static const char *const which[] = { "exclusive", "inclusive" };

	for (size_t k = others(p); k < p->metric_n; k++)
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
		csv_metrics(f, p);
		fputs("\r\n", f);
	}
	csv_threads(f, p);
}

/* ---- JSON ---- */

/* JSON has no NaN and no infinity. */
static void json_value(FILE *f, double v)
{
	if (isfinite(v))
		number_print(f, v);
	else
		fputs("null", f);
}

static void json_number(FILE *f, const char *key, double v)
{
	fprintf(f, ", \"%s\": ", key);
	json_value(f, v);
}

static void json_meta(FILE *f, const struct profile_attribute *meta, size_t n)
{
	fputs("{", f);
	for (size_t i = 0; i < n; i++) {
		fputs(i ? ", " : "", f);
		table_json_string(f, meta[i].name);
		fputs(": ", f);
		table_json_string(f, meta[i].value);
	}
	fputs("}", f);
}

static void json_metrics(FILE *f, const struct profile *p, const struct line *x)
{
	if (others(p) >= p->metric_n)
		return;
	fputs(", \"metrics\": {", f);
	for (size_t k = others(p); k < p->metric_n; k++) {
		fputs(k > others(p) ? ", " : "", f);
		table_json_string(f, p->metric[k].name);
		fputs(": {\"exclusive\": ", f);
		json_value(f, x->value[p->metric_n + k]);
		fputs(", \"inclusive\": ", f);
		json_value(f, x->value[k]);
		fputs("}", f);
	}
	fputs("}", f);
}

static void json_line(FILE *f, const struct profile *p, const struct line *x, const char *name)
{
	fputs("{\"name\": ", f);
	table_json_string(f, name);
	if (x->row) {
		char *group = group_text(x);

		fputs(", \"group\": ", f);
		table_json_string(f, group);
		free(group);
		json_number(f, "calls", x->row->calls);
		json_number(f, "subrs", x->row->subrs);
		if (profile_is_time(p, 0)) {
			json_number(f, "exclusive_us", x->excl);
			json_number(f, "inclusive_us", x->incl);
		}
		json_metrics(f, p, x);
	} else {
		json_number(f, "n", x->sample->n);
		json_number(f, "max", x->sample->max);
		json_number(f, "min", x->sample->min);
		json_number(f, "mean", x->sample->mean);
		json_number(f, "sumsq", x->sample->sumsq);
	}
	fputs("}", f);
}

static void json_lines(FILE *f, const struct profile *p, struct lines *l, int counters)
{
	const char *between = "\n     ";

	for (size_t i = 0; i < l->v_n; i++) {
		if ((l->v[i].row == NULL) != counters)
			continue;
		fputs(between, f);
		json_line(f, p, &l->v[i], line_name(l, &l->v[i]));
		between = ",\n     ";
	}
}

static void json_thread(FILE *f, const struct profile *p, struct profile_thread *t,
			const uint32_t *place)
{
	struct lines l;

	lines_make(&l, p, t, place);
	fprintf(f, "{\"node\": %d, \"context\": %d, \"thread\": %d,\n    \"metadata\": ", t->node,
		t->context, t->thread);
	json_meta(f, t->meta, t->meta_n);
	fputs(",\n    \"timers\": [", f);
	json_lines(f, p, &l, 0);
	fputs("],\n    \"counters\": [", f);
	json_lines(f, p, &l, 1);
	fputs("]}", f);
	lines_release(&l);
}

void profile_print_json(FILE *f, struct profile *p, size_t nth, size_t n)
{
	int known = p->end_us >= p->begin_us;
	uint32_t *place = profile_path_places(p);

	if (!nth)
		fputs("{\"profiles\": [", f);
	fprintf(f, "%s\n {\"window\": ", nth ? "," : "");
	table_json_string(f, p->window ? p->window : "");
	json_number(f, "begin_us", known ? p->begin_us : NAN);
	json_number(f, "end_us", known ? p->end_us : NAN);
	fputs(",\n  \"metadata\": ", f);
	json_meta(f, p->meta, p->meta_n);
	fputs(",\n  \"threads\": [", f);
	for (size_t i = 0; i < p->thread_n; i++) {
		fputs(i ? ",\n   " : "\n   ", f);
		json_thread(f, p, &p->thread[i], place);
	}
	free(place);
	fputs("]}", f);
	if (nth + 1 == n)
		fputs("]}\n", f);
}
