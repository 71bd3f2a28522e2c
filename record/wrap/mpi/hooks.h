/*
 * hooks.h: what happens before and after the real call, one pair for each class of mpi.list.
 *
 * Before: what the call makes unreadable is noted (handles that completion resets), and a status
 * that the program ignores is replaced by one of ours. After, if the call succeeded: the message,
 * collective or transfer is recorded. A send is recorded before the call, so that its time is never
 * later than that of the matching receive.
 */
#ifndef TAU_WRAP_MPI_HOOKS_H
#define TAU_WRAP_MPI_HOOKS_H

#include "coll.h"
#include "peers.h"
#include "request.h"

enum { COMPLETE_SMALL = 16 }; /* requests in one call that need no memory of their own */

/*
 * Records the receive that `status` describes. Its bytes are read as mpi.h declares them (abi.h): a call of MPI_Get_elements_x would cost 8 ns, a third of what this wrapper costs.
 */
static inline void record_irecv(const struct request *r, const MPI_Status *status)
{
	const struct peers *p = r->peers;

	if (status->MPI_SOURCE == MPI_PROC_NULL)
		return;
	tau_irecv(peers_rank(p, status->MPI_SOURCE), status->MPI_TAG, p->id, status_bytes(status),
		  r->number);
}

/* Is it a message to somebody, or will MPI refuse it? The call has not been made yet. */
static inline int is_message(MPI_Count count, MPI_Datatype type, int dest, int tag)
{
	return (dest | count | tag) >= 0 && type && type != MPI_DATATYPE_NULL;
}

/* Enters the region of a call that sends. What takes more than looks at tables is done inside of it. */
int enter_send_any(uint32_t region, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm);

static inline __attribute__((always_inline)) int enter_send(uint32_t region, MPI_Count count,
							    MPI_Datatype type, int dest,
							    int tag, MPI_Comm comm)
{
	const struct peers *p = peers_known(comm);
	uint64_t bytes;

	if (__builtin_expect(p && is_message(count, type, dest, tag) && dest < p->n &&
				     type_bytes_known(count, type, &bytes),
			     1))
		return tau_call_send(region, peers_rank(p, dest), tag, p->id, bytes);
	return enter_send_any(region, count, type, dest, tag, comm);
}

/* MPI_Send and its modes. */
struct send_call {
	char unused;
};

static inline __attribute__((always_inline)) int send_enter(struct send_call *h, uint32_t region,
							    MPI_Count count, MPI_Datatype type,
							    int dest, int tag,
							    MPI_Comm comm)
{
	(void)h;
	return enter_send(region, count, type, dest, tag, comm);
}

static inline void send_after(struct send_call *h, int good)
{
	(void)h;
	(void)good;
}

/* MPI_Isend and its modes. */
struct isend_call {
	uint32_t number; /* of the recorder; 0: nothing was recorded */
	uint32_t comm;   /* in the trace */
	int peer, tag;   /* world rank */
	MPI_Request *request;
};

static inline void isend_note(struct isend_call *h, const struct peers *p, int dest, int tag)
{
	h->comm = p->id;
	h->peer = peers_rank(p, dest);
	h->tag = tag;
}

int isend_enter_any(struct isend_call *h, uint32_t region, MPI_Count count, MPI_Datatype type, int dest,
		    int tag, MPI_Comm comm);

static inline __attribute__((always_inline)) int isend_enter(struct isend_call *h, uint32_t region,
							     MPI_Count count, MPI_Datatype type,
							     int dest, int tag, MPI_Comm comm,
							     MPI_Request *request)
{
	const struct peers *p = peers_known(comm);
	uint64_t bytes;

	h->request = request;
	if (__builtin_expect(p && is_message(count, type, dest, tag) && dest < p->n &&
				     type_bytes_known(count, type, &bytes),
			     1)) {
		isend_note(h, p, dest, tag);
		return tau_call_isend(region, h->peer, tag, h->comm, bytes, &h->number);
	}
	return isend_enter_any(h, region, count, type, dest, tag, comm);
}

