/* text_file.h: text that people and editors wrote, as UTF-8 without a byte order mark. */
#ifndef TEXT_FILE_H
#define TEXT_FILE_H

#include <stdio.h>

#include "analyze/base/base.h"

/*
 * A stream of the text of f: f itself after its mark, or, if the mark is that of UTF-16, another stream with all of f as UTF-8; f is
 * then closed, unless it is stdin.
 */
FILE *text_stream(FILE *f);
/* Opens a regular file so; NULL: an error, with its message in e (may be NULL). */
FILE *text_fopen(const char *path, struct error *e);

#endif
