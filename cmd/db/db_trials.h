/* db_trials.h: the trials that a user means by numbers or names. */
#ifndef DB_TRIALS_H
#define DB_TRIALS_H

#include "db/db.h"

/*
 * trial[i] = the number of the trial that word[i] means: its number, or its name if no other trial has it. file: of the
 * database, for messages. ERROR_INPUT: there is no such trial, or there are several.
 */
int db_trials_find(struct db *db, const char *file, char *const *word, size_t n, int64_t *trial, struct error *e);

/* "2017-07-12 19:49:33" of microseconds since 1970, in UTC; "" when us is NaN or cannot be a date. Returns buf. */
char *db_date(double us, char buf[32]);

#endif