void isend_after(struct isend_call *h, int good);

/* A receive: any source or tag is -1 in a trace. */
static inline struct tau_awaited awaited_receive(const struct peers *p, int source, int tag)
{
	return (struct tau_awaited){.kind = TAU_WAIT_RECEIVE,
				    .op = TAU_COLL_OTHER,
				    .comm = p->id,
				    .peer = source == MPI_ANY_SOURCE ? -1 : peers_rank(p, source),
				    .tag = tag == MPI_ANY_TAG ? -1 : tag};
}

/* MPI_Recv. */
struct recv_call {
	struct peers *peers;
	MPI_Status *status, own;
};

static inline void recv_begin(struct recv_call *h, int source, MPI_Comm comm, MPI_Status **status)
{
	h->peers = source == MPI_PROC_NULL ? NULL : peers_of_comm(comm);
	if (h->peers && *status == MPI_STATUS_IGNORE)
		*status = &h->own;
	h->status = *status;
}

static inline void recv_before(struct recv_call *h, int source, int tag, MPI_Comm comm,
			       MPI_Status **status)
{
	struct tau_awaited a;

	recv_begin(h, source, comm, status);
	if (!h->peers)
		return;
	a = awaited_receive(h->peers, source, tag);
	tau_waits_for(a.kind, a.op, a.comm, a.peer, a.tag);
}

static inline void recv_leave(struct recv_call *h, uint32_t region, int good)
{
	const MPI_Status *status = h->status;

	if (good && h->peers && status->MPI_SOURCE != MPI_PROC_NULL)
		tau_recv_leave(region, peers_rank(h->peers, status->MPI_SOURCE), status->MPI_TAG,
			       h->peers->id, status_bytes(status));
	else
		tau_leave(region);
}

/* MPI_Sendrecv and MPI_Sendrecv_replace. */
struct sendrecv_call {
	struct recv_call recv;
};

void sendrecv_waits(const struct peers *p, int dest, int tag, int source, int recvtag);

static inline int sendrecv_enter(struct sendrecv_call *h, uint32_t region, MPI_Count count,
				 MPI_Datatype type, int dest, int tag, int source, int recvtag,
				 MPI_Comm comm, MPI_Status **status)
{
	if (!enter_send(region, count, type, dest, tag, comm))
		return 0;
	recv_begin(&h->recv, source, comm, status);
	if (h->recv.peers)
		sendrecv_waits(h->recv.peers, dest, tag, source, recvtag);
	return 1;
}

static inline void sendrecv_leave(struct sendrecv_call *h, uint32_t region, int good)
{
	recv_leave(&h->recv, region, good);
}

/* MPI_Irecv, MPI_Recv_init. */
struct irecv_call {
	struct peers *peers;
	int peer, tag; /* world rank; -1: any */
	MPI_Request *request;
};

static inline void irecv_before(struct irecv_call *h, int source, int tag, MPI_Comm comm,
				MPI_Request *request)
{
	h->peers = source == MPI_PROC_NULL ? NULL : peers_of_comm(comm);
	h->peer = source == MPI_ANY_SOURCE || !h->peers ? -1 : peers_rank(h->peers, source);
	h->tag = tag == MPI_ANY_TAG ? -1 : tag;
	h->request = request;
}

void irecv_after(struct irecv_call *h, int good);

struct recv_init_call {
	struct irecv_call irecv;
};

static inline void recv_init_before(struct recv_init_call *h, int source, int tag, MPI_Comm comm,
				    MPI_Request *request)
{
	irecv_before(&h->irecv, source, tag, comm, request);
}

void recv_init_after(struct recv_init_call *h, int good);

/* MPI_Send_init and its modes. */
struct send_init_call {
	struct request r;
	MPI_Request *request;
};
void send_init_before(struct send_init_call *h, MPI_Count count, MPI_Datatype type, int dest, int tag,
		      MPI_Comm comm, MPI_Request *request);
