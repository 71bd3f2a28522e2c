/* table_sort.c: sorts the rows of a table by a column, and cuts them. */
#include "cmd/table/table_sort.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/table/table_model.h"

/* A row, with the rows that continue it. */
struct sort_block {
	size_t first, n;
	const struct cell *by;
};

static double number_of(const struct cell *c)
{
	return c->kind == CELL_INTEGER ? (double)c->integer : c->number;
}

/* Numbers before words before nothing. */
static int rank_of(const struct cell *c)
{
	return c->kind == CELL_MISSING ? 2 : c->kind == CELL_TEXT ? 1 : 0;
}

/* Cells of one kind: below 0 if a comes first. */
static int order_of(const struct cell *a, const struct cell *b)
{
	if (a->kind == CELL_TEXT)
		return strcmp(a->text, b->text);
	if (a->kind == CELL_INTEGER && b->kind == CELL_INTEGER)
		return (a->integer < b->integer) - (a->integer > b->integer);
	return (number_of(a) < number_of(b)) - (number_of(a) > number_of(b));
}

static int block_compare(const void *va, const void *vb, void *reversed)
{
	const struct sort_block *a = va, *b = vb;
	int order = rank_of(a->by) - rank_of(b->by);

	if (!order && a->by->kind != CELL_MISSING)
		order = *(const int *)reversed ? order_of(b->by, a->by) : order_of(a->by, b->by);
	return order ? order : (a->first > b->first) - (a->first < b->first);
}

/* The number of rows below the head, above the next line. */
static size_t rows_above(const struct table *t)
{
	size_t n = t->head;

	while (n < t->row_n && (n == t->head || !t->row[n].rule))
		n++;
	return n - t->head;
}

/* A name of it: its heading, with or without the unit. */
static int is_heading(const struct column *of, const char *name)
{
	char *heading = table_heading(of);
	int is = !strcmp(heading, name) || !strcmp(of->name, name);

	free(heading);
	return is;
}

static size_t column_find(const struct table *t, const char *name)
{
	size_t c = 0;

	while (c < t->column_n && strcmp(t->column[c].key, name) != 0)
		c++;
	if (c < t->column_n)
		return c;
	for (c = 0; c < t->column_n && !is_heading(&t->column[c], name);)
		c++;
	return c;
}

int table_sort(struct table *t, const char *column, int reversed)
{
	size_t c = column_find(t, column), above = rows_above(t), n = 0;
	struct sort_block *block;
	struct row *row = t->row + t->head, *sorted, *to;
	int rule;

	if (t->ordered || c == t->column_n)
		return 0;
	if (!above)
		return 1;
	block = mem_alloc(above * sizeof(*block));
	to = sorted = mem_alloc(above * sizeof(*sorted));
	rule = row[0].rule;
	for (size_t i = 0; i < above; i++)
		if (n && row[i].more)
			block[n - 1].n++;
		else
			block[n++] = (struct sort_block){i, 1, &row[i].cell[c]};
	qsort_r(block, n, sizeof(*block), block_compare, &reversed);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < block[i].n; k++)
			*to++ = row[block[i].first + k];
	memcpy(row, sorted, above * sizeof(*sorted));
	for (size_t i = 0; i < above; i++)
		row[i].rule = i ? 0 : rule;
	if (t->title) {
		char *words = mem_printf("sorted by %s%s",
					 *t->column[c].name ? t->column[c].name : t->column[c].key,
					 reversed ? " in reverse" : "");

		table_order(t, words);
		free(words);
	}
	free(sorted);
	free(block);
	return 1;
}

size_t table_cut(struct table *t, size_t n)
{
	size_t end = t->head + rows_above(t), rows = 0, keep = end;

	for (size_t i = t->head; i < end; i++)
		if (!t->row[i].more && rows++ == n)
			keep = i;
	if (keep < end)
		memmove(&t->row[keep], &t->row[end], (t->row_n - end) * sizeof(*t->row));
	t->row_n -= end - keep;
	return rows;
}
