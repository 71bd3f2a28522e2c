/* unread_formats.h: formats of other tools that are not read, with the way from each to one that is (tau-formats(5)). */
#ifndef UNREAD_FORMATS_H
#define UNREAD_FORMATS_H

#include "analyze/base/base.h"

/*
 * ERROR_INPUT if the begin of the file, or its suffix, is that of such a format; of a directory, if one of its files has such a
 * suffix. 0: it is none of them.
 */
int unread_format(const char *path, struct error *e);

#endif