void send_init_after(struct send_init_call *h, int good);

/*
 * MPI_Isendrecv, MPI_Isendrecv_replace. The status of MPICH 4 is that of an earlier message, so the receive is recorded as its
 * arguments are: with any sender or tag not at all, and with the bytes of its buffer.
 */
struct isendrecv_call {
	struct request r;
	MPI_Request *request;
};
void isendrecv_before(struct isendrecv_call *h, MPI_Count count, MPI_Datatype type, int dest, int tag,
		      MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
		      MPI_Request *request);
void isendrecv_after(struct isendrecv_call *h, int good);

/* MPI_Start, MPI_Startall: the handles stay as they are. */
struct start_call {
	int count;
	MPI_Request *requests;
};
void start_before(struct start_call *h, int count, MPI_Request *requests);
void start_after(struct start_call *h, int good);

/* MPI_Probe. */
struct probe_call {
	char unused;
};
void probe_before(struct probe_call *h, int source, int tag, MPI_Comm comm);

static inline void probe_after(struct probe_call *h, int good)
{
	(void)h;
	(void)good;
}

/* MPI_Iprobe. */
struct poll_call {
	const int *flag;
};

static inline void poll_before(struct poll_call *h, const int *flag)
{
	h->flag = flag;
}

static inline void poll_after(struct poll_call *h, int good)
{
	if (good && *h->flag)
		tau_poll_found();
}

/* MPI_Mprobe, MPI_Improbe (flag), MPI_Mrecv, MPI_Imrecv. */
struct mprobe_call {
	struct peers *peers;
	MPI_Message *message;
	const int *flag;
};
struct mrecv_call {
	struct recv_call recv;
};
struct imrecv_call {
	struct irecv_call irecv;
};
void mprobe_before(struct mprobe_call *h, int source, int tag, MPI_Comm comm, MPI_Message *message,
		   const int *flag);
void mprobe_after(struct mprobe_call *h, int good);
void mrecv_before(struct mrecv_call *h, MPI_Message *message, MPI_Status **status);
void mrecv_leave(struct mrecv_call *h, uint32_t region, int good);
void imrecv_before(struct imrecv_call *h, MPI_Message *message, MPI_Request *request);
void imrecv_after(struct imrecv_call *h, int good);

/*
 * Completion. known[i] is the entry of the request that stood at i before the call; NULL pointer:
 * none of them has one, and nothing is to be done. statuses is NULL if the program passed none and
 * no receive needs one. flag, index and out are the program's results.
 */
struct complete_call {
	int count;
	struct request **known;
	MPI_Status *statuses;
	const int *flag, *out, *indices;
	int any; /* there are requests */
	struct request *small_known[COMPLETE_SMALL];
	MPI_Status small_statuses[COMPLETE_SMALL];
	MPI_Status *borrowed; /* large ones */
	int slots;            /* statuses that the call fills in */
};
struct complete_all_call {
	struct complete_call c;
};
struct complete_any_call {
	struct complete_call c;
};
struct complete_some_call {
	struct complete_call c;
	int polls;
};
struct complete_seen_call {
	struct complete_call c;
};
/* MPI_Wait, MPI_Waitall; flag: MPI_Test, MPI_Testall. */
void complete_all_before(struct complete_all_call *h, int count, MPI_Request *requests,
			 MPI_Status **statuses, const int *flag);
void complete_all_after(struct complete_all_call *h, int result);
void complete_any_before(struct complete_any_call *h, int count, MPI_Request *requests,
			 const int *index, MPI_Status **status, const int *flag);
void complete_any_after(struct complete_any_call *h, int result);
void complete_some_before(struct complete_some_call *h, int count, MPI_Request *requests,
			  const int *out, const int *indices, MPI_Status **statuses, int polls);
void complete_some_after(struct complete_some_call *h, int result);
/* MPI_Request_get_status: complete, but the handle stays. */
void complete_seen_before(struct complete_seen_call *h, MPI_Request request, const int *flag,
			  MPI_Status **status);
