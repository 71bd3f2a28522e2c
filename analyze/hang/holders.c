/* holders.c: which process has the lock of a file. */
#include "analyze/hang/holders.h"

#include <stdlib.h>
#include <string.h>

static struct holders_held *held_of(struct holders *x, const struct trace *t, uint32_t process,
				    uint32_t file)
{
	const char *name = t->event[file].name;
	uint64_t key = (uint64_t)process << 32 | names_add(&x->files, name, strlen(name));
	uint32_t at = map_get(&x->held, key);

	if (at == MAP_NONE) {
		at = (uint32_t)x->v_n;
		*array_add(x, v) = (struct holders_held){INT64_MIN, 0};
		map_set(&x->held, key, at);
	}
	return &x->v[at];
}

void holders_note(struct holders *x, const struct trace *t, uint32_t process,
		  const struct event_args *a, int64_t time)
{
	struct holders_held *h;

	if (a->io.op != IO_LOCK && a->io.op != IO_UNLOCK && a->io.op != IO_CLOSE)
		return;
	h = held_of(x, t, process, a->io.file);
	if (time >= h->time)
		*h = (struct holders_held){time, a->io.op == IO_LOCK};
}

/* A process of the system on the host of another one. TRACE_NONE: it is not in the trace, or has ended. */
static uint32_t process_here(const struct trace *t, const unsigned char *ended, uint32_t process,
			     int64_t pid)
{
	const char *host = t->process[process].host;

	for (uint32_t i = 0; i < t->process_n; i++) {
		const struct trace_process *p = &t->process[i];

		if (!ended[i] && p->pid == pid && p->host && host && !strcmp(p->host, host))
			return i;
	}
	return TRACE_NONE;
}

void holders_find(struct holders *x, const struct trace *t, const unsigned char *ended,
		  struct holders_lock *l)
{
	int64_t now = t->process[l->process].lock_holder;
	const struct holders_held *h;
	uint32_t at;
	size_t found = 0;

	l->holder = -1;
	if (now)
		l->pid = now;
	at = l->pid ? process_here(t, ended, l->process, l->pid) : TRACE_NONE;
	h = at == TRACE_NONE ? NULL : held_of(x, t, at, l->file);
	if (h && (now || h->has || h->time == INT64_MIN)) {
		l->holder = at;
		return;
	}
	if (h)
		l->pid = 0;
	for (uint32_t i = 0; i < t->process_n && !l->pid; i++)
		if (!ended[i] && (i != l->process || l->own) && held_of(x, t, i, l->file)->has &&
		    !found++)
			l->holder = i;
	if (found > 1)
		l->holder = -1;
}

void holders_release(struct holders *x)
{
	map_release(&x->held);
	names_release(&x->files);
	free(x->v);
}
