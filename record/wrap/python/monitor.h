/*
 * monitor.h: calls by way of sys.monitoring, which CPython has from 3.12 on.
 */
#ifndef MONITOR_H
#define MONITOR_H

/* With the interpreter's lock: all calls of all threads, from now on; 0: not available. */
int monitor_start(void);

#endif
