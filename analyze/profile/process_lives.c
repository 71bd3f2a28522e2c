/* process_lives.c: finds when processes ran, from the times of their threads and the metadata of their start. */
#include "analyze/profile/process_lives.h"

#include <math.h>
#include <string.h>

#include "analyze/base/map.h"
#include "record/metadata.h"

/* Of a process: the first thread that has it. */
struct process_life {
	double life, start; /* us since 1970; NaN: unknown */
	const char *host;
};

static void process_add(struct process_life *s, const struct profile *p, uint32_t thread,
			double total)
{
	s->life = fmax(s->life, total);
	if (isnan(s->start))
		s->start = profile_meta_number(p, thread, TAU_META_STARTING_TIMESTAMP);
	if (!s->host)
		s->host = profile_meta(p, thread, TAU_META_HOSTNAME);
}

/* By thread: the index of its process. */
static uint32_t *processes_of(const struct profile *p, size_t *n)
{
	uint32_t *of = mem_alloc((p->thread_n + 1) * sizeof(*of));
	struct map nodes = {0};

	for (size_t i = 0; i < p->thread_n; i++) {
		uint32_t node = (uint32_t)p->thread[i].node;

		of[i] = map_get(&nodes, node);
		if (of[i] == MAP_NONE) {
			of[i] = (uint32_t)nodes.n;
			map_set(&nodes, node, of[i]);
		}
	}
	*n = nodes.n;
	map_release(&nodes);
	return of;
}

void process_lives_make(struct process_lives *l, const struct profile *p, const double *total)
{
	double first = INFINITY, from = p->end_us < p->begin_us ? 0 : p->begin_us;
	uint32_t *of;
	struct process_life *v;
	size_t n;

	*l = (struct process_lives){
		.life = mem_alloc((p->thread_n + 1) * sizeof(*l->life)),
		.begin = mem_alloc((p->thread_n + 1) * sizeof(*l->begin)),
		.host = mem_alloc((p->thread_n + 1) * sizeof(*l->host))};
	of = processes_of(p, &n);
	v = mem_alloc((n + 1) * sizeof(*v));
	for (size_t i = 0; i < n; i++)
		v[i].start = NAN;
	for (uint32_t i = 0; i < p->thread_n; i++)
		process_add(&v[of[i]], p, i, total[i]);
	for (size_t i = 0; i < n; i++)
		first = fmin(first, v[i].start);
	for (size_t i = 0; i < p->thread_n; i++) {
		const struct process_life *s = &v[of[i]];

		l->life[i] = s->life;
		l->begin[i] = isnan(s->start) ? NAN : fmax(s->start - first, from);
		l->host[i] = s->host;
	}
	free(v);
	free(of);
}

void process_lives_release(struct process_lives *l)
{
	free(l->life);
	free(l->begin);
	free(l->host);
	memset(l, 0, sizeof(*l));
}

int process_lives_apart(const struct process_lives *l, uint32_t a, uint32_t b)
{
	return l->host[a] && l->host[b] && !strcmp(l->host[a], l->host[b]) &&
	       (l->begin[a] + l->life[a] <= l->begin[b] || l->begin[b] + l->life[b] <= l->begin[a]);
}
