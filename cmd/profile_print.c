/* profile_print.c: prints profiles. */
#include "profile_print.h"

#include <math.h>
#include <string.h>

#include "table.h"

/* One line of any of the outputs: a timer row or a sample, with its full name. */
struct line {
	char *name;
	const struct profile_row *row;	/* NULL: a counter */
	const struct profile_sample *sample;
	const double *value;	/* of a row: inclusive of each metric, then exclusive of each */
	double excl, incl;	/* of the first metric, or of the one being printed */
	const char *group;
	int path;		/* a call path */
	int sampled;		/* found by samples, inside the time of a timer */
};

struct lines {
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

static int line_compare(const void *va, const void *vb)
{
	const struct line *a = va, *b = vb;

	if (!a->row != !b->row)
		return a->row ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void lines_make(struct lines *l, const struct profile *p, struct profile_thread *t)
{
	for (size_t i = 0; i < t->row_n; i++) {
		const struct profile_row *r = &t->row[i];
		const struct profile_path *path = &p->path[r->path];
		struct line *x = array_add(l, v);

		x->row = r;
		x->name = path_name(p, r->path);
		x->value = profile_incl(t, r);
		x->excl = p->metric_n ? x->value[p->metric_n] : NAN;
		x->incl = p->metric_n ? x->value[0] : NAN;
		x->group = p->timer[path->timer].groups;
		x->path = path->parent != PROFILE_FLAT;
		x->sampled = profile_timer_kind(&p->timer[path->timer]) != TIMER_MEASURED;
	}
	for (size_t i = 0; i < t->sample_n; i++) {
		struct line *x = array_add(l, v);

		x->sample = &t->sample[i];
		x->name = sample_name(p, x->sample);
	}
	if (l->v_n)
		qsort(l->v, l->v_n, sizeof(*l->v), line_compare);
}

static void lines_release(struct lines *l)
{
	for (size_t i = 0; i < l->v_n; i++)
		free(l->v[i].name);
	free(l->v);
}

/* The shortest form that reads back as the same number. */
static void number_print(FILE *f, double v)
{
	char text[40];

	/* Most are whole, and a table of call paths has many. */
	if (v > -1e15 && v < 1e15 && v == (double)(long long)v && !signbit(v)) {
		fprintf(f, "%lld", (long long)v);
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
	if (ns >= 0 && ns < 1e15 && (double)llrint(ns) / 1000 == us && !signbit(us))
		fprintf(f, "%lld.%03d", llrint(ns) / 1000, (int)(llrint(ns) % 1000));
	else
		fprintf(f, "%.3f", us);
}

/* The metrics that are not the time which every output has columns for: all of them where the first is none. */
static size_t others(const struct profile *p)
{
	return profile_is_time(p, 0) ? 1 : 0;
}

/* ---- CSV ---- */

static void csv_text(FILE *f, const char *s)
{
	if (!strpbrk(s, ",\"\r\n")) {
		fputs(s, f);
		return;
	}
	fputc('"', f);
	for (; *s; s++) {
		if (*s == '"')
			fputc('"', f);
		fputc(*s, f);
	}
	fputc('"', f);
}

static void csv_line(FILE *f, const struct profile *p, const struct profile_thread *t,
		     const struct line *x)
{
	csv_text(f, p->window ? p->window : "");
	fprintf(f, ",%d,%d,%d,%s,", t->node, t->context, t->thread, x->row ? "timer" : "counter");
	csv_text(f, x->name);
	fputc(',', f);
	if (x->row) {
		char *group = mem_printf("%s%s%s", x->path ? "TAU_CALLPATH" : "",
					 x->path && *x->group ? "|" : "", x->group);

		csv_text(f, group);
		free(group);
		fputc(',', f);
		number_print(f, x->row->calls);
		fputc(',', f);
		number_print(f, x->row->subrs);
		fputc(',', f);
		if (profile_is_time(p, 0))
			time_print(f, x->excl);
		fputc(',', f);
		if (profile_is_time(p, 0))
			time_print(f, x->incl);
		fputs(",,,,,", f);
		for (size_t k = others(p); k < p->metric_n; k++) {
			fputc(',', f);
			number_print(f, x->value[p->metric_n + k]);
			fputc(',', f);
			number_print(f, x->value[k]);
		}
	} else {
		const double v[] = { x->sample->n, x->sample->max, x->sample->min, x->sample->mean,
				     x->sample->sumsq };

		fputs(",,,,", f);
		for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++) {
			fputc(',', f);
			number_print(f, v[i]);
		}
		for (size_t k = others(p); k < p->metric_n; k++)
			fputs(",,", f);
	}
	fputs("\r\n", f);
}

/* Two columns for each metric besides the time. All profiles of a run have the same metrics. */
static void csv_metrics(FILE *f, const struct profile *p)
{
	static const char *const which[] = { "exclusive", "inclusive" };

	for (size_t k = others(p); k < p->metric_n; k++)
		for (size_t i = 0; i < 2; i++) {
			char *name = mem_printf("%s %s", which[i], p->metric[k].name);

			fputc(',', f);
			csv_text(f, name);
			free(name);
		}
}

void profile_print_csv(FILE *f, struct profile *const *p, size_t n)
{
	fputs("window,node,context,thread,kind,name,group,calls,subrs,exclusive_us,inclusive_us,n,"
	      "max,min,mean,sumsq",
	      f);
	if (n)
		csv_metrics(f, p[0]);
	fputs("\r\n", f);
	for (size_t w = 0; w < n; w++) {
		for (size_t i = 0; i < p[w]->thread_n; i++) {
			struct lines l = { 0 };

			lines_make(&l, p[w], &p[w]->thread[i]);
			for (size_t j = 0; j < l.v_n; j++)
				csv_line(f, p[w], &p[w]->thread[i], &l.v[j]);
			lines_release(&l);
		}
	}
}

/* ---- JSON ---- */

/* JSON has no word for what is no number. */
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

static void json_line(FILE *f, const struct profile *p, const struct line *x)
{
	fputs("{\"name\": ", f);
	table_json_string(f, x->name);
	if (x->row) {
		char *group = mem_printf("%s%s%s", x->path ? "TAU_CALLPATH" : "",
					 x->path && *x->group ? "|" : "", x->group);

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

static void json_lines(FILE *f, const struct profile *p, const struct lines *l, int counters)
{
	const char *between = "\n     ";

	for (size_t i = 0; i < l->v_n; i++) {
		if ((l->v[i].row == NULL) != counters)
			continue;
		fputs(between, f);
		json_line(f, p, &l->v[i]);
		between = ",\n     ";
	}
}

static void json_thread(FILE *f, const struct profile *p, struct profile_thread *t)
{
	struct lines l = { 0 };

	lines_make(&l, p, t);
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

void profile_print_json(FILE *f, struct profile *const *p, size_t n)
{
	fputs("{\"profiles\": [", f);
	for (size_t w = 0; w < n; w++) {
		int known = p[w]->end_us >= p[w]->begin_us;

		fprintf(f, "%s\n {\"window\": ", w ? "," : "");
		table_json_string(f, p[w]->window ? p[w]->window : "");
		json_number(f, "begin_us", known ? p[w]->begin_us : NAN);
		json_number(f, "end_us", known ? p[w]->end_us : NAN);
		fputs(",\n  \"metadata\": ", f);
		json_meta(f, p[w]->meta, p[w]->meta_n);
		fputs(",\n  \"threads\": [", f);
		for (size_t i = 0; i < p[w]->thread_n; i++) {
			fputs(i ? ",\n   " : "\n   ", f);
			json_thread(f, p[w], &p[w]->thread[i]);
		}
		fputs("]}", f);
	}
	fputs("]}\n", f);
}

/* ---- text ---- */

static int line_by_time(const void *va, const void *vb)
{
	const struct line *a = va, *b = vb;

	if (!a->row != !b->row)
		return a->row ? -1 : 1;
	if (a->sampled != b->sampled)
		return a->sampled - b->sampled;
	if (a->row && a->excl != b->excl && !isnan(a->excl))
		return a->excl > b->excl ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* Whole numbers as they are, others to three decimals. */
static void text_number(FILE *f, double v)
{
	fprintf(f, v == rint(v) && fabs(v) < 1e14 ? " %14.0f" : " %14.3f", v);
}

/* whole: of which sum the shares are. time: it is one; otherwise numbers without a unit. */
static void text_timer(FILE *f, const struct line *x, int time, double whole, double divide)
{
	fprintf(f, "%6.1f", whole > 0 ? 100 * x->excl / whole : 0);
	if (time) {
		fprintf(f, " %14.3f %14.3f", x->excl / 1000 / divide, x->incl / 1000 / divide);
	} else {
		text_number(f, x->excl / divide);
		text_number(f, x->incl / divide);
	}
	fprintf(f, " %12.6g %12.6g ", x->row->calls / divide, x->row->subrs / divide);
	if (x->row->calls > 0)
		fprintf(f, "%12.3f", x->incl / x->row->calls);
	else
		fprintf(f, "%12s", "");
	fprintf(f, "  %s\n", x->name);
}

/*
 * Of the first metric; one that is no time stands by its name, without a unit. Shares are of the largest inclusive time. What
 * samples found, which is part of those times, follows with shares of the time of all samples.
 */
static void text_timers(FILE *f, const struct profile *p, struct lines *l, double divide)
{
	int time = profile_is_time(p, 0);
	static const char *const heading = "%6s %14s %14s %12s %12s %12s  %s\n";
	double whole[2] = {0, 0};
	size_t i = 0;

	if (l->v_n)
		qsort(l->v, l->v_n, sizeof(*l->v), line_by_time);
	for (size_t k = 0; k < l->v_n && l->v[k].row; k++)
		if (l->v[k].sampled)
			whole[1] += l->v[k].path ? 0 : l->v[k].excl;
		else if (l->v[k].incl > whole[0])
			whole[0] = l->v[k].incl;
	fprintf(f, heading, "%excl", time ? "exclusive ms" : "exclusive",
		time ? "inclusive ms" : "inclusive", "calls", "subrs",
		time ? "us/call" : "per call", time ? "name" : p->metric[0].name);
	for (; i < l->v_n && l->v[i].row && !l->v[i].sampled; i++)
		text_timer(f, &l->v[i], time, whole[0], divide);
	if (i == l->v_n || !l->v[i].row)
		return;
	fprintf(f, heading, "%excl", time ? "sampled ms" : "sampled",
		time ? "inclusive ms" : "inclusive", "samples", "",
		time ? "us/sample" : "per sample", "found by samples, inside the timers above");
	for (; i < l->v_n && l->v[i].row; i++)
		text_timer(f, &l->v[i], time, whole[1], divide);
}

/* A table for each metric besides the time, in the metric's own unit. */
static void text_metrics(FILE *f, const struct profile *p, struct lines *l, double divide)
{
	for (size_t k = 1; k < p->metric_n; k++) {
		for (size_t i = 0; i < l->v_n; i++) {
			l->v[i].excl = l->v[i].row ? l->v[i].value[p->metric_n + k] : 0;
			l->v[i].incl = l->v[i].row ? l->v[i].value[k] : 0;
		}
		if (l->v_n)
			qsort(l->v, l->v_n, sizeof(*l->v), line_by_time);
		fprintf(f, "\n%14s %14s %12s  %s\n", "exclusive", "inclusive", "calls",
			p->metric[k].name);
		for (size_t i = 0; i < l->v_n && l->v[i].row && !l->v[i].sampled; i++) {
			text_number(f, l->v[i].excl / divide);
			text_number(f, l->v[i].incl / divide);
			fprintf(f, " %12.6g  %s\n", l->v[i].row->calls / divide, l->v[i].name);
		}
	}
}

static void text_counters(FILE *f, const struct lines *l)
{
	int heading = 0;

	for (size_t i = 0; i < l->v_n; i++) {
		const struct profile_sample *s = l->v[i].sample;
		double variance;

		if (!s)
			continue;
		if (!heading++)
			fprintf(f, "%12s %14s %14s %14s %14s  %s\n", "samples", "max", "min",
				"mean", "std. dev.", "event");
		variance = s->n > 0 ? s->sumsq / s->n - s->mean * s->mean : 0;
		fprintf(f, "%12.6g %14.6g %14.6g %14.6g %14.6g  %s\n", s->n, s->max, s->min,
			s->mean, sqrt(fabs(variance)), l->v[i].name);
	}
}

/* Sum over threads as lines: rows and values point into `sum` and `value`, which have room for every path. */
static void lines_total(struct lines *l, const struct profile *p, struct profile_row *sum,
			double *value)
{
	struct line *at = mem_alloc(p->path_n * sizeof(*at));

	for (size_t i = 0; i < p->thread_n; i++) {
		struct profile_thread *t = &p->thread[i];

		for (size_t r = 0; r < t->row_n; r++) {
			uint32_t path = t->row[r].path;

			at[path].row = &sum[path];
			sum[path].calls += t->row[r].calls;
			sum[path].subrs += t->row[r].subrs;
			at[path].value = &value[2 * p->metric_n * path];
			for (size_t k = 0; k < 2 * p->metric_n; k++)
				value[2 * p->metric_n * path + k] += t->values[t->row[r].first + k];
		}
	}
	for (size_t i = 0; i < p->path_n; i++) {
		if (!at[i].row)
			continue;
		at[i].name = path_name(p, (uint32_t)i);
		at[i].incl = p->metric_n ? at[i].value[0] : NAN;
		at[i].excl = p->metric_n ? at[i].value[p->metric_n] : NAN;
		at[i].path = p->path[i].parent != PROFILE_FLAT;
		at[i].sampled = profile_timer_kind(&p->timer[p->path[i].timer]) != TIMER_MEASURED;
		*array_add(l, v) = at[i];
	}
	free(at);
}

static void text_summary(FILE *f, const struct profile *p)
{
	struct profile_row *sum = mem_alloc(p->path_n * sizeof(*sum));
	double *value = mem_alloc(2 * p->metric_n * p->path_n * sizeof(*value));
	struct lines l = { 0 };

	lines_total(&l, p, sum, value);
	fprintf(f, "\nTotal of %zu threads\n", p->thread_n);
	text_timers(f, p, &l, 1);
	text_metrics(f, p, &l, 1);
	for (size_t i = 0; i < l.v_n; i++) {
		l.v[i].incl = p->metric_n ? l.v[i].value[0] : NAN;
		l.v[i].excl = p->metric_n ? l.v[i].value[p->metric_n] : NAN;
	}
	fprintf(f, "\nMean of %zu threads\n", p->thread_n);
	text_timers(f, p, &l, (double)p->thread_n);
	text_metrics(f, p, &l, (double)p->thread_n);
	lines_release(&l);
	free(value);
	free(sum);
}

void profile_print_text(FILE *f, struct profile *const *p, size_t n)
{
	for (size_t w = 0; w < n; w++) {
		fprintf(f, "%s%s%s", w ? "\n" : "", p[w]->name ? p[w]->name : "profile",
			p[w]->window ? ", window " : "");
		fputs(p[w]->window ? p[w]->window : "", f);
		if (p[w]->end_us >= p[w]->begin_us)
			fprintf(f, " (%.3f to %.3f ms)", p[w]->begin_us / 1000,
				p[w]->end_us / 1000);
		fputc('\n', f);
		if (!p[w]->thread_n)
			fputs("Nothing happened in this window.\n", f);
		for (size_t i = 0; i < p[w]->thread_n; i++) {
			struct profile_thread *t = &p[w]->thread[i];
			struct lines l = { 0 };

			fprintf(f, "\nNode %d, context %d, thread %d\n", t->node, t->context,
				t->thread);
			lines_make(&l, p[w], t);
			text_timers(f, p[w], &l, 1);
			text_metrics(f, p[w], &l, 1);
			text_counters(f, &l);
			lines_release(&l);
		}
		if (p[w]->thread_n > 1)
			text_summary(f, p[w]);
	}
}
