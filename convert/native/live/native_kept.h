/* native_kept.h: files of runs that are read again and again: what has not changed is not read again. */
#ifndef NATIVE_KEPT_H
#define NATIVE_KEPT_H

#include "convert/native/file/native_columns.h"

struct native_kept;
struct symbols_kept;

/* For one thread at a time, and for traces that are opened one after the other. Free it after them. */
struct native_kept *native_kept_new(void);
void native_kept_free(struct native_kept *k);

/* The file as it was when it was closed, the caller's from now on; NULL: it is not kept. */
struct native_file *native_kept_remove(struct native_kept *k, const char *path);
/* Closes the file, and keeps what is known of it if it is sound. k NULL: nothing is kept. */
void native_kept_put(struct native_kept *k, struct native_file *f);
/* Has a file been kept? */
int native_kept_any(const struct native_kept *k);
struct run_processes;
/*
 * The table of the run's processes, read again from the file that was opened the first time. directory: of the run. 0, and the caller
 * closes *out; -1: there is none.
 */
int native_kept_table(struct native_kept *k, int directory, struct run_processes *out);
/* Binaries, for all these traces. */
struct symbols_kept *native_kept_symbols(struct native_kept *k);

#endif
