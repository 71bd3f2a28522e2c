/* messages_parts.c: deals streams out to passes, and reads these side by side. */
#include "analyze/messages/messages_parts.h"

#include <string.h>

#include "analyze/base/thread_pool.h"
#include "analyze/trace/trace.h"

struct share {
	struct messages m;
	char *skip; /* by stream */
	struct error error;
};

static int is_read(const struct messages *m, uint32_t stream)
{
	return !m->skip || !m->skip[stream];
}

size_t messages_parts_n(const struct messages *whole, unsigned threads)
{
	size_t n = 0;

	for (uint32_t s = 0; s < whole->trace->stream_n; s++)
		n += (size_t)is_read(whole, s);
	n = n < threads ? n : threads;
	n = n < MESSAGES_PARTS_MOST ? n : MESSAGES_PARTS_MOST;
	return n ? n : 1;
}

/* Neighbours are alike, so each part gets every n-th. */
static void streams_deal(struct share *share, size_t n, const struct messages_parts *x)
{
	const uint32_t streams = x->whole->trace->stream_n;
	uint32_t *of = mem_alloc((streams + 1) * sizeof(*of));
	size_t next = 0;

	for (uint32_t s = 0; s < streams; s++)
		if (is_read(x->whole, s) && (!x->together || x->together[s] == s))
			of[s] = (uint32_t)(next++ % n);
	for (size_t i = 0; i < n; i++) {
		share[i].skip = mem_alloc(streams + 1);
		memset(share[i].skip, 1, streams);
	}
	for (uint32_t s = 0; s < streams; s++)
		if (is_read(x->whole, s))
			share[x->together ? of[x->together[s]] : of[s]].skip[s] = 0;
	free(of);
}

static int share_read(void *to, unsigned worker, size_t i)
{
	struct share *p = (struct share *)to + i;

	(void)worker;
	return messages_read(&p->m, &p->error);
}

int messages_parts_read(const struct messages_parts *x, size_t n, struct error *e)
{
	struct share *share = mem_alloc(n * sizeof(*share));
	int code;

	streams_deal(share, n, x);
	for (size_t i = 0; i < n; i++) {
		share[i].m = (struct messages){.trace = x->whole->trace,
					      .span = x->whole->span,
					      .skip = share[i].skip};
		x->begin(x->to, i, &share[i].m);
	}
	code = thread_pool_run(&(struct thread_pool){.item = share_read, .to = share}, (unsigned)n,
			       n);
	for (size_t i = 0; i < n; i++) {
		if (!code && x->end)
			x->end(x->to, i, &share[i].m);
		if (code && share[i].error.code == code && !e->code)
			*e = share[i].error;
		messages_release(&share[i].m);
		free(share[i].skip);
	}
	free(share);
	return code;
}
