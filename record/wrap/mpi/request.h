/*
 * request.h: what is known of a request (or a matched message), for the record when it completes.
 *
 * Requests have an entry for what is recorded when they complete: receives, whose sender and size
 * come with the status, reads and writes of files, and sends, whose completion is recorded; and persistent operations, which
 * are described once and started many times. Collectives are recorded when they start. An entry
 * lives until the handle is completed (freed, if persistent).
 *
 * As soon as the real call has completed a request, another thread can get the same handle.
 * Therefore a thread that completes requests holds their entries from before the call on: a new
 * entry for the handle is then stored beside the held one, which the thread releases when it has
 * read it.
 */
#ifndef TAU_WRAP_MPI_REQUEST_H
#define TAU_WRAP_MPI_REQUEST_H

#include "coll.h"
#include "peers.h"

enum request_kind { REQUEST_RECV = 1, REQUEST_SEND, REQUEST_COLL, REQUEST_MESSAGE, REQUEST_SENDRECV, REQUEST_FILE };

struct request {
	uintptr_t key;
	struct request *next;
	enum request_kind kind;
	int persistent, active; /* an active one completes, an inactive one is only waited for */
	int held, linked;
	uint32_t number;     /* of the recorder, of the active one; 0: none */
	struct peers *peers; /* held; NULL for REQUEST_COLL and for a send that is not persistent */
	int peer, tag;       /* of a send or a receive: world rank; -1: any */
	uint32_t comm;       /* in the trace */
	uint64_t bytes;
	struct coll coll;
	struct file *file;   /* these three: REQUEST_FILE */
	unsigned io;	     /* enum tau_io */
	int64_t at;	     /* offset, -1: unknown */
};

/* Does its status have what is recorded? */
static inline int request_has_size(const struct request *r)
{
	return r->kind == REQUEST_RECV || r->kind == REQUEST_FILE;
}

/* Remembers a copy of *r under r->key, in place of what was known of that handle. */
void request_add(const struct request *r);

/* NULL when nothing is known of the handle. What is held has to be given back: done, if it is not
 * to be found again. */
struct request *request_hold(uintptr_t handle);
void request_release(struct request *r, int done);

void request_forget(uintptr_t handle);
/* The program cancels the request: if it is a send, its completion is not recorded. */
void request_cancelled(uintptr_t handle);

#endif
