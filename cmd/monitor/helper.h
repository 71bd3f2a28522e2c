/* helper.h: the helper's end of looks at several hosts. */
#ifndef HELPER_H
#define HELPER_H

#include "cmd/monitor/look_read.h"

/*
 * Answers requests (frame.h) from standard input on standard output until the input ends. r->path NULL: the other end names the run,
 * and may name further hosts, whose helpers it then starts. ERROR_INPUT: the input is not a request.
 */
int helper_serve(struct look_run *r, struct error *e);

#endif
