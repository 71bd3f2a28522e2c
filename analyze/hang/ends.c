/* ends.c: one pass over each stream. */
#include "analyze/hang/ends.h"

#include <string.h>

#include "analyze/messages/channels.h"
#include "analyze/messages/runtime_regions.h"
#include "analyze/stream/callstack.h"
#include "analyze/trace/region_work.h"
#include "record/metadata.h"

/* An event inside the innermost open region of a stream: it describes the call as long as that is open. */
struct inside {
	size_t depth;	/* 0: there is none */
	int64_t enter;
	struct event_args args;
};

struct ends_pass {
	struct thread_ends *x;
	struct ends_thread *thread;
	const struct trace_process *process;
	struct callstack *m;
	int64_t *enter;	/* by frame; frame 0 is the root */
	size_t enter_n, enter_cap;
	const char *runtime;	/* by region */
	const char *finalizes;
	struct inside send, sync, lock, coll, file_wait;
	struct map file;	/* of the last call of a region that moved bytes: the event of its file, by region */
	struct ends_wait begun;	/* an operation that a call only began; kind UNKNOWN: none */
};

static void enter_set(struct ends_pass *p, size_t depth, int64_t time)
{
	while (p->enter_n <= depth)
		*array_add(p, enter) = 0;
	p->enter[depth] = time;
}

static void begins(void *to, uint32_t region, size_t depth, int64_t time)
{
	struct ends_pass *p = to;

	enter_set(p, depth, time);
	p->thread->wait_n = 0;
	p->thread->any = 0;
	p->thread->rest = 0;
	if (!p->runtime[region])
		return;
	p->thread->calls_runtime = 1;
	if (p->finalizes[region])
		p->x->finalized[p->thread->process] = 1;
}

static void ended(void *to, uint32_t region, size_t depth, int64_t time)
{
	struct ends_pass *p = to;

	(void)region, (void)depth, (void)time;
	p->thread->wait_n = 0;
}

static void inside_set(struct ends_pass *p, struct inside *i, const struct event_args *a)
{
	i->depth = p->m->frame_n > 1 ? p->m->frame_n - 1 : 0;
	if (i->depth && i->depth < p->enter_n)
		*i = (struct inside){i->depth, p->enter[i->depth], *a};
	else
		i->depth = 0;
}

static int inside_is(const struct ends_pass *p, const struct inside *i)
{
	return i->depth && i->depth < p->m->frame_n && p->enter[i->depth] == i->enter;
}

/* ---- what was sent and met ---- */

static struct ends_channel *channel_of(struct thread_ends *x, int64_t from, int64_t to, int64_t tag,
				       uint32_t comm)
{
	uint32_t known = channels_comm(&x->channels, comm);
	uint32_t id = channels_id(&x->channels, from, to, tag, known);

	while (x->channel_n <= id)
		*array_add(x, channel) = (struct ends_channel){0};
	x->channel[id].from = from;
	x->channel[id].to = to;
	x->channel[id].tag = tag;
	x->channel[id].comm = known;
	return &x->channel[id];
}

static uint64_t met_key(uint32_t process, uint32_t comm)
{
	return (uint64_t)process << 32 | comm;
}

static void meet(struct thread_ends *x, uint32_t process, uint32_t comm)
{
	uint64_t key = met_key(process, channels_comm(&x->channels, comm));
	uint32_t at = map_get(&x->met, key);

	if (at == MAP_NONE) {
		at = (uint32_t)x->met_n_n;
		*array_add(x, met_n) = 0;
		map_set(&x->met, key, at);
	}
	x->met_n[at]++;
}

uint64_t ends_met(const struct thread_ends *x, uint32_t process, uint32_t comm)
{
	uint32_t at = map_get(&x->met, met_key(process, comm));

	return at == MAP_NONE ? 0 : x->met_n[at];
}

uint32_t ends_process(const struct thread_ends *x, int64_t rank)
{
	uint32_t at = rank < 0 ? MAP_NONE : map_get(&x->rank, (uint64_t)rank);

	return at == MAP_NONE ? TRACE_NONE : at;
}

int ends_waits_outside(const struct ends_thread *t)
{
	return t->wait_n == 1 && t->wait[0].kind == ENDS_FILE && t->wait[0].peer < 0;
}

