/* quantity.c: reads and prints times, sizes, counts and percentages with their units. */
#include "analyze/base/quantity.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct quantity_unit {
	const char *name;
	int64_t of;
};

#define KI 1024ll
static const struct quantity_unit times[] = {
	{"ns", 1},         {"us", 1000},         {"ms", 1000000},
	{"s", 1000000000}, {"m", 60000000000ll}, {"h", 3600000000000ll},
	{NULL, 0}};
static const struct quantity_unit sizes[] = {
	{"B", 1},	   {"K", 1000},	       {"KB", 1000},	       {"KiB", KI},
	{"M", 1000000},	   {"MB", 1000000},    {"MiB", KI * KI},       {"G", 1000000000},
	{"GB", 1000000000}, {"GiB", KI * KI * KI}, {"T", 1000000000000ll}, {"TB", 1000000000000ll},
	{"TiB", KI * KI * KI * KI}, {NULL, 0}};
static const struct quantity_unit counts[] = {
	{"", 1}, {"K", 1000}, {"M", 1000000}, {"G", 1000000000}, {"T", 1000000000000ll}, {NULL, 0}};
static const struct quantity_unit percents[] = {
	{"%", QUANTITY_ONE_PERCENT}, {"", QUANTITY_ONE_PERCENT}, {NULL, 0}};

static const struct {
	const struct quantity_unit *unit;
	const char *what, *units;
} kinds[QUANTITIES] = {
	[QUANTITY_TIME] = {times, "time", "ns, us, ms, s, m or h"},
	[QUANTITY_SIZE] = {sizes, "size", "B, K, KB, KiB, M, MB, MiB, G, GB, GiB, T, TB or TiB"},
	[QUANTITY_COUNT] = {counts, "number", "K, M, G, T"},
	[QUANTITY_PERCENT] = {percents, "percentage", "%"},
};

/* ---- reading ---- */

/* digits * 10^-places */
struct decimal {
	unsigned __int128 digits;
	int places;
};

static int is_digit(const char *s, const char *end)
{
	return s < end && *s >= '0' && *s <= '9';
}

/* 0: more digits than a value in ns, times a unit, has room for. */
static int digit_add(struct decimal *d, char c)
{
	if (d->digits >> 80)
		return 0;
	d->digits = d->digits * 10 + (unsigned)(c - '0');
	return 1;
}

/* Returns the end of the exponent at s, or s: there is none; NULL: it is too large. */
static const char *exponent_read(struct decimal *d, const char *s, const char *end)
{
	const char *at = s + 1;
	int negative = at < end && *at == '-', n = 0;

	at += at < end && (*at == '-' || *at == '+');
	if (s == end || (*s != 'e' && *s != 'E') || !is_digit(at, end))
		return s;
	for (; is_digit(at, end); at++) {
		n = n * 10 + (*at - '0');
		if (n > 40)
			return NULL;
	}
	d->places += negative ? n : -n;
	return at;
}

/* Returns the end of the number at s; NULL: there is none, or it is too long. */
static const char *decimal_read(struct decimal *d, const char *s, const char *end)
{
	const char *at = s;

	*d = (struct decimal){0};
	for (; is_digit(at, end); at++)
		if (!digit_add(d, *at))
			return NULL;
	if (at < end && *at == '.') {
		if (!is_digit(at + 1, end))
			return NULL;
		for (at++; is_digit(at, end); at++, d->places++)
			if (!digit_add(d, *at))
				return NULL;
	}
	return at > s ? exponent_read(d, at, end) : NULL;
}

/* d times `of`, rounded down. 0: more than INT64_MAX. */
static int decimal_value(const struct decimal *d, int64_t of, int64_t *out)
{
	unsigned __int128 v = d->digits, rest = 0;
	int places = d->places;

	/* Before the multiplication, what cannot reach the value: 83 + 42 bits fit into 128. */
	for (; places > 26; places--)
		v /= 10;
	v *= (uint64_t)of;
	for (; places > 0; places--)
		v /= 10;
	for (; places < 0 && v && !rest; places++) {
		rest = v >> 64;
		v *= 10;
	}
	if (rest || v > INT64_MAX)
		return 0;
	*out = (int64_t)v;
	return 1;
}

int quantity_read(enum quantity kind, const char *s, size_t n, const char *plain, int64_t *out)
{
	const char *end = s + n, *unit;
	struct decimal d;
	size_t unit_n;

	unit = decimal_read(&d, s, end);
	if (!unit)
		return 0;
	if (unit == end) {
		if (!plain)
			return 0;
		unit = plain;
		unit_n = strlen(plain);
	} else {
		unit_n = (size_t)(end - unit);
	}
	for (const struct quantity_unit *u = kinds[kind].unit; u->name; u++)
		if (strlen(u->name) == unit_n && !memcmp(u->name, unit, unit_n))
			return decimal_value(&d, u->of, out);
	return 0;
}

/* " of 1ms or more", " from 50us to 1000s" */
static char *limits_text(const struct quantity_option *o)
{
	return o->least && o->most ? mem_printf(" from %s to %s", o->least, o->most)
	       : o->least	   ? mem_printf(" of %s or more", o->least)
	       : o->most	   ? mem_printf(" of at most %s", o->most)
				   : mem_string("");
}