void complete_seen_after(struct complete_seen_call *h, int result);

/* Collectives, blocking or not. */
struct coll_call {
	struct coll c;
};

static inline void coll_before(struct coll_call *h, struct coll c)
{
	h->c = c;
	if (c.kind < TAU_COLLS)
		tau_waits_for(TAU_WAIT_COLL, c.kind, c.comm, c.root, 0);
}

/* Makes or frees a communicator or window, or opens a file, with all members of a communicator. */
struct member_call {
	char unused;
};

static inline void member_before(struct member_call *h, MPI_Comm comm)
{
	const struct peers *p = peers_of_comm(comm);

	(void)h;
	if (p)
		tau_waits_for(TAU_WAIT_COLL, TAU_COLL_OTHER, p->id, -1, 0);
}

static inline void member_after(struct member_call *h, int good)
{
	(void)h;
	(void)good;
}

/* Frees a communicator or window, which was forgotten just before. */
struct freed_call {
	char unused;
};

static inline void freed_before(struct freed_call *h)
{
	uint32_t id;

	(void)h;
	if (peers_forgotten(&id))
		tau_waits_for(TAU_WAIT_COLL, TAU_COLL_OTHER, id, -1, 0);
}

static inline void freed_after(struct freed_call *h, int good)
{
	(void)h;
	(void)good;
}

static inline void coll_after(struct coll_call *h, int good)
{
	if (good)
		coll_record(&h->c);
}

/* Persistent collectives. */
struct coll_init_call {
	struct coll c;
	MPI_Request *request;
};

static inline void coll_init_before(struct coll_init_call *h, struct coll c, MPI_Request *request)
{
	h->c = c;
	h->request = request;
}

void coll_init_after(struct coll_init_call *h, int good);

/* One-sided transfers. */
struct rma_call {
	int target;
	uint64_t bytes;
	struct peers *peers;
	unsigned rma;
};

static inline void rma_before(struct rma_call *h, unsigned rma, int target, MPI_Count count,
			      MPI_Datatype type, MPI_Win win)
{
	*h = (struct rma_call){
		.peers = target == MPI_PROC_NULL ? NULL : peers_of_win(win),
		.rma = rma,
	};
	if (!h->peers)
		return;
	h->target = peers_rank(h->peers, target);
	h->bytes = type_bytes(count, type);
}

static inline void rma_after(struct rma_call *h, int good)
{
	if (good && h->peers)
		tau_rma(h->rma, h->target, h->bytes);
}

/* Accesses to windows: with a group; with the group of the epoch that ends, if flag; with one target, -1: all. */
struct epoch_call {
	char unused;
};
struct epoch_end_call {
	MPI_Win win;
	const int *flag;
	unsigned sync;
};
struct lock_call {
	char unused;
};
void epoch_before(struct epoch_call *h, unsigned sync, MPI_Group group, MPI_Win win);
void epoch_after(struct epoch_call *h, int good);
void epoch_end_before(struct epoch_end_call *h, unsigned sync, MPI_Win win, const int *flag);
void epoch_end_after(struct epoch_end_call *h, int good);
void lock_before(struct lock_call *h, unsigned sync, int target, MPI_Win win);
void lock_after(struct lock_call *h, int good);

/* MPI_Init, MPI_Init_thread: looking at the world makes the rank known. */
struct init_call {
	char unused;
};

static inline void init_before(struct init_call *h)
{
	(void)h;
}

static inline void init_after(struct init_call *h, int good)
{
	(void)h;
	if (good)
		peers_of_comm(MPI_COMM_WORLD);
}

struct finalize_call {
	char unused;
};

static inline void finalize_before(struct finalize_call *h)
{
	(void)h;
	tau_finalizing();
	tau_waits_for(TAU_WAIT_COLL, TAU_COLL_OTHER, 0, -1, 0);
}

static inline void finalize_after(struct finalize_call *h, int good)
{
	(void)h;
	(void)good;
}

#endif
