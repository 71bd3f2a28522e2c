/* identity.c: hashes of existing communicators and windows, and of the positions that are in use. */
#include "identity.h"
#include "members.h"
#include "pool.h"

enum {
	BUCKETS = 1024, /* powers of two */
	FAMILIES = 8192,
	FEW = 64,
	POSITIONS = 1024,
	DEEP = 32, /* a chain of communicators, each made from the one before, is not followed further */
};

/* How a communicator is made: calls of different kinds need not be in the same order everywhere. */
enum making { MAKING_CHILD = 1, MAKING_OF_GROUP, MAKING_BETWEEN, MAKING_WINDOW };

/* Communicators with the same members that are made from the same one. */
struct family {
	uint64_t key;
	struct family *next;
	uint64_t few, *more; /* bits of positions in use: the first FEW, and all others */
	uint32_t thread;     /* that makes them */
	uint32_t several;    /* more than one thread does */
	uint32_t next_position; /* after the highest one ever used */
};

struct made {
	uintptr_t handle;
	enum peers_kind kind;
	uint64_t id, members;
	uint32_t depth, position;
	struct family *family;
	struct made *next;
};

static struct made *buckets[BUCKETS], *unused;
static struct family *families[FAMILIES];
static uint32_t lock;

/* Numbers of threads are not used again. */
static uint32_t this_thread(void)
{
	static __thread uint32_t number;
	static uint32_t last;

	if (!number)
		number = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
	return number;
}

/* ---- positions, under the lock ---- */

static uint64_t *word_of(struct family *f, uint32_t position)
{
	if (position < FEW)
		return &f->few;
	if (!f->more)
		f->more = pool_get(POSITIONS / 8 - sizeof(uint64_t));
	return f->more ? &f->more[position / 64 - 1] : NULL;
}

static uint32_t position_claim(struct family *f)
{
	uint32_t position;

	if (!f->thread)
		f->thread = this_thread();
	f->several |= f->thread != this_thread();
	for (uint32_t first = 0; first < POSITIONS && !f->several; first += 64) {
		uint64_t *word = word_of(f, first);

		if (!word)
			break;
		if (!~*word)
			continue;
		position = first + (uint32_t)__builtin_ctzll(~*word);
		*word |= 1ull << position % 64;
		if (position >= f->next_position)
			f->next_position = position + 1;
		return position;
	}
	return f->next_position++ % POSITIONS;
}

static void position_release(struct family *f, uint32_t position)
{
	uint64_t *word;

	if (f->several || f->thread != this_thread())
		return;
	word = word_of(f, position);
	if (word)
		*word &= ~(1ull << position % 64);
}

static struct family *family_of(uint64_t key)
{
	struct family **bucket = &families[key >> 20 & (FAMILIES - 1)], *f = *bucket;

	while (f && f->key != key)
		f = f->next;
	if (f)
		return f;
	f = pool_get(sizeof(*f));
	if (f) {
		f->key = key;
		f->next = *bucket;
		*bucket = f;
	}
	return f;
}

/* ---- handles ---- */

static struct made **find(enum peers_kind kind, uintptr_t handle)
{
	uint64_t h = ((uint64_t)handle >> ABI_HANDLE_ZEROS ^ (uint64_t)kind) * 0x9e3779b97f4a7c15u;
	struct made **at = &buckets[h >> 54 & (BUCKETS - 1)];

	while (*at && ((*at)->handle != handle || (*at)->kind != kind))
		at = &(*at)->next;
	return at;
}

uint64_t identity_of(enum peers_kind kind, uintptr_t handle)
{
	const struct made *m;
	uint64_t id;

	spin_lock(&lock);
	m = *find(kind, handle);
	id = m ? m->id : 0;
	spin_unlock(&lock);
	return id;
}

void identity_forget(enum peers_kind kind, uintptr_t handle)
{
	struct made **at, *m;

	spin_lock(&lock);
	at = find(kind, handle);
	m = *at;
	if (m) {
		*at = m->next;
		position_release(m->family, m->position);
		m->next = unused;
		unused = m;
	}
	spin_unlock(&lock);
}

/* What it is made from. A communicator without a number has that of its members. */
static struct made parent_of(MPI_Comm comm)
{
	struct made parent = {0};
	const struct made *m;

	spin_lock(&lock);
	m = *find(PEERS_COMM, (uintptr_t)comm);
	if (m)
		parent = *m;
	spin_unlock(&lock);
	if (!m)
		parent.id = parent.members = members_number(comm);
	return parent;
}

static void add(struct made *m, uint64_t key)
{
	struct made **at, *p;

	identity_forget(m->kind, m->handle);
	spin_lock(&lock);
	at = find(m->kind, m->handle);
	p = unused;
	if (p)
		unused = p->next;
	else
		p = pool_get(sizeof(*p));
	m->family = p ? family_of(key) : NULL;
	if (m->family) {
		m->position = position_claim(m->family);
		m->id = members_mix(key, m->position) >> 8; /* shorter in the trace */
		m->next = *at;
		*p = *m;
		*at = p;
	}
	spin_unlock(&lock);
}

static void made(enum making how, uint64_t more, MPI_Comm comm, const struct made *parent,
		 uint64_t members)
{
	struct made m = {.kind = PEERS_COMM,
			 .handle = (uintptr_t)comm,
			 .members = members,
			 .depth = parent->depth + (parent->depth < DEEP)};
	uint64_t key = members_mix(members, how);

	if (!members)
		return;
	key = members_mix(key, parent->depth < DEEP ? parent->id : DEEP);
	add(&m, members_mix(key, more));
}

static int is_made(int result, const MPI_Comm *comm)
{
	return result == MPI_SUCCESS && comm && *comm && *comm != MPI_COMM_NULL && tau_active();
}

static void child(enum making how, uint64_t more, MPI_Comm parent, MPI_Comm comm)
{
	struct made from;

	tau_hide();
	from = parent_of(parent);
	made(how, more, comm, &from, members_number(comm));
	tau_show();
}

/* MPI_Comm_idup() may not have completed; then calls on its communicator are wrong. */
void identity_copy(int result, MPI_Comm parent, const MPI_Comm *comm)
{
	struct made from;

	if (!is_made(result, comm))
		return;
	tau_hide();
	from = parent_of(parent);
	tau_show();
	made(MAKING_CHILD, 0, *comm, &from, from.members);
}

void identity_child(int result, MPI_Comm parent, const MPI_Comm *comm)
{
	if (is_made(result, comm))
		child(MAKING_CHILD, 0, parent, *comm);
}

void identity_of_group(int result, MPI_Comm parent, int tag, const MPI_Comm *comm)
{
	if (is_made(result, comm))
		child(MAKING_OF_GROUP, (uint64_t)tag, parent, *comm);
}

/* The two groups have different communicators; only their members and the tag are the same. */
void identity_between(int result, int tag, const MPI_Comm *comm)
{
	static const struct made none;

	if (!is_made(result, comm))
		return;
	tau_hide();
	made(MAKING_BETWEEN, (uint64_t)tag, *comm, &none, members_number(*comm));
	tau_show();
}

void identity_window(int result, MPI_Comm parent, const MPI_Win *win)
{
	struct made from, m = {.kind = PEERS_WIN};

	if (result != MPI_SUCCESS || !win || !*win || *win == MPI_WIN_NULL || !tau_active())
		return;
	tau_hide();
	from = parent_of(parent);
	tau_show();
	m.handle = (uintptr_t)*win;
	m.members = from.members;
	if (m.members)
		add(&m, members_mix(members_mix(from.members, MAKING_WINDOW), from.id));
}
