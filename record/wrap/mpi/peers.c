/* peers.c: a chained hash of communicators and windows with the world ranks of their members. */
#include <string.h>

#include "peers.h"
#include "identity.h"
#include "members.h"
#include "pool.h"
#include "spawn_ranks.h"
#include "spawn_row.h"

enum { BUCKETS = 1024 }; /* power of two */

struct peers peers_world;
static struct peers *buckets[BUCKETS];
static uint32_t lock;

int peers_mpi_is_up(void)
{
	int up = 0, down = 0;

	real_MPI_Initialized(&up);
	real_MPI_Finalized(&down);
	return up && !down;
}

static struct peers **bucket_of(enum peers_kind kind, uintptr_t handle)
{
	uint64_t h = ((uint64_t)handle >> ABI_HANDLE_ZEROS ^ (uint64_t)kind) * 0x9e3779b97f4a7c15u;

	return &buckets[h >> 54 & (BUCKETS - 1)];
}

/* An entry is never unlinked: its key identifies the handle that it belongs to. */
static struct peers *find(struct peers *p, enum peers_kind kind, uintptr_t handle)
{
	for (; p; p = __atomic_load_n(&p->next, __ATOMIC_ACQUIRE))
		if (__atomic_load_n(&p->key, __ATOMIC_ACQUIRE) == handle && p->kind == kind &&
		    !__atomic_load_n(&p->dead, __ATOMIC_RELAXED))
			return p;
	return NULL;
}

struct peers *peers_look(enum peers_kind kind, uintptr_t handle)
{
	return find(__atomic_load_n(bucket_of(kind, handle), __ATOMIC_ACQUIRE), kind, handle);
}

struct peers *peers_get(enum peers_kind kind, uintptr_t handle)
{
	struct peers *p = peers_look(kind, handle);

	return p ? p : peers_make(kind, handle);
}

/*
 * Defines a communicator in the trace: the ranks of the local group, then those of the remote one.
 * local[] has p->size world ranks.
 */
static void define(struct peers *p, uintptr_t handle, const char *name, const int *local)
{
	size_t bytes = (size_t)(p->size + p->n) * sizeof(uint32_t);
	uint32_t *all = pool_get(bytes);
	uint32_t n = 0;
	int i;

	if (!all)
		return;
	for (i = 0; i < p->size; i++)
		all[n++] = (uint32_t)local[i];
	for (i = 0; p->inter && i < p->n; i++)
		all[n++] = (uint32_t)p->world[i];
	p->id = tau_comm_known(name, all, n, p->inter ? (uint32_t)p->size : 0,
			       identity_of((enum peers_kind)p->kind, handle));
	pool_put(all, bytes);
}

static int read_remote(struct peers *p, MPI_Comm comm)
{
	MPI_Group group = 0;

	if (real_MPI_Comm_remote_size(comm, &p->n))
		return -1;
	p->world = pool_get((size_t)p->n * sizeof(int));
	if (!p->world || real_MPI_Comm_remote_group(comm, &group))
		return -1;
	members_translate(group, p->n, p->world);
	real_MPI_Group_free(&group);
	return 0;
}

/* *local stays NULL for the world of the launcher, whose ranks need no translation. */
static int read_comm(struct peers *p, MPI_Comm comm, char *name, int **local)
{
	MPI_Group group = 0;
	int length;

	if (real_MPI_Comm_size(comm, &p->size) || real_MPI_Comm_rank(comm, &p->rank) ||
	    real_MPI_Comm_test_inter(comm, &p->inter))
		return -1;
	p->n = p->size;
	if (comm == MPI_COMM_WORLD && !spawn_base())
		return 0;
	*local = pool_get((size_t)p->size * sizeof(int));
	if (!*local || real_MPI_Comm_group(comm, &group))
		return -1;
	members_translate(group, p->size, *local);
	real_MPI_Group_free(&group);
	real_MPI_Comm_get_name(comm, name, &length);
	if (!p->inter) {
		p->world = *local;
		return 0;
	}
	return read_remote(p, comm);
}

static int fill_comm(struct peers *p, MPI_Comm comm)
{
	char name[MPI_MAX_OBJECT_NAME] = "";
	int *local = NULL, bad;

	tau_hide();
	bad = read_comm(p, comm, name, &local);
	tau_show();
	if (!bad && local)
		define(p, (uintptr_t)comm, name, local);
	if (local != p->world)
		pool_put(local, (size_t)p->size * sizeof(int));
	return bad;
}

