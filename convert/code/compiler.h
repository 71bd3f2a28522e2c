/* compiler.h: which compilers a program was built with, by what they leave in it. */
#ifndef COMPILER_H
#define COMPILER_H

/* The texts of the section .comment, such as "GCC: (Debian 12.2.0-14) 12.2.0", with ", " between them; NULL: the file has none. To be freed. */
char *compiler_of(const char *path);

#endif
