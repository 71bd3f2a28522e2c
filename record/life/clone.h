/*
 * clone.h: tasks that share memory with a thread but not its thread-local storage.
 */
#ifndef CLONE_H
#define CLONE_H

/* At the start. */
void clone_find(void);

#endif
