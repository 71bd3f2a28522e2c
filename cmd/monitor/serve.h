/* serve.h: answers requests for the state of a run, as Prometheus makes them. */
#ifndef SERVE_H
#define SERVE_H

#include "cmd/monitor/look_read.h"

/*
 * Listens on a port of localhost (where: digits), or on a Unix socket that only the user may open (where: a path that does not
 * exist), and answers each GET of /metrics with a new look. Returns 0 after a signal that ends the program (SIGINT, SIGTERM),
 * with the socket removed. Nothing can be changed through it. ERROR_SYSTEM: it cannot listen; errors of the first look.
 */
int serve(struct look_run *r, const char *where, struct error *e);

#endif
