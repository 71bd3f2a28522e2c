/* demangle.h: turns symbols into the names that programmers wrote. */
/* The guard is not DEMANGLE_H, which libiberty uses. */
#ifndef CODE_DEMANGLE_H
#define CODE_DEMANGLE_H

#define DEMANGLE_LONGEST 65535	/* bytes of a readable C++ name */

/*
 * Demangles symbols of C++, and of procedures of Fortran modules: MODULE::PROCEDURE. The caller
 * frees it; NULL: the name is already readable, its readable form is longer than DEMANGLE_LONGEST,
 * or it is NULL.
 */
char *demangle(const char *name);

/*
 * Makes the type name of a type_info readable; a copy of the name if demangle() would give NULL. The
 * caller frees it.
 */
char *demangle_type(const char *name);

#endif
