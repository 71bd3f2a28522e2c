/* installed.h: finds the files that are installed with the programs. */
#ifndef INSTALLED_H
#define INSTALLED_H

#include <limits.h>

/* Absolute path of a shared object beside the running program, or installed with it: in ../lib/tau, also of the architecture. 0: none. */
int installed_find(const char *file, char out[PATH_MAX]);

#endif
