/* hooks.c: the hooks that deal with requests: making them, starting them, and the many ways of
 * completing them; and sends of which MPI has to be asked. */
#include <dlfcn.h>
#include <string.h>

#include "files.h"
#include "hooks.h"
#include "pool.h"
#include "own/own.h"

/* Where dest is a rank; NULL: it is no message, or nothing is known of the communicator. */
static struct peers *peers_of_message(MPI_Count count, MPI_Datatype type, int dest, int tag,
				      MPI_Comm comm)
{
	struct peers *p = is_message(count, type, dest, tag) ? peers_of_comm(comm) : NULL;

	return p && dest < p->n ? p : NULL;
}

int enter_send_any(uint32_t region, MPI_Count count, MPI_Datatype type, int dest, int tag,
		   MPI_Comm comm)
{
	struct peers *p;

	if (!tau_call(region))
		return 0;
	p = peers_of_message(count, type, dest, tag, comm);
	if (p)
		tau_send(peers_rank(p, dest), tag, p->id, type_bytes(count, type));
	return 1;
}

int isend_enter_any(struct isend_call *h, uint32_t region, MPI_Count count, MPI_Datatype type,
		    int dest, int tag, MPI_Comm comm)
{
	struct peers *p;

	h->number = 0;
	if (!tau_call(region))
		return 0;
	p = peers_of_message(count, type, dest, tag, comm);
	if (!p)
		return 1;
	isend_note(h, p, dest, tag);
	h->number = tau_isend(h->peer, tag, h->comm, type_bytes(count, type));
	return 1;
}

static void send_add(const struct isend_call *h)
{
	const struct request r = {.key = (uintptr_t)*h->request,
				  .kind = REQUEST_SEND,
				  .active = 1,
				  .number = h->number,
				  .peer = h->peer,
				  .tag = h->tag,
				  .comm = h->comm};

	request_add(&r);
}

void isend_after(struct isend_call *h, int good)
{
	if (!good || !h->number)
		return;
	if (request_is_shared(*h->request))
		tau_sent(h->number);
	else
		send_add(h);
}

static void add_recv(struct irecv_call *h, int good, int persistent)
{
	struct request r = {.kind = REQUEST_RECV,
			    .peers = h->peers,
			    .peer = h->peer,
			    .tag = h->tag,
			    .persistent = persistent,
			    .active = !persistent};

	if (!good || !h->peers)
		return;
	r.comm = h->peers->id;
	if (!persistent)
		r.number = tau_ireceive();
	r.key = (uintptr_t)*h->request;
	request_add(&r);
}

void irecv_after(struct irecv_call *h, int good)
{
	add_recv(h, good, 0);
}

void recv_init_after(struct recv_init_call *h, int good)
{
	add_recv(&h->irecv, good, 1);
}

void send_init_before(struct send_init_call *h, MPI_Count count, MPI_Datatype type, int dest,
		      int tag, MPI_Comm comm, MPI_Request *request)
{
	memset(&h->r, 0, sizeof(h->r));
	h->request = request;
	h->r.peers = dest == MPI_PROC_NULL ? NULL : peers_of_comm(comm);
	if (!h->r.peers)
		return;
	h->r.kind = REQUEST_SEND;
	h->r.persistent = 1;
	h->r.peer = peers_rank(h->r.peers, dest);
	h->r.tag = tag;
	h->r.comm = h->r.peers->id;
	h->r.bytes = type_bytes(count, type);
}

void send_init_after(struct send_init_call *h, int good)
{
	if (!good || !h->r.peers)
		return;
	h->r.key = (uintptr_t)*h->request;
	request_add(&h->r);
}

void isendrecv_before(struct isendrecv_call *h, MPI_Count count, MPI_Datatype type, int dest,
		      int tag, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag,
		      MPI_Comm comm, MPI_Request *request)
{
	struct peers *p = peers_of_message(count, type, dest, tag, comm);

	if (p)
		tau_send(peers_rank(p, dest), tag, p->id, type_bytes(count, type));
	p = peers_of_message(recvcount, recvtype, source, recvtag, comm);
	h->request = request;
	h->r = (struct request){.kind = REQUEST_SENDRECV, .active = 1, .peers = p};
	if (!p)
		return;
	h->r.peer = peers_rank(p, source);
	h->r.tag = recvtag;
	h->r.comm = p->id;
	h->r.bytes = type_bytes(recvcount, recvtype);
}

void isendrecv_after(struct isendrecv_call *h, int good)
{
	if (!good || !h->r.peers)
		return;
	h->r.number = tau_ireceive();
	h->r.key = (uintptr_t)*h->request;
	request_add(&h->r);
}

