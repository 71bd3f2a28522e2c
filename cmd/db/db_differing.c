/* db_differing.c: finds the metadata in which trials differ, and counts their values. */
#include "cmd/db/db_differing.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cmd/table/table_fields.h"

/* What trials have of one name, sorted: those that are equal follow each other. */
struct trial_values {
	char **text; /* NULL: a trial has none */
	size_t text_n, text_cap;
};

struct value_count {
	const char *text;
	size_t n;
};

static int text_order(const void *va, const void *vb)
{
	const char *a = *(char *const *)va, *b = *(char *const *)vb;

	return !a || !b ? !a - !b : strcmp(a, b);
}

static void values_add(struct trial_values *v, const char *text)
{
	*array_add(v, text) = text ? mem_string(text) : NULL;
}

/* Each tag of a list is a value. */
static void values_of_tags(struct trial_values *v, const char *tags)
{
	char *copy = mem_string(tags ? tags : ""), *save = NULL;
	char *tag = strtok_r(copy, ",", &save);

	if (!tag)
		values_add(v, NULL);
	for (; tag; tag = strtok_r(NULL, ",", &save))
		values_add(v, tag);
	free(copy);
}

static void values_read(struct trial_values *v, const struct facts *f, size_t column,
			const size_t *trial, size_t n)
{
	char buf[32];

	*v = (struct trial_values){0};
	for (size_t i = 0; i < n; i++) {
		const char *text = fact_text(f, column, trial[i], buf);

		if (f->column[column].kind == FACT_TAGS)
			values_of_tags(v, text);
		else
			values_add(v, text);
	}
	if (v->text_n)
		qsort(v->text, v->text_n, sizeof(*v->text), text_order);
}

static void values_release(struct trial_values *v)
{
	for (size_t i = 0; i < v->text_n; i++)
		free(v->text[i]);
	free(v->text);
}

static size_t values_count(const struct trial_values *v, struct value_count *out)
{
	size_t n = 0;

	for (size_t i = 0; i < v->text_n; i++)
		if (!i || text_order(&v->text[i - 1], &v->text[i]))
			out[n++] = (struct value_count){v->text[i], 1};
		else
			out[n - 1].n++;
	return n;
}

static int fewest_first(const void *va, const void *vb, void *to)
{
	const struct differing *a = va, *b = vb;
	const struct facts *f = to;

	if (a->values != b->values)
		return a->values < b->values ? -1 : 1;
	return strcasecmp(f->column[a->column].key, f->column[b->column].key);
}

int differing_find(struct facts *f, const size_t *trial, size_t n, struct differing_list *out,
		   struct error *e)
{
	int code = facts_all(f, e);

	*out = (struct differing_list){0};
	for (size_t c = 0; code == 0 && c < f->column_n; c++) {
		struct value_count *count;
		struct trial_values v;
		size_t values;

		if (f->column[c].kind != FACT_METADATA)
			continue;
		values_read(&v, f, c, trial, n);
		count = mem_alloc((v.text_n + 1) * sizeof(*count));
		values = values_count(&v, count);
		if (values > 1)
			*array_add(out, v) = (struct differing){c, values};
		free(count);
		values_release(&v);
	}
	if (out->v_n)
		qsort_r(out->v, out->v_n, sizeof(*out->v), fewest_first, f);
	return code;
}

void differing_release(struct differing_list *l)
{
	free(l->v);
}

/* ---- the table ---- */

/* One row, a member for each column. */
struct differing_cells {
	const char *name, *value;
	int64_t trials, values;
};

/* clang-format off: one column, one paragraph */
static const struct table_field fields[] = {
	{FIELD(struct differing_cells, name), TABLE_TEXT, "name", "name",
	 .meaning = "name of the fact or the metadata"},
	{FIELD(struct differing_cells, value), TABLE_TEXT, "value", "value",
	 .meaning = "its value; blank: the trials have none"},
	{FIELD(struct differing_cells, trials), TABLE_INTEGER, "trials", "trials",
	 .meaning = "number of the trials with this value"},
	{FIELD(struct differing_cells, values), TABLE_INTEGER, "values", "values",
	 .meaning = "number of different values of this name"},
	{0},
};
/* clang-format on */

static int most_first(const void *va, const void *vb)
{
	const struct value_count *a = va, *b = vb;

	if (a->n != b->n)
		return a->n > b->n ? -1 : 1;
	return text_order(&a->text, &b->text);
}

/* Are there more of them than it shows? */
static int put_values(struct table *t, const struct facts *f, size_t column, const size_t *trial,
		      size_t n, size_t most)
{
	const struct fact_column *c = &f->column[column];
	struct value_count *count;
	struct trial_values v;
	size_t values;

	values_read(&v, f, column, trial, n);
	count = mem_alloc((v.text_n + 1) * sizeof(*count));
	values = values_count(&v, count);
	if (values > 1)
		qsort(count, values, sizeof(*count), most_first);
	for (size_t i = 0; values > 1 && i < values && (!most || i < most); i++) {
		table_row(t);
		table_put_fields(t, &(struct differing_cells){
					    .name = c->kind == FACT_TAGS ? "tag" : c->key,
					    .value = count[i].text,
					    .trials = (int64_t)count[i].n,
					    .values = (int64_t)values,
				    });
	}
	free(count);
	values_release(&v);
	return most && values > most;
}

struct table *differing_table(struct facts *f, const size_t *trial, size_t n, size_t most,
			      struct error *e)
{
	static const enum fact_kind of[] = {FACT_PES, FACT_THREADS, FACT_TAGS, FACT_NAME};
	struct table *t = table_new("Values in which these trials differ");
	struct differing_list l = {0};
	size_t column, cut = 0;
	int code = 0;

	table_fields(t, fields, 0, NULL);
	for (size_t i = 0; code == 0 && i < sizeof(of) / sizeof(*of); i++) {
		code = facts_column(f, "--values", fact_key(of[i]), &column, e);
		if (code == 0)
			cut += (size_t)put_values(t, f, column, trial, n, most);
	}
	if (code == 0)
		code = differing_find(f, trial, n, &l, e);
	for (size_t i = 0; code == 0 && i < l.v_n; i++)
		cut += (size_t)put_values(t, f, l.v[i].column, trial, n, most);
	if (cut)
		table_remark(t, "Of %zu name%s only the first %zu values; --top 0 lists all.", cut,
			     plural(cut), most);
	differing_release(&l);
	if (code == 0)
		return t;
	table_free(t);
	return NULL;
}
