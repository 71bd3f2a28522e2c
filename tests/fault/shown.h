/* shown.h: what the trace of a killed program shows, and whether that is what the program had counted itself. */
#ifndef TESTS_FAULT_SHOWN_H
#define TESTS_FAULT_SHOWN_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "convert/native/native.h"
#include "fixtures/apps/killed.h"

/* What is recorded, and which deeds it must show to the last one. */
struct mode {
	const char *name, *work, *threads;
	const char *options[6];
	unsigned shows;		/* bits of enum deed */
	bool family;		/* processes come and go: all are killed together */
	bool tail;		/* the trace holds the end only */
	bool folds;		/* short calls are counted; a call that is being added may show twice */
};

struct shown {
	uint64_t begun[DEEDS][LANES], done[DEEDS][LANES];
	double last[LANES];	/* value */
	bool gap;
};

/* The lane in a name like "tick2 [{file} {line}]" or "value 1". */
static int lane_of(const char *name, const char *stem)
{
	size_t n = strlen(stem);

	return !strncmp(name, stem, n) && name[n] >= '0' && name[n] < '0' + LANES ? name[n] - '0' : -1;
}

struct lanes {
	int *tick, *value;	/* by region, by event of the trace; -1 none */
	int send;		/* region */
};

static void show_value(struct shown *s, int lane, double value)
{
	s->gap |= s->begun[DEED_VALUE][lane] && value != s->last[lane] + 1;
	s->last[lane] = value;
	s->begun[DEED_VALUE][lane]++;
}

/* Of the bytes of an allocation or a write. */
static void show_bytes(struct shown *s, enum deed deed, uint64_t bytes, uint64_t first)
{
	if (bytes >= first && bytes < first + LANES)
		s->begun[deed][bytes - first]++;
}

struct open_regions {
	uint32_t *v;
	size_t v_n, v_cap;
};

static void show_region(const struct lanes *l, uint32_t region, uint64_t (*to)[LANES], uint64_t calls)
{
	if (l->tick[region] >= 0)
		to[DEED_TICK][l->tick[region]] += calls;
	if ((int)region == l->send)
		to[DEED_SEND][0] += calls;
}

static void show_event(struct shown *s, const struct lanes *l, const struct event_batch *b, const struct event *e,
		       struct open_regions *open)
{
	const struct event_args *a = e->kind >= EVENT_VALUE && e->kind != EVENT_UNWIND ? &b->args[e->ref] : NULL;

	switch (e->kind) {
	case EVENT_ENTER:
		*array_add(open, v) = e->ref;
		show_region(l, e->ref, s->begun, 1);
		break;
	case EVENT_LEAVE:
		if (open->v_n)
			show_region(l, open->v[--open->v_n], s->done, 1);
		break;
	case EVENT_UNWIND:
		open->v_n -= e->ref < open->v_n ? e->ref : open->v_n;
		break;
	case EVENT_ON:
		open->v_n = 0;
		for (uint32_t i = 0; i < a->on.open.n; i++)
			*array_add(open, v) = b->regions[a->on.open.first + i];
		break;
	case EVENT_FOLD:
		show_region(l, b->regions[a->fold.path.first + a->fold.path.n - 1], s->begun,
			    a->fold.calls);
		show_region(l, b->regions[a->fold.path.first + a->fold.path.n - 1], s->done,
			    a->fold.calls);
		break;
	case EVENT_VALUE:
		if (l->value[a->value.event] >= 0)
			show_value(s, l->value[a->value.event], a->value.value);
		break;
	case EVENT_ALLOC:
		show_bytes(s, DEED_ALLOC, a->block.bytes, ALLOC_BYTES);
		break;
	case EVENT_IO:
		show_bytes(s, DEED_WRITE, a->io.bytes, WRITE_BYTES);
		break;
	}
}

