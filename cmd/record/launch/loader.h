/*
 * loader.h: what the dynamic loader of a program would load, and the names by which it finds the recorder.
 */
#ifndef LOADER_H
#define LOADER_H

#include "cmd/record/launch/launch_types.h"

/*
 * Finds what the loader of t->elf would load, without executing anything. Sets t->needed, t->known, t->mpi, t->everywhere and, where
 * the recorder does not fit the program's C library, t->obstacle. `library` is the path of libtau.so, NULL: unknown.
 */
void loader_read(struct target *t, const char *library);

/*
 * `path` (absolute) as LD_PRELOAD is to hold it. The loaders of other C libraries find nothing by that name and go on without, so
 * that programs which a recorded one starts run as ever, whatever they are built for; the caller frees it.
 */
char *loader_name(const struct target *t, const char *path);

#endif
