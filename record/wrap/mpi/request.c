/* request.c: a hash of pending requests; each bucket has its lock and keeps its own free entries. */
#include "request.h"
#include "pool.h"

enum { BUCKETS = 8192 };	/* power of two */

struct bucket {
	struct request *first, *unused;
	uint32_t lock;
};

static struct bucket buckets[BUCKETS];

static struct bucket *bucket_of(uintptr_t handle)
{
	return &buckets[((uint64_t)handle >> 4) * 0x9e3779b97f4a7c15u >> 51 & (BUCKETS - 1)];
}

static struct request **seek(struct bucket *b, uintptr_t handle)
{
	struct request **at;

	for (at = &b->first; *at && (*at)->key != handle; at = &(*at)->next)
		;
	return at;
}

void request_add(const struct request *r)
{
	struct bucket *b = bucket_of(r->key);
	struct peers *old = NULL;
	struct request **at, *p;

	if (r->peers)
		peers_hold(r->peers);
	spin_lock(&b->lock);
	at = seek(b, r->key);
	p = *at;
	if (p) {
		old = p->peers;
		*at = p->next;
	} else {
		p = b->unused;
		if (p)
			b->unused = p->next;
		else
			p = pool_get(sizeof(*p));
	}
	if (p) {
		*p = *r;
		p->next = b->first;
		b->first = p;
	} else {
		old = r->peers;
	}
	spin_unlock(&b->lock);
	if (old)
		peers_drop(old);
}

struct request *request_find(uintptr_t handle)
{
	struct bucket *b = bucket_of(handle);
	struct request *p;

	if (!__atomic_load_n(&b->first, __ATOMIC_RELAXED))
		return NULL;
	spin_lock(&b->lock);
	p = *seek(b, handle);
	spin_unlock(&b->lock);
	return p;
}

void request_forget(uintptr_t handle)
{
	struct bucket *b = bucket_of(handle);
	struct peers *old = NULL;
	struct request **at, *p;

	if (!__atomic_load_n(&b->first, __ATOMIC_RELAXED))
		return;
	spin_lock(&b->lock);
	at = seek(b, handle);
	p = *at;
	if (p) {
		*at = p->next;
		old = p->peers;
		p->next = b->unused;
		b->unused = p;
	}
	spin_unlock(&b->lock);
	if (old)
		peers_drop(old);
}
