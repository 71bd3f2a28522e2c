/*
 * stop.h: SIGINT and SIGTERM as something to wait for, in programs that look at a run again and again and have to finish
 * what they do before they end.
 */
#ifndef STOP_H
#define STOP_H

#include <stdint.h>

/* Holds back both signals from now on. A descriptor that poll() reports once one has arrived; the caller closes it. -1: none. */
int stop_open(void);
/* Waits this long. 1: a signal has arrived, before or meanwhile. stop < 0: it only waits. */
int stop_wait(int stop, int64_t ns);

#endif
