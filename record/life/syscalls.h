/*
 * syscalls.h: syscall() and prctl(): the recorder and the program both call ours.
 */
#ifndef SYSCALLS_H
#define SYSCALLS_H

/* At the start: finds the functions of the C library that ours call. */
void syscalls_find(void);

#endif