void coll_init_after(struct coll_init_call *h, int good)
{
	struct request r = {.kind = REQUEST_COLL, .persistent = 1, .coll = h->c};

	if (!good || h->c.kind >= TAU_COLLS)
		return;
	r.key = (uintptr_t)*h->request;
	request_add(&r);
}

void start_before(struct start_call *h, int count, MPI_Request *requests)
{
	int i;

	h->count = requests ? count : 0;
	h->requests = requests;
	for (i = 0; i < h->count; i++) {
		struct request *r = request_hold((uintptr_t)requests[i]);

		if (!r)
			continue;
		r->active = 1;
		r->number = 0;
		if (r->kind == REQUEST_SEND)
			r->number = tau_isend(r->peer, r->tag, r->peers->id, r->bytes);
		else if (r->kind == REQUEST_RECV)
			r->number = tau_ireceive();
		else if (r->kind == REQUEST_COLL)
			coll_record(&r->coll);
		request_release(r, 0);
	}
}

void start_after(struct start_call *h, int good)
{
	(void)h;
	(void)good;
}

void sendrecv_waits(const struct peers *p, int dest, int tag, int source, int recvtag)
{
	const struct tau_awaited of[] = {awaited_receive(p, source, recvtag),
					 {.kind = TAU_WAIT_SEND,
					  .op = TAU_COLL_OTHER,
					  .comm = p->id,
					  .peer = peers_rank(p, dest),
					  .tag = tag}};

	tau_waits_for_all(0, of, dest == MPI_PROC_NULL ? 1 : 2, 0);
}

void probe_before(struct probe_call *h, int source, int tag, MPI_Comm comm)
{
	const struct peers *p = source == MPI_PROC_NULL ? NULL : peers_of_comm(comm);
	struct tau_awaited a;

	(void)h;
	if (!p)
		return;
	a = awaited_receive(p, source, tag);
	tau_waits_for(a.kind, a.op, a.comm, a.peer, a.tag);
}

void mprobe_before(struct mprobe_call *h, int source, int tag, MPI_Comm comm, MPI_Message *message,
		   const int *flag)
{
	struct probe_call probe;

	h->peers = peers_of_comm(comm);
	h->message = message;
	h->flag = flag;
	if (!flag)
		probe_before(&probe, source, tag, comm);
}

void mprobe_after(struct mprobe_call *h, int good)
{
	struct request r = {.kind = REQUEST_MESSAGE, .peers = h->peers};

	if (!good || (h->flag && !*h->flag))
		return;
	if (h->flag)
		tau_poll_found();
	if (!h->peers)
		return;
	if (*h->message == MPI_MESSAGE_NULL || *h->message == MPI_MESSAGE_NO_PROC)
		return;
	r.key = (uintptr_t)*h->message;
	request_add(&r);
}

/* The communicator of a matched message, which is about to be received. The caller has to drop it.
 */
static struct peers *claim(const MPI_Message *message)
{
	struct request *r = message ? request_hold((uintptr_t)*message) : NULL;
	struct peers *p;

	if (!r)
		return NULL;
	p = r->peers;
	peers_hold(p);
	request_release(r, 1);
	return p;
}

void mrecv_before(struct mrecv_call *h, MPI_Message *message, MPI_Status **status)
{
	h->recv.peers = claim(message);
	if (h->recv.peers && *status == MPI_STATUS_IGNORE)
		*status = &h->recv.own;
	h->recv.status = *status;
}

void mrecv_leave(struct mrecv_call *h, uint32_t region, int good)
{
	recv_leave(&h->recv, region, good);
	if (h->recv.peers)
		peers_drop(h->recv.peers);
}

void imrecv_before(struct imrecv_call *h, MPI_Message *message, MPI_Request *request)
{
	h->irecv.peers = claim(message);
	h->irecv.peer = h->irecv.tag = -1;
	h->irecv.request = request;
}

void imrecv_after(struct imrecv_call *h, int good)
{
	irecv_after(&h->irecv, good);
	if (h->irecv.peers)
		peers_drop(h->irecv.peers);
}

/* ---- completion ---- */