uint32_t ends_awaited(const struct thread_ends *x, const struct ends_wait *w)
{
	if (w->kind == ENDS_CHILD || w->kind == ENDS_FILE)
		return w->peer < 0 ? TRACE_NONE : (uint32_t)w->peer;
	return ends_process(x, w->peer);
}

/* ---- events ---- */

static enum ends_wait_kind kind_of(uint32_t kind)
{
	switch (kind) {
	case EVENT_WAIT_RECEIVE:
		return ENDS_RECEIVE;
	case EVENT_WAIT_SEND:
		return ENDS_SEND;
	case EVENT_WAIT_COLL:
		return ENDS_MEMBERS;
	default:
		return ENDS_UNKNOWN;
	}
}

static uint64_t met(const struct ends_pass *p, uint32_t comm)
{
	return ends_met(p->x, p->thread->process, channels_comm(&p->x->channels, comm));
}

/* The innermost call only begins the operation, as MPI_Ibarrier does: a later one may wait for it. */
static void coll_note(struct ends_pass *p, const struct event_args *a)
{
	size_t n = p->m->frame_n;
	uint32_t region = n > 1 ? p->m->frame[n - 1].region : TRACE_NONE;

	if (region == TRACE_NONE || a->coll.op == COLL_OTHER ||
	    runtime_meeting(p->x->trace->region[region].name, a->coll.op) != MEETING_NONE)
		return;
	p->begun = (struct ends_wait){.kind = ENDS_MEMBERS,
				      .comm = a->coll.comm,
				      .op = a->coll.op,
				      .peer = a->coll.root,
				      .nth = met(p, a->coll.comm),
				      .begun = 1};
}

static void waits(struct ends_pass *p, const struct event_args *a)
{
	struct ends_thread *t = p->thread;

	if (a->wait.kind == EVENT_WAIT_ALL || a->wait.kind == EVENT_WAIT_ANY) {
		t->wait_n = 0;
		t->any = a->wait.kind == EVENT_WAIT_ANY;
		t->rest = a->wait.rest;
		return;
	}
	*array_add(t, wait) = (struct ends_wait){.kind = kind_of(a->wait.kind),
						 .comm = a->wait.comm,
						 .nth = met(p, a->wait.comm),
						 .op = a->wait.op,
						 .peer = a->wait.peer,
						 .tag = a->wait.tag};
}

/* A call has moved bytes, and its region is open. One that only opens a file does not show what it opens next. */
static void file_note(struct ends_pass *p, const struct event_args *a)
{
	if (event_io_moves(a->io.op) && p->m->frame_n > 1)
		map_set(&p->file, p->m->frame[p->m->frame_n - 1].region, a->io.file);
}

static void event_apply(struct ends_pass *p, const struct event_batch *b, const struct event *ev)
{
	const struct event_args *a = ev->kind > EVENT_UNWIND ? &b->args[ev->ref] : NULL;

	switch (ev->kind) {
	case EVENT_SEND:
		channel_of(p->x, p->process->rank, a->message.peer, a->message.tag, a->message.comm)
			->open++;
		if (!a->message.request)
			inside_set(p, &p->send, a);
		break;
	case EVENT_RECV:
		channel_of(p->x, a->message.peer, p->process->rank, a->message.tag, a->message.comm)
			->open--;
		p->x->posted[p->thread->process] -= a->message.request != 0;
		break;
	case EVENT_POSTED:
		p->x->posted[p->thread->process]++;
		break;
	case EVENT_COLL:
		inside_set(p, &p->coll, a);
		coll_note(p, a);
		meet(p->x, p->thread->process, a->coll.comm);
		break;
	case EVENT_SYNC:
		inside_set(p, &p->sync, a);
		break;
	case EVENT_VALUE:
		if (p->x->trace->event[a->value.event].lock &&
		    !trace_event_is_team(&p->x->trace->event[a->value.event]))
			inside_set(p, &p->lock, a);
		break;
	case EVENT_IO:
		file_note(p, a);
		holders_note(&p->x->holders, p->x->trace, p->thread->process, a, ev->time);
		break;
	case EVENT_WAITS:
		waits(p, a);
		break;
	case EVENT_WAITS_FILE:
		inside_set(p, &p->file_wait, a);
		break;
	default:
		break;
	}
}

