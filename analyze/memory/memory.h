/*
 * memory.h: memory by object type: makes rows from the memory counters of a profile, and finds in
 * the rows of several runs what grows with the number of processing elements.
 *
 * Counters read (man/tau-trace2profile.1, MEMORY). X is TYPE, TYPE <= OWNER <= OWNER'S OWNER ...,
 * and, if call sites were recorded, TYPE @ SITE or TYPE <= OWNERS @ SITE:
 *
 *   alloc X, retyped X, inner bytes X       one sample per block: cumulative = sum(alloc X) - sum(retyped X) - sum(inner bytes X)
 *   live X, live objects X                  bytes and blocks at the end of the window, per process
 *   peak X, peak objects X                  largest of them inside the window, per process
 *   live (all), peak (all)                  over all types of the process
 *   TYPE[]                                  slab: a block that a free list carved into many objects of TYPE
 *   untyped [LIBRARY]                       no type is known; the code of LIBRARY allocated it
 *   mapped, mapped file, shared, break [LIBRARY]; symmetric heap
 *                                           address space that the code of LIBRARY took from the system
 *
 * Which rows add up. `X` without owner and site is the sum over all owners and sites, so those rows
 * are a partition: their live bytes add up to live (all). If a damaged or foreign profile has a
 * difference, it is a row of its own, "unaccounted". `TYPE <= OWNERS` refines `TYPE`, and rows with
 * a site refine it further: each block with a known site is in exactly one of them. A finer
 * partition consists of these rows, and for each type of the remainder that they do not cover (enum
 * memory_by). Peaks of different types happen at different moments: they add up to more than peak
 * (all).
 *
 * Sides. Typed bytes belong to the class system and the library of their type
 * (memory_object_side()). Untyped bytes belong to the library whose code allocated them, by
 * memory_side(): Open MPI, the libraries that it uses (PMIx, UCX, hwloc ...), or the program and
 * other libraries.
 *
 * A summary (profile.h) has the values of its thread TOTAL. It has the largest PE, from MAX, only
 * of live and peak values, and only if all threads with the counter have the same number of samples.
 * It has no values per PE.
 *
 * Units: bytes, and counts of blocks ("objects"; a slab is one). A type without counters on a PE
 * that has other counters uses no memory there (0); a measure for which no PE has counters is
 * unknown, which is not 0.
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
	double bytes, objects;	/* summed over PEs: the job; objects NAN: nothing counts them */
	double bytes_max, objects_max;	/* on the PE with the most; NAN: unknown */
};

struct memory_row {
	char *name;		/* "ompi_proc_t", "opal_list_t <= ompi_group_t", "x_t[]", "untyped [libmpi.so.40]" */
	char *type, *owner, *parent, *site;	/* owner: the chain of owners; parent: the
						 * immediate owner; NULL: not recorded */
	enum memory_kind kind;
	enum memory_side side;
	int held;		/* its immediate owner is a global variable */
	struct memory_value value[MEMORY_MEASURES];
};

/* Is the row the sum over all owners and sites of its type? */
static inline int memory_row_whole(const struct memory_row *r)
{
	return !r->owner && !r->site;
}

/* The total memory of one PE. */
struct memory_pe {
	int32_t node;
	double bytes[MEMORY_MEASURES], objects[MEMORY_MEASURES];	/* NAN: unknown */
};

/* The memory of one run in one window. */
struct memory {
	size_t pes;		/* processing elements of the job: the highest rank + 1, also
				 * those without a recording */
	size_t pes_counted;	/* number of PEs that have memory counters: means divide by it */
	double lost;		/* lost events, from metadata "TAU Lost Events" */
	char *unseen;		/* metadata "TAU Memory CPython": which Python objects are not
				 * recorded; NULL: none */
	struct memory_row *row;	/* in order of the profile's counters */
	size_t row_n, row_cap;
	/*
	 * (all). Its objects, its cumulative bytes, and its bytes if there are no such counters are
	 * sums over the partition; then the values of the largest PE are unknown.
	 */
	struct memory_value all[MEMORY_MEASURES];
	struct memory_pe *pe;	/* PEs with memory counters, ascending; empty in a summary */
	size_t pe_n, pe_cap;
	int sites;		/* some row has a call site */
	struct names names;	/* name -> row */
};

/*
 * Makes the rows of a profile p, which must be sorted (profile_sort) and may be freed afterwards.
 * Never NULL; pes_counted is 0 if there are no memory counters. O(samples). memory_free() frees it.
 */
struct memory *memory_new(const struct profile *p);
void memory_free(struct memory *m);

/* Several runs side by side: what one report is about. */
enum memory_per { MEMORY_PER_PE, MEMORY_PER_MAX, MEMORY_PER_JOB };	/* mean over PEs, largest PE, sum of the job */

/*
 * How a partition divides types. The part of a type whose owner (site) is unknown is a row of its
 * own.
 */
