/* dump.h: requests of the program for profiles and snapshots of itself, to the process that writes them. */
#ifndef DUMP_H
#define DUMP_H

/* Reads tau-record's settings of requests from the environment. */
void dump_start(void);
/* Announces the process to the process that writes snapshots at an interval. */
void dump_begin(void);

#endif
