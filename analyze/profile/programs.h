/*
 * programs.h: the programs that the processes of a profile run: a run may contain several, as a shell and what it starts, or the
 * programs of one job of MPI. A program is an executable (TAU_META_EXECUTABLE).
 */
#ifndef PROGRAMS_H
#define PROGRAMS_H

#include "analyze/profile/profile.h"

/*
 * program[thread]: that of its process, from 0; 0 if it is unknown, or if all processes run the same. If only one program is known,
 * all run it: TAU writes the metadata that ranks have in common in rank 0 only. Returns 1 + the largest possible one.
 * O(threads x metadata).
 */
size_t programs_make(uint32_t *program, const struct profile *p);

#endif
