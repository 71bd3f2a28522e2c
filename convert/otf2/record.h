/* record.h: what is done with each record of a location, whatever its kind: its time, its attributes, values of metrics. */
#ifndef ARCHIVE_RECORD_H
#define ARCHIVE_RECORD_H

#include "convert/otf2/location.h"

/* Gives the events of the batch that have no row of values yet one: the current ones. */
void archive_rows(struct trace_cursor *c);
/* Before an event with values: older values become an event of their own. */
void archive_settle(struct trace_cursor *c);

/*
 * Looks at a time that falls or is beyond the limit, or before which metrics had values. 1, or 0: it is impossible (c->wrong is the
 * reason), or the caller only needed the time.
 */
int archive_at(struct trace_cursor *c, OTF2_TimeStamp time);
/* Sets c->given to the first ARCHIVE_GIVEN attributes of the record. */
void archive_tags_read(struct trace_cursor *c, const OTF2_AttributeList *attributes);

/* What a callback of the library begins with. 0: it returns OTF2_CALLBACK_INTERRUPT. */
static inline int archive_begin(struct trace_cursor *c, OTF2_TimeStamp time,
				const OTF2_AttributeList *attributes)
{
	if (__builtin_expect(time < c->stamp || time >= c->limit || c->fresh, 0) &&
	    !archive_at(c, time))
		return 0;
	c->stamp = c->time = time;
	if (__builtin_expect(c->run->attributed, 0))
		archive_tags_read(c, attributes);
	c->read++;
	return 1;
}

/* And what it ends with. */
static inline OTF2_CallbackCode archive_end(struct trace_cursor *c)
{
	c->given.n = 0;
	if (__builtin_expect(c->metric != NULL, 0))
		archive_rows(c);
	return OTF2_CALLBACK_SUCCESS;
}

/* World rank of a rank in a communicator; remote: of the other side, where it has two. comm: of the trace. */
int64_t archive_peer(const struct trace_cursor *c, uint64_t ref, uint64_t rank, uint32_t *comm);
/* The value of an attribute of the record by its number; 0: it has none. */
uint64_t archive_attribute(const struct trace_cursor *c, uint32_t ref);

/* window_sync.c: of MPI's windows. 1: the record is events now; 0: it is not of a window of MPI. */
int archive_sync(struct trace_cursor *c, OTF2_RmaWinRef window, uint32_t remote,
		 OTF2_RmaSyncType type);
int archive_group_sync(struct trace_cursor *c, OTF2_RmaWinRef window, OTF2_GroupRef group);
int archive_lock(struct trace_cursor *c, OTF2_RmaWinRef window, uint32_t remote,
		 OTF2_LockType type);
int archive_unlock(struct trace_cursor *c, OTF2_RmaWinRef window, uint32_t remote);

#endif
