/* window_sync.c: records of synchronisation of accesses to MPI's windows, by the call in which they are. */
#include "convert/otf2/record.h"

#include <string.h>

/* Is the innermost region a call of this function? */
static int in_call(const struct trace_cursor *c, const char *function)
{
	uint32_t region = c->open_n ? c->open[c->open_n - 1] : ARCHIVE_REGION_ROOT;
	size_t n = strlen(function);
	const char *name;

	if (region == ARCHIVE_REGION_ROOT || region >= c->trace->region_n)
		return 0;
	name = c->trace->region[region].name;
	return !strncmp(name, function, n) && (!name[n] || name[n] == '(');
}

/* What the call does with the members of a group; SYNCS: nothing. */
static uint32_t op_now(const struct trace_cursor *c)
{
	static const struct {
		const char *function;
		enum event_sync op;
	} calls[] = {
		{"MPI_Win_post", SYNC_POST},   {"MPI_Win_wait", SYNC_WAIT},
		{"MPI_Win_test", SYNC_WAIT},   {"MPI_Win_start", SYNC_START},
		{"MPI_Win_complete", SYNC_COMPLETE},
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (in_call(c, calls[i].function))
			return calls[i].op;
	return SYNCS;
}

static void push(struct trace_cursor *c, uint32_t op, OTF2_RmaWinRef window, uint32_t remote,
		 int64_t rank)
{
	struct event_args *a = archive_push_args(c, EVENT_SYNC);
	uint64_t comm = map_get(&c->run->window_of, window);

	a->sync.op = op;
	a->sync.peer = archive_peer(c, comm, remote, &a->sync.comm);
	if (rank >= 0 || remote == OTF2_UNDEFINED_UINT32)
		a->sync.peer = rank;
}

int archive_sync(struct trace_cursor *c, OTF2_RmaWinRef window, uint32_t remote,
		 OTF2_RmaSyncType type)
{
	uint32_t op = op_now(c);
	int out = op == SYNC_POST || op == SYNC_COMPLETE;

	if (op == SYNCS ||
	    type != (out ? OTF2_RMA_SYNC_TYPE_NOTIFY_OUT : OTF2_RMA_SYNC_TYPE_NOTIFY_IN))
		return 0;
	push(c, op, window, remote, -1);
	return 1;
}

int archive_group_sync(struct trace_cursor *c, OTF2_RmaWinRef window, OTF2_GroupRef group)
{
	uint32_t op = op_now(c), at = map_get(&c->run->group_of, group);

	if (op == SYNCS || at == MAP_NONE)
		return 0;
	for (size_t i = 0; i < c->run->group[at].n; i++)
		push(c, op, window, 0, c->run->group[at].rank[i]);
	return 1;
}

int archive_lock(struct trace_cursor *c, OTF2_RmaWinRef window, uint32_t remote,
		 OTF2_LockType type)
{
	int all = in_call(c, "MPI_Win_lock_all");

	if (!all && !in_call(c, "MPI_Win_lock"))
		return 0;
	push(c, type == OTF2_LOCK_EXCLUSIVE ? SYNC_LOCK : SYNC_LOCK_SHARED, window,
	     all ? OTF2_UNDEFINED_UINT32 : remote, -1);
	return 1;
}

int archive_unlock(struct trace_cursor *c, OTF2_RmaWinRef window, uint32_t remote)
{
	int all = in_call(c, "MPI_Win_unlock_all");

	if (!all && !in_call(c, "MPI_Win_unlock"))
		return 0;
	push(c, SYNC_UNLOCK, window, all ? OTF2_UNDEFINED_UINT32 : remote, -1);
	return 1;
}
