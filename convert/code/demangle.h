/* demangle.h: names of functions as their programmers wrote them. */
#ifndef DEMANGLE_H
#define DEMANGLE_H

/* Of C++, and of procedures of Fortran's modules: MODULE::PROCEDURE. To be freed; NULL: the name is readable already, or NULL. */
char *demangle(const char *name);

/* A C++ type as type_info holds its name, made readable; a copy of the name where it is none. */
char *demangle_type(const char *name);

#endif
