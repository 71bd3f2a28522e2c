/*
 * memory.h: memory by object type: from the memory counters of a profile to rows, and from the rows of several
 * runs to what grows with the number of processing elements.
 *
 * Counters read (man/tau-trace2profile.1, MEMORY), X being TYPE, TYPE <= OWNER <= OWNER'S OWNER ..., and, where call sites
 * were recorded, TYPE @ SITE or TYPE <= OWNERS @ SITE:
 *
 *   alloc X, retyped X                      one sample a block: cumulative = sum(alloc X) - sum(retyped X)
 *   live X, live objects X                  bytes and blocks at the end of the window, per process
 *   peak X, peak objects X                  largest of them inside the window, per process
 *   live (all), peak (all)                  over all types of the process
 *   TYPE[]                                  slab: a block that a free list carved into many objects of TYPE
 *   untyped [LIBRARY]                       no type is known; the code of LIBRARY allocated it
 *   mapped, mapped file, shared, break [LIBRARY]; symmetric heap
 *                                           address space that the code of LIBRARY took from the system
 *
 * Which rows add up. `X` without owner and site sums over all owners and sites, so those rows are a partition: their live
 * bytes add up to live (all), and what a damaged or foreign profile leaves over is its own row, "unaccounted".
 * `TYPE <= OWNERS` refines `TYPE`, and rows with a site refine it further: each block with a known site is in exactly one
 * of them. A finer partition has these, and for each type the remainder that they leave over (enum memory_by).
 * Peaks of different types happen at different moments: they add up to more than peak (all).
 *
 * Whose bytes. Typed bytes belong to the class system and the library of their type (memory_object_side()), untyped bytes to
 * the library whose code allocated them, by memory_side(): Open MPI's, of what it stands on (PMIx, UCX, hwloc ...), or of
 * the program and other libraries.
 *
 * A summary (profile.h) has what TOTAL says, and the largest PE where MAX tells it: where every thread that has the counter
 * has the same number of samples, as levels do. It has no PEs.
 *
 * Units: bytes, and counts of blocks ("objects"; a slab is one). A type without counters on a PE that has others
 * holds nothing there (0); a measure that no PE has counters for is unknown, which is not 0.
 */
#ifndef MEMORY_H
#define MEMORY_H

#include <stddef.h>

#include "analyze/base/base.h"
#include "analyze/profile/memory_side.h"
#include "analyze/profile/profile.h"
#include "analyze/scaling/scaling.h"

enum memory_measure { MEMORY_LIVE, MEMORY_PEAK, MEMORY_CUMULATIVE, MEMORY_MEASURES };

struct memory_value {
	int known;		/* some PE has a counter */
	double bytes, objects;	/* summed over PEs: the job; objects NAN where nothing counts them */
	double bytes_max, objects_max;	/* the PE with the most */
};

struct memory_row {
	char *name;		/* "ompi_proc_t", "opal_list_t <= ompi_group_t", "x_t[]", "untyped [libmpi.so.40]" */
	char *type, *owner, *parent, *site;	/* owner: the chain of them; parent: the immediate one; NULL: not recorded */
	enum memory_kind kind;
	enum memory_side side;
	int held;		/* its immediate owner is a global variable */
	struct memory_value value[MEMORY_MEASURES];
};

/* Is the row over all owners and sites of its type? */
static inline int memory_row_whole(const struct memory_row *r)
{
	return !r->owner && !r->site;
}

/* What one PE holds of everything. */
struct memory_pe {
	int32_t node;
	double bytes[MEMORY_MEASURES], objects[MEMORY_MEASURES];	/* NAN: unknown */
};

/* One run seen through one window. */
struct memory {
	size_t pes;		/* processing elements of the job: the highest rank + 1, recorded or not */
	size_t pes_counted;	/* of these, how many have memory counters */
	double lost;		/* events lost, from metadata "TAU Lost Events" */
	char *unseen;		/* metadata "TAU Memory CPython": which of its objects are not seen; NULL */
	struct memory_row *row;	/* in order of the profile's counters */
	size_t row_n, row_cap;
	struct memory_value all[MEMORY_MEASURES];	/* (all); where there is none, the sum over the partition */
	struct memory_pe *pe;	/* those with memory counters, ascending; none in a summary */
	size_t pe_n, pe_cap;
	int sites;		/* some row has a site */
	struct names names;	/* name -> row */
};

