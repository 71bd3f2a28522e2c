/* memory_regions.c: sums allocations by the innermost region of their call paths. */
#include "analyze/memory/memory_regions.h"

#include <math.h>
#include <string.h>

#include "analyze/stream/counters.h"
#include "record/metadata.h"

#define OUTSIDE "(outside any region)"

void memory_region_add(struct memory_region *sum, const struct memory_region *r)
{
	sum->allocated += r->allocated;
	sum->blocks += r->blocks;
	sum->freed += r->freed;
	sum->blocks_freed += r->blocks_freed;
	sum->grown += r->grown;
	sum->shrunk += r->shrunk;
	sum->most = fmax(sum->most, r->most);
}

static void bytes_add_to(struct memory_region *r, int freed, double bytes, double n)
{
	*(freed ? &r->freed : &r->allocated) += bytes;
	*(freed ? &r->blocks_freed : &r->blocks) += n;
}

static int compare(const void *va, const void *vb)
{
	const struct memory_region *a = va, *b = vb;

	if (a->allocated != b->allocated)
		return a->allocated > b->allocated ? -1 : 1;
	if (a->freed != b->freed)
		return a->freed > b->freed ? -1 : 1;
	if (a->grown != b->grown)
		return a->grown > b->grown ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* The counters of the heap at regions; the values of a region are in the order of these names. */
static const char *const heap_names[] = {"Increase in Heap Memory (KB)",
					 "Decrease in Heap Memory (KB)",
					 TAU_COUNTER_HEAP_KB " at Entry",
					 TAU_COUNTER_HEAP_KB " at Exit"};
#define HEAP_NAMES (sizeof(heap_names) / sizeof(*heap_names))

static void heap_add_to(struct memory_regions *g, const struct profile *p,
			const struct profile_sample *s, const int64_t *counter)
{
	struct memory_region *r;
	size_t which = 0;

	while (which < HEAP_NAMES && s->counter != (uint64_t)counter[which])
		which++;
	if (which == HEAP_NAMES)
		return;
	g->heap = 1;
	if (s->path == PROFILE_FLAT) {
		g->all.most = fmax(g->all.most, which < 2 ? 0 : s->max * 1024);
		return;
	}
	r = &g->row[p->path[s->path].timer];
	if (which == 0)
		r->grown += s->mean * s->n * 1024;
	else if (which == 1)
		r->shrunk += s->mean * s->n * 1024;
	else
		r->most = fmax(r->most, s->max * 1024);
}

void memory_regions_init(struct memory_regions *g, const struct profile *p)
{
	int64_t allocate = names_find(&p->counter_names, COUNTERS_HEAP_ALLOCATE,
				      strlen(COUNTERS_HEAP_ALLOCATE)),
		release = names_find(&p->counter_names, COUNTERS_HEAP_FREE,
				     strlen(COUNTERS_HEAP_FREE));
	struct memory_region *outside;
	int64_t heap[HEAP_NAMES];
	size_t kept = 0;

	for (size_t i = 0; i < HEAP_NAMES; i++)
		heap[i] = names_find(&p->counter_names, heap_names[i], strlen(heap_names[i]));
	memset(g, 0, sizeof(*g));
	g->row = mem_alloc((p->timer_n + 1) * sizeof(*g->row));
	for (size_t i = 0; i < p->timer_n; i++)
		g->row[i].name = p->timer[i].name;
	outside = &g->row[p->timer_n];
	outside->name = OUTSIDE;
	for (size_t t = 0; t < p->thread_n; t++) {
		const struct profile_thread *thread = &p->thread[t];

		for (size_t i = 0; thread->node >= 0 && i < thread->sample_n; i++) {
			const struct profile_sample *s = &thread->sample[i];
			double bytes = round(s->mean * s->n);
			int freed = s->counter == (uint64_t)release;

			if (!freed && s->counter != (uint64_t)allocate) {
				heap_add_to(g, p, s, heap);
				continue;
			}
			g->blocks = 1;
			/*
			 * The row over all contexts is the total; the rest that no context has is
			 * the row outside of regions.
			 */
			if (s->path == PROFILE_FLAT) {
				bytes_add_to(&g->all, freed, bytes, s->n);
				bytes_add_to(outside, freed, bytes, s->n);
			} else {
				bytes_add_to(&g->row[p->path[s->path].timer], freed, bytes, s->n);
				bytes_add_to(outside, freed, -bytes, -s->n);
			}
		}
	}
	for (size_t i = 0; i <= p->timer_n; i++)
		if (g->row[i].blocks > 0 || g->row[i].blocks_freed > 0 || g->row[i].most > 0)
			g->row[kept++] = g->row[i];
	g->row_n = kept;
	if (kept)
		qsort(g->row, kept, sizeof(*g->row), compare);
}

void memory_regions_release(struct memory_regions *g)
{
	free(g->row);
}
