/*
 * iteration.c: TAU's timers and phases whose names get a number: name[0], name[1] ... in each thread.
 *
 * The numbers are kept with the stream, by the id of the name, which is defined as an event that has no values. They begin
 * again at 0 when another thread uses the stream.
 */
#include "record/api.h"
#include "record/base/memory_map.h"
#include "record/base/stream.h"
#include "record/base/thread.h"

#include <stdio.h>

struct iteration {
	uint32_t name; /* id */
	uint32_t next;
};

/* The entry of the calling thread; NULL: no memory, or recording is off. */
static struct iteration *iteration_find(const char *name)
{
	uint32_t id = tau_event(name, TAU_EVENT_NAME);
	struct stream *s;
	struct iteration *larger;

	tau_attach();
	s = self.stream;
	if (!id || !s)
		return NULL;
	if (s->iteration_tid != s->tid)
		s->iteration_n = 0;
	s->iteration_tid = s->tid;
	for (size_t i = 0; i < s->iteration_n; i++)
		if (s->iteration[i].name == id)
			return &s->iteration[i];
	if (s->iteration_n == s->iteration_cap) {
		larger = map_grow(s->iteration, &s->iteration_cap, sizeof(*larger),
				  s->iteration_n + 1);
		if (!larger)
			return NULL;
		s->iteration = larger;
	}
	s->iteration[s->iteration_n] = (struct iteration){id, 0};
	return &s->iteration[s->iteration_n++];
}

static void *numbered(const char *name, uint32_t number, int phase)
{
	char full[1024];

	snprintf(full, sizeof(full), "%.1000s[%u]", name, number);
	return (void *)(uintptr_t)tau_region(full, phase ? "TAU_USER|TAU_PHASE" : "TAU_USER", NULL,
					     0);
}

void Tau_dynamic_start(const char *name, int phase)
{
	const struct iteration *i = iteration_find(name);

	if (i)
		Tau_start_timer(numbered(name, i->next, phase), phase, 0);
}

void Tau_dynamic_stop(const char *name, int phase)
{
	struct iteration *i = iteration_find(name);

	if (i)
		Tau_stop_timer(numbered(name, i->next++, phase), 0);
}

void Tau_profile_dynamic_auto(int number, void **timer, const char *name, const char *type,
			      TauGroup_t group, const char *group_name)
{
	char full[1024];

	snprintf(full, sizeof(full), "%.1000s[%d]", name, number);
	Tau_profile_c_timer(timer, full, type, group, group_name);
}
