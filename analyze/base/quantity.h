/*
 * quantity.h: reads and prints times, sizes, counts and percentages: the only place where their units are.
 *
 *	time		ns us ms s m h
 *	size		B, K KB M MB G GB T TB (powers of 1000), KiB MiB GiB TiB (powers of 1024)
 *	count		K M G T (powers of 1000)
 *	percentage	%
 *
 * A number is decimal digits with an optional fraction and exponent: 10, 0.5, .5, 1e3.
 */
#ifndef QUANTITY_H
#define QUANTITY_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/base/base.h"

enum quantity { QUANTITY_TIME, QUANTITY_SIZE, QUANTITY_COUNT, QUANTITY_PERCENT, QUANTITIES };

/* What one percent is as a number. */
#define QUANTITY_ONE_PERCENT 1000000000ll

/*
 * Reads all n bytes at s. plain: the unit of a number without one; NULL: a unit is needed. 1: *out is the value in ns, bytes,
 * one or QUANTITY_ONE_PERCENT, rounded down. 0: the text is no such quantity, or larger than INT64_MAX.
 */
int quantity_read(enum quantity kind, const char *s, size_t n, const char *plain, int64_t *out);

/* An option, or a variable, that takes a quantity. */
struct quantity_option {
	const char *name;	/* "--delay" */
	enum quantity kind;
	const char *plain;	/* as for quantity_read(); for counts and percentages "" */
	const char *least, *most;	/* "1ms"; NULL: no limit, and 0 is allowed */
	const char *example;	/* "500ms" */
};
/*
 * ERROR_USAGE: "--delay: '5x' is not a time; use a number with ns, us, ms, s, m or h (without: s), such as 500ms".
 */
int quantity_option(const struct quantity_option *o, const char *text, int64_t *out,
		    struct error *e);

/* The functions below write to `to` and return it. */
#define QUANTITY_TEXT 48

/*
 * "1.234 s", "12.35 ms", "4.500 us", "120 ns": in the unit that suits, with four digits or all before the point. A time that
 * is not 0 is never printed as 0.
 */
const char *quantity_time_text(double ns, char to[QUANTITY_TEXT]);
/*
 * A place in the time of a run, which is compared with others and with windows: "405.750 ms", "3725.123456 s". To the
 * microsecond, or the nanosecond below 1 ms.
 */
const char *quantity_moment_text(double ns, char to[QUANTITY_TEXT]);
/* At an axis up to `most` ns: in one unit, with the fewest digits that a round number has. */
const char *quantity_time_tick(double ns, double most, char to[QUANTITY_TEXT]);
/* A value in a unit (NULL: none): "12.345 ms"; "<0.001 ms" if it is not 0 and would be printed as 0. */
const char *quantity_in_text(double value, int digits, const char *unit, char to[QUANTITY_TEXT]);
/* As an option takes it: "1ms", "1500us"; all digits, in the largest unit that needs no point. */
const char *quantity_option_text(int64_t ns, char to[QUANTITY_TEXT]);
/* "232 B", "1.91 KiB", "2.61 MiB": three digits, powers of 1024. */
const char *quantity_size_text(double bytes, char to[QUANTITY_TEXT]);
/* "12.3 %": a percentage with one digit after the point; "<0.1 %" if it is not 0 and would be printed as 0. */
const char *quantity_percent_text(double percent, char to[QUANTITY_TEXT]);
/* "1.91 KiB, 12.3 %", to be freed. */
char *quantity_with_percent(const char *text, double percent);

#endif