static void record_completed(struct request *r, const MPI_Status *status)
{
	/* Open MPI leaves that field as it is for files, whose requests cannot be cancelled. */
	int cancelled = status && r->kind != REQUEST_FILE && status_cancelled(status);
	int good = r->active && !cancelled;

	if (good && r->kind == REQUEST_RECV)
		record_irecv(r, status);
	else if (good && r->kind == REQUEST_SEND)
		tau_sent(r->number);
	else if (good && r->kind == REQUEST_SENDRECV)
		tau_irecv(r->peer, r->tag, r->peers->id, r->bytes, r->number);
	else if (good && r->kind == REQUEST_FILE)
		file_completed(r, status_bytes(status));
	r->active = 0;
}

/* Request number i has completed with *status; the entry stays if it can be started again. */
static void completed(struct complete_call *c, int i, const MPI_Status *status)
{
	struct request *r = c->known[i];

	if (!r)
		return;
	c->known[i] = NULL;
	record_completed(r, status);
	request_release(r, !r->persistent);
}

/* Gives back what has not completed. */
static void let_go(struct complete_call *c)
{
	int i;

	if (!c->known)
		return;
	for (i = 0; i < c->count; i++)
		if (c->known[i])
			request_release(c->known[i], 0);
	if (c->known != c->small_known)
		pool_put(c->known, (size_t)c->count * sizeof(*c->known));
	if (c->borrowed && c->borrowed != c->small_statuses)
		pool_put(c->borrowed, (size_t)c->slots * sizeof(MPI_Status));
	c->known = NULL;
}

/* What a call waits for until the request is complete. */
static struct tau_awaited awaited_request(const struct request *r)
{
	struct tau_awaited a = {.kind = r->kind == REQUEST_SEND ? TAU_WAIT_SEND : TAU_WAIT_RECEIVE,
				.op = TAU_COLL_OTHER,
				.comm = r->comm,
				.peer = r->peer,
				.tag = r->tag};

	if (r->kind == REQUEST_COLL)
		a = (struct tau_awaited){.kind = TAU_WAIT_COLL,
					 .op = (uint16_t)r->coll.kind,
					 .comm = r->coll.comm,
					 .peer = r->coll.root};
	return a;
}

static __attribute__((noinline)) void wait_one(const struct request *r)
{
	struct tau_awaited a = awaited_request(r);

	tau_waits_for(a.kind, a.op, a.comm, a.peer, a.tag);
}

/* Adds those of the active requests that are receives, or that are not. */
static unsigned awaited_add(const struct complete_call *c, int receives, struct tau_awaited *of,
			    unsigned n)
{
	int i;

	for (i = 0; i < c->count && n < TAU_LIVE_WAITS; i++) {
		const struct request *r = c->known ? c->known[i] : NULL;

		if (r && r->active && (r->kind == REQUEST_RECV) == receives)
			of[n++] = awaited_request(r);
	}
	return n;
}

/* The call returns when one, or else all, of its requests are complete: receives come first if not all have room. */
static __attribute__((noinline)) void waits_many(const struct complete_call *c,
						 const MPI_Request *requests, int any)
{
	struct tau_awaited of[TAU_LIVE_WAITS];
	unsigned n, waits = 0;
	int i;

	n = awaited_add(c, 1, of, 0);
	n = awaited_add(c, 0, of, n);
	for (i = 0; i < c->count; i++) {
		const struct request *r = c->known ? c->known[i] : NULL;

		if (r)
			waits += r->active != 0;
		else
			waits += requests[i] != MPI_REQUEST_NULL && !request_is_shared(requests[i]);
	}
	if (waits)
		tau_waits_for_all(any, of, n, waits - n);
}

static void waits(const struct complete_call *c, const MPI_Request *requests, int any)
{
	if (c->count != 1) {
		waits_many(c, requests, any);
	} else if (!c->known || !c->known[0]) {
		if (!request_is_shared(*requests))
			tau_waits_for(TAU_WAIT_UNKNOWN, TAU_COLL_OTHER, 0, -1, -1);
	} else if (c->known[0]->active) {
		wait_one(c->known[0]);
	}
}

enum look { LOOK_POLLS, LOOK_WAITS_ALL, LOOK_WAITS_ANY };