enum memory_by {
	MEMORY_BY_TYPE,
	MEMORY_BY_OWNER,	/* type and its chain of owners */
	MEMORY_BY_PARENT,	/* type and its immediate owner */
	MEMORY_BY_SITE,		/* type and call site, over all owners */
	MEMORY_BY_ALL,		/* type, owners and site if sites were recorded; otherwise as
				 * MEMORY_BY_OWNER */
	MEMORY_BYS
};

struct memory_query {
	enum memory_measure measure;
	enum memory_per per;	/* the number for which models are fitted, and by which rows are
				 * sorted */
	enum memory_by by;
};

/* One row over all runs; arrays have one element per run. */
struct memory_growth {
	char *name;
	char *type, *owner, *parent, *site;	/* as in memory_row; a remainder has only the
						 * type; NULL for sums */
	enum memory_kind kind;
	enum memory_side side;
	struct memory_value *value;
	struct scaling_model model;	/* of the queried number over PEs; job: of the mean per
					 * PE, see below */
	double first, last;	/* the queried number: mean over the runs with the fewest and with
				 * the most PEs; NAN: unknown */
	int fixed;		/* a slab whose bytes per PE grow by at most 1 % from the fewest to
				 * the most PEs */
	/*
	 * The mean size of the blocks in bytes, on the most PEs on which it has any; by type, if
	 * sites were recorded: the mean over the bytes of the mean block of their sites. 0: unknown.
	 */
	double grain;
	size_t *part;		/* of a sum: indexes of its rows in the series; NULL: it was
				 * measured itself */
	size_t part_n;
};

/*
 * The sum of a job is the number of PEs times their mean, so its model is P times the model of the
 * mean. This makes f = (c0 + c1 P) P possible in a search with one term.
 */
struct memory_series {
	struct memory_query query;
	const struct memory *const *run;	/* as given; borrowed */
	size_t run_n;
	struct memory_growth *row;	/* largest growth first, then largest size, then name */
	size_t row_n, row_cap;
	struct memory_growth all;	/* sum of the rows; for peaks and largest PEs, measured itself */
	size_t fewest, most;	/* PEs of the smallest and the largest run */
};

/*
 * Computes s for the runs in run[], in any order, at least one; they and the array must stay until s
 * is released. Runs with the same number of PEs are repetitions.
 */
void memory_series_init(struct memory_series *s, const struct memory *const *run, size_t run_n,
			const struct memory_query *q);
void memory_series_release(struct memory_series *s);

/*
 * Sum of the n rows with indexes row[]; its kind and side are those of the last one. Its model is
 * the sum of the models of its parts (SCALING_SUM), or constant if they are constant; if no part has
 * a credible model, it is fitted to the sums. The largest PE of a sum of several rows is unknown.
 * Release it with memory_growth_release().
 */
void memory_series_sum(const struct memory_series *s, const size_t *row, size_t n, const char *name,
		       struct memory_growth *out);
void memory_growth_release(struct memory_growth *g);

/*
 * The forecast of a row's model for p PEs (scaling_forecast(), with its grain), in the queried
 * unit: the sum of a job is p times the mean per PE. The forecast of a sum is the sum of those of
 * its parts (scaling_sum_forecast()). It is not credible if more than 10 % of the sum is in rows without
 * a forecast, or if the sum grows and more was measured on fewer PEs. Returns, in percent of the bytes on the most PEs, the part in
 * rows that have no forecast and so are not in the sum; 0 or 100 for a single row.
 */
double memory_forecast(const struct memory_series *s, const struct memory_growth *g, double p,
		     struct scaling_forecast *f);

/*
 * Percentage of the bytes of a sum, on the most PEs, in rows with a credible model; NAN: there are no
 * bytes, or g is not a sum of rows.
 */
double memory_modelled_pct(const struct memory_series *s, const struct memory_growth *g);

/*
 * The bytes, or the number of objects, of value v of a run, per PE, on the largest PE or of the
 * job. NAN: unknown.
 */
double memory_bytes(const struct memory *run, const struct memory_value *v, enum memory_per per);
double memory_objects(const struct memory *run, const struct memory_value *v, enum memory_per per);

/* How many bytes of each side have a type, in run k: queried measure, mean bytes per PE. */
struct memory_part {
	double bytes;
	double typed;		/* of these, bytes with a type */
	double slabs;		/* of the typed bytes, those in slabs */
	double fixed;		/* of the bytes in slabs, those in slabs that do not grow over
				 * the runs; all if the runs have one number of PEs */
	double owned;		/* untyped, but the owner is typed */
	double held;		/* untyped, but the owner is a global variable */
};
struct memory_share {
	struct memory_part part[MEMORY_SIDES];
};
void memory_share(const struct memory_series *s, size_t k, struct memory_share *out);

#endif
