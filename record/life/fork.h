/*
 * fork.h: a forked child gets an identity and files of its own.
 */
#ifndef FORK_H
#define FORK_H

/* Once per process, before the gate opens: from now on children made by fork() find the gate closed. */
void fork_watch(void);
/* In the child, before it runs anything of the program. */
void fork_happened(void);
/* The gate is closed since a fork: opens it, or waits for the thread that does, or counts an event as lost. */
void fork_begin(void);

#endif
