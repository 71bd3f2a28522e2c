/* native_file.h: opens a stream file. */
#ifndef NATIVE_FILE_H
#define NATIVE_FILE_H

#include "analyze/base/base.h"
#include "convert/native/file/native_columns.h"

/* Does the file at path begin as a FILE.tau or FILE.live? 0 also if it cannot be read. */
int native_file_is(const char *path);

/*
 * Opens FILE.tau, with the FILE.live beside it; path may be of either. A header that cannot be trusted is an
 * error; anything wrong after the header is damage. The file stays open; native_file_rest() closes
 * the descriptor until the next load. O(chunks) without a FILE.index, O(1) with one.
 * 1, with a message in e as for an error: the file has no bytes yet, because the process that has just made it will write them.
 */
int native_file_open(const char *path, struct native_file **out, struct error *e);
/*
 * The same for a file that has been read before: was, which is closed, is what was known of it then (native_kept.h). Only what has
 * changed since is read. O(new chunks) reads.
 */
int native_file_open_again(const char *path, struct native_file *was, struct native_file **out, struct error *e);
void native_file_close(struct native_file *f);

#endif
