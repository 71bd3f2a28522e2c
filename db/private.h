/* private.h: what the files of db/ share: the connection, statements, transactions and how SQLite's errors read. */
#ifndef DB_PRIVATE_H
#define DB_PRIVATE_H

#include <sqlite3.h>

#include "db/db_types.h"

/* Columns that we add to TAU's tables; databases that TAU has made lack them until something is stored. */
enum db_added {
	ADDED_RANGE_TRIAL,
	ADDED_RANGE_NAME,
	ADDED_COUNTER_SQUARES,
	ADDED_COUNTER_RANGE,
	ADDED_PRIMARY_THREAD,
	ADDED_TRIAL_CONTENT,
	ADDED_TRIAL_PATH,
	ADDED_TRIAL_HOST,
	ADDED_TRIAL_BY,
	ADDED_TRIAL_COMMAND,
	ADDED_TRIAL_OPTIONS,
	ADDED_RANGE_START, /* before ADDED_RANGE_OVERLAPS, for which it is read */
	ADDED_RANGE_END,
	ADDED_RANGE_OVERLAPS,
	ADDED_THREAD_WAITING,
	ADDED_COLUMNS,
};

/* How long programs that are writing are waited for. */
enum { DB_PATIENCE_MS = 300 * 1000 };

struct db {
	sqlite3 *handle;
	char *file;
	enum db_mode mode;
	uint64_t limit_ns;		/* of statements; 0: none */
	uint64_t deadline_ns;		/* of the monotonic clock, with a limit */
	int empty;			/* no table at all: the schema is still to come */
	int has[ADDED_COLUMNS];		/* enum db_added: is it there? */
	int memory;			/* counters are in counter_base and memory_value, not in TAU's tables */
	int messages;			/* those of messages by peer are in message_value */
	int sums;			/* there is a table thread_sum */
	int values;			/* values of timers are in timer_value_base, not in TAU's table */
};

/*
 * Opens db->file as *db->handle: DB_READ only reads, and leaves nothing beside the file. The files beside it are checked first
 * (beside.h).
 */
int db_handle_open(struct db *db, enum db_mode mode, struct error *e);
/* Sets what each connection has: codes of errors, how long it waits for others, and the limit of time. */
void db_handle_prepare(struct db *db);
/* A database as ATTACH only reads it; for free(). */
char *db_reading_uri(const char *file);

/* SQLite's last error as ours: returns its code. */
int db_fail(struct db *db, struct error *e);

/* Runs SQL that yields nothing. */
int db_run(struct db *db, const char *sql, struct error *e);

/* Prepares a statement for sqlite3_finalize(). */
int db_prepare(struct db *db, sqlite3_stmt **out, struct error *e, const char *sql);

/* 1: a row, 0: done, < 0: an error. */
int db_step(struct db *db, sqlite3_stmt *s, struct error *e);

/* Runs a statement whose values are bound and returns the row's number in *id (id may be NULL); then it can be bound again. */
int db_insert(struct db *db, sqlite3_stmt *q, int64_t *id, struct error *e);

/* Ends a transaction: COMMIT when code is 0, else ROLLBACK. Returns code, or what COMMIT said. */
int db_end(struct db *db, int code, struct error *e);

/* Refuses what is not a TauDB; sets what struct db has of it. */
int db_recognise(struct db *db, struct error *e);

/*
 * Inside a writing transaction: makes the schema in an empty database; to another adds the columns above, and moves its counters
 * and values of timers from TAU's tables.
 */
int db_upgrade(struct db *db, struct error *e);

/*
 * Inside a writing transaction, after db_upgrade(): integers in start and end of the windows that an earlier version has stored, and
 * their fractions in the columns for them.
 */
int db_round_ranges(struct db *db, struct error *e);

/*
 * Inside a writing transaction, after db_upgrade(): makes a timer_value_base with row numbers, as TAU and earlier versions make it, one
 * without, unless it has something that would be lost.
 */
int db_order_values(struct db *db, struct error *e);

/* Inside a writing transaction, after thread_sums_add(): removes stored percentages that the view timer_value computes equally. */
int db_percents_compute(struct db *db, struct error *e);

/*
 * Inside a writing transaction, after db_upgrade(): moves values of messages by peer that are in counter_value_base to
 * message_value.
 */
int db_move_messages(struct db *db, struct error *e);

/* A column's text, never NULL; valid until the next step. */
const char *db_text(sqlite3_stmt *s, int column);
/* A number; NULL yields NaN. */
double db_number(sqlite3_stmt *s, int column);
/* An integer; 0 binds NULL. */
void db_bind_known(sqlite3_stmt *s, int at, int64_t v);
/* Text that outlives the statement; NULL binds NULL. */
void db_bind_text(sqlite3_stmt *s, int at, const char *text);
/* Three parameters: kind, peer and size_class of message_peer. */
void db_bind_message(sqlite3_stmt *s, int at, const struct message_counter *m);

#endif
