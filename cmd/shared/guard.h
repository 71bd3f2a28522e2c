/*
 * guard.h: keeps what damaged archives do to the OTF2 library from users: a program that is to read one works in a child process,
 * and prints in one sentence that a signal ended the child.
 */
#ifndef GUARD_H
#define GUARD_H

#include "cmd/shared/option.h"
#include "convert/io/input.h"

/*
 * Call it when the options are parsed, before anything is read or written. If one of the n paths is an OTF2 archive, it returns
 * in a child process; this process waits and ends as the child does: with its exit code, by the signal that ended it, or, where
 * that was a crash, with a sentence and the code for damaged input. Then what the child was writing for `to` (NULL: nothing) is
 * removed. Otherwise it returns in this process. What the paths are stays in `all`.
 */
void guard_archives(const struct program *program, struct inputs *all, char *const *path, size_t n,
		    const char *to);

/* Why a signal ended a process that read paths ("A" or "A, B"), if it was a crash: returns 1, or 0 if it was not. */
int guard_crash(const char *paths, int number, struct error *e);

#endif
