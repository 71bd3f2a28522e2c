/* lane_regions.c: which regions are calls of a library, and what their begins are. */
#include <string.h>

#include "analyze/messages/lane.h"
#include "analyze/messages/runtime_regions.h"
#include "analyze/trace/region_work.h"

void lane_regions_make(struct messages *m)
{
	const struct trace *t = m->trace;
	struct messages_pass *p = m->pass;
	struct names names = {0};
	uint32_t *first = mem_alloc((t->region_n + 1) * sizeof(*first));

	p->region = mem_alloc((t->region_n + 1) * sizeof(*p->region));
	p->runtime = mem_alloc(t->region_n + 1);
	p->begins = mem_alloc(t->region_n + 1);
	for (uint32_t i = 0; i < t->region_n; i++) {
		const char *name = t->region[i].name;
		size_t before = names.name_n;
		uint32_t id = names_add(&names, name, strlen(name));

		if (names.name_n > before)
			first[id] = i;
		p->region[i] = first[id];
		p->runtime[i] = (char)runtime_region(&t->region[first[id]]);
		p->runtime[i] = runtime_fences(name) ? RUNTIME_FENCE : p->runtime[i];
		p->begins[i] = p->teams ? (unsigned char)runtime_team(name) : 0;
		if (p->runtime[i] && runtime_awaits_put(name)) {
			p->begins[i] = BEGINS_AWAITING;
			p->any_awaits = 1;
		} else if (p->polls && !p->begins[i] && region_polls(name)) {
			p->begins[i] = BEGINS_POLLING;
		}
	}
	m->region = p->region;
	m->runtime = p->runtime;
	free(first);
	names_release(&names);
}
