/* unwrapped.h: functions that a library of MPI or OpenSHMEM exports and its wrapper has no row for: calls of them are not recorded. */
#ifndef UNWRAPPED_H
#define UNWRAPPED_H

#include "cmd/record/launch/launch_types.h"

/* Prints how many there are, for each library of the program whose wrapper is used with this list of --wrap. */
void unwrapped_print(const struct target *t, const char *list);
/* For --doctor: the same of the libraries that are installed, as rows of its table. */
void unwrapped_doctor(void);

#endif
