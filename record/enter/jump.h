/*
 * jump.h: calls that end several functions at once: longjmp, exceptions, contexts.
 */
#ifndef JUMP_H
#define JUMP_H

/* At the start: finds the functions that ours replace. */
void jumps_find(void);

#endif