static int fill_win(struct peers *p, MPI_Win win)
{
	char name[MPI_MAX_OBJECT_NAME] = "";
	MPI_Group group = 0;
	int bad, length;

	tau_hide();
	bad = real_MPI_Win_get_group(win, &group);
	if (!bad) {
		real_MPI_Group_size(group, &p->n);
		real_MPI_Group_rank(group, &p->rank);
		p->size = p->n;
		p->world = pool_get((size_t)p->n * sizeof(int));
		if (p->world)
			members_translate(group, p->n, p->world);
		real_MPI_Group_free(&group);
		real_MPI_Win_get_name(win, name, &length);
	}
	tau_show();
	if (!bad && p->world)
		define(p, (uintptr_t)win, *name ? name : "window", p->world);
	return bad || !p->world ? -1 : 0;
}

static void release(struct peers *p)
{
	pool_put(p->world, (size_t)p->n * sizeof(int));
	pool_put(p->in, (size_t)p->in_n * sizeof(int));
	pool_put(p->out, (size_t)p->out_n * sizeof(int));
	for (int i = 0; i < 2; i++) {
		pool_put(p->epoch[i], (size_t)p->epoch_n[i] * sizeof(int));
		p->epoch[i] = NULL;
		p->epoch_n[i] = 0;
	}
	p->world = p->in = p->out = NULL;
	__atomic_store_n(&p->key, 0, __ATOMIC_RELEASE);
}

static void make_world(void)
{
	struct peers p = {
		.key = (uintptr_t)MPI_COMM_WORLD, .kind = PEERS_COMM, .in_n = -1, .out_n = -1};

	if (fill_comm(&p, MPI_COMM_WORLD))
		return;
	spin_lock(&lock);
	if (!peers_world.key) {
		uintptr_t key = p.key;

		p.key = 0;
		peers_world = p;
		__atomic_store_n(&peers_world.key, key, __ATOMIC_RELEASE);
	}
	spin_unlock(&lock);
	tau_rank((uint32_t)(spawn_base() + p.rank), (uint32_t)(spawn_base() + p.size),
		 TAU_RANK_MPI);
	spawn_row_add(spawn_base() + p.rank);
}

/* A free entry of the bucket, or a new one; marked as taken but not yet visible. */
static struct peers *entry_claim(struct peers **bucket)
{
	struct peers *p;

	spin_lock(&lock);
	for (p = *bucket; p; p = p->next)
		if (!p->key && !p->dead)
			break;
	if (p)
		p->dead = 1;
	spin_unlock(&lock);
	return p ? p : pool_get(sizeof(*p));
}

/* Makes the entry visible, or gives it up. */
static void publish(struct peers *p, struct peers **bucket, int fresh, uintptr_t key)
{
	spin_lock(&lock);
	if (fresh) {
		p->next = *bucket;
		__atomic_store_n(bucket, p, __ATOMIC_RELEASE);
	}
	p->dead = 0;
	__atomic_store_n(&p->key, key, __ATOMIC_RELEASE);
	spin_unlock(&lock);
}

struct peers *peers_make(enum peers_kind kind, uintptr_t handle)
{
	struct peers **bucket = bucket_of(kind, handle), *p;
	int bad, fresh;

	if (!handle || !peers_mpi_is_up() ||
	    handle == (kind == PEERS_COMM ? (uintptr_t)MPI_COMM_NULL : (uintptr_t)MPI_WIN_NULL))
		return NULL;
	if (!peers_world.key)
		make_world();
	if (kind == PEERS_COMM && (MPI_Comm)handle == MPI_COMM_WORLD)
		return peers_world.key ? &peers_world : NULL;
	p = entry_claim(bucket);
	if (!p)
		return NULL;
	fresh = !p->dead;
	p->kind = kind;
	p->in_n = p->out_n = -1;
	p->id = p->refs = 0;
	p->size = p->n = p->inter = 0;
	bad = kind == PEERS_COMM ? fill_comm(p, (MPI_Comm)handle) : fill_win(p, (MPI_Win)handle);
	if (bad) {
		pool_put(p->world, (size_t)p->n * sizeof(int));
		p->world = NULL;
	}
	publish(p, bucket, fresh, bad ? 0 : handle);
	return bad ? NULL : p;
}

