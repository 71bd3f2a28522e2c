/* make_wrapper.h: makes a wrapper (tau-wrapper(7)) for all functions that a C header declares and a library exports. */
#ifndef MAKE_WRAPPER_H
#define MAKE_WRAPPER_H

#include "analyze/base/base.h"

/*
 * header: a file, or a name as in #include <...>. library: a path, or a name as after -l; NULL is refused. The folder `output` (NULL:
 * tau-wrapper-NAME) gets NAME.list, NAME.c, NAME.gen.c and libtau-NAME.so; it must not be there yet. Prints what was made.
 * ERROR_INPUT: header or library cannot be used, or the compiler refused; ERROR_SYSTEM: a file or program is missing.
 */
int make_wrapper(const char *header, const char *library, const char *output, struct error *e);

/* The library of --make-wrapper: z, -l z or -lz, where beside is what stood beside the option; NULL: none or several. */
const char *library_operand(const char *beside, char **operand, int n);

#endif
