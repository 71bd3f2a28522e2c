/* notes.h: prints the notes of a load on standard error. */
#ifndef NOTES_H
#define NOTES_H

#include "analyze/base/note.h"

void notes_print(const char *program, const struct note *v, size_t n);

#endif
