/*
 * mlockall.h: mlockall(), in front of that of the C library.
 */
#ifndef MLOCKALL_H
#define MLOCKALL_H

/* At the start: finds the next one. */
void mlockall_find(void);

#endif
