/* dump.h: requests of the program for profiles and snapshots of itself, to the process that writes them. */
#ifndef DUMP_H
#define DUMP_H

/* Takes what tau-record says of them from the environment. */
void dump_start(void);
/* The process exists: for snapshots at an interval. */
void dump_begin(void);

#endif
