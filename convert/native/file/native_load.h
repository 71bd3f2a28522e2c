/* native_load.h: the columns of a chunk. */
#ifndef NATIVE_LOAD_H
#define NATIVE_LOAD_H

#include "analyze/base/base.h"
#include "convert/native/file/native_columns.h"

/*
 * Loads chunk k < chunk_n into *c, which is all zero or was loaded before: reads it whole, verifies both checksums, inflates
 * the columns of the mask (1 << TAU_DEFS ...; TIMES with IDS). The other columns are undefined. ERROR_INPUT: damaged; the
 * sentence names file, place and what is wrong. ERROR_SYSTEM: the file cannot be opened. The caller releases *c, also after an
 * error.
 */
#define NATIVE_TOKENS (1u << TAU_COLUMNS) /* in place of the columns: IDS without TIMES */
int native_file_load(struct native_file *f, size_t k, unsigned mask, struct native_columns *c, struct error *e);
/*
 * The columns TIMES and ARGS, too, of the chunk that *c was last loaded with, with NATIVE_TOKENS; they were read and verified
 * then. Errors are the same.
 */
int native_file_load_rest(struct native_file *f, size_t k, struct native_columns *c, struct error *e);
void native_columns_release(struct native_columns *c);

#endif
