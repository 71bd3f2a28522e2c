/* native_names.h: stores names, files and lines of the code that a run refers to, when its last process has ended. */
#ifndef NATIVE_NAMES_H
#define NATIVE_NAMES_H

#include <stdint.h>

#include "analyze/trace/trace.h"

/*
 * t: of native_open_named(), the run in `directory`. Looks up functions with hooks, call sites, locks, call sites of memory, and then the addresses of samples, for which it takes about
 * budget_ns of CPU time at most. The file is written whole or not at all. Returns its size; 0: there is none, because
 * nothing was recorded or it could not be written. Earlier contents of the file are replaced, but what is stored of binaries that have
 * changed since is kept.
 */
uint64_t native_names_store(struct trace *t, const char *directory, uint64_t budget_ns);

#endif