static void state_set(struct ends_pass *p, const struct event_state *s)
{
	callstack_state(p->m, s, s->time, 1);
	for (size_t i = 0; i < s->frame_n; i++)
		enter_set(p, i + 1, s->frame[i].enter);
	p->thread->wait_n = 0;
}

/*
 * The time of a sample is no sign that the program went on, nor is that of what a call waits for, which is written when
 * the chunk is sealed.
 */
static int is_act(const struct event *e)
{
	return e->kind != EVENT_SAMPLE && !event_is_wait(e->kind);
}

static void play(void *to, const struct event_batch *b)
{
	struct ends_pass *p = to;
	size_t i = 0;

	if (b->state)
		state_set(p, b->state);
	while (i < b->n) {
		i += callstack_run_watched(p->m, b->event + i, b->n - i);
		if (i == b->n)
			break;
		callstack_other(p->m, b, &b->event[i]);
		event_apply(p, b, &b->event[i++]);
	}
	p->x->events += b->n;
	if (b->n)
		p->thread->last = b->event[b->n - 1].time;
	for (i = b->n; i > 0 && !is_act(&b->event[i - 1]);)
		i--;
	if (i)
		p->thread->acted = b->event[i - 1].time;
}

/* ---- the end ---- */

static void add(struct ends_thread *t, struct ends_wait w)
{
	*array_add(t, wait) = w;
}

/* The thread that has a lock, by a value; one that is not the number of a thread is unknown. */
static int64_t holder_of(double value)
{
	return value >= HOLDER_NONE && value <= UINT32_MAX ? (int64_t)value : HOLDER_UNKNOWN;
}

/* a: what the head of the live chunk has about it; NULL: nothing, as of runs of earlier versions. */
static void file_add(const struct ends_pass *p, struct ends_thread *t, uint32_t region,
		     const struct event_args *a)
{
	struct ends_wait w = {.kind = ENDS_FILE, .peer = -1, .lock_kind = EVENT_FILE_CALL};

	if (a) {
		w.file = a->file_wait.file;
		w.lock_kind = a->file_wait.kind;
		w.pid = a->file_wait.holder;
		w.first = a->file_wait.first;
		w.bytes = a->file_wait.bytes;
	} else {
		w.file = map_get(&p->file, region);
		w.before = 1;
	}
	add(t, w);
}

/* The wait of a call by the records inside it, or by its name; 0: neither shows one. */
static int guess(const struct ends_pass *p, struct ends_thread *t, size_t depth, const char *name)
{
	const struct event_args *a;
	enum team_role role = runtime_team(name);
	uint32_t region = t->region[depth - 1];

	if (inside_is(p, &p->lock) && p->lock.depth == depth) {
		a = &p->lock.args;
		add(t, (struct ends_wait){.kind = ENDS_LOCK,
					  .peer = holder_of(a->value.value),
					  .lock = a->value.event});
	} else if (inside_is(p, &p->sync) && p->sync.depth == depth) {
		a = &p->sync.args;
		add(t, (struct ends_wait){.kind = ENDS_WINDOW,
					  .comm = a->sync.comm,
					  .op = a->sync.op,
					  .peer = a->sync.peer});
	} else if (inside_is(p, &p->send) && p->send.depth == depth && runtime_sends(name)) {
		a = &p->send.args;
		add(t, (struct ends_wait){.kind = ENDS_SEND,
					  .comm = a->message.comm,
					  .op = COLL_OTHER,
					  .peer = a->message.peer,
					  .tag = a->message.tag});
	} else if (inside_is(p, &p->coll) && p->coll.depth == depth) {
		a = &p->coll.args;
		add(t, (struct ends_wait){.kind = ENDS_MEMBERS,
					  .comm = a->coll.comm,
					  .op = a->coll.op,
					  .peer = a->coll.root,
					  .nth = met(p, a->coll.comm) - 1});
	} else if (runtime_finalizes(name)) {
		add(t, (struct ends_wait){.kind = ENDS_MEMBERS,
					  .comm = TRACE_NONE,
					  .op = COLL_OTHER,
					  .peer = -1});
	} else if (runtime_awaits_put(name)) {
		add(t, (struct ends_wait){.kind = ENDS_MEMORY, .comm = TRACE_NONE, .peer = -1});
	} else if (role == TEAM_BARRIER || role == TEAM_IDLE || runtime_joins_thread(name)) {
		add(t, (struct ends_wait){.kind = ENDS_THREADS});
	} else if (runtime_joins_process(name)) {
		add(t, (struct ends_wait){.kind = ENDS_CHILD, .peer = -1});
	} else if (region_work_of(name, p->x->trace->region[region].groups) == WORK_FILES) {
		file_add(p, t, region, inside_is(p, &p->file_wait) && p->file_wait.depth == depth
					       ? &p->file_wait.args
					       : NULL);
	} else if (p->runtime[region]) {
		add(t, (struct ends_wait){.kind = ENDS_UNKNOWN});
	}
	return t->wait_n > 0;
}

