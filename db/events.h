/*
 * events.h: traces as tables of SQL, without storing them: the events and the calls that a source yields.
 *
 *	event(run, rank, thread, time, kind, name, region, depth, callpath, duration, peer, tag, bytes, value)
 *	call(run, rank, thread, time, kind, name, region, depth, callpath, duration, peer, tag, bytes, value)
 *
 * Times are microseconds since the start of the run. Conditions on run, rank, thread and time are handed to the source, which then
 * reads only that part of a trace; so are those that compare region or callpath with a text.
 */
#ifndef DB_EVENTS_H
#define DB_EVENTS_H

#include "analyze/base/base.h"
#include "db/events_types.h"



#endif
