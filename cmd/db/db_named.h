/* db_named.h: what the parameters of a named query select, and why a query has no rows. */
#ifndef CMD_DB_NAMED_H
#define CMD_DB_NAMED_H

#include "db/query.h"

/*
 * words, word: the words of the command line; the first is the name of the query, the others are
 * NAME=VALUE.
 */

/* NULL: the query has no such parameter. */
const struct db_named_parameter *db_named_parameter_of(const struct db_named_query *n,
						       const char *name);

/* The number of the trial that a word names. ERROR_INPUT: there is none, or several. */
int db_named_trial_of(const char *word, int64_t *trial, struct error *e);

/* ERROR_INPUT: the trial of the query has no such window. */
int db_named_check_window(const struct db_named_query *n, int words, char **word, struct error *e);

/* For a query without rows: prints on standard error what its trial lacks, or which names nothing has. */
void db_named_print_empty(const struct db_named_query *n, int words, char **word);

#endif
