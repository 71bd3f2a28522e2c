/* make_wrapper.h: makes a wrapper (tau-wrapper(7)) for all functions that a C header declares and a library exports. */
#ifndef MAKE_WRAPPER_H
#define MAKE_WRAPPER_H

#include "analyze/base/base.h"

/* A command line with --make-wrapper has libraries as for the linker, -lNAME: makes a word NAME of each. */
void make_wrapper_words(int argc, char **argv);

/*
 * header: a file, or a name as in #include <...>. library: a path, or a name as after -l; there must be one. The folder `output` (NULL:
 * tau-wrapper-NAME) gets NAME.list, NAME.c, NAME.gen.c and libtau-NAME.so; it must not be there yet. Prints what was made.
 * ERROR_INPUT: header or library cannot be used, or the compiler refused; ERROR_SYSTEM: a file or program is missing.
 */
int make_wrapper(const char *header, char **library, int library_n, const char *output,
		 struct error *e);

#endif
