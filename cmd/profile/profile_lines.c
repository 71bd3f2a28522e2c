/* profile_lines.c: orders the rows of profiles, and composes their names. */
#include "cmd/profile/profile_lines.h"

#include <stdlib.h>

static const char arrow[] = " => ";

void text_add(struct line_text *t, const char *s, size_t n)
{
	if (n)
		memcpy(text_room(t, n), s, n);
	t->n += n;
}

void text_flush(struct line_text *t, FILE *f)
{
	fwrite(t->s, 1, t->n, f);
	t->n = 0;
}

/* ---- names ---- */

void path_cells_init(struct path_cells *x, const struct profile *p,
		     void (*make)(struct piece *piece, const char *name))
{
	*x = (struct path_cells){.profile = p,
				 .piece = mem_alloc(p->timer_n * sizeof(*x->piece)),
				 .parent = PROFILE_FLAT};
	for (size_t i = 0; i < p->timer_n; i++)
		make(&x->piece[i], p->timer[i].name);
}

void path_cells_release(struct path_cells *x)
{
	for (size_t i = 0; i < x->profile->timer_n; i++)
		free(x->piece[i].text.s);
	free(x->piece);
	free(x->above.s);
}

/* The name is written from its end, because a path refers only to its parent. */
static void above_make(struct path_cells *x, uint32_t parent)
{
	const struct profile_path *path = x->profile->path;
	size_t n = 0;
	char *at;

	x->parent = parent;
	x->marks = 0;
	for (uint32_t i = parent; i != PROFILE_FLAT; i = path[i].parent) {
		const struct piece *piece = &x->piece[path[i].timer];
		int first = path[i].parent == PROFILE_FLAT;

		x->marks |= piece->marks & (PIECE_QUOTED | PIECE_ALONE |
					    (first ? PIECE_BLANK_BEGIN : 0));
		n += piece->text.n + sizeof(arrow) - 1;
	}
	x->above.n = 0;
	at = text_room(&x->above, n + 1) + n;
	x->above.n = n;
	for (uint32_t i = parent; i != PROFILE_FLAT; i = path[i].parent) {
		const struct line_text *piece = &x->piece[path[i].timer].text;

		at = memcpy(at - sizeof(arrow) + 1, arrow, sizeof(arrow) - 1);
		at = memcpy(at - piece->n, piece->s, piece->n);
	}
}

unsigned path_cells_go(struct path_cells *x, uint32_t path)
{
	const struct profile_path *to = &x->profile->path[path];
	unsigned marks = x->piece[to->timer].marks;

	if (x->parent != to->parent || !x->above.s)
		above_make(x, to->parent);
	return to->parent == PROFILE_FLAT ? marks : (marks & ~PIECE_BLANK_BEGIN) | x->marks;
}

char *profile_groups_text(const struct profile_timer *t, int path)
{
	return mem_printf("%s%s%s", path ? "TAU_CALLPATH" : "", path && *t->groups ? "|" : "",
			  t->groups);
}

/* ---- order ---- */

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

uint32_t *profile_rows_by_name(const struct profile *p, const struct profile_thread *t,
			       const uint32_t *place)
{
	size_t n = t->row_n < p->path_n ? p->path_n : t->row_n, k = 0;
	uint32_t *order = mem_alloc((n + 1) * sizeof(*order));

	if (t->row_n >= p->path_n / MANY_ROWS) {
		/* 1 + number of the row of the path at each place; there is one for each path. */
		for (size_t i = 0; i < t->row_n; i++)
			order[place[t->row[i].path]] = (uint32_t)i + 1;
		for (size_t i = 0; i < p->path_n; i++)
			if (order[i])
				order[k++] = order[i] - 1;
		if (k == t->row_n)
			return order;
	}
	for (size_t i = 0; i < t->row_n; i++)
		order[i] = (uint32_t)i;
	if (t->row_n)
		qsort_r(order, t->row_n, sizeof(*order), row_compare,
			&(struct by_name){t->row, place});
	return order;
}

/* ---- counters ---- */

static int sample_compare(const void *va, const void *vb)
{
	return strcmp(((const struct named_sample *)va)->name,
		      ((const struct named_sample *)vb)->name);
}

struct named_sample *profile_samples_by_name(const struct profile *p,
					     const struct profile_thread *t)
{
	struct named_sample *v = mem_alloc(t->sample_n * sizeof(*v));

	for (size_t i = 0; i < t->sample_n; i++)
		v[i] = (struct named_sample){profile_sample_text(p, &t->sample[i]), &t->sample[i]};
	if (t->sample_n)
		qsort(v, t->sample_n, sizeof(*v), sample_compare);
	return v;
}

void named_samples_free(struct named_sample *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(v[i].name);
	free(v);
}
