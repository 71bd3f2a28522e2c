/* memory_share.c: of what the memory of one run consists, by its owner; the share of a sum with models. */
#include "analyze/memory/memory.h"

#include <math.h>
#include <string.h>

#include "analyze/scaling/scaling.h"

double memory_modelled_pct(const struct memory_series *s, const struct memory_growth *g)
{
	double with = 0, bytes = 0;

	for (size_t i = 0; i < g->part_n; i++) {
		const struct memory_growth *part = &s->row[g->part[i]];

		bytes += part->last;
		with += scaling_credible(&part->model) ? part->last : 0;
	}
	return bytes > 0 ? 100 * with / bytes : NAN;
}

void memory_share(const struct memory_series *s, size_t k, struct memory_share *out)
{
	const struct memory *m = s->run[k];

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < s->row_n; i++) {
		const struct memory_growth *g = &s->row[i];
		struct memory_part *part = &out->part[g->side];
		double v = memory_bytes(m, &g->value[k], MEMORY_PER_PE);

		if (!isfinite(v))
			continue;
		part->bytes += v;
		if (g->kind != MEMORY_TYPED && g->kind != MEMORY_SLAB)
			continue;
		part->typed += v;
		part->slabs += g->kind == MEMORY_SLAB ? v : 0;
		part->fixed += g->fixed ? v : 0;
	}
	for (size_t i = 0; i < m->row_n; i++) {
		const struct memory_row *r = &m->row[i];
		const struct memory_value *v = &r->value[s->query.measure];

		if (!r->owner || r->site || r->kind != MEMORY_UNTYPED || !v->known)
			continue;
		if (r->held)
			out->part[r->side].held += v->bytes / (double)m->pes_counted;
		else
			out->part[r->side].owned += v->bytes / (double)m->pes_counted;
	}
}