/* Takes hold of what is known; slots: how many statuses the call fills in. */
static void look(struct complete_call *c, enum look how, int count, const MPI_Request *requests,
		 MPI_Status **statuses, int slots)
{
	int i, found = 0, sized = 0;
	int ignored = *statuses == MPI_STATUSES_IGNORE || *statuses == MPI_STATUS_IGNORE;

	if (!requests) /* MPI will complain */
		count = 0;
	c->any = 0;
	c->count = count;
	c->slots = slots;
	c->borrowed = NULL;
	c->known = count > COMPLETE_SMALL ? pool_get((size_t)count * sizeof(*c->known))
					  : c->small_known;
	for (i = 0; c->known && i < count; i++) {
		int there = requests[i] != MPI_REQUEST_NULL;

		c->known[i] = there ? request_hold((uintptr_t)requests[i]) : NULL;
		c->any |= there;
		found |= c->known[i] != NULL;
		sized |= c->known[i] && request_has_size(c->known[i]);
	}
	if (sized && ignored) {
		c->borrowed = c->small_statuses;
		if (slots > COMPLETE_SMALL)
			c->borrowed = pool_get((size_t)slots * sizeof(MPI_Status));
		if (c->borrowed)
			*statuses = c->borrowed;
		else
			found = 0;
		ignored = !c->borrowed;
	}
	c->statuses = ignored ? NULL : *statuses;
	if (how != LOOK_POLLS && c->any)
		waits(c, requests, how == LOOK_WAITS_ANY);
	if (!found)
		let_go(c);
}

void complete_all_before(struct complete_all_call *h, int count, MPI_Request *requests,
			 MPI_Status **statuses, const int *flag)
{
	h->c.flag = flag;
	look(&h->c, flag ? LOOK_POLLS : LOOK_WAITS_ALL, count, requests, statuses, count);
}

/* A call that polls has returned. */
static void note_found(const struct complete_call *c, int result)
{
	if (c->flag && result == MPI_SUCCESS && *c->flag && c->any)
		tau_poll_found();
}

/* MPI_ERR_IN_STATUS: some completed well, some not, some not at all. */
static int went_well(const struct complete_call *c, int result, int i)
{
	return result == MPI_SUCCESS || (c->statuses && c->statuses[i].MPI_ERROR == MPI_SUCCESS);
}

/* What the call has written about a request; NULL: nothing. */
static const MPI_Status *status_of(const struct complete_call *c, int i)
{
	return c->statuses ? &c->statuses[i] : NULL;
}

void complete_all_after(struct complete_all_call *h, int result)
{
	struct complete_call *c = &h->c;
	int i;

	note_found(c, result);
	if (c->known &&
	    (result == MPI_ERR_IN_STATUS || (result == MPI_SUCCESS && (!c->flag || *c->flag))))
		for (i = 0; i < c->count; i++)
			if (went_well(c, result, i))
				completed(c, i, status_of(c, i));
	let_go(c);
}

void complete_any_before(struct complete_any_call *h, int count, MPI_Request *requests,
			 const int *index, MPI_Status **status, const int *flag)
{
	h->c.flag = flag;
	h->c.out = index;
	look(&h->c, flag ? LOOK_POLLS : LOOK_WAITS_ANY, count, requests, status, 1);
}

void complete_any_after(struct complete_any_call *h, int result)
{
	struct complete_call *c = &h->c;

	note_found(c, result);
	if (c->known && result == MPI_SUCCESS && (!c->flag || *c->flag) && *c->out >= 0 &&
	    *c->out < c->count)
		completed(c, *c->out, c->statuses);
	let_go(c);
}

void complete_some_before(struct complete_some_call *h, int count, MPI_Request *requests,
			  const int *out, const int *indices, MPI_Status **statuses, int polls)
{
	h->polls = polls;
	h->c.out = out;
	h->c.indices = indices;
	look(&h->c, polls ? LOOK_POLLS : LOOK_WAITS_ANY, count, requests, statuses, count);
}

/* MPI_UNDEFINED, where there was nothing to wait for, is negative. */
void complete_some_after(struct complete_some_call *h, int result)
{
	struct complete_call *c = &h->c;
	int i, n = c->known && (result == MPI_SUCCESS || result == MPI_ERR_IN_STATUS) ? *c->out : 0;

	if (h->polls && result == MPI_SUCCESS && *c->out > 0)
		tau_poll_found();
	for (i = 0; i < n && i < c->count; i++) {
		int at = c->indices[i];

		if (at >= 0 && at < c->count && went_well(c, result, i))
			completed(c, at, status_of(c, i));
	}
	let_go(c);
}

void complete_seen_before(struct complete_seen_call *h, MPI_Request request, const int *flag,
			  MPI_Status **status)
{
	h->c.flag = flag;
	look(&h->c, LOOK_POLLS, 1, &request, status, 1);
}

/* The request is waited for or freed later; it is inactive by then, so that it does not count
 * again. */
void complete_seen_after(struct complete_seen_call *h, int result)
{
	struct complete_call *c = &h->c;

	note_found(c, result);
	if (c->known && result == MPI_SUCCESS && *c->flag)
		record_completed(c->known[0], c->statuses);
	let_go(c);
}