static int refused(const struct quantity_option *o, const char *text, struct error *e)
{
	char *limits = limits_text(o);
	int code;

	if (o->kind == QUANTITY_COUNT || o->kind == QUANTITY_PERCENT)
		code = error_set(e, ERROR_USAGE, "%s: '%s' is not a %s%s; use for example %s",
				 o->name, text, kinds[o->kind].what, limits, o->example);
	else
		code = error_set(e, ERROR_USAGE, "%s: '%s' is not a %s%s; use a number with "
						 "%s%s%s%s, such as %s",
				 o->name, text, kinds[o->kind].what, limits, kinds[o->kind].units,
				 o->plain ? " (without: " : "", o->plain ? o->plain : "",
				 o->plain ? ")" : "", o->example);
	free(limits);
	return code;
}

/* A limit of an option; NULL: `none`. */
static int64_t limit(enum quantity kind, const char *text, int64_t none)
{
	int64_t v = none;

	if (text)
		quantity_read(kind, text, strlen(text), "", &v);
	return v;
}

int quantity_option(const struct quantity_option *o, const char *text, int64_t *out,
		    struct error *e)
{
	int64_t v;

	if (!quantity_read(o->kind, text, strlen(text), o->plain, &v) ||
	    v < limit(o->kind, o->least, 0) || v > limit(o->kind, o->most, INT64_MAX))
		return refused(o, text, e);
	*out = v;
	return 0;
}

/* ---- printing ---- */

const char *quantity_in_text(double value, int digits, const char *unit, char to[QUANTITY_TEXT])
{
	double digit = pow(10, -digits), size = fabs(value);
	const char *blank = unit ? " " : "", *name = unit ? unit : "";

	/* A millionth of the last digit is a rounding error of sums. */
	if (size < digit * 1e-6)
		snprintf(to, QUANTITY_TEXT, "%.*f%s%s", digits, 0.0, blank, name);
	else if (size < digit / 2)
		snprintf(to, QUANTITY_TEXT, "%s%.*f%s%s", value > 0 ? "<" : ">-", digits, digit,
			 blank, name);
	else if (size < 1e30)
		snprintf(to, QUANTITY_TEXT, "%.*f%s%s", digits, value, blank, name);
	else
		snprintf(to, QUANTITY_TEXT, "%g%s%s", value, blank, name);
	return to;
}

/* Digits after the point with which v has four. */
static int four_digits(double v)
{
	return v >= 999.95 ? 0 : v >= 99.995 ? 1 : v >= 9.9995 ? 2 : 3;
}

/* But for an error of a multiplication. */
static int is_whole(double ns)
{
	return fabs(ns - rint(ns)) < 1e-6;
}

/* full: what would be printed as 1000: the next unit is due. */
static const struct quantity_unit *suited(double ns, double full)
{
	double size = fabs(ns);

	return &times[size >= full * 1e6 || ns == 0 ? 3 : size >= full * 1e3 ? 2 : size >= full];
}

/* Without a point. */
static int is_plain(double ns, const struct quantity_unit *u)
{
	return ns == 0 || (u == times && is_whole(ns));
}

const char *quantity_time_text(double ns, char to[QUANTITY_TEXT])
{
	const struct quantity_unit *u = suited(ns, 999.95);
	double v = ns / (double)u->of;

	return quantity_in_text(v, is_plain(ns, u) ? 0 : four_digits(fabs(v)), u->name, to);
}

const char *quantity_moment_text(double ns, char to[QUANTITY_TEXT])
{
	const struct quantity_unit *u = suited(ns, 999.9995);
	int digits = is_plain(ns, u) ? 0 : u->of == 1000000000 ? 6 : 3;

	return quantity_in_text(ns / (double)u->of, digits, u->name, to);
}

const char *quantity_time_tick(double ns, double most, char to[QUANTITY_TEXT])
{
	const struct quantity_unit *u = &times[most >= 1e10 ? 3 : most >= 1e7 ? 2 : most >= 1e4];

	snprintf(to, QUANTITY_TEXT, "%.8g %s", ns / (double)u->of, u->name);
	return to;
}

const char *quantity_option_text(int64_t ns, char to[QUANTITY_TEXT])
{
	size_t u = 3;

	while (u && (!ns || ns % times[u].of))
		u--;
	snprintf(to, QUANTITY_TEXT, "%" PRId64 "%s", ns / times[u].of, times[u].name);
	return to;
}

const char *quantity_size_text(double bytes, char to[QUANTITY_TEXT])
{
	static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	double size = fabs(bytes);
	size_t u = 0;
	int digits;

	/* From 1023.5 on it would print as 1024: the next unit is due. */
	while (size >= 1023.5 && u + 1 < sizeof(unit) / sizeof(*unit)) {
		size /= 1024;
		u++;
	}
	digits = size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
	if (!u && size == floor(size))
		digits = 0;
	snprintf(to, QUANTITY_TEXT, size < 1e30 ? "%s%.*f %s" : "%s%.*g %s", bytes < 0 ? "-" : "",
		 digits, size, unit[u]);
	return to;
}

const char *quantity_percent_text(double percent, char to[QUANTITY_TEXT])
{
	return quantity_in_text(percent, 1, "%", to);
}

char *quantity_with_percent(const char *text, double percent)
{
	char share[QUANTITY_TEXT];

	return mem_printf("%s, %s", text, quantity_percent_text(percent, share));
}
