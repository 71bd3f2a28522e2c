/* names_file.h: the file `names` of a run (tau-trace(5)): names of code that are stored with it. */
#ifndef NAMES_FILE_H
#define NAMES_FILE_H

#include <stddef.h>

#include "convert/code/stored_names.h"
#include "convert/native/file/native_out.h"

/* The bytes of the file, which the caller frees (v). */
struct buffer names_file_bytes(const struct stored_names *names);
/* The names in such bytes; NULL: they are damaged. */
struct stored_names *names_file_parse(const unsigned char *p, size_t n);

/*
 * Reads the file of a run directory, or of the directory that contains the file `path`. NULL: there is none, or it cannot be read; then
 * *damage is a sentence that the caller frees, or NULL if there is none.
 */
struct stored_names *names_file_read(const char *path, int is_directory, char **damage);
/* Writes it to a run directory, whole or not at all. Its size; 0: it could not be written. */
size_t names_file_write(const char *directory, const struct stored_names *names);

#endif
