/* name_family.c: removes places, addresses and versions from the names of regions. */
#include "analyze/compare/name_family.h"

#include <ctype.h>
#include <string.h>

#include "analyze/base/base.h"

/*
 * What compilers append to the name of a copy of a function, each with or without a number after
 * it.
 */
static const char *const copies[] = {".constprop", ".isra", ".part", ".cold", ".lto_priv", ".llvm"};

static int is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static size_t digits(const char *s)
{
	return strspn(s, "0123456789");
}

/*
 * Length of "[{FILE} {12,1}-{20,1}]", and where the last part of FILE begins; 0: there is no source
 * position here.
 */
static size_t place_length(const char *s, const char **file, size_t *file_n)
{
	const char *end, *close;

	if (strncmp(s, "[{", 2) || !(end = strchr(s, ']')) || !(close = strchr(s, '}')) ||
	    close > end)
		return 0;
	for (*file = close; *file > s + 2 && (*file)[-1] != '/'; --*file)
		;
	*file_n = (size_t)(close - *file);
	return (size_t)(end - s) + 1;
}

/* ":17" at the end of a word. */
static size_t line_length(const char *name, const char *s)
{
	size_t n;

	if (*s != ':' || s == name || !is_word(s[-1]) || !(n = digits(s + 1)))
		return 0;
	return is_word(s[1 + n]) || s[1 + n] == ':' ? 0 : 1 + n;
}

static size_t address_length(const char *name, const char *s)
{
	size_t n;

	if (strncmp(s, "0x", 2) || (s > name && is_word(s[-1])))
		return 0;
	n = strspn(s + 2, "0123456789abcdefABCDEF");
	return n && !is_word(s[2 + n]) ? 2 + n : 0;
}

/* Length of a version such as "2.31": digits with points between them. */
static size_t number_length(const char *s)
{
	size_t n = digits(s);

	while (n && s[n] == '.' && digits(s + n + 1))
		n += 1 + digits(s + n + 1);
	return n;
}

static size_t copy_length(const char *s)
{
	for (size_t i = 0; i < sizeof(copies) / sizeof(*copies); i++) {
		size_t n = strlen(copies[i]);

		if (strncmp(s, copies[i], n))
			continue;
		if (s[n] == '.' && digits(s + n + 1))
			n += 1 + digits(s + n + 1);
		return is_word(s[n]) ? 0 : n;
	}
	return 0;
}

static size_t version_length(const char *name, const char *s)
{
	size_t n;

	if (s == name || !is_word(s[-1]))
		return 0;
	if (*s == '@') {
		n = strspn(s, "@");
		while (is_word(s[n]) || (s[n] == '.' && is_word(s[n + 1])))
			n++;
		return n;
	}
	if (*s == '.' && s - name >= 3 && !strncmp(s - 3, ".so", 3) && digits(s + 1))
		return 1 + number_length(s + 1);
	if (*s == '-' && (n = number_length(s + 1)) && !strncmp(s + 1 + n, ".so", 3))
		return 1 + n;
	return copy_length(s);
}

char *name_family(const char *name, unsigned rules)
{
	char *family = mem_alloc(strlen(name) + 1), *to = family;

	for (const char *s = name; *s;) {
		const char *file;
		size_t file_n, n;

		if ((rules & NAME_PLACE) && (n = place_length(s, &file, &file_n))) {
			*to++ = '{';
			memcpy(to, file, file_n);
			to += file_n;
			*to++ = '}';
		} else if ((rules & NAME_PLACE) && (n = line_length(name, s))) {
			*to++ = ':';
		} else if ((rules & NAME_ADDRESS) && (n = address_length(name, s))) {
			*to++ = '0';
			*to++ = 'x';
		} else if (!((rules & NAME_VERSION) && (n = version_length(name, s)))) {
			n = 1;
			*to++ = *s;
		}
		s += n;
	}
	return family;
}

const char *name_family_difference(const char *a, const char *b)
{
	static const char *const words[] = {"",
					    "place",
					    "address",
					    "place and address",
					    "version",
					    "place and version",
					    "address and version",
					    "place, address and version"};
	unsigned needed = 0;

	for (unsigned rule = NAME_PLACE; rule <= NAME_VERSION; rule <<= 1) {
		char *x = name_family(a, NAME_RULES & ~rule),
		     *y = name_family(b, NAME_RULES & ~rule);

		needed |= strcmp(x, y) ? rule : 0;
		free(x);
		free(y);
	}
	return words[needed];
}
