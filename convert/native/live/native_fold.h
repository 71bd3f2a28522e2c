/* native_fold.h: folded calls of a process that was killed. */
#ifndef NATIVE_FOLD_H
#define NATIVE_FOLD_H

#include "convert/native/file/native_columns.h"

/* Is there a FILE.fold? 1 also if that is not known. */
int native_fold_is(const struct native_file *f);
/*
 * Appends the folded calls that FILE.fold holds to the columns of the live chunk, before its
 * records are split into planes. The new records have the time of the last record, or that of the
 * last folded call if it is later; live->last_tick becomes this time. Returns NULL, also if there is
 * no such file, or why the calls are unavailable: then no call is added. stored: the chunk is in FILE.tau, perhaps with
 * these calls (tau_fold_header.sealed).
 */
const char *native_fold_read(struct native_file *f, struct native_columns *c,
			     struct tau_live_header *live, int stored);

#endif
