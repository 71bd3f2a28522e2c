/* source_name.c: compares names of functions as TAU's parser of sources writes them with those of
 * symbols. */
#include "convert/code/source_name.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/base/base.h"

int name_match(const char *pattern, const char *name, size_t n)
{
	const char *retry = NULL;
	size_t at = 0, from = 0;

	while (at < n) {
		if (*pattern == '#') {
			retry = ++pattern;
			from = at;
		} else if (*pattern && *pattern == name[at]) {
			pattern++;
			at++;
		} else if (retry) {
			pattern = retry;
			at = ++from;
		} else {
			return 0;
		}
	}
	while (*pattern == '#')
		pattern++;
	return !*pattern;
}

static int is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The ( of the parameters: the first one outside of < >, and not that of "operator()". */
static const char *parameters_of(const char *name)
{
	int inside = 0;

	for (const char *c = name; *c; c++) {
		if (!strncmp(c, "operator", 8) && (c == name || !is_word(c[-1]))) {
			c += 8;
			c += !strncmp(c, "()", 2) ? 2 : strcspn(c, "(");
			return *c == '(' ? c : NULL;
		}
		if (*c == '(' && !inside)
			return c;
		inside += *c == '<' ? 1 : *c == '>' ? -1 : 0;
	}
	return NULL;
}

/* What follows the type of the result: after the last blank, * or & outside of < > before `end`. */
static const char *after_type(const char *name, const char *end)
{
	const char *begin = name;
	int inside = 0;

	for (const char *c = name; c < end; c++) {
		if (!strncmp(c, "operator", 8) && (c == name || !is_word(c[-1])))
			break;
		inside += *c == '<' ? 1 : *c == '>' ? -1 : 0;
		if (!inside && strchr(" \t*&", *c))
			begin = c + 1;
	}
	return begin;
}

int source_name_is_fortran(const char *pattern)
{
	int letters = 0;

	for (const char *c = pattern; *c; c++) {
		if (islower((unsigned char)*c) || !(is_word(*c) || strchr(":#", *c)))
			return 0;
		letters += isupper((unsigned char)*c) != 0;
	}
	return letters > 1;
}

const char *source_name_bare(const char *pattern, size_t *n)
{
	const char *end = parameters_of(pattern), *name = end ? after_type(pattern, end) : pattern;

	*n = end ? (size_t)(end - name) : strlen(name);
	return name;
}

/* n characters without blanks and without "const"; (void) is (). */
static char *canonical(const char *text, size_t n)
{
	char *out = mem_alloc(n + 1), *to = out;

	for (size_t i = 0; i < n; i++) {
		int begins = !i || !is_word(text[i - 1]);

		if (begins && n - i >= 5 && !strncmp(text + i, "const", 5) && !is_word(text[i + 5]))
			i += 4;
		else if (!isspace((unsigned char)text[i]))
			*to++ = text[i];
	}
	*to = 0;
	to = strstr(out, "(void)");
	if (to)
		memmove(to + 1, to + 5, strlen(to + 5) + 1);
	return out;
}

/* A name of C or Fortran has no parameters. */
static int match_c(const char *bare, size_t n, const char *name)
{
	char *pattern = mem_printf("%.*s", (int)n, bare);
	int same = name_match(pattern, name, strlen(name));

	free(pattern);
	return same;
}

/* From the name on, also without what TAU adds to it: " C", " [THROTTLED]". */
static int match_cxx(const char *bare, const char *name)
{
	const char *last = strrchr(bare, ')'), *open = parameters_of(name);
	const char *from = open ? after_type(name, open) : name;
	size_t n = last && !strchr(last, '#') ? (size_t)(last + 1 - bare) : strlen(bare);
	char *pattern = canonical(bare, n), *text = canonical(from, strlen(from));
	int same = name_match(pattern, text, strlen(text));

	free(pattern);
	free(text);
	return same;
}

/* Compilers add _ to the names of procedures outside of modules. Names with parameters are of C++.
 */
static int match_fortran(const char *pattern, const char *name)
{
	size_t n = strlen(name);
	char *upper;
	int same;

	if (n < 2 || strchr(name, '(') || (name[n - 1] != '_' && !strstr(name, "::")))
		return 0;
	upper = mem_printf("%.*s", (int)(n - (name[n - 1] == '_')), name);
	for (char *c = upper; *c; c++)
		*c = (char)toupper((unsigned char)*c);
	same = name_match(pattern, upper, strlen(upper));
	free(upper);
	return same;
}

int source_name_match(const char *pattern, const char *name)
{
	const char *bare;
	size_t n;

	if (source_name_is_fortran(pattern))
		return match_fortran(pattern, name);
	if (!parameters_of(pattern))
		return 0;
	bare = source_name_bare(pattern, &n);
	return parameters_of(name) ? match_cxx(bare, name) : match_c(bare, n, name);
}
