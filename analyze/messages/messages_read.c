/* messages_read.c: a pass over all streams of a trace, from the begin or from a cut. */
#include "analyze/messages/channels.h"
#include "analyze/messages/cuts.h"
#include "analyze/messages/epochs.h"
#include "analyze/messages/lane.h"
#include "analyze/messages/lane_order.h"
#include "analyze/messages/lane_time.h"
#include "analyze/messages/matching.h"
#include "analyze/messages/messages.h"
#include "analyze/messages/selection.h"
#include "analyze/stream/callstack.h"

#define LOOK 256 /* calls after which a trial looks whether it can end */

/* Where a pass begins. */
struct beginning {
	const struct cuts *cuts;
	size_t k;		/* number of the cut; 0: the begin of the trace */
	int trial;		/* it only finds whether a pass can begin there */
};

/* The end of the last span of the window. */
static int64_t window_end(const struct messages *m)
{
	int64_t end = INT64_MIN;

	for (uint32_t p = 0; p < m->trace->process_n; p++) {
		int64_t one = messages_span(m, p).end;

		end = one > end ? one : end;
	}
	return end;
}

/*
 * Notes which functions the uses have. Uses that are called at the ends of calls read the times of
 * the calls.
 */
static void uses_note(struct messages_pass *p, const struct messages_use *u)
{
	p->busy |= u->busy != NULL;
	p->regions |= u->begins && !u->ran;
	p->ran |= u->ran != NULL;
	p->times |= u->spent || u->busy || u->left;
	p->spends |= u->spent || u->left;
	p->teams |= u->teams;
	p->polls |= u->polls != NULL;
	p->sent |= u->sent || u->received;
	p->matched |= u->matched != NULL;
	p->window_only &= u->window_only;
	p->window_calls &= u->window_only || u->window_calls;
}

/* What is known at the cut. */
static void cut_open(struct messages *m, const struct beginning *b)
{
	struct matching *x = &m->pass->matching;
	const struct cuts *c = b->cuts;
	const int64_t from = cuts_time(c, b->k);

	x->edge = (struct matching_edge){.from = from, .skew = c->skew, .span = m->span};
	m->pass->from = from;
	m->pass->called = c->called;
	m->found.matched = c->first[CUT_MATCHED] < from;
	m->found.meetings = c->first[CUT_MET] < from;
	m->found.teams = c->first[CUT_TEAM] < from;
	matching_open(x, &c->v[b->k - 1]);
	for (size_t i = 0; i < c->bad_n; i++) {
		if (c->bad[i].since >= from || x->of[c->bad[i].comm].bad)
			continue;
		x->of[c->bad[i].comm].bad = 1;
		m->found.disagreed++;
	}
}

static void pass_begin(struct messages *m, const struct beginning *b, struct cuts *note)
{
	struct messages_pass *p = m->pass = mem_alloc(sizeof(*p));

	if (!m->paths.v_n)
		callstack_paths_init(&m->paths, CALLSTACK_WHOLE);
	callstack_paths_init(&p->none, 0);
	matching_init(&p->matching, m->trace, &m->found);
	p->matching.cuts = note;
	epochs_init(&p->epochs, &p->matching);
	p->lane = mem_alloc((m->trace->stream_n + 1) * sizeof(*p->lane));
	p->order = mem_alloc((m->trace->stream_n + 1) * sizeof(*p->order));
	p->window_only = p->window_calls = 1;
	p->from = INT64_MIN;
	for (size_t i = 0; i < m->use_n; i++)
		uses_note(p, &m->use[i]);
	lane_regions_make(m);
	if (m->selection)
		selection_begin(m->selection, &m->paths, m->region);
	if (b->k)
		cut_open(m, b);
}

