/*
 * index_policy.h: when an index is used and when it is made. An index holds sums over the chunks of
 * a trace; a format may keep one (trace.h).
 */
#ifndef INDEX_POLICY_H
#define INDEX_POLICY_H

#include <stdint.h>

#define INDEX_RECORDS 4000000	/* number of needed records of a stream from which its index is
				 * made without a request */

enum index_policy {
	INDEX_AUTO,	/* indexes are used, and made for streams of which many records are
			 * needed */
	INDEX_NEVER,	/* everything is read from the trace */
	INDEX_ALWAYS,	/* indexes are used, and made of all streams that are needed */
	INDEX_USE,	/* indexes are used, none are made */
};

/* The decision for the index of a stream. */
enum index_action { INDEX_IGNORED, INDEX_READ, INDEX_MADE };

/*
 * needed: how many of its records will be read; 0: unknown, then the index is not made without a
 * request.
 */
static inline enum index_action index_action(enum index_policy p, uint64_t records, uint64_t needed)
{
	if (p == INDEX_NEVER)
		return INDEX_IGNORED;
	if (p == INDEX_ALWAYS || (p == INDEX_AUTO && needed >= INDEX_RECORDS && needed >= records / 2))
		return INDEX_MADE;
	return INDEX_READ;
}

#endif
