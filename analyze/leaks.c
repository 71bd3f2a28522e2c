/* leaks.c: counters of what was never freed, as rows. */
#include "leaks.h"

#include <math.h>
#include <string.h>

#define OWNED_BY " <= "
#define AT       " @ "
#define TOTAL    (-2) /* the derived thread that sums up all others */

static const char *const verbs[LEAKS_HOWS] = {
	[LEAKS_LOST] = "lost ",
	[LEAKS_INDIRECT] = "indirectly lost ",
	[LEAKS_REACHABLE] = "reachable ",
};

static char *copy(const char *from, const char *to)
{
	return mem_printf("%.*s", (int)(to - from), from);
}

static void row_name(struct leaks_row *r, const char *name, enum leaks_owners owners, int sites)
{
	const char *at = strstr(name, AT), *end = at ? at : name + strlen(name);
	const char *owner = strstr(name, OWNED_BY), *next;

	if (owner && owner > end)
		owner = NULL;
	r->type = copy(name, owner ? owner : end);
	r->site = at && sites ? mem_string(at + strlen(AT)) : NULL;
	r->owner = NULL;
	if (!owner || owners == LEAKS_NO_OWNERS)
		return;
	owner += strlen(OWNED_BY);
	next = owners == LEAKS_PARENTS ? strstr(owner, OWNED_BY) : NULL;
	r->owner = copy(owner, next && next < end ? next : end);
}

static void row_release(struct leaks_row *r)
{
	free(r->type);
	free(r->owner);
	free(r->site);
}

/* The rows, and which of them each counter is: SIZE_MAX: none. */
static size_t *rows_find(struct leaks *l, const struct profile *p, enum leaks_owners owners,
			 int sites)
{
	size_t *row_of = mem_alloc(p->counter_n * sizeof(*row_of));
	struct names known = {0};

	for (size_t c = 0; c < p->counter_n; c++) {
		const char *name = p->counter[c].name;

		row_of[c] = SIZE_MAX;
		for (enum leaks_how how = 0; how < LEAKS_HOWS; how++) {
			size_t n = strlen(verbs[how]);
			struct leaks_row row = {.how = how};
			char *key;

			if (strncmp(name, verbs[how], n) != 0 || !name[n])
				continue;
			row_name(&row, name + n, owners, sites);
			key = mem_printf("%d%s%s%s%s%s", how, row.type, row.owner ? OWNED_BY : "",
					 row.owner ? row.owner : "", row.site ? AT : "",
					 row.site ? row.site : "");
			row_of[c] = names_add(&known, key, strlen(key));
			free(key);
			if (row_of[c] == l->row_n)
				*array_add(l, row) = row;
			else
				row_release(&row);
		}
	}
	names_release(&known);
	return row_of;
}

static void pe_end(struct leaks *l, double *on_pe)
{
	for (size_t i = 0; i < l->row_n; i++) {
		l->row[i].bytes_max = l->whole ? NAN : fmax(l->row[i].bytes_max, on_pe[i]);
		on_pe[i] = 0;
	}
}

/* Threads of one PE stand together in a sorted profile. */
static void threads_take(struct leaks *l, const struct profile *p, const size_t *row_of)
{
	double *on_pe = mem_alloc(l->row_n * sizeof(*on_pe));

	for (size_t t = 0; t < p->thread_n; t++) {
		const struct profile_thread *thread = &p->thread[t];

		if (p->summary.pes ? thread->node != TOTAL : thread->node < 0)
			continue;
		if (t && p->thread[t - 1].node != thread->node)
			pe_end(l, on_pe);
		for (size_t i = 0; i < thread->sample_n; i++) {
			const struct profile_sample *s = &thread->sample[i];
			size_t row = row_of[s->counter];
			double bytes = round(s->mean * s->n);

			if (row == SIZE_MAX || s->path != PROFILE_FLAT)
				continue;
			l->row[row].bytes += bytes;
			l->row[row].blocks += s->n;
			on_pe[row] += bytes;
		}
	}
	pe_end(l, on_pe);
	free(on_pe);
}

static int compare_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int row_compare(const void *va, const void *vb)
{
	const struct leaks_row *a = va, *b = vb;
	int order;

	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	order = strcmp(a->type, b->type);
	order = order ? order : compare_text(a->owner, b->owner);
	order = order ? order : compare_text(a->site, b->site);
	return order ? order : (int)a->how - (int)b->how;
}

void leaks_init(struct leaks *l, const struct profile *p, enum leaks_owners owners, int sites)
{
	size_t *row_of, kept = 0;

	memset(l, 0, sizeof(*l));
	l->whole = p->summary.pes > 0;
	row_of = rows_find(l, p, owners, sites);
	threads_take(l, p, row_of);
	free(row_of);
	for (size_t i = 0; i < l->row_n; i++) {
		struct leaks_row *r = &l->row[i];

		/* Other windows of a trial have rows, too. */
		if (!(r->blocks > 0)) {
			row_release(r);
			continue;
		}
		l->bytes[r->how] += r->bytes;
		l->blocks[r->how] += r->blocks;
		l->row[kept++] = *r;
	}
	l->row_n = kept;
	if (l->row_n)
		qsort(l->row, l->row_n, sizeof(*l->row), row_compare);
}

void leaks_release(struct leaks *l)
{
	for (size_t i = 0; i < l->row_n; i++)
		row_release(&l->row[i]);
	free(l->row);
}