static int lanes_open(struct messages *m, struct error *e)
{
	struct messages_pass *p = m->pass;
	struct trace *t = m->trace;

	for (uint32_t s = 0; s < t->stream_n; s++) {
		struct lane *l = &p->lane[s];
		int code;

		if (m->skip && m->skip[s])
			continue;
		lane_begin(l, m, s);
		code = t->ops->open(t, s, l->from, &l->cursor, e);
		if (code < 0)
			return code;
		code = lane_run(l, e);
		if (code < 0)
			return code;
		if (code)
			p->order[p->order_n++] = (struct lane_next){l->done->leave, l};
		else
			lane_spent_pass(l, NULL);
	}
	for (size_t i = p->order_n / 2; i-- > 0;)
		lane_order_down(p, i);
	return 0;
}

static void lane_release(struct messages *m, struct lane *l)
{
	struct message_call *left[] = {l->done, l->call};

	for (size_t i = 0; i < sizeof(left) / sizeof(*left); i++) {
		if (!left[i])
			continue;
		epochs_drop(left[i]);
		matching_left(&m->pass->matching, left[i]);
	}
	if (l->cursor)
		m->trace->ops->close(l->cursor);
	callstack_release(&l->callstack);
	free(l->frame);
	free(l->spent);
	free(l->touched);
	free(l->ahead);
	*l = (struct lane){0};
}

/* One stream after the other, so that memory does not grow with their number. */
static int streams_run(struct messages *m, int64_t end, struct error *e)
{
	struct trace *t = m->trace;

	for (uint32_t s = 0; s < t->stream_n; s++) {
		struct lane *l = &m->pass->lane[s];
		int code;

		if (m->skip && m->skip[s])
			continue;
		lane_begin(l, m, s);
		code = t->ops->open(t, s, l->from, &l->cursor, e);
		while (code >= 0 && (code = lane_run(l, e)) > 0 && l->done->leave < end)
			lane_call_pass(m, l);
		if (code < 0)
			return code;
		if (!code)
			lane_spent_pass(l, NULL);
		lane_release(m, l);
	}
	return 0;
}

/* Has each lane passed the calls that were open at the cut? */
static int lanes_are_over(const struct messages_pass *p, uint32_t streams)
{
	for (uint32_t s = 0; s < streams; s++) {
		const struct lane *l = &p->lane[s];

		if (l->cursor && (!lane_is_over(l) || (l->done && l->done->enter <= p->from)))
			return 0;
	}
	return 1;
}

/* Is nothing left in a trial that could reach the window? */
static int trial_is_over(const struct messages *m)
{
	const struct messages_pass *p = m->pass;

	if (p->matching.edge.left)
		return 0;
	for (uint32_t i = 0; i < m->trace->process_n; i++)
		if (p->order[0].time <= m->span[i].begin)
			return 0;
	return lanes_are_over(p, m->trace->stream_n);
}

/* Reads up to the end of the window; a trial, up to where its result is known. */
static int pass_run(struct messages *m, const struct beginning *b, struct error *e)
{
	struct messages_pass *p = m->pass;
	const int64_t end = window_end(m);
	size_t n = 0;
	int code;

	if (p->window_only)
		return streams_run(m, end, e);
	code = lanes_open(m, e);
	while (code >= 0 && p->order_n && p->order[0].time < end) {
		struct lane *l = p->order[0].lane;

		lane_call_pass(m, l);
		code = lane_run(l, e);
		if (code < 0)
			break;
		if (code) {
			p->order[0].time = l->done->leave;
		} else {
			lane_spent_pass(l, NULL);
			p->order[0] = p->order[--p->order_n];
		}
		if (p->order_n)
			lane_order_down(p, 0);
		if (b->trial && (p->matching.edge.reached ||
				 (++n % LOOK == 0 && p->order_n && trial_is_over(m))))
			return 0;
	}
	if (code >= 0 && !p->order_n && !p->window_only && !p->past_n && !b->k)
		matching_count(&p->matching);
	return code < 0 ? code : 0;
}

/* ---- cuts ---- */

/* 1: a pass can begin there; 0: it cannot. */
static int cut_try(const struct messages *m, int teams, const struct beginning *b,
		   struct error *e)
{
	const struct messages_use use = {.window_calls = 1, .teams = teams};
	struct messages trial = {.trace = m->trace, .span = m->span, .use = &use, .use_n = 1};
	int code;

