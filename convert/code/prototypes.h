/*
 * prototypes.h: reads the functions that C headers declare, from the output of GCC with -aux-info:
 * one line per declaration, FILE:LINE:NC as a comment, then extern RETURN NAME (TYPE, TYPE);. The
 * compiler has parsed the header; this code parses its output, in which macros and attributes are
 * already resolved.
 */
#ifndef PROTOTYPES_H
#define PROTOTYPES_H

#include <stddef.h>

/* Why a function cannot be wrapped by a row of gen.awk. */
enum prototype_refusal {
	PROTOTYPE_FINE,
	PROTOTYPE_VARIADIC,	/* its arguments cannot be passed on */
	PROTOTYPE_UNKNOWN,	/* its arguments are not declared */
	PROTOTYPE_RETURNS,	/* it returns a pointer to a function or an array */
	PROTOTYPE_TWICE,	/* it returns twice, like setjmp() */
};

struct prototype {
	char *name, *returns;	/* NULL: PROTOTYPE_RETURNS */
	char **type, **argument;	/* argument[i]: its name in the header; NULL: it has none */
	size_t arguments;
	enum prototype_refusal refusal;
};

struct prototypes {
	struct prototype *v;	/* in order of declaration, each name once */
	size_t v_n, v_cap;
};

/*
 * Adds the declaration of one line; lines of static functions and other texts add nothing.
 * prototypes_release() frees all.
 */
void prototypes_add(struct prototypes *to, const char *line);
void prototypes_release(struct prototypes *p);

/* As a phrase: "variable arguments". */
const char *prototype_refusal_text(enum prototype_refusal refusal);

/*
 * The declaration of one argument, with a name: "int a1", "int (*a1)(void *)". The caller frees it. function: is it a
 * pointer to a function or an array?
 */
char *prototype_argument(const char *type, const char *name, int *function);

/* Is an argument of this name a size in bytes or a length ("sourceLen", "buf_size", "nbytes")? */
int prototype_is_size(const char *name);

#endif
