/* profile_print.c: prints profiles. */
#include "cmd/shared/profile_print.h"

#include <math.h>
#include <string.h>

#include "convert/io/csv.h"
#include "cmd/shared/table.h"

/* One line of any of the outputs: a timer row or a sample, with its full name. */
struct line {
	char *name;		/* of a counter; NULL: line_name() makes it */
	uint32_t place;		/* among the lines of its kind, by name */
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
	const uint32_t *place;	/* of paths; the caller's */
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

static int row_compare(const void *va, const void *vb)
{
	const struct line *a = va, *b = vb;

	return (a->place > b->place) - (a->place < b->place);
}

static void line_add(struct lines *l, const struct profile_row *r, const double *value)
{
	const struct profile *p = l->profile;
	const struct profile_path *path = &p->path[r->path];
	struct line *x = array_add(l, v);

	x->row = r;
	x->place = l->place[r->path];
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
	*l = (struct lines){.profile = p, .place = place};
	for (size_t i = 0; i < t->row_n; i++)
		line_add(l, &t->row[i], profile_incl(t, &t->row[i]));
	if (l->v_n)
		qsort(l->v, l->v_n, sizeof(*l->v), row_compare);
	for (size_t i = 0; i < t->sample_n; i++) {
		struct line *x = array_add(l, v);

		x->sample = &t->sample[i];
		x->name = sample_name(p, x->sample);
	}
	if (t->sample_n)
		qsort(l->v + t->row_n, t->sample_n, sizeof(*l->v), sample_compare);
	for (size_t i = t->row_n; i < l->v_n; i++)
		l->v[i].place = (uint32_t)i;
}

static void lines_release(struct lines *l)
{
	for (size_t i = 0; i < l->v_n; i++)
		free(l->v[i].name);
	free(l->text);
	free(l->v);
}

/* With at least this number of digits. */
static void integer_print(FILE *f, unsigned long long v, int digits)
{
	char text[24], *at = text + sizeof(text);

	for (; v || digits > 0; v /= 10, digits--)
		*--at = (char)('0' + v % 10);
	fwrite(at, 1, (size_t)(text + sizeof(text) - at), f);
}

/* The shortest form that reads back as the same number. */
static void number_print(FILE *f, double v)
{
	char text[40];

	/* Most are whole, and a table of call paths has many. */
	if (v >= 0 && v < 1e15 && v == (double)(long long)v && !signbit(v)) {
		integer_print(f, (unsigned long long)v, 1);
		return;
	}
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, v);
		if (strtod(text, NULL) == v)
			break;
	}
	fputs(text, f);
}

static void time_print(FILE *f, double us)
{
	double ns = us * 1000;

	/* Whole nanoseconds, as those of our traces are, in a fraction of the time. */
	if (ns >= 0 && ns < 1e15 && (double)llrint(ns) / 1000 == us && !signbit(us)) {
		integer_print(f, (unsigned long long)llrint(ns) / 1000, 1);
		putc('.', f);
		integer_print(f, (unsigned long long)llrint(ns) % 1000, 3);
	} else {
		fprintf(f, "%.3f", us);
	}
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

/* A row's group; most have that of the row before. */
struct csv_group {
	const char *group;
	int path;
	char *text;
};

static const char *csv_group(struct csv_group *g, const struct line *x)
{
	if (!g->text || g->group != x->group || g->path != x->path) {
		free(g->text);
		*g = (struct csv_group){x->group, x->path, group_text(x)};
	}
	return g->text;
}

static void csv_row(FILE *f, const struct profile *p, const struct line *x)
{
	int time = profile_is_time(p, 0);

	putc(',', f);
	number_print(f, x->row->calls);
	putc(',', f);
	number_print(f, x->row->subrs);
	putc(',', f);
	if (time)
		time_print(f, x->excl);
	putc(',', f);
	if (time)
		time_print(f, x->incl);
	fputs(",,,,,", f);
	for (size_t k = others(p); k < p->metric_n; k++) {
		putc(',', f);
		number_print(f, x->value[p->metric_n + k]);
		putc(',', f);
		number_print(f, x->value[k]);
	}
}

static void csv_sample(FILE *f, const struct profile *p, const struct profile_sample *s)
{
	const double v[] = {s->n, s->max, s->min, s->mean, s->sumsq};

	fputs(",,,,", f);
	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++) {
		putc(',', f);
		number_print(f, v[i]);
	}
	for (size_t k = others(p); k < p->metric_n; k++)
		fputs(",,", f);
}

static void csv_thread(FILE *f, const struct profile *p, struct profile_thread *t,
		       const uint32_t *place)
{
	struct csv_group group = {0};
	struct lines l;
	char begin[64];

	snprintf(begin, sizeof(begin), ",%d,%d,%d,", t->node, t->context, t->thread);
	lines_make(&l, p, t, place);
	for (size_t i = 0; i < l.v_n; i++) {
		const struct line *x = &l.v[i];

		csv_cell(f, p->window ? p->window : "");
		fputs(begin, f);
		fputs(x->row ? "timer," : "counter,", f);
		csv_cell(f, line_name(&l, x));
		putc(',', f);
		if (x->row) {
			csv_cell(f, csv_group(&group, x));
			csv_row(f, p, x);
		} else {
			csv_sample(f, p, x->sample);
		}
		fputs("\r\n", f);
	}
	free(group.text);
	lines_release(&l);
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
	uint32_t *place;

	(void)n;
	if (!nth) {
		fputs("window,node,context,thread,kind,name,group,calls,subrs,exclusive_us,"
		      "inclusive_us,n,max,min,mean,sumsq",
		      f);
		csv_metrics(f, p);
		fputs("\r\n", f);
	}
	place = profile_path_places(p);
	for (size_t i = 0; i < p->thread_n; i++)
		csv_thread(f, p, &p->thread[i], place);
	free(place);
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
