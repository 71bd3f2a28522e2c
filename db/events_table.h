/* events_table.h: installs the tables event and call in a connection. */
#ifndef DB_EVENTS_TABLE_H
#define DB_EVENTS_TABLE_H

#include "db/events_types.h"
#include "db/private.h"

struct events_module {
	const struct db_event_source *source;
	int calls;
};

/*
 * m and source live as long as the connection, at whose end release gets &m[1]; it may be NULL. 0, or -1: SQLite refuses, and
 * release was called.
 */
int events_install(struct db *db, struct events_module m[2], const struct db_event_source *source,
		   void (*release)(void *last));

#endif
