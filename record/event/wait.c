/*
 * wait.c: what the innermost call waits for, for readers that look at the thread while it is inside, or after it was killed there.
 *
 * It is kept in the head of the live chunk, and costs no record: it holds as long as the call that was entered at its tick is open.
 */
#include "record/api.h"
#include "record/base/compiler.h"
#include "record/base/frame.h"
#include "record/base/gate.h"
#include "record/base/registry.h"
#include "record/base/thread.h"
#include "record/define/define.h"
#include "record/encode/begin.h"
#include "record/format.h"

/* The tick comes last, because the thread may be killed, or looked at, in between. The thread is busy. */
static inline struct tau_live_waits *waits_begin(unsigned kind, uint32_t n, uint32_t rest)
{
	struct tau_live_waits *w = &self.live->waits;

	w->tick = 0;
	publish_barrier();
	w->kind = kind;
	w->n = n;
	w->rest = rest;
	return w;
}

static inline void waits_end(struct tau_live_waits *w)
{
	publish_barrier();
	w->tick = self.top[-1].time;
}

static inline bool comm_here(uint32_t comm)
{
	const struct stream *s = self.stream;

	return !comm || (likely(comm < s->known_cap[REG_COMM]) && likely(s->known[REG_COMM][comm]));
}

void tau_waits_for_all(int any, const struct tau_awaited *of, unsigned n, unsigned rest)
{
	struct tau_live_waits *w;

	if (!record_begin_unsummed())
		return;
	w = waits_begin(any ? TAU_WAIT_ANY : TAU_WAIT_ALL, 0, rest);
	for (unsigned i = 0; i < n; i++) {
		/* A communicator that the file does not define is of no use to a reader. */
		if (w->n < TAU_LIVE_WAITS && (!of[i].comm || define_here(REG_COMM, of[i].comm)))
			w->of[w->n++] = (struct tau_live_wait){of[i].kind, of[i].op, of[i].comm,
							       of[i].peer, of[i].tag};
		else
			w->rest++;
	}
	waits_end(w);
	record_end();
}

static __attribute__((noinline)) void waits_rare(unsigned kind, unsigned op, uint32_t comm,
						 int peer, int tag)
{
	const struct tau_awaited a = {(uint16_t)kind, (uint16_t)op, comm, peer, tag};

	tau_waits_for_all(0, &a, 1, 0);
}

void tau_waits_for(unsigned kind, unsigned op, uint32_t comm, int peer, int tag)
{
	struct tau_live_waits *w;

	if (unlikely(!GATE_PLAIN(tau_gate.value) || self.ready != READY_OPEN || !comm_here(comm))) {
		waits_rare(kind, op, comm, peer, tag);
		return;
	}
	self.ready = READY_BUSY;
	barrier();
	w = waits_begin(TAU_WAIT_ALL, 1, 0);
	w->of[0] = (struct tau_live_wait){(uint16_t)kind, (uint16_t)op, comm, peer, tag};
	waits_end(w);
	record_end();
}

void tau_waits_for_lock(uint32_t file, unsigned kind, int holder, uint64_t first, uint64_t bytes)
{
	struct tau_live_file *w;

	if (!file || !record_begin_unsummed())
		return;
	if (define_here(REG_EVENT, file)) {
		w = &self.live->file;
		w->tick = 0;
		publish_barrier();
		w->file = file;
		w->kind = kind;
		w->holder = holder;
		w->first = first;
		w->bytes = bytes;
		publish_barrier();
		w->tick = self.top[-1].time;
	}
	record_end();
}

static __attribute__((noinline)) void file_rare(uint32_t file)
{
	tau_waits_for_lock(file, TAU_FILE_CALL, 0, 0, 0);
}

void tau_waits_for_file(uint32_t file)
{
	const struct stream *s = self.stream;
	struct tau_live_file *w;

	if (unlikely(!GATE_PLAIN(tau_gate.value) || self.ready != READY_OPEN ||
		     file >= s->known_cap[REG_EVENT] || !s->known[REG_EVENT][file])) {
		file_rare(file);
		return;
	}
	self.ready = READY_BUSY;
	barrier();
	w = &self.live->file;
	w->tick = 0;
	publish_barrier();
	w->file = file;
	w->kind = TAU_FILE_CALL;
	publish_barrier();
	w->tick = self.top[-1].time;
	record_end();
}
