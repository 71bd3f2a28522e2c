/* site.h: the call site of a memtype. */
#ifndef SITE_H
#define SITE_H

#include "record/base/registry.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Defines it in the calling thread's file: by a module of the file, or with one that was unloaded, perhaps with another in its place. */
bool site_put(const struct definition *d, const uint8_t *head, size_t head_n);

#endif
