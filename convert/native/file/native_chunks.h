/* native_chunks.h: a file by its chunk headers. */
#ifndef NATIVE_CHUNKS_H
#define NATIVE_CHUNKS_H

#include "convert/native/file/native_columns.h"

/* Closes the descriptor of FILE.tau until the next load. */
void native_file_rest(struct native_file *f);
/* Cuts the file before chunk k and notes why. The first damage is kept. */
void native_file_damage(struct native_file *f, size_t k, const char *why);

uint32_t native_crc(const void *p, size_t n);
/* What is wrong with the header of an event or index chunk; NULL: nothing. */
const char *native_header_wrong(const struct tau_chunk_header *h, uint32_t seq, uint8_t kind);
/* Bytes of the chunk on disk, header included. */
uint64_t native_header_stored(const struct tau_chunk_header *h);
/* Opens FILE.tau again if it was closed by native_file_rest(). 0, or -1 with errno. */
int native_file_wake(struct native_file *f);
/*
 * Lists the chunks by their headers, those after the ones in the list: the way to read a file that has no index, or whose index is
 * damaged. Always 0.
 */
int native_chunks_walk(struct native_file *f);

/* Reads exactly n bytes at offset; 0, or -1 with errno (0: the file is shorter). */
int native_read_at(int fd, void *to, size_t n, uint64_t offset);
/* Notes damage after the chunks found so far. Always 0: the file is usable up to here. */
int native_damage(struct native_file *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
void native_sync_add(struct native_file *f, uint64_t tick, uint64_t mono_ns, uint64_t real_ns);
/* Sets the length of column i to n bytes, with its padding; the contents are undefined. */
void native_column_reserve(struct native_columns *c, int i, size_t n);
/* Writes n bytes to column i after its first `at` bytes, which stay: it ends there. */
void native_column_append(struct native_columns *c, int i, size_t at, const void *bytes, size_t n);

#endif
