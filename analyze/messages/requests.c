/* requests.c: a hash table of open requests, from which they are removed. */
#include "analyze/messages/requests.h"

#include "analyze/base/base.h"

static size_t home(const struct requests *x, uint64_t key)
{
	return (key * 0x9e3779b97f4a7c15u >> 32) & (x->slots - 1);
}

static struct message_request *find(const struct requests *x, uint64_t key)
{
	size_t i = home(x, key);

	while (x->v[i].key && x->v[i].key != key)
		i = (i + 1) & (x->slots - 1);
	return &x->v[i];
}

static void grow(struct requests *x)
{
	struct requests old = *x;

	x->slots = old.slots ? old.slots * 2 : 64;
	x->v = mem_alloc(x->slots * sizeof(*x->v));
	for (size_t i = 0; i < old.slots; i++)
		if (old.v[i].key)
			*find(x, old.v[i].key) = old.v[i];
	free(old.v);
}

struct message_request requests_add(struct requests *x, struct message_request r)
{
	struct message_request *at, old;

	if (2 * (x->n + 1) > x->slots)
		grow(x);
	at = find(x, r.key);
	old = *at;
	*at = r;
	x->n += !old.key;
	return old;
}

struct message_request requests_remove(struct requests *x, uint64_t key)
{
	size_t mask = x->slots - 1, hole, i;
	struct message_request r = {0};

	if (!x->n)
		return r;
	hole = (size_t)(find(x, key) - x->v);
	r = x->v[hole];
	if (!r.key)
		return r;
	x->n--;
	/* what follows moves up, unless it would be before its home */
	for (i = (hole + 1) & mask; x->v[i].key; i = (i + 1) & mask) {
		if (((i - home(x, x->v[i].key)) & mask) < ((i - hole) & mask))
			continue;
		x->v[hole] = x->v[i];
		hole = i;
	}
	x->v[hole] = (struct message_request){0};
	return r;
}

void requests_release(struct requests *x)
{
	free(x->v);
	*x = (struct requests){0};
}
