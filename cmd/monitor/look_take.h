/*
 * look_take.h: looks at a run again and again while it is recorded. A look reads the run's files from outside; the measured program
 * neither waits nor learns of it, and nothing is written to the run.
 *
 * Windows are additive, so a look reads only what is new: what happened before LOOK_SETTLED_NS before the look before it is
 * kept as a sum, and the rest is read again, because a record may become visible some time after its time stamp was taken.
 */
#ifndef LOOK_TAKE_H
#define LOOK_TAKE_H

#include "cmd/monitor/look.h"

#define LOOK_SETTLED_NS 3000000000 /* a record is visible this long after its time, at the latest */
#define LOOK_HISTORY	120	   /* looks that are remembered */

struct hosts;

/* What is kept from look to look. Set path and threads, and what follows up to `here`, zero the rest. */
struct look_run {
	const char *path;    /* of the run */
	const char *own;     /* only processes of the host of this name; NULL: all */
	struct native_kept *files; /* what is known of them; NULL before the first look */
	struct hosts *hosts; /* other hosts are looked at, too; NULL: none is */
	int here;	     /* with hosts: the run is also read here */
	const char *name_here; /* the name of this host, with `here` */
	struct profile *profile; /* with hosts: of the last look here */
	struct profile *settled; /* NULL: nothing yet */
	int64_t settled_ns, end_ns;
	struct names name; /* of regions, or of call paths */
	double *calls, *excl; /* by name, at the look here before */
	float (*share)[LOOK_HISTORY]; /* by name: exclusive time since the look before, as a share of all; a ring */
	size_t name_cap;
	size_t looks, looks_here; /* of all hosts; that have succeeded here */
	int paths; /* what `name` and `settled` have */
	size_t threads; /* LOOK_THREADS finds what is open in this number of threads, the first ones; 0: in all */
	struct map thread_calls; /* (node, thread) -> 1 + index into thread_before */
	double *thread_before;
	size_t thread_before_n, thread_before_cap;
};

/* One look. wants: enum look_wants. On success the caller releases *out; on failure nothing is left to release. */
int look_take(struct look_run *r, unsigned wants, struct look *out, struct error *e);
/* The profile that the last look has: l->profile, or that of all hosts. *out is the caller's. ERROR_SYSTEM: no host answers. */
int look_profile(struct look_run *r, const struct look *l, struct profile **out, struct error *e);
void look_run_release(struct look_run *r);

#endif
