/* demangle.h: turns symbols into the names that programmers wrote. */
#ifndef DEMANGLE_H
#define DEMANGLE_H

/*
 * Demangles symbols of C++, and of procedures of Fortran modules: MODULE::PROCEDURE. The caller
 * frees it; NULL: the name is already readable, or NULL.
 */
char *demangle(const char *name);

/*
 * Makes the type name of a type_info readable; a copy of the name if it is not of that form. The
 * caller frees it.
 */
char *demangle_type(const char *name);

#endif
