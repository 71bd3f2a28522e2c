/* cuts.c: collects what is open at cuts, and keeps it as numbers. */
#include "analyze/messages/cuts.h"

#include <string.h>

#include "analyze/trace/numbers.h"

int cuts_init(struct cuts *c, const struct trace *t)
{
	uint64_t records = 0, most = CUTS_PLACES / (t->process_n + 1);

	*c = (struct cuts){.begin = INT64_MAX, .stream_n = t->stream_n};
	for (uint32_t s = 0; s < t->stream_n; s++) {
		records += t->stream[s].records;
		c->begin = t->stream[s].first < c->begin ? t->stream[s].first : c->begin;
	}
	most = most < CUTS_MOST ? most : CUTS_MOST;
	c->n = records / CUTS_STEP < most ? (size_t)(records / CUTS_STEP) : (size_t)most;
	if (!(t->ops->knows & TRACE_KNOWS_NUMBERS) || records < CUTS_RUN || !c->n ||
	    c->begin >= t->end || t->end - c->begin <= (int64_t)c->n)
		return 0;
	c->step = (t->end - c->begin) / (int64_t)c->n;
	c->n--;
	c->v = mem_alloc((c->n + 1) * sizeof(*c->v));
	c->called = mem_alloc((c->stream_n + 1) * sizeof(*c->called));
	for (size_t s = 0; s < c->stream_n; s++)
		c->called[s] = INT64_MAX;
	for (int i = CUT_MATCHED; i <= CUT_TEAM; i++)
		c->first[i] = INT64_MAX;
	c->known = INT64_MIN;
	return 1;
}

void cuts_release(struct cuts *c)
{
	for (size_t k = 0; c->v && k < c->n; k++) {
		free(c->v[k].message);
		free(c->v[k].request);
		free(c->v[k].entry);
	}
	free(c->v);
	free(c->called);
	free(c->bad);
	*c = (struct cuts){0};
}

/* The cuts after `from` up to `to`, both as numbers; 0: none. Too many that are open: the trace has no cuts. */
static int is_open(struct cuts *c, int64_t from, int64_t to, size_t *first, size_t *end)
{
	*first = cuts_before(c, from);
	*end = cuts_before(c, to);
	if (*first >= *end || c->none)
		return 0;
	c->open_n += *end - *first;
	c->none = c->open_n > CUTS_OPEN;
	return !c->none;
}

void cuts_message(struct cuts *c, const struct cut_message *m, int64_t from, int64_t to)
{
	size_t k, end;

	if (is_open(c, from, to, &k, &end))
		for (struct cut *x = &c->v[k]; k < end; k++, x++)
			*array_add(x, message) = *m;
}

void cuts_request(struct cuts *c, uint64_t key, int64_t from, int64_t to)
{
	size_t k, end;

	if (is_open(c, from, to, &k, &end))
		for (struct cut *x = &c->v[k]; k < end; k++, x++)
			*array_add(x, request) = key;
}

void cuts_entry(struct cuts *c, struct cut_entry e, int64_t from, int64_t to)
{
	size_t k, end;

	if (is_open(c, from, to, &k, &end))
		for (struct cut *x = &c->v[k]; k < end; k++, x++)
			*array_add(x, entry) = e;
}

void cuts_first(struct cuts *c, int kind, int64_t time)
{
	c->first[kind] = time < c->first[kind] ? time : c->first[kind];
}

void cuts_bad(struct cuts *c, uint32_t comm, int64_t since)
{
	*array_add(c, bad) = (struct cut_bad){comm, since};
}

/* ---- as numbers ---- */

/* Times as differences to the begin: they are shorter. INT64_MAX and INT64_MIN, which are not known, as -1. */
static void put_time(struct kept_numbers *x, const struct cuts *c, int64_t time)
{
	numbers_put(x, time == INT64_MAX || time < c->begin ? -1 : time - c->begin);
}

