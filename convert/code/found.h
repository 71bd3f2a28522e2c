/* found.h: what was found so far of the code of one module: the results of symbols.h, by address. */
#ifndef FOUND_H
#define FOUND_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/base/map.h"
#include "analyze/trace/trace.h"
#include "convert/code/stored_names.h"

/* A result of symbols_get(). */
struct answer {
	char *name, *file;
	uint32_t line;
};

/* A result of symbols_place(). */
struct code_place {
	struct trace_code *code;
	char **name;		/* after the code, in its memory; those that were made readable; NULL: as in the binary */
	size_t n;
};

/* Makes room for the n functions of *p, all zero. */
void found_room(struct code_place *p, size_t n);

/* All zero: nothing was found. */
struct found {
	struct answer *answer;
	size_t answer_n, answer_cap;
	struct code_place *place;
	size_t place_n, place_cap;
	char **user;		/* results of symbols_callers(); NULL: there is nothing */
	size_t user_n, user_cap;
	struct map answers, places, users;	/* address -> index */
};

void found_release(struct found *f);
/* Adds it to the last module of `out`, in order of address. */
void found_store(const struct found *f, struct stored_names *out);

#endif
