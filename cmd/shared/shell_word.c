/* shell_word.c: quotes words. */
#include "cmd/shared/shell_word.h"

#include <string.h>

#include "analyze/base/base.h"

static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
			    "%+,-./:=@_";

char *shell_word(const char *word)
{
	char *out, *to;

	if (*word && !word[strspn(word, plain)])
		return mem_string(word);
	out = to = mem_alloc(4 * strlen(word) + 3);
	*to++ = '\'';
	for (; *word; word++)
		if (*word == '\'')
			to = stpcpy(to, "'\\''");
		else
			*to++ = *word;
	strcpy(to, "'");
	return out;
}
