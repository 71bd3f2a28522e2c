/* nearest.h: finds the name that a user probably meant, for "did you mean". */
#ifndef NEAREST_H
#define NEAREST_H

#include <stddef.h>

struct nearest {
	const char *word;
	const char *best;	/* answer of the nearest candidate so far; NULL: none comes near */
	size_t distance;	/* only smaller ones come near */
};

void nearest_begin(struct nearest *n, const char *word);
/*
 * Compares the word with the first `length` characters of name. Letters that are added, missing, replaced or swapped count one
 * each, whatever their case; a third of the word may differ. A name that begins with the word is near, too. The word
 * itself is never suggested.
 */
void nearest_try(struct nearest *n, const char *name, size_t length, const char *answer);

/* The nearest of n names; NULL: none comes near. */
const char *nearest_name(const char *word, const char *const *name, size_t n);

#endif
