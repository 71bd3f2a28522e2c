/*
 * follow.h: the events of a run as lines, while it is recorded: each look at the run writes the events that are new. Each event is
 * written once, those of a thread in order of time.
 */
#ifndef FOLLOW_H
#define FOLLOW_H

#include <stdio.h>

#include "analyze/base/base.h"
#include "analyze/trace/trace.h"
#include "convert/trace_write.h"

struct clip;

/* How far a stream has been written. */
struct follow_place {
	size_t chunks;	/* that have begun; 0: nothing has been written */
	size_t at;	/* events of the last of them */
	int64_t time;	/* of the last event */
};

/* An event for a program that follows the run. */
struct follow_event {
	int64_t time;		/* ns */
	int32_t node;
	uint32_t thread;
	enum event_kind event;
	const char *kind, *name;	/* as CSV has them; of a leave the region that is left */
	const char *groups;	/* of the region of an enter; otherwise NULL */
	int open;		/* an enter that is no call: the region was open before */
	double value;		/* NaN: it has none */
};

/* Set f, json and options.only, zero the rest. */
struct follow {
	FILE *f;
	int json;		/* lines are objects of JSON, not CSV */
	struct write_options options;
	int64_t last;		/* ns: events that are older at the first look are not written; 0: all are */
	void (*receive)(
		void *to,
		const struct follow_event *ev); /* instead of lines; NULL: there are lines */
	void *to;
	int64_t begin;		/* ns: of `last` */
	struct names stream;	/* by file */
	struct follow_place *place;
	size_t place_n, place_cap;
	int begun;		/* the first line of CSV has been written */
	struct names metric;	/* columns of CSV */
	uint64_t grown;		/* streams that had new events, in all looks together */
};

/* What may still come. */
struct follow_going {
	int run;	/* the run goes on: nothing is closed that is open */
	int ranks;	/* running processes without a rank may get one: they wait */
};

/*
 * Writes what t, the run as it is now, has more than at the look before. ERROR_INPUT: the run is recorded in a way that cannot be
 * followed.
 */
int follow_look(struct follow *w, struct trace *t, struct follow_going going, struct error *e);
/* ERROR_INPUT: a run that is recorded as t cannot be followed while it goes on. */
int follow_possible(const struct trace *t, struct error *e);
/* Skips the events of a stream that have been written; c is open at the last chunk of them. 0 or an error. */
int follow_pass(struct clip *c, const struct follow_place *place, struct error *e);
void follow_release(struct follow *w);

#endif
