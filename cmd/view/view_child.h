/* view_child.h: starts a program whose output becomes an answer. */
#ifndef VIEW_CHILD_H
#define VIEW_CHILD_H

#include "cmd/shared/http.h"

/*
 * Starts the program with these arguments (the last one is NULL), which may allocate `memory` bytes; its standard input is empty. It
 * leads a process group of its own. Sets out->child, from and errors. ERROR_SYSTEM: it cannot be started.
 */
int view_child_start(const char *program, char *const *argv, uint64_t memory, struct http_answer *out, struct error *e);

#endif
