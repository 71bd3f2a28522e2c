/*
 * identity.h: the identity of a process.
 */
#ifndef IDENTITY_H
#define IDENTITY_H

/* A process begins, here or in a forked child. */
void new_identity(void);

#endif