static void finish(struct ends_pass *p)
{
	struct ends_thread *t = p->thread;
	const struct callstack *m = p->m;

	t->in_use = m->frame_n > 0;
	t->region_n = m->frame_n > 1 ? m->frame_n - 1 : 0;
	t->region = mem_resize(NULL, t->region_n + 1, sizeof(*t->region));
	t->enter = mem_resize(NULL, t->region_n + 1, sizeof(*t->enter));
	for (size_t i = 0; i < t->region_n; i++) {
		t->region[i] = m->frame[i + 1].region;
		t->enter[i] = i + 1 < p->enter_n ? p->enter[i + 1] : t->last;
	}
	t->call = t->region_n;
	if (!t->region_n)
		t->wait_n = 0;
	if (t->wait_n || t->rest) {
		for (t->call = t->region_n - 1; t->call && !p->runtime[t->region[t->call]];)
			t->call--;
	} else if (t->region_n) {
		const char *name = p->x->trace->region[t->region[t->region_n - 1]].name;

		if (guess(p, t, t->region_n, name))
			t->call = t->region_n - 1;
	}
	if (!t->wait_n && t->rest) {
		add(t, p->begun);
		t->rest--;
	}
	for (size_t i = 0; i < t->wait_n; i++)
		if (t->wait[i].kind == ENDS_UNKNOWN)
			t->wait[i] = p->begun;
}

static int thread_read(struct ends_pass *p, struct trace *t, uint32_t stream, struct error *e)
{
	struct callstack_watch watch = {
		.depth = SIZE_MAX, .begin = begins, .end = ended, .to = p};
	struct callstack_paths paths;
	struct callstack m;
	int code;

	p->thread = array_add(p->x, thread);
	*p->thread = (struct ends_thread){.stream = stream, .process = t->stream[stream].process};
	p->process = &t->process[p->thread->process];
	p->send.depth = p->sync.depth = p->lock.depth = p->coll.depth = p->file_wait.depth = 0;
	p->begun = (struct ends_wait){.kind = ENDS_UNKNOWN};
	p->enter_n = 0;
	callstack_paths_init(&paths, 0);
	callstack_init(&m, (uint32_t)t->region_n, &paths);
	m.watch = &watch;
	p->m = &m;
	code = trace_stream_read(t, stream, INT64_MIN, play, p, e);
	if (!code)
		finish(p);
	callstack_release(&m);
	callstack_paths_release(&paths);
	map_release(&p->file);
	return code;
}

static int by_process(const void *va, const void *vb, void *to)
{
	const struct ends_thread *a = va, *b = vb;
	const struct trace *t = to;

	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	return (t->stream[a->stream].thread > t->stream[b->stream].thread) -
	       (t->stream[a->stream].thread < t->stream[b->stream].thread);
}

static void ended_set(struct thread_ends *x)
{
	const struct trace *t = x->trace;
	int64_t last = INT64_MIN;

	for (size_t i = 0; i < x->thread_n; i++)
		last = x->thread[i].acted > last ? x->thread[i].acted : last;

	x->ended = mem_alloc(t->process_n + 1);
	for (size_t i = 0; i < t->process_n; i++)
		x->ended[i] = t->process[i].ended == TRACE_END_EXITED || !t->process[i].running;
	for (size_t i = 0; i < x->thread_n; i++) {
		uint32_t p = x->thread[i].process;

		if (x->thread[i].in_use && t->process[p].ended != TRACE_END_EXITED)
			x->ended[p] = t->process[p].ended == TRACE_END_KILLED &&
				      last - ENDS_BEFORE > t->process[p].end;
	}
}

