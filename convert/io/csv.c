/* csv.c: writes text cells of CSV. */
#include "convert/io/csv.h"

#include <stdlib.h>
#include <string.h>

static int is_formula(const char *s)
{
	char *end;

	if (!*s || !strchr("=+-@\t\r", *s))
		return 0;
	strtod(s, &end);
	return end == s || *end;
}

/* Bytes of a cell that needs no quotes; 0: it does, or is empty. */
static size_t unquoted(const char *s)
{
	static const char special[256] = {['"'] = 1, [','] = 1, ['\r'] = 1, ['\n'] = 1, ['\0'] = 1};
	size_t n = 0;

	while (!special[(unsigned char)s[n]])
		n++;
	return s[n] || *s == ' ' || (n && s[n - 1] == ' ') ? 0 : n;
}

size_t csv_plain(const char *s)
{
	return is_formula(s) ? 0 : unquoted(s);
}

void csv_cell(FILE *f, const char *s)
{
	const int formula = is_formula(s);
	size_t n = unquoted(s);

	if (!*s)
		return;
	if (n) {
		if (formula)
			fputc('\'', f);
		fwrite(s, 1, n, f);
		return;
	}
	fputc('"', f);
	if (formula)
		fputc('\'', f);
	for (;; s += n + 1) {
		n = strcspn(s, "\"");
		fwrite(s, 1, n, f);
		if (!s[n])
			break;
		fputs("\"\"", f);
	}
	fputc('"', f);
}
