/*
 * extension.h: SQLite's functions as a loaded extension calls them: through a table that the program hands over, because the program
 * may contain another SQLite than libsqlite3. Included before all others, by make, in the files of libtau_sqlite.so.
 */
#ifndef DB_EXTENSION_H
#define DB_EXTENSION_H

#include <sqlite3ext.h>

SQLITE_EXTENSION_INIT3

#endif