/* A call that waits for a child may wait for any that has not ended. */
static void children_find(struct thread_ends *x, struct ends_thread *t)
{
	const struct trace_process *me = &x->trace->process[t->process];

	for (uint32_t i = 0; i < x->trace->process_n; i++) {
		const struct trace_process *p = &x->trace->process[i];

		if (i == t->process || x->ended[i] || !p->host || !me->host ||
		    strcmp(p->host, me->host) || p->start < me->start ||
		    trace_process_meta_number(p, TAU_META_PARENT_PID) != (double)me->pid)
			continue;
		if (t->wait[0].peer < 0)
			t->wait_n = 0;
		t->any = t->wait_n > 0;
		add(t, (struct ends_wait){.kind = ENDS_CHILD, .peer = i});
	}
}

/* Who has the lock of a file for which the thread waits. */
static void holder_find(struct thread_ends *x, const struct ends_thread *t, struct ends_wait *w)
{
	struct holders_lock l = {.process = t->process,
				 .file = w->file,
				 .own = w->lock_kind >= EVENT_FILE_READ_LOCK_OPEN,
				 .pid = w->pid};

	holders_find(&x->holders, x->trace, x->ended, &l);
	w->pid = l.pid;
	w->peer = l.holder;
}

int ends_read(struct thread_ends *x, struct trace *t, struct error *e)
{
	char *runtime = mem_alloc(t->region_n + 1), *finalizes = mem_alloc(t->region_n + 1);
	struct ends_pass p = {.x = x, .runtime = runtime, .finalizes = finalizes};
	int code = 0;

	*x = (struct thread_ends){.trace = t};
	channels_init(&x->channels, t);
	x->finalized = mem_alloc(t->process_n + 1);
	x->posted = mem_alloc((t->process_n + 1) * sizeof(*x->posted));
	for (uint32_t i = 0; i < t->process_n; i++)
		if (t->process[i].rank >= 0)
			map_set(&x->rank, (uint64_t)t->process[i].rank, i);
	for (size_t i = 0; i < t->region_n; i++) {
		runtime[i] = (char)runtime_region(&t->region[i]);
		finalizes[i] = (char)runtime_finalizes(t->region[i].name);
	}
	for (uint32_t s = 0; s < t->stream_n && !code; s++)
		if (!t->stream[s].device && !t->stream[s].values)
			code = thread_read(&p, t, s, e);
	if (x->thread_n)
		qsort_r(x->thread, x->thread_n, sizeof(*x->thread), by_process, t);
	ended_set(x);
	for (size_t i = 0; i < x->thread_n; i++)
		if (x->thread[i].wait_n && x->thread[i].wait[0].kind == ENDS_CHILD)
			children_find(x, &x->thread[i]);
	for (size_t i = 0; i < x->thread_n; i++)
		if (x->thread[i].wait_n && x->thread[i].wait[0].kind == ENDS_FILE &&
		    x->thread[i].wait[0].lock_kind != EVENT_FILE_CALL)
			holder_find(x, &x->thread[i], &x->thread[i].wait[0]);
	free(p.enter);
	free(runtime);
	free(finalizes);
	return code;
}

void ends_release(struct thread_ends *x)
{
	for (size_t i = 0; i < x->thread_n; i++) {
		free(x->thread[i].region);
		free(x->thread[i].enter);
		free(x->thread[i].wait);
	}
	if (x->trace)
		channels_release(&x->channels);
	free(x->thread);
	free(x->channel);
	free(x->met_n);
	free(x->finalized);
	free(x->posted);
	free(x->ended);
	map_release(&x->met);
	holders_release(&x->holders);
	map_release(&x->rank);
}

int64_t ends_until(const struct thread_ends *x, size_t thread)
{
	const struct trace_process *p = &x->trace->process[x->thread[thread].process];

	return p->end > x->thread[thread].last ? p->end : x->thread[thread].last;
}

int64_t ends_known(const struct thread_ends *x)
{
	int64_t until = INT64_MAX;

	for (size_t i = 0; i < x->thread_n;) {
		uint32_t process = x->thread[i].process;
		int64_t end = x->trace->process[process].end, last = INT64_MIN;

		for (; i < x->thread_n && x->thread[i].process == process; i++)
			last = x->thread[i].last > last ? x->thread[i].last : last;
		if (!x->ended[process] && last < end && end < until)
			until = end;
	}
	return until;
}
