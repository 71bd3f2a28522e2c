/*
 * db.h: the store of trials: TauDB, schema version 2, on SQLite (taudb(5)).
 *
 * A trial is one run. Its windows are profiles of their own that share the trial's threads, timers and counters; a trial
 * has at least one.
 *
 * Errors: ERROR_INPUT when the file is not a TauDB (or is damaged, or has no such trial), ERROR_SYSTEM when the system or
 * another program is in the way. A call that fails has changed nothing, even if the program is killed in it.
 */
#ifndef DB_H
#define DB_H

#include "analyze/profile/derived_threads.h"
#include "db/db_types.h"

struct db;

/*
 * Opens a database, a regular file; *out is for db_close(). Programs that are writing it are waited for, for five minutes. What a
 * killed program left half-done is undone by DB_WRITE and DB_CREATE; for DB_READ that is an error, which names the command. A journal
 * that names a super-journal is an error for all.
 */
int db_open(const char *file, enum db_mode mode, struct db **out, struct error *e);
/* The same; its statements end with ERROR_SYSTEM when it has been open for limit_ns (0: no limit). */
int db_open_within(const char *file, enum db_mode mode, uint64_t limit_ns, struct db **out, struct error *e);
void db_close(struct db *db);

/*
 * Stores n >= 1 windows of one run as one trial, in one transaction, and yields its number. The profiles must be
 * sorted (profile_sort()). The name, source and counts are the first window's.
 *  - Derived threads are computed (derived_threads.h); those that a profile brings along are ignored. A summary (profile.h) has
 *    nothing else: its derived threads are stored, and the trial has no others, though its counts contain how many there were.
 *  - Trial metadata "Application" and "Experiment" make the views "Application-X" and "Experiment-Y", if they are new.
 *  - Numbers that are not finite: infinities are kept, NaN is stored as NULL and loaded as NaN.
 */
int db_store(struct db *db, const struct profile *const *windows, size_t n, int64_t *trial, struct error *e);

/*
 * The same of windows that are not all in memory: each is defined first, in their order, and after db_store_begin() each is stored, in
 * the same order. db_store_begin() begins the transaction, db_store_end() ends and frees all; code: how the rest went, 0 or the error
 * in *e. summary: what the windows have when they are stored, as db_store_new(1) has to be called then:
 * they are defined with their threads, and stored without them.
 */
struct db_store;
struct db_store *db_store_new(int summary);
void db_store_define(struct db_store *s, const struct profile *p);
/* Before db_store_begin(): nothing is stored if a trial with the same names, values, metadata and windows is there. */
void db_store_once(struct db_store *s);
/* After db_store_begin(): 1 if it is there; its number comes from db_store_end(). */
int db_store_known(const struct db_store *s);
/* Before db_store_begin(); *origin outlives it. */
void db_store_origin(struct db_store *s, const struct db_origin *origin);
int db_store_begin(struct db_store *s, struct db *db, const struct profile_summary *summary, struct error *e);
int db_store_window(struct db_store *s, const struct profile *p, struct error *e);
int db_store_end(struct db_store *s, int code, int64_t *trial, struct error *e);

/*
 * Loads window number window (from 0) of a trial, as it was stored: sorted, without derived threads, but for a trial that
 * has no others (a summary); timers,
 * paths, counters and threads of its other windows are defined in it too, without rows. The caller frees *out. Trials that TAU's
 * loader wrote are understood: sums of squares in standard_deviation, contexts inside counter names.
 */
int db_load(struct db *db, int64_t trial, size_t window, struct profile **out, struct error *e);

/*
 * The same for programs that need sums over the threads, and the largest values, only. If the trial has derived threads stored, *out
 * is a summary with their rows, and its threads have no rows; otherwise it is what db_load() loads.
 */
int db_load_sums(struct db *db, int64_t trial, size_t window, struct profile **out, struct error *e);
/*
 * The same for programs that need statistics over the threads only: derived[-1 - number] is the derived thread of that number, for
 * derived_release(). If the trial has them stored, rows of timers of the threads are not read, and *out has the derived threads, too,
 * without rows; otherwise they are computed from the threads.
 */
int db_load_statistics(struct db *db, int64_t trial, size_t window, struct profile **out,
		       struct profile_thread derived[STATS_DERIVED], struct error *e);

/* All trials by number, or, with trial != 0, that one. On success db_trials_free() frees *out. */
int db_list(struct db *db, int64_t trial, struct db_trial **out, size_t *n, struct error *e);
void db_trials_free(struct db_trial *t, size_t n);

/* The origin of a trial, and its hash of names, values and metadata, as facts in their order. NULL: unknown. Takes texts until the call returns. */
int db_origin_read(struct db *db, int64_t trial,
		   void (*receive)(void *to, const char *fact, const char *value), void *to,
		   struct error *e);

/* Removes trials and all that belongs to them, in one transaction. The space is used again by later trials. */
int db_remove(struct db *db, const int64_t *trial, size_t n, struct error *e);

#endif
