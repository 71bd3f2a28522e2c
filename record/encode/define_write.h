/*
 * define_write.h: writes definitions into column DEFS of the calling thread. False: there is no room.
 */
#ifndef DEFINE_WRITE_H
#define DEFINE_WRITE_H

#include "record/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes the bytes of `head` before the others. */
bool defs_put(enum tau_def_kind kind, const uint8_t *head, size_t head_n, const uint8_t *bytes, size_t n);
bool define_raw(enum tau_def_kind kind, const uint8_t *bytes, size_t length);
/* Metadata: a name and its value. */
void define_meta(const char *name, const char *value);
void meta_number(const char *name, uint64_t value);

#endif
