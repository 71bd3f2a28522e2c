/*
 * mem_stream.h: text printed into memory. As open_memstream(), but no byte is lost: that function returns NULL when memory ends,
 * and its stream drops what it has no room for without an error.
 */
#ifndef MEM_STREAM_H
#define MEM_STREAM_H

#include <stddef.h>
#include <stdio.h>

/*
 * *text, of *n bytes and a NUL, is valid after fflush() or fclose() and is freed by the caller. After rewind(), the text is replaced
 * by what is printed next. Out of memory ends the program, as in base.h.
 */
FILE *mem_stream(char **text, size_t *n);

#endif
