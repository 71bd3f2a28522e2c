/* nearest.h: finds the name that a user probably intended, for "did you mean". */
#ifndef NEAREST_H
#define NEAREST_H

#include <stddef.h>

struct nearest {
	const char *word;
	const char *best;	/* answer of the nearest candidate so far; NULL: no candidate is
				 * near */
	size_t distance;	/* only candidates with a smaller distance are near */
};

void nearest_begin(struct nearest *n, const char *word);
/*
 * Compares the word with the first `length` characters of name. Each letter that is added, missing,
 * replaced or swapped counts one, upper and lower case are equal, and a third of the word may
 * differ (of a word of two letters, one letter). A name that begins with the word, if that has at
 * least 3 letters, is also near, and of equally near names one that begins with the word is preferred. Words and names of more than 64 letters are never near. The word
 * itself is never suggested.
 * `answer` is borrowed: nearest.best points to it.
 */
void nearest_try(struct nearest *n, const char *name, size_t length, const char *answer);

/* The nearest of n names, borrowed; NULL: no name is near. */
const char *nearest_name(const char *word, const char *const *name, size_t n);

#endif
