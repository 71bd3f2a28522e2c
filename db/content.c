/*
 * content.c: a number for the contents of a trial: equal for profiles that are the same in all names,
 * values and metadata, in whatever order their parts were defined.
 */
#include <string.h>

#include "db/content.h"

/* One lane of 64 bits. Parts are added up, so their order has no influence. */
struct content_lane {
	uint64_t seed, sum;
};

static uint64_t mix(uint64_t h, uint64_t v)
{
	h ^= v;
	h *= 0x9e3779b97f4a7c15u;
	h ^= h >> 32;
	h *= 0xd6e8feb86659fd93u;
	return h ^ h >> 29;
}

static uint64_t mix_text(uint64_t h, const char *text)
{
	size_t n = text ? strlen(text) : 0;

	h = mix(h, text ? n + 1 : 0);
	for (size_t i = 0; i < n; i += 8) {
		uint64_t v = 0;

		memcpy(&v, text + i, n - i < 8 ? n - i : 8);
		h = mix(h, v);
	}
	return h;
}

static uint64_t mix_number(uint64_t h, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	return mix(h, bits);
}

static void add_meta(struct content_lane *l, uint64_t of, const struct profile_attribute *a,
		     size_t n)
{
	for (size_t i = 0; i < n; i++)
		l->sum += mix_text(mix_text(of, a[i].name), a[i].value);
}

/*
 * Attributes of a thread. The readers of TAU's profiles (1) and snapshots (10) note by a repeated attribute which files
 * have it (profile.h). Earlier versions did not, and the content of a file must stay the same number.
 */
static void add_own_meta(struct content_lane *l, uint64_t of, const struct profile *p,
			 const struct profile_thread *t)
{
	for (size_t i = 0; i < t->meta_n; i++) {
		const char *trial = p->source == 1 || p->source == 10
					    ? profile_meta(p, UINT32_MAX, t->meta[i].name)
					    : NULL;

		if (!trial || strcmp(trial, t->meta[i].value) != 0)
			add_meta(l, of, &t->meta[i], 1);
	}
}

/* path, counter: of the names, by path and counter of p. */
static void add_thread(struct content_lane *l, uint64_t window, const struct profile *p,
		       const struct profile_thread *t, const uint64_t *path,
		       const uint64_t *counter)
{
	uint64_t h = mix(mix(window, (uint32_t)t->node), (uint32_t)t->context);

	h = mix(h, (uint32_t)t->thread);
	l->sum += h;
	add_own_meta(l, mix(h, 1), p, t);
	for (size_t i = 0; i < t->row_n; i++) {
		const struct profile_row *r = &t->row[i];
		uint64_t v = mix_number(mix_number(mix(h, path[r->path]), r->calls), r->subrs);

		for (size_t k = 0; k < 2 * p->metric_n; k++)
			v = mix_number(v, t->values[r->first + k]);
		l->sum += v;
	}
	for (size_t i = 0; i < t->sample_n; i++) {
		const struct profile_sample *s = &t->sample[i];
		const double numbers[] = {s->n, s->max, s->min, s->mean, s->sumsq};
		uint64_t v = mix(h, s->path == PROFILE_FLAT ? 2 : path[s->path]);

		v = mix(v, counter[s->counter]);
		for (size_t k = 0; k < sizeof(numbers) / sizeof(*numbers); k++)
			v = mix_number(v, numbers[k]);
		l->sum += v;
	}
}

static void add_window(struct content_lane *l, size_t number, const struct profile *p)
{
	uint64_t *path = mem_alloc((p->path_n + 1) * sizeof(*path));
	uint64_t *counter = mem_alloc((p->counter_n + 1) * sizeof(*counter));
	uint64_t h = mix_text(mix(l->seed, number), p->window);

	h = mix_number(mix_number(h, p->begin_us), p->end_us);
	h = mix(mix(h, p->source), p->summary.pes);
	h = mix_text(mix(h, p->summary.threads), p->name);
	for (size_t i = 0; i < p->metric_n; i++)
		h = mix_text(h, p->metric[i].name);
	for (size_t i = 0; i < p->timer_n; i++)
		l->sum += mix(mix_text(mix_text(mix_text(h, p->timer[i].name), p->timer[i].groups),
				       p->timer[i].file),
			      p->timer[i].line);
	for (size_t i = 0; i < p->path_n; i++) {
		uint32_t parent = p->path[i].parent;

		path[i] = mix_text(mix(l->seed, parent == PROFILE_FLAT ? 0 : path[parent]),
				   p->timer[p->path[i].timer].name);
	}
	for (size_t i = 0; i < p->counter_n; i++)
		counter[i] = mix_text(l->seed, p->counter[i].name);
	l->sum += h;
	add_meta(l, mix(h, 3), p->meta, p->meta_n);
	for (size_t i = 0; i < p->thread_n; i++)
		add_thread(l, h, p, &p->thread[i], path, counter);
	free(counter);
	free(path);
}

void content_add(struct content *c, const struct profile *p)
{
	struct content_lane lane[] = {{.seed = 0x7461756462u}, {.seed = 0x636f6e74656e74u}};

	for (size_t k = 0; k < 2; k++) {
		add_window(&lane[k], c->windows, p);
		c->sum[k] += lane[k].sum;
	}
	c->windows++;
}

char *content_text(const struct content *c)
{
	return mem_printf("%016jx%016jx", (uintmax_t)c->sum[0], (uintmax_t)c->sum[1]);
}