static void show_stream(struct trace *t, uint32_t stream, const struct lanes *l, struct shown *s, struct error *e)
{
	struct open_regions open = { 0 };
	struct trace_cursor *c;
	struct event_batch *b;

	if (t->ops->open(t, stream, INT64_MIN, &c, e) < 0)
		return;
	while (t->ops->next(c, &b, e) > 0) {
		if (b->state) {
			open.v_n = 0;
			for (size_t i = 0; i < b->state->frame_n; i++)
				*array_add(&open, v) = b->state->frame[i].region;
		}
		for (size_t i = 0; i < b->n; i++)
			show_event(s, l, b, &b->event[i], &open);
	}
	t->ops->close(c);
	free(open.v);
	if (t->stream[stream].damaged)
		error_set(e, ERROR_INPUT, "%s is damaged", t->stream[stream].name);
}

static struct lanes lanes_of(const struct trace *t)
{
	struct lanes l = { mem_alloc((t->region_n + 1) * sizeof(int)), mem_alloc((t->event_n + 1) * sizeof(int)), -1 };

	for (size_t i = 0; i < t->region_n; i++) {
		l.tick[i] = lane_of(t->region[i].name, "tick");
		if (!strcmp(t->region[i].name, "MPI_Sendrecv()"))
			l.send = (int)i;
	}
	for (size_t i = 0; i < t->event_n; i++)
		l.value[i] = lane_of(t->event[i].name, "value ");
	return l;
}

/*
 * Reads the run, or of it the process `pid` (0: all), and adds its number of events to *events. False: it cannot be read, and e holds
 * the reason.
 */
static bool show_run(const char *run, uint32_t pid, struct shown *s, uint64_t *events, struct error *e)
{
	struct trace *t = NULL;
	struct lanes l;

	if (native_open(run, &t, e) < 0)
		return false;
	e->code = 0;		/* of a file without a header, which the notes report */
	l = lanes_of(t);
	for (uint32_t i = 0; i < t->stream_n && !e->code; i++)
		if (!pid || t->process[t->stream[i].process].pid == pid)
			show_stream(t, i, &l, s, e);
	for (size_t i = 0; i < t->note_n; i++)
		if (t->note[i].kind == NOTE_DAMAGE || t->note[i].kind == NOTE_STOPPED)
			error_set(e, ERROR_INPUT, "%s", t->note[i].text);
	__atomic_add_fetch(events, t->events, __ATOMIC_RELAXED);
	free(l.tick);
	free(l.value);
	trace_free(t);
	return e->code == 0;
}

/* ---- the comparison ---- */

/* Is `shown` at least `least` and at most `most`? Otherwise one word about it is appended to `why`. */
static void within(uint64_t shown, uint64_t least, uint64_t most, const char *what, int lane, char why[1000])
{
	size_t n = strlen(why);

	if (shown < least || shown > most)
		snprintf(why + n, 1000 - n, " %s%d:%llu-of-%llu..%llu", what, lane, (unsigned long long)shown,
			 (unsigned long long)least, (unsigned long long)most);
}

static void compare(const struct mode *m, const struct killed *k, const struct shown *s, char why[1000])
{
	static const char *const name[] = { "tick", "value", "alloc", "write", "send" };

	if (s->gap && !m->family)
		snprintf(why, 1000, " values-missing-in-between");
	for (int d = 0; d < DEEDS; d++)
		for (int lane = 0; lane < LANES; lane++) {
			uint64_t least = k->done[d][lane], most = k->begun[d][lane];

			if (!(m->shows & 1u << d))
				continue;
			if (d == DEED_VALUE && m->tail) {
				if (s->begun[d][lane])
					within((uint64_t)s->last[lane], least, most, "last-value", lane, why);
				continue;
			}
			if (d == DEED_TICK) {
				within(s->done[d][lane], least, k->ticks[lane], "ended-tick", lane, why);
				least = k->ticks[lane];
			}
			within(s->begun[d][lane], least, most + (m->folds && d == DEED_TICK), name[d], lane, why);
		}
}

#endif
