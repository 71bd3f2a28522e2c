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

void csv_cell(FILE *f, const char *s)
{
	size_t n = strlen(s);
	int formula = is_formula(s);

	if (!n)
		return;
	if (!strpbrk(s, "\",\r\n") && *s != ' ' && s[n - 1] != ' ') {
		if (formula)
			fputc('\'', f);
		fputs(s, f);
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
