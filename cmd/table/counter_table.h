/* counter_table.h: counters of a thread, or of all threads together, as a table. */
#ifndef COUNTER_TABLE_H
#define COUNTER_TABLE_H

#include "analyze/profile/profile.h"
#include "cmd/table/table.h"

/*
 * t: a thread, or the derived thread TOTAL. The counters with the largest sums, at most top (0: all), by sum, then as they are
 * defined; contexts: also those of each call path. The caller prints and frees the table.
 */
struct table *counter_table(const struct profile *p, const struct profile_thread *t, const char *title, size_t top, int contexts);

#endif
