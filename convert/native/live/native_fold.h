/* native_fold.h: folded calls that are in no record yet: of a process that was killed, or that goes on. */
#ifndef NATIVE_FOLD_H
#define NATIVE_FOLD_H

#include "convert/native/file/native_columns.h"

/* Is there a FILE.fold? 1 also if that is not known. */
int native_fold_is(const struct native_file *f);
/*
 * FILE.fold, read while no folded calls were written as records. The stream may still fold calls meanwhile: a node can have calls that are
 * inside of one that its caller's node does not have. Zero: nothing was read. native_fold_release() it.
 */
struct native_fold {
	struct tau_fold_header head;	/* with the last tick after the nodes were read */
	struct tau_fold_node *node;
	size_t n;
	int there;	/* there is a file */
	int moved;	/* calls were folded while it was read */
	const char *wrong;	/* NULL, or why the file cannot be used */
};
void native_fold_read(struct native_file *f, struct native_fold *out);
void native_fold_release(struct native_fold *d);

/* The chunk that folded calls are added to. */
struct native_fold_chunk {
	int stored;	/* it is in FILE.tau, perhaps with these calls (tau_fold_header.sealed) */
	/*
	 * The columns were copied after the nodes were read, and the stream went on since `tick`, the last one before that: records
	 * that the nodes belong to may be missing, and others are of calls that began later. These are removed.
	 */
	int moved;
	uint64_t tick;
};
/*
 * Appends folded calls to the columns of the live chunk, before its records are split into planes. The new records have the time of the
 * last record, or that of the last folded call if it is later; live->last_tick becomes this time. Returns NULL, also if there is no such
 * file, or why the calls are unavailable: then no call is added.
 */
const char *native_fold_add(struct native_fold *d, struct native_columns *c, struct tau_live_header *live,
			    struct native_fold_chunk chunk);

#endif
