/* db_trials.h: the trials that a user means by numbers or names. */
#ifndef DB_TRIALS_H
#define DB_TRIALS_H

#include "db/db.h"

/*
 * trial[i] = the number of the trial that word[i] means: its number, or its name if no other trial has it. file: of the
 * database, for messages. ERROR_INPUT: there is no such trial, or there are several.
 */
int db_trials_find(struct db *db, const char *file, char *const *word, size_t n, int64_t *trial, struct error *e);

struct trial_list {
	int64_t *v;
	size_t v_n, v_cap;
};

/*
 * The trials that the words mean, and those that the condition selects (trial_where.h; NULL: none), each once, by number. The caller
 * frees out->v. ERROR_USAGE: there is neither; ERROR_INPUT: the condition selects none.
 */
int db_trials_select(struct db *db, const char *file, char *const *word, size_t n, const char *condition,
		     struct trial_list *out, struct error *e);

#endif
