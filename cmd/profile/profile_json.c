/* profile_json.c: prints profiles as JSON. Rows are made and written as in profile_csv.c. */
#include <math.h>
#include <stdlib.h>

#include "analyze/base/mem_stream.h"
#include "analyze/base/number.h"
#include "analyze/profile/profile.h"
#include "cmd/profile/profile_lines.h"
#include "cmd/profile/profile_print.h"
#include "cmd/table/table_text.h"

struct json {
	FILE *f;
	const struct profile *p;
	int time;              /* the first metric is one */
	struct line_text rows;      /* that are not written so far */
	struct path_cells names;
	struct line_text *group;    /* by 2 * timer + call path: the member; empty until it is used */
	struct line_text *metric;   /* by metric: its name as a string */
	size_t numbers;        /* limit of the bytes of a row without texts */
};

/* A text as a JSON string, with its quotes. */
static void string_make(struct line_text *to, const char *s)
{
	FILE *f = mem_stream(&to->s, &to->n);

	table_json_string(f, s);
	fclose(f);
}

/* Without quotes: broken UTF-8 cannot become right beside an arrow. */
static void piece_make(struct piece *piece, const char *name)
{
	struct line_text string = {0};

	string_make(&string, name);
	if (string.n > 2)
		text_add(&piece->text, string.s + 1, string.n - 2);
	else
		text_room(&piece->text, 1);
	free(string.s);
}

static const struct line_text *row_group(struct json *j, uint32_t timer, int path)
{
	struct line_text *member = &j->group[2 * timer + (path != 0)];
	char *text;

	if (member->s)
		return member;
	text = profile_groups_text(&j->p->timer[timer], path);
	string_make(member, text);
	free(text);
	return member;
}

/* JSON has no NaN and no infinity. */
static char *value_put(char *to, double v)
{
	return isfinite(v) ? number_text(to, v) : stpcpy(to, "null");
}

static char *member_put(char *to, const char *key, double v)
{
	return value_put(stpcpy(to, key), v);
}

static void json_value(FILE *f, double v)
{
	char text[NUMBER_TEXT];

	fwrite(text, 1, (size_t)(value_put(text, v) - text), f);
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

static char *metrics_put(const struct json *j, char *to, const double *incl, const double *excl)
{
	const char *between = ", \"metrics\": {";

	for (size_t k = j->time != 0; k < j->p->metric_n; k++) {
		to = text_put(stpcpy(to, between), &j->metric[k]);
		to = member_put(to, ": {\"exclusive\": ", excl[k]);
		to = member_put(to, ", \"inclusive\": ", incl[k]);
		*to++ = '}';
		between = ", ";
	}
	if (j->p->metric_n > (j->time != 0))
		*to++ = '}';
	return to;
}

static void row_add(struct json *j, struct profile_thread *t, const struct profile_row *r,
		    const char *between)
{
	const struct profile_path *path = &j->p->path[r->path];
	const struct line_text *group = row_group(j, path->timer, path->parent != PROFILE_FLAT);
	const struct line_text *name = &j->names.piece[path->timer].text;
	const double *incl = profile_incl(t, r), *excl = profile_excl(j->p, t, r);
	const int any = j->p->metric_n != 0;
	char *to;

	path_cells_go(&j->names, r->path);
	to = text_room(&j->rows, j->names.above.n + name->n + group->n + j->numbers);
	to = stpcpy(stpcpy(to, between), "{\"name\": \"");
	to = text_put(text_put(to, &j->names.above), name);
	to = text_put(stpcpy(to, "\", \"group\": "), group);
	to = member_put(to, ", \"calls\": ", r->calls);
	to = member_put(to, ", \"subrs\": ", r->subrs);
	if (j->time) {
		to = member_put(to, ", \"exclusive_us\": ", any ? excl[0] : NAN);
		to = member_put(to, ", \"inclusive_us\": ", any ? incl[0] : NAN);
	}
	to = metrics_put(j, to, incl, excl);
	*to++ = '}';
	j->rows.n = (size_t)(to - j->rows.s);
	if (j->rows.n >= TEXT_FULL)
		text_flush(&j->rows, j->f);
}

static void sample_print(FILE *f, const struct named_sample *x)
{
	fputs("{\"name\": ", f);
	table_json_string(f, x->name);
	json_number(f, "n", x->sample->n);
	json_number(f, "max", x->sample->max);
	json_number(f, "min", x->sample->min);
	json_number(f, "mean", x->sample->mean);
	json_number(f, "sumsq", x->sample->sumsq);
	fputs("}", f);
}

#define BETWEEN ",\n     "

static void thread_print(struct json *j, struct profile_thread *t, const uint32_t *place)
{
	uint32_t *order = profile_rows_by_name(j->p, t, place);
	struct named_sample *sample = profile_samples_by_name(j->p, t);

	fprintf(j->f, "{\"node\": %d, \"context\": %d, \"thread\": %d,\n    \"metadata\": ",
		t->node, t->context, t->thread);
	json_meta(j->f, t->meta, t->meta_n);
	fputs(",\n    \"timers\": [", j->f);
	for (size_t i = 0; i < t->row_n; i++)
		row_add(j, t, &t->row[order[i]], i ? BETWEEN : &BETWEEN[1]);
	text_flush(&j->rows, j->f);
	fputs("],\n    \"counters\": [", j->f);
	for (size_t i = 0; i < t->sample_n; i++) {
		fputs(i ? BETWEEN : &BETWEEN[1], j->f);
		sample_print(j->f, &sample[i]);
	}
	fputs("]}", j->f);
	named_samples_free(sample, t->sample_n);
	free(order);
}

static void json_begin(struct json *j, FILE *f, const struct profile *p)
{
	static const char keys[] =
		BETWEEN "{'name': '', 'group': , 'calls': , 'subrs': , 'exclusive_us': , "
			"'inclusive_us': }, 'metrics': {";
	static const char metric[] = ", : {'exclusive': , 'inclusive': }";

	*j = (struct json){.f = f,
			   .p = p,
			   .time = profile_is_time(p, 0),
			   .group = mem_alloc(2 * p->timer_n * sizeof(*j->group)),
			   .metric = mem_alloc(p->metric_n * sizeof(*j->metric)),
			   .numbers = sizeof(keys) + 4 * NUMBER_TEXT};
	path_cells_init(&j->names, p, piece_make);
	for (size_t k = 0; k < p->metric_n; k++) {
		string_make(&j->metric[k], p->metric[k].name);
		j->numbers += sizeof(metric) + j->metric[k].n + 2 * NUMBER_TEXT;
	}
	text_room(&j->rows, TEXT_FULL);
}

static void json_release(struct json *j)
{
	for (size_t i = 0; i < 2 * j->p->timer_n; i++)
		free(j->group[i].s);
	for (size_t k = 0; k < j->p->metric_n; k++)
		free(j->metric[k].s);
	path_cells_release(&j->names);
	free(j->group);
	free(j->metric);
	free(j->rows.s);
}

void profile_print_json(FILE *f, struct profile *p, size_t nth, size_t n)
{
	int known = p->end_us >= p->begin_us;
	uint32_t *place = profile_path_places(p);
	struct json j;

	json_begin(&j, f, p);
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
		thread_print(&j, &p->thread[i], place);
	}
	free(place);
	json_release(&j);
	fputs("]}", f);
	if (nth + 1 == n)
		fputs("]}\n", f);
}
