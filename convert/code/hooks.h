/* hooks.h: which calls a program is built for. */
#ifndef HOOKS_H
#define HOOKS_H

struct Elf;

/* How the functions of a binary can be recorded. */
enum {
	HOOKS_COMPILER = 1,	/* they call compiler hooks */
	HOOKS_PATCHABLE = 2,	/* they begin with room for a call, or with one of __fentry__() */
};
int hooks_find(struct Elf *elf);

#endif
