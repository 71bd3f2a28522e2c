/* request.c: a hash of pending requests; each bucket has its lock and keeps its own free entries.
 */
#include "request.h"
#include "pool.h"

enum { BUCKETS = 8192 }; /* power of two */

struct bucket {
	struct request *first, *unused;
	uint32_t lock;
};

static struct bucket buckets[BUCKETS];

static struct bucket *bucket_of(uintptr_t handle)
{
	uint64_t h = ((uint64_t)handle >> ABI_HANDLE_ZEROS) * 0x9e3779b97f4a7c15u;

	return &buckets[h >> 51 & (BUCKETS - 1)];
}

static struct request **seek(struct bucket *b, uintptr_t handle)
{
	struct request **at;

	for (at = &b->first; *at && (*at)->key != handle; at = &(*at)->next)
		;
	return at;
}

/* Under the lock: takes an entry out; it is free for another handle unless somebody holds it.
 * Returns what to drop. */
static struct peers *unlink_request(struct bucket *b, struct request **at)
{
	struct request *p = *at;
	struct peers *peers = p->peers;

	*at = p->next;
	p->linked = 0;
	if (p->held)
		return NULL;
	p->next = b->unused;
	b->unused = p;
	return peers;
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
	if (*at)
		old = unlink_request(b, at);
	p = b->unused;
	if (p)
		b->unused = p->next;
	else
		p = pool_get(sizeof(*p));
	if (p) {
		*p = *r;
		p->held = 0;
		p->linked = 1;
		p->next = b->first;
		b->first = p;
	}
	spin_unlock(&b->lock);
	if (old)
		peers_drop(old);
	if (!p && r->peers)
		peers_drop(r->peers);
}

struct request *request_hold(uintptr_t handle)
{
	struct bucket *b = bucket_of(handle);
	struct request *p;

	if (!__atomic_load_n(&b->first, __ATOMIC_RELAXED))
		return NULL;
	spin_lock(&b->lock);
	p = *seek(b, handle);
	if (p)
		p->held = 1;
	spin_unlock(&b->lock);
	return p;
}

void request_release(struct request *r, int done)
{
	struct bucket *b = bucket_of(r->key);
	struct peers *old = NULL;
	struct request **at;

	spin_lock(&b->lock);
	r->held = 0;
	if (!r->linked) {
		old = r->peers;
		r->next = b->unused;
		b->unused = r;
	} else if (done) {
		for (at = &b->first; *at != r; at = &(*at)->next)
			;
		old = unlink_request(b, at);
	}
	spin_unlock(&b->lock);
	if (old)
		peers_drop(old);
}

void request_forget(uintptr_t handle)
{
	struct bucket *b = bucket_of(handle);
	struct peers *old = NULL;
	struct request **at;

	if (!__atomic_load_n(&b->first, __ATOMIC_RELAXED))
		return;
	spin_lock(&b->lock);
	at = seek(b, handle);
	if (*at)
		old = unlink_request(b, at);
	spin_unlock(&b->lock);
	if (old)
		peers_drop(old);
}

void request_cancelled(uintptr_t handle)
{
	struct request *r = request_hold(handle);

	if (!r)
		return;
	if (r->kind == REQUEST_SEND)
		r->number = 0;
	request_release(r, 0);
}
