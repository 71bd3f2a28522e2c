/* percents.h: percentages of many values, read in the order of timer_value_base, without a search for each. */
#ifndef DB_PERCENTS_H
#define DB_PERCENTS_H

#include "db/private.h"

struct percents;

/* The rows of the view timer_value, as a table in parentheses; between percents_begin() and percents_end(). */
extern const char percents_rows[];

/* Inside a transaction. A database whose percentages are all stored needs none. */
int percents_begin(struct db *db, struct percents **out, struct error *e);

/* After the statements that read percents_rows. p may be NULL. */
void percents_end(struct percents *p);

#endif
