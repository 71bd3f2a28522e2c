/* table_text.c: pieces of text for tables and pictures: sizes, UTF-8, what a terminal may see, JSON. */
#include "cmd/table/table_text.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "analyze/base/base.h"
#include "analyze/base/number.h"
#include "analyze/base/text.h"

size_t table_text_width(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += (*s & 0xc0) != 0x80;
	return n;
}

void table_elide(char *s, size_t width)
{
	size_t have = table_text_width(s), head = (width - 1) / 2, skip = have - (width - 1);
	size_t at = 0;
	char *from, *to;

	if (have <= width)
		return;
	for (from = s; *from && at < head; from++)
		at += (from[1] & 0xc0) != 0x80;
	to = from;
	for (at = 0; *from && at < skip; from++)
		at += (from[1] & 0xc0) != 0x80;
	*to++ = '~';
	memmove(to, from, strlen(from) + 1);
}

/* The shortest text of a number for which number_text() has 15 digits at least. */
static char *tiny_text(char *to, double value)
{
	for (int digits = 1; digits <= 17; digits++) {
		snprintf(to, NUMBER_TEXT, "%.*g", digits, value);
		if (strtod(to, NULL) == value)
			break;
	}
	return to + strlen(to);
}

char *table_number_text(char *to, double value)
{
	double size = fabs(value);

	if (size < DBL_MIN && size > 0)
		return tiny_text(to, value);
	if (size == 0 || (size >= 1e15 && size < 9007199254740992.0 && size == floor(size)))
		/* 4503599627370497, not 4.503599627370497e+15 */
		return to + snprintf(to, NUMBER_TEXT, "%jd", (intmax_t)value);
	return number_text(to, value);
}

void table_number(FILE *f, double value)
{
	char text[NUMBER_TEXT];

	fwrite(text, 1, (size_t)(table_number_text(text, value) - text), f);
}

char *table_integer_text(char *to, int64_t value)
{
	if (value > -1000000000000000 && value < 1000000000000000)
		return number_text(to, (double)value); /* faster than printf */
	return to + snprintf(to, NUMBER_TEXT, "%jd", (intmax_t)value);
}

void table_integer(FILE *f, int64_t value)
{
	char text[NUMBER_TEXT];

	fwrite(text, 1, (size_t)(table_integer_text(text, value) - text), f);
}

/* Number of bytes that are the same in a JSON string. */
static size_t json_plain(const char *s)
{
	size_t n = 0;

	while (s[n] >= 0x20 && s[n] < 0x7f && s[n] != '"' && s[n] != '\\')
		n++;
	return n;
}

void table_json_string(FILE *f, const char *s)
{
	static const char plain[] = "\b\f\n\r\t\"\\", letter[] = "bfnrt\"\\";

	fputc('"', f);
	for (;;) {
		const char *known;
		size_t n = json_plain(s);

		if (n)
			fwrite(s, 1, n, f);
		s += n;
		if (!*s)
			break;
		n = text_utf8(s);
		known = strchr(plain, *s);
		if (!n) {
			fputs("\\ufffd", f);
			s++;
		} else if (known) {
			fprintf(f, "\\%c", letter[known - plain]);
			s++;
		} else if ((unsigned char)*s < 0x20 || *s == 0x7f) {
			fprintf(f, "\\u%04x", (unsigned char)*s++);
		} else {
			fwrite(s, 1, n, f);
			s += n;
		}
	}
	fputc('"', f);
}

void table_json_member(FILE *f, const char *name, const char *text)
{
	fprintf(f, ",\"%s\":", name);
	if (text)
		table_json_string(f, text);
	else
		fputs("null", f);
}

void table_json_number(FILE *f, double value)
{
	if (isfinite(value))
		table_number(f, value);
	else
		fputs("null", f);
}

/* XML 1.0 forbids most control characters, even escaped. */
void table_escaped(FILE *f, const char *s)
{
	static const char special[] = "&<>\"", *const entity[] = {"&amp;", "&lt;", "&gt;",
								  "&quot;"};

	while (*s) {
		size_t n = text_utf8(s);
		const char *known = strchr(special, *s);

		if (!n || (unsigned char)*s < 0x20 || *s == 0x7f) {
			fputs("\xef\xbf\xbd", f);
			s++;
		} else if (known) {
			fputs(entity[known - special], f);
			s++;
		} else {
			fwrite(s, 1, n, f);
			s += n;
		}
	}
}

int table_ascii(size_t width)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; width && i < sizeof(names) / sizeof(*names); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return !strcasestr(value, "utf-8") && !strcasestr(value, "utf8");
	}
	return width > 0;
}

size_t table_width(FILE *f)
{
	struct winsize size;

	if (!isatty(fileno(f)) || ioctl(fileno(f), TIOCGWINSZ, &size) < 0)
		return 0;
	return size.ws_col;
}

static const struct {
	const char *end;
	double us;
} units[] = {{"_ns", 1e-3}, {"_us", 1}, {"_ms", 1e3}, {"_s", 1e6}};
#define UNITS (sizeof(units) / sizeof(*units))

double table_key_unit(const char *key, const char **at)
{
	for (size_t i = 0; i < UNITS; i++)
		for (const char *s = key; (s = strstr(s, units[i].end)); s++) {
			const char *end = s + strlen(units[i].end);

			/* "time_ms_4" and "predicted_ms_64" have it before a number of PEs; "_" alone
			 * would be a word, as in "time_ms_of". */
			if (*end && !(*end == '_' && isdigit((unsigned char)end[1])))
				continue;
			if (at)
				*at = s;
			return units[i].us;
		}
	if (at)
		*at = key + strlen(key);
	return 0;
}
