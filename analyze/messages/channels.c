/* channels.c: numbers communicators and channels by their definitions. */
#include "analyze/messages/channels.h"

#include <string.h>

void channels_init(struct channels *c, const struct trace *t)
{
	*c = (struct channels){.trace = t};
	c->comm = mem_alloc((t->comm_n + 1) * sizeof(*c->comm));
	names_add(&c->comms, "", 0);
	for (size_t i = 0; i < t->comm_n; i++) {
		const struct trace_comm *from = &t->comm[i];
		size_t name = strlen(from->name) + 1, rank = from->n * sizeof(*from->rank);
		size_t number = sizeof(from->number);
		char *key = mem_alloc(name + rank + number);

		memcpy(key, from->name, name);
		if (rank)
			memcpy(key + name, from->rank, rank);
		memcpy(key + name + rank, &from->number, number);
		c->comm[i] = names_add(&c->comms, key, name + rank + number);
		free(key);
	}
}

void channels_release(struct channels *c)
{
	names_release(&c->keys);
	names_release(&c->comms);
	free(c->comm);
	*c = (struct channels){0};
}

uint32_t channels_comm(const struct channels *c, uint32_t comm)
{
	return comm < c->trace->comm_n ? c->comm[comm] : 0;
}

uint32_t channels_id(struct channels *c, int64_t from, int64_t to, int64_t tag, uint32_t comm)
{
	return channels_id_of(c, from, to, tag, channels_comm(c, comm));
}

uint32_t channels_id_of(struct channels *c, int64_t from, int64_t to, int64_t tag, uint32_t number)
{
	const int64_t key[4] = {from, to, tag, number};

	return names_add(&c->keys, (const char *)key, sizeof(key));
}

uint32_t channels_defined(const struct channels *c, uint32_t number)
{
	for (uint32_t i = 0; number && i < c->trace->comm_n; i++)
		if (c->comm[i] == number)
			return i;
	return UINT32_MAX;
}

size_t channels_members(const struct channels *c, size_t process, uint32_t comm)
{
	int64_t size = c->trace->process[process].size;

	if (comm < c->trace->comm_n)
		return c->trace->comm[comm].n;
	return size > 0 ? (size_t)size : c->trace->process_n;
}
