/*
 * loader.h: what the dynamic loader of a program prints on request, and the names by which it finds the recorder.
 */
#ifndef LOADER_H
#define LOADER_H

#include "cmd/record/launch.h"

/*
 * Runs the loader of t->elf, which lists what it would load. Sets t->needed, t->everywhere and, where the recorder does not fit the program's
 * C library, t->obstacle. `library` is the path of libtau.so, NULL: unknown.
 */
void loader_ask(struct target *t, const char *library);

/*
 * `path` (absolute) as LD_PRELOAD is to hold it. The loaders of other C libraries find nothing by that name and go on without, so
 * that programs which a recorded one starts run as ever, whatever they are built for; the caller frees it.
 */
char *loader_name(const struct target *t, const char *path);

#endif
