/* db_differing.h: the metadata in which trials differ, and their values. */
#ifndef DB_DIFFERING_H
#define DB_DIFFERING_H

#include "cmd/shared/trial_facts.h"
#include "cmd/table/table.h"

struct differing {
	size_t column;	/* of the facts */
	size_t values;	/* different ones; that a trial has none is one, too */
};

struct differing_list {
	struct differing *v;
	size_t v_n, v_cap;
};

/* Metadata whose values differ between these n trials (numbers in f->trial), those with the fewest values first. */
int differing_find(struct facts *f, const size_t *trial, size_t n, struct differing_list *out, struct error *e);
void differing_release(struct differing_list *l);

/*
 * The values of these metadata, and of numbers of PEs and threads, names and tags of trials: each with its number of trials, the most
 * frequent first, at most `most` of each name; 0: all.
 */
struct table *differing_table(struct facts *f, const size_t *trial, size_t n, size_t most, struct error *e);

#endif
