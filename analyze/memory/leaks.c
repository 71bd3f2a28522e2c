/* leaks.c: counters of what was never freed, as rows. */
#include "analyze/memory/leaks.h"
#include "analyze/profile/derived_threads.h"
#include "analyze/profile/memory_object.h"

#include <math.h>
#include <string.h>

static void row_init(struct leaks_row *r, const struct memory_object *o, enum leaks_owners owners,
		     int sites)
{
	r->type = mem_string(o->type ? o->type : "(all)");
	r->site = o->site && sites ? mem_string(o->site) : NULL;
	r->owner = owners == LEAKS_NO_OWNERS
			   ? NULL
			   : memory_object_owners(o, owners == LEAKS_PARENTS ? 1 : o->owner_n);
}

static void row_release(struct leaks_row *r)
{
	free(r->type);
	free(r->owner);
	free(r->site);
}

/* Makes the rows. Returns the row of each counter, SIZE_MAX: none; the caller frees it. */
static size_t *rows_find(struct leaks *l, const struct profile *p, enum leaks_owners owners,
			 int sites)
{
	size_t *row_of = mem_alloc(p->counter_n * sizeof(*row_of));
	struct names known = {0};

	for (size_t c = 0; c < p->counter_n; c++) {
		const struct profile_counter *counter = &p->counter[c];
		struct leaks_row row = {.how = LEAKS_LOST};
		char *text, *key;

		row_of[c] = SIZE_MAX;
		if (counter->number < NUMBER_LOST || counter->number > NUMBER_REACHABLE)
			continue;
		row.how = counter->number == NUMBER_LOST       ? LEAKS_LOST
			  : counter->number == NUMBER_INDIRECT ? LEAKS_INDIRECT
							       : LEAKS_REACHABLE;
		row_init(&row, &p->object.v[counter->object], owners, sites);
		text = memory_text(row.type, row.owner, row.site);
		key = mem_printf("%d%s", row.how, text);
		row_of[c] = names_add(&known, key, strlen(key));
		free(key);
		free(text);
		if (row_of[c] == l->row_n)
			*array_add(l, row) = row;
		else
			row_release(&row);
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

/* Threads of one PE are adjacent in a sorted profile. */
static void threads_add(struct leaks *l, const struct profile *p, const size_t *row_of)
{
	double *on_pe = mem_alloc(l->row_n * sizeof(*on_pe));

	for (size_t t = 0; t < p->thread_n; t++) {
		const struct profile_thread *thread = &p->thread[t];

		if (p->summary.pes ? thread->node != STATS_TOTAL : thread->node < 0)
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
	threads_add(l, p, row_of);
	free(row_of);
	for (size_t i = 0; i < l->row_n; i++) {
		struct leaks_row *r = &l->row[i];

		/* other windows of a trial have rows, too */
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
