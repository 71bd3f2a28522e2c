/* look.c: the parts of a look. */
#include "cmd/monitor/look.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const look_host_states[LOOK_HOST_STATES] = {"shown", "late", "failed",
							"lost"};

int look_memory_order(const void *x, const void *y)
{
	const struct look_memory *a = x, *b = y;

	return a->bytes != b->bytes ? (a->bytes < b->bytes) - (a->bytes > b->bytes)
				    : strcmp(a->type, b->type);
}

void look_host_add(struct look *l, const struct look_host *from)
{
	struct look_host *to = array_add(l, host);

	*to = *from;
	to->name = mem_string(from->name);
	to->why = from->why ? mem_string(from->why) : NULL;
}

struct look_process look_process_none(void)
{
	return (struct look_process){.use = PROCESS_USE_UNKNOWN,
				     .load = NAN,
				     .read_rate = NAN,
				     .written_rate = NAN,
				     .rank = -1};
}

void look_process_release(struct look_process *p)
{
	free(p->host);
	for (size_t i = 0; i < p->top_n; i++)
		free(p->top[i].name);
}

void look_release(struct look *l)
{
	for (size_t i = 0; i < l->region_n; i++) {
		free(l->region[i].name);
		free(l->region[i].groups);
	}
	for (size_t i = 0; i < l->thread_n; i++) {
		free(l->thread[i].label);
		free(l->thread[i].open);
	}
	for (size_t i = 0; i < l->memory_n; i++)
		free(l->memory[i].type);
	for (size_t i = 0; i < l->process_n; i++)
		look_process_release(&l->process[i]);
	for (size_t i = 0; i < l->host_n; i++) {
		free(l->host[i].name);
		free(l->host[i].why);
	}
	free(l->region);
	free(l->thread);
	free(l->memory);
	free(l->process);
	free(l->host);
	if (l->profile)
		profile_free(l->profile);
	*l = (struct look){0};
}

const char *look_process_state(const struct look_process *p, char *buf)
{
	if (p->unknown && !p->running)
		return "unknown";
	return process_state(p->running, &p->use, p->ended, p->end_value, buf);
}
