/*
 * native_comm.c: merges the communicators that the files of a run define into those of the trace.
 */
#include <string.h>

#include "convert/native/define/native_comm.h"
#include "analyze/base/map.h"
#include "convert/native/file/native_out.h"
#include "convert/native/native_run.h"

static struct trace_comm *add_group(struct trace *t, const struct trace_comm *like,
				    const uint32_t *rank, size_t n)
{
	struct trace_comm *c = array_add(t, comm);

	c->name = mem_string(like->name);
	c->number = like->number;
	c->rank = mem_alloc((n + 1) * sizeof(*c->rank));
	c->n = n;
	if (n)
		memcpy(c->rank, rank, n * sizeof(*rank));
	return c;
}

/* Of a communicator with this key; first: ranks of the first of two groups, 0: there is one. */
static uint32_t comm_of_key(struct trace *t, struct native_run *run, const struct buffer *key,
			    const struct trace_comm *like, const uint32_t *rank, size_t n,
			    size_t first)
{
	uint32_t at = names_add(&run->comm, (const char *)key->v, key->v_n);
	uint32_t here = (uint32_t)t->comm_n;

	if (map_get(&run->comm_of, at) != MAP_NONE)
		return map_get(&run->comm_of, at);
	map_set(&run->comm_of, at, here);
	add_group(t, like, rank, first ? first : n)->inter = first ? here + 2 : 0;
	if (first)
		add_group(t, like, rank + first, n - first)->inter = here + 1;
	return here;
}

/*
 * Puts the group with the lowest rank first, so that the order does not depend on which group
 * recorded them. Returns the size of the first.
 */
static size_t groups_order(uint32_t *rank, size_t n, size_t first)
{
	uint32_t *copy, lowest[2] = {UINT32_MAX, UINT32_MAX};

	for (size_t i = 0; i < n; i++)
		if (rank[i] < lowest[i >= first])
			lowest[i >= first] = rank[i];
	if (lowest[0] <= lowest[1])
		return first;
	copy = mem_alloc(first * sizeof(*copy));
	memcpy(copy, rank, first * sizeof(*copy));
	memmove(rank, rank + first, (n - first) * sizeof(*rank));
	memcpy(rank + n - first, copy, first * sizeof(*copy));
	free(copy);
	return n - first;
}

uint32_t native_comm_add(struct trace *t, struct native_run *run, struct map *in_file, uint64_t id,
			 const char *name, uint32_t *rank, size_t n, size_t first, uint64_t number)
{
	const struct trace_comm like = {.name = (char *)name, .number = number};
	struct buffer key = {0};
	uint32_t at;

	if (first)
		first = groups_order(rank, n, first);
	put_varint(&key, first);
	put_string(&key, name);
	put_varint(&key, n);
	for (size_t i = 0; i < n; i++)
		put_varint(&key, rank[i]);
	if (number)
		put_varint(&key, number);
	at = comm_of_key(t, run, &key, &like, rank, n, first);
	if (map_get(in_file, at) == MAP_NONE)
		map_set(in_file, at, (uint32_t)id);
	if (map_get(in_file, at) != id) {
		put_varint(&key, id);
		at = comm_of_key(t, run, &key, &like, rank, n, first);
	}
	free(key.v);
	return at;
}
