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

/*
 * The same for the symbols among the words of a name that another tool wrote, such as
 * "[SAMPLE] _ZN4mesh4fillEv [{mesh.cc} {3}]". The caller frees it; NULL: the name has none. O(length).
 */
char *demangle_words(const char *name);

#endif
