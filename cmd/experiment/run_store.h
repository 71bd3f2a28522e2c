/* run_store.h: imports runs into the database, and reads which of them it has. */
#ifndef RUN_STORE_H
#define RUN_STORE_H

#include "cmd/experiment/run_one.h"
#include "db/db_types.h"

/* Sets the state, the trial and the time of the runs that are in the database, which may not be there yet. */
int run_store_find(struct run_plan *p, enum db_mode mode, struct error *e);

/*
 * Imports a run whose directory is complete. Its state becomes RUN_STORED, or RUN_FAILED if it cannot be read; it stays as it is if a
 * signal ended the import. ERROR_SYSTEM: the database cannot be written.
 */
int run_store_import(struct run_all *a, struct planned_run *r, const char *words, struct error *e);

#endif
