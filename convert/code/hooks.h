/* hooks.h: finds how the functions of a program can be recorded. */
#ifndef HOOKS_H
#define HOOKS_H

struct Elf;

/* How the functions of a binary can be recorded. */
enum {
	HOOKS_COMPILER = 1,	/* they call compiler hooks */
	HOOKS_PATCHABLE = 2,	/* they begin with space for a call, or with a call of
				 * __fentry__() */
};
/* The bits above for an open binary; 0: none. */
int hooks_find(struct Elf *elf);

#endif