/* p: sorted (profile_sort). Never NULL; pes_counted 0 when there are no memory counters. O(samples). */
struct memory *memory_new(const struct profile *p);
void memory_free(struct memory *m);

/* Several runs side by side: what one report is about. */
enum memory_per { MEMORY_PER_PE, MEMORY_PER_MAX, MEMORY_PER_JOB };	/* mean over PEs, largest PE, sum of the job */

/* What a row of the partition is: the rest of a type, whose owner (site) is not known, is a row of its own. */
enum memory_by {
	MEMORY_BY_TYPE,
	MEMORY_BY_OWNER,	/* type and its chain of owners */
	MEMORY_BY_PARENT,	/* type and its immediate owner */
	MEMORY_BY_SITE,		/* type and call site, over all owners */
	MEMORY_BY_ALL,		/* type, owners and site where sites were recorded; otherwise as by owner */
	MEMORY_BYS
};

struct memory_query {
	enum memory_measure measure;
	enum memory_per per;	/* what is fitted and ordered by */
	enum memory_by by;
};

/* One row over all runs; arrays have one element a run. */
struct memory_growth {
	char *name;
	char *type, *owner, *parent, *site;	/* as in memory_row; a remainder has the type alone; NULL for sums */
	enum memory_kind kind;
	enum memory_side side;
	struct memory_value *value;
	struct scaling_model model;	/* of the queried number over PEs; job: of the mean per PE, see below */
	double first, last;	/* its mean over the runs with the fewest and the most PEs */
	int fixed;		/* a slab whose bytes do not grow */
	double grain;		/* on the most PEs, the mean size of the blocks in which its bytes are; 0: unknown */
	size_t *part;		/* of a sum: numbers of the rows it consists of; NULL: it is measured by itself */
	size_t part_n;
};

/*
 * A job's sum is the number of PEs times their mean, so its model is P times the model of the mean: that keeps
 * f = (c0 + c1 P) P inside reach of a search with one term.
 */
struct memory_series {
	struct memory_query query;
	const struct memory *const *run;	/* as given; borrowed */
	size_t run_n;
	struct memory_growth *row;	/* largest growth first, then largest size, then name */
	size_t row_n, row_cap;
	struct memory_growth all;	/* of everything: the sum of the rows, but for peaks and largest PEs */
	size_t fewest, most;	/* PEs of the smallest and the largest run */
};

/* run[]: any order, at least one. Runs with the same number of PEs are repetitions. */
void memory_series_init(struct memory_series *s, const struct memory *const *run, size_t run_n,
			const struct memory_query *q);
void memory_series_release(struct memory_series *s);

/*
 * Sum of the rows row[0 .. n). Its model is that of its parts (SCALING_SUM), or constant where they are. The largest PE of
 * a sum of several rows is unknown. Release it with memory_growth_release().
 */
void memory_series_sum(const struct memory_series *s, const size_t *row, size_t n, const char *name,
		       struct memory_growth *out);
void memory_growth_release(struct memory_growth *g);

/*
 * What the model of a row says about p PEs (scaling_forecast(), with its grain), in the unit that is
 * queried: a job's sum is p times the mean per PE. A sum is what its parts add up to (scaling_sum_forecast()). Returns how
 * much of the bytes on the most PEs is in rows that have no forecast and so are not in the sum, in percent; 0 or 100 for a row.
 */
double memory_forecast(const struct memory_series *s, const struct memory_growth *g, double p,
		     struct scaling_forecast *f);

/* Share of a row's bytes, on the most PEs, for which there is a credible model, in percent; NAN of nothing. */
double memory_modelled_pct(const struct memory_series *s, const struct memory_growth *g);

/* The number that q asks for, in bytes, of run's value. NAN when it is unknown. */
double memory_bytes(const struct memory *run, const struct memory_value *v, enum memory_per per);
double memory_objects(const struct memory *run, const struct memory_value *v, enum memory_per per);

/* How much of each side's bytes has a type, in one run: queried measure, bytes per PE (mean). */
struct memory_part {
	double bytes;
	double typed;		/* of these, with a type */
	double slabs;		/* of the typed, in slabs */
	double fixed;		/* of the slabs, in those that do not grow over the runs; all with one PE count */
	double owned;		/* untyped but owned by something typed */
	double held;		/* untyped but owned by a global variable */
};
struct memory_share {
	struct memory_part part[MEMORY_SIDES];
};
void memory_share(const struct memory_series *s, size_t k, struct memory_share *out);

#endif
