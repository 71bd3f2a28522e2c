/* nearest.c: compares names letter by letter (optimal string alignment distance, Damerau 1964). */
#include "analyze/base/nearest.h"

#include <ctype.h>
#include <string.h>

#define LENGTH 64 /* names are compared up to this length */

static int same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t distance(const char *a, size_t n, const char *b, size_t m)
{
	size_t rows[3][LENGTH + 1], *before = rows[0], *last = rows[1], *row = rows[2];

	for (size_t k = 0; k <= m; k++)
		last[k] = k;
	for (size_t i = 1; i <= n; i++) {
		size_t *oldest = before;

		row[0] = i;
		for (size_t k = 1; k <= m; k++) {
			row[k] = least(least(last[k], row[k - 1]) + 1,
				       last[k - 1] + !same(a[i - 1], b[k - 1]));
			if (i > 1 && k > 1 && same(a[i - 1], b[k - 2]) && same(a[i - 2], b[k - 1]))
				row[k] = least(row[k], before[k - 2] + 1);
		}
		before = last;
		last = row;
		row = oldest;
	}
	return last[m];
}

void nearest_begin(struct nearest *n, const char *word)
{
	*n = (struct nearest){.word = word, .distance = strlen(word) / 3 + 1};
}

void nearest_try(struct nearest *n, const char *name, size_t length, const char *answer)
{
	size_t word = strlen(n->word), d;

	if (!word || !length || word > LENGTH || length > LENGTH || !strcmp(answer, n->word))
		return;
	d = distance(n->word, word, name, length);
	if (d > 1 && word > 2 && word < length && !strncasecmp(n->word, name, word))
		d = 1;
	if (d < n->distance || (!n->best && d == 1 && word > 1) ||
	    (d == n->distance && n->best && !strncasecmp(n->word, name, word) &&
	     strncasecmp(n->word, n->best, word) != 0)) {
		n->distance = d;
		n->best = answer;
	}
}

const char *nearest_name(const char *word, const char *const *name, size_t n)
{
	struct nearest near;

	nearest_begin(&near, word);
	for (size_t i = 0; i < n; i++)
		nearest_try(&near, name[i], strlen(name[i]), name[i]);
	return near.best;
}
