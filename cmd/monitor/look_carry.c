/* look_carry.c: open calls from look to look. */
#include "cmd/monitor/look_carry.h"

#include <stdio.h>
#include <string.h>

static struct squares_carry *carry_of(struct look_carry *x, const struct trace *t, size_t stream)
{
	const struct trace_stream *s = &t->stream[stream];
	const struct trace_process *p = &t->process[s->process];
	char text[400];
	int n = snprintf(text, sizeof(text), "%llx %u %.255s %u", (unsigned long long)p->id,
			 p->pid, p->host ? p->host : "", s->thread);
	uint32_t at = names_add(&x->thread, text, (size_t)n);

	while (x->v_n <= at)
		*array_add(x, v) = (struct squares_carry){0};
	return &x->v[at];
}

struct squares_carry *look_carry_begin(struct look_carry *x, const struct trace *t)
{
	struct squares_carry *by_stream = mem_alloc((t->stream_n + 1) * sizeof(*by_stream));

	for (size_t i = 0; i < t->stream_n; i++) {
		struct squares_carry *from = carry_of(x, t, i);

		by_stream[i] = *from;
		*from = (struct squares_carry){0};
	}
	return by_stream;
}

void look_carry_end(struct look_carry *x, const struct trace *t, struct squares_carry *by_stream)
{
	for (size_t i = 0; i < t->stream_n; i++) {
		struct squares_carry *to = carry_of(x, t, i);

		free(to->own);
		*to = by_stream[i];
	}
	free(by_stream);
}

void look_carry_release(struct look_carry *x)
{
	for (size_t i = 0; i < x->v_n; i++)
		free(x->v[i].own);
	free(x->v);
	names_release(&x->thread);
	*x = (struct look_carry){0};
}
