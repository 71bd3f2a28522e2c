/* look_read_types.h: what a look at a run reads. */
#ifndef LOOK_READ_TYPES_H
#define LOOK_READ_TYPES_H

#include "cmd/monitor/look.h"
#include "cmd/monitor/look_carry.h"
#include "cmd/monitor/look_hang.h"
#include "cmd/monitor/look_ranks.h"

#define LOOK_SETTLED_NS 3000000000 /* a record is visible this long after its time, at the latest */
#define LOOK_HISTORY	120	   /* looks that are remembered */

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
	int paths, squares; /* what `name` and `settled` have */
	struct look_carry carry; /* with squares */
	struct look_ranks ranks;
	struct hang_watch hang;
	size_t threads; /* LOOK_THREADS finds what is open in this number of threads, the first ones; 0: in all */
	struct map thread_calls; /* (node, thread) -> 1 + index into thread_before */
	double *thread_before;
	size_t thread_before_n, thread_before_cap;
};

#endif