/* The world is never freed. */
void peers_hold(struct peers *p)
{
	if (p == &peers_world)
		return;
	__atomic_fetch_add(&p->refs, 1, __ATOMIC_RELAXED);
}

void peers_drop(struct peers *p)
{
	if (p == &peers_world)
		return;
	spin_lock(&lock);
	if (--p->refs == 0 && p->dead) {
		release(p);
		p->dead = 0;
	}
	spin_unlock(&lock);
}

static __thread uint32_t forgotten; /* 1 + id; 0: none */

int peers_forgotten(uint32_t *id)
{
	*id = forgotten - 1;
	return forgotten != 0;
}

void peers_forget(enum peers_kind kind, uintptr_t handle)
{
	struct peers *p;

	forgotten = 0;
	if (tau_active() && !tau_inside() && (p = peers_get(kind, handle)))
		forgotten = p->id + 1;
	identity_forget(kind, handle);
	/* Two threads that used a handle first at the same time have made two entries. */
	while (handle && (p = find(__atomic_load_n(bucket_of(kind, handle), __ATOMIC_ACQUIRE), kind,
				   handle))) {
		spin_lock(&lock);
		if (__atomic_load_n(&p->refs, __ATOMIC_RELAXED))
			__atomic_store_n(&p->dead, 1, __ATOMIC_RELAXED);
		else
			release(p);
		spin_unlock(&lock);
	}
}

/* Ranks of the neighbours in a cartesian grid: for each dimension the one below, then the one
 * above. */
static int cart(struct peers *p, MPI_Comm comm)
{
	int dims = 0, d;

	if (real_MPI_Cartdim_get(comm, &dims))
		return -1;
	p->in = pool_get((size_t)dims * 2 * sizeof(int));
	p->out = pool_get((size_t)dims * 2 * sizeof(int));
	if (!p->in || !p->out)
		return -1;
	for (d = 0; d < dims; d++)
		real_MPI_Cart_shift(comm, d, 1, &p->in[2 * d], &p->in[2 * d + 1]);
	memcpy(p->out, p->in, (size_t)dims * 2 * sizeof(int));
	return dims * 2;
}

static int graph(struct peers *p, MPI_Comm comm)
{
	int n = 0;

	if (real_MPI_Graph_neighbors_count(comm, p->rank, &n))
		return -1;
	p->in = pool_get((size_t)n * sizeof(int));
	p->out = pool_get((size_t)n * sizeof(int));
	if (!p->in || !p->out || real_MPI_Graph_neighbors(comm, p->rank, n, p->in))
		return -1;
	memcpy(p->out, p->in, (size_t)n * sizeof(int));
	return n;
}

static int dist_graph(struct peers *p, MPI_Comm comm)
{
	int in = 0, out = 0, weighted, bad, *w;

	if (real_MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted))
		return -1;
	p->in = pool_get((size_t)in * sizeof(int));
	p->out = pool_get((size_t)out * sizeof(int));
	if (!p->in || !p->out)
		return -1;
	w = weighted ? pool_get((size_t)(in + out) * sizeof(int)) : MPI_UNWEIGHTED;
	bad = !w ||
	      real_MPI_Dist_graph_neighbors(comm, in, p->in, w, out, p->out, weighted ? w + in : w);
	if (weighted)
		pool_put(w, (size_t)(in + out) * sizeof(int));
	p->out_n = out;
	return bad ? -1 : in;
}

int peers_neighbours(struct peers *p, MPI_Comm comm)
{
	int kind = MPI_UNDEFINED, n = -1;

	if (p->in_n >= 0)
		return 0;
	tau_hide();
	real_MPI_Topo_test(comm, &kind);
	if (kind == MPI_CART)
		n = p->out_n = cart(p, comm);
	else if (kind == MPI_GRAPH)
		n = p->out_n = graph(p, comm);
	else if (kind == MPI_DIST_GRAPH)
		n = dist_graph(p, comm);
	tau_show();
	__atomic_store_n(&p->in_n, n, __ATOMIC_RELEASE);
	return n < 0 ? -1 : 0;
}