	pass_begin(&trial, b, NULL);
	code = pass_run(&trial, b, e);
	if (!code)
		code = !trial.pass->matching.edge.reached &&
		       lanes_are_over(trial.pass, m->trace->stream_n);
	messages_release(&trial);
	return code;
}

/* The latest cut from which a pass can begin, as far as it is worth trying: *k, 0: none. */
static int cut_find(const struct messages *m, const struct cuts *c, int teams, size_t *k,
		    struct error *e)
{
	struct beginning b = {c, 0, 1};
	int64_t begin = INT64_MAX;
	size_t last;
	int code = 0;

	for (uint32_t p = 0; p < m->trace->process_n; p++)
		begin = m->span[p].begin < begin ? m->span[p].begin : begin;
	last = cuts_before(c, begin < c->known ? begin : c->known);
	for (size_t back = 0; !code && back < last; back = back * 4 + 1) {
		b.k = last - back;
		code = cut_try(m, teams, &b, e);
	}
	*k = code > 0 ? b.k : 0;
	return code < 0 ? code : 0;
}

static size_t comms_of(const struct trace *t)
{
	struct channels c;
	size_t n;

	channels_init(&c, t);
	n = c.comms.name_n;
	channels_release(&c);
	return n;
}

/* The pass has read all that is before `end`. */
static void cuts_note(struct messages *m, struct cuts *note, int64_t end)
{
	note->known = end < m->trace->end ? end : INT64_MAX;
	note->none |= m->pass->no_cuts;
	matching_note_open(&m->pass->matching, note->known);
	cuts_keep(note, m->trace);
}

/* Does a pass up to `end` read more than they know? */
static int is_more(const struct cuts *known, int64_t end)
{
	return !known->none && known->known < INT64_MAX && known->known < end;
}

int messages_read(struct messages *m, struct error *e)
{
	struct messages_pass uses = {.window_only = 1, .window_calls = 1};
	struct cuts known = {0}, note = {0};
	struct beginning b = {.cuts = &known};
	const int64_t end = window_end(m);
	int is_known = 0, code = 0, notes = 0;

	for (size_t i = 0; i < m->use_n; i++)
		uses_note(&uses, &m->use[i]);
	if (m->cuts && !m->skip && !uses.window_only) {
		is_known = cuts_get(&known, m->trace, comms_of(m->trace));
		if (is_known && m->span && uses.window_calls)
			code = cut_find(m, &known, uses.teams, &b.k, e);
		notes = !b.k && !code && (!is_known || is_more(&known, end)) &&
			cuts_init(&note, m->trace);
	}
	pass_begin(m, &b, notes ? &note : NULL);
	m->pass->cuts = known;
	if (!code)
		code = pass_run(m, &b, e);
	if (!code && notes)
		cuts_note(m, &note, end);
	m->pass->matching.cuts = NULL;
	cuts_release(&note);
	return code;
}

int messages_called(const struct messages *m, uint32_t stream)
{
	const struct messages_pass *p = m->pass;

	return p->called && p->called[stream] < p->from;
}

static void pass_release(struct messages *m)
{
	struct messages_pass *p = m->pass;

	for (uint32_t s = 0; s < m->trace->stream_n; s++)
		lane_release(m, &p->lane[s]);
	epochs_release(&p->epochs);
	receive_order_release(&p->receives, &p->matching);
	matching_release(&p->matching);
	callstack_paths_release(&p->none);
	free(p->lane);
	free(p->order);
	free(p->ways);
	free(p->region);
	free(p->runtime);
	free(p->begins);
	cuts_release(&p->cuts);
	free(p);
	m->pass = NULL;
}

void messages_release(struct messages *m)
{
	if (m->pass)
		pass_release(m);
	callstack_paths_release(&m->paths);
	m->paths = (struct callstack_paths){0};
}

void messages_again(struct messages *m)
{
	const struct callstack_paths paths = m->paths;

	m->paths = (struct callstack_paths){0};
	messages_release(m);
	*m = (struct messages){.paths = paths};
}