void cuts_keep(const struct cuts *c, struct trace *t)
{
	struct kept_numbers x = {0};

	numbers_put(&x, c->none);
	numbers_put(&x, c->begin);
	numbers_put(&x, c->step);
	numbers_put(&x, (int64_t)c->n);
	put_time(&x, c, c->known);
	numbers_put(&x, c->skew);
	for (int i = CUT_MATCHED; i <= CUT_TEAM; i++)
		put_time(&x, c, c->first[i]);
	for (size_t s = 0; s < c->stream_n; s++)
		put_time(&x, c, c->called[s]);
	numbers_put(&x, (int64_t)c->bad_n);
	for (size_t i = 0; i < c->bad_n; i++) {
		numbers_put(&x, c->bad[i].comm);
		put_time(&x, c, c->bad[i].since);
	}
	for (size_t k = 0; k < c->n && !c->none; k++) {
		const struct cut *at = &c->v[k];

		numbers_put(&x, (int64_t)at->message_n);
		for (size_t i = 0; i < at->message_n; i++) {
			numbers_put(&x, at->message[i].from);
			numbers_put(&x, at->message[i].to);
			numbers_put(&x, at->message[i].tag);
			numbers_put(&x, at->message[i].comm);
			numbers_put(&x, at->message[i].received);
		}
		numbers_put(&x, (int64_t)at->request_n);
		for (size_t i = 0; i < at->request_n; i++)
			numbers_put(&x, (int64_t)at->request[i]);
		numbers_put(&x, (int64_t)at->entry_n);
		for (size_t i = 0; i < at->entry_n; i++) {
			numbers_put(&x, at->entry[i].comm);
			numbers_put(&x, at->entry[i].process);
		}
	}
	numbers_keep(&x, t, TRACE_NUMBERS_CUTS);
	numbers_release(&x);
}

static int64_t get_time(struct kept_numbers *x, const struct cuts *c)
{
	int64_t v = numbers_get(x);

	if (v < 0 || v > INT64_MAX / 4)
		return INT64_MAX;
	return c->begin + v;
}

static void cut_get(struct kept_numbers *x, struct cut *at, size_t comms, size_t processes)
{
	size_t n = numbers_count(x, 5);

	while (n--) {
		struct cut_message *m = array_add(at, message);

		*m = (struct cut_message){.from = numbers_get(x), .to = numbers_get(x), .tag = numbers_get(x)};
		m->comm = (uint32_t)numbers_below(x, comms);
		m->received = (int)numbers_below(x, 2);
	}
	for (n = numbers_count(x, 1); n--;) {
		const uint64_t key = (uint64_t)numbers_get(x);

		x->bad |= key >> 32 >= processes || !(uint32_t)key;
		*array_add(at, request) = key;
	}
	for (n = numbers_count(x, 2); n--;) {
		struct cut_entry *e = array_add(at, entry);

		e->comm = (uint32_t)numbers_below(x, comms);
		e->process = (uint32_t)numbers_below(x, processes);
	}
}

static int cuts_read(struct cuts *c, struct kept_numbers *x, const struct trace *t, size_t comms)
{
	size_t n;

	c->none = (int)numbers_below(x, 2);
	c->begin = numbers_get(x);
	c->step = (int64_t)numbers_below(x, INT64_MAX / 4);
	n = (size_t)numbers_below(x, CUTS_MOST);
	x->bad |= c->begin < -INT64_MAX / 4 || c->begin > INT64_MAX / 4 || c->step < 1 ||
		  (uint64_t)c->step > (INT64_MAX / 4) / (n + 1);
	if (x->bad)
		return 0;
	c->known = get_time(x, c);
	c->skew = (int64_t)numbers_below(x, INT64_MAX / 4);
	for (int i = CUT_MATCHED; i <= CUT_TEAM; i++)
		c->first[i] = get_time(x, c);
	c->stream_n = t->stream_n;
	c->called = mem_alloc((c->stream_n + 1) * sizeof(*c->called));
	for (size_t s = 0; s < c->stream_n; s++)
		c->called[s] = get_time(x, c);
	for (size_t i = numbers_count(x, 2); i--;) {
		struct cut_bad *b = array_add(c, bad);

		b->comm = (uint32_t)numbers_below(x, comms);
		b->since = get_time(x, c);
	}
	if (x->bad || c->none)
		return !x->bad;
	c->v = mem_alloc((n + 1) * sizeof(*c->v));
	c->n = n;
	for (size_t k = 0; k < n && !x->bad; k++)
		cut_get(x, &c->v[k], comms, t->process_n);
	return !x->bad;
}

int cuts_get(struct cuts *c, struct trace *t, size_t comms)
{
	struct kept_numbers x;
	int known;

	*c = (struct cuts){0};
	if (!numbers_load(&x, t, TRACE_NUMBERS_CUTS))
		return 0;
	known = cuts_read(c, &x, t, comms);
	numbers_release(&x);
	if (!known)
		cuts_release(c);
	return known;
}
