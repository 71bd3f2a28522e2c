/* window_wall.c: reads clock times. */
#include "analyze/window/window_wall.h"

#include <limits.h>
#include <string.h>
#include <time.h>

#define NS        1000000000ll
#define YEARS_MAX 2262 /* limit of ns since 1970 in 64 bits */

struct cursor {
	const char *s, *end;
};

/* Reads exactly n digits, and the character after them, if that is not 0. */
static int read_digits(struct cursor *c, int n, char behind, int *out)
{
	*out = 0;
	for (int i = 0; i < n; i++, c->s++) {
		if (c->s == c->end || *c->s < '0' || *c->s > '9')
			return 0;
		*out = *out * 10 + (*c->s - '0');
	}
	if (!behind)
		return 1;
	return c->s < c->end && *c->s++ == behind;
}

/* Reads ".25" as ns; digits after the ninth are ignored. */
static int64_t parse_fraction(struct cursor *c)
{
	int64_t ns = 0, unit = NS / 10;

	if (c->s == c->end || *c->s != '.')
		return 0;
	for (c->s++; c->s < c->end && *c->s >= '0' && *c->s <= '9'; c->s++, unit /= 10)
		ns += (*c->s - '0') * unit;
	return ns;
}

static int parse_clock(struct cursor *c, struct tm *tm, int64_t *ns)
{
	if (!read_digits(c, 2, ':', &tm->tm_hour) || !read_digits(c, 2, ':', &tm->tm_min) ||
	    !read_digits(c, 2, 0, &tm->tm_sec) || tm->tm_hour > 23 || tm->tm_min > 59 ||
	    tm->tm_sec > 60)
		return 0;
	*ns = parse_fraction(c);
	return 1;
}

/* Reads "Z", "+02:00" or nothing: the time zone of this machine. */
static int parse_zone(struct cursor *c, struct tm *tm, int64_t *seconds)
{
	int hours, minutes, sign;

	if (c->s == c->end) {
		tm->tm_isdst = -1;
		*seconds = mktime(tm);
		return 1;
	}
	*seconds = timegm(tm);
	if (*c->s == 'Z')
		return ++c->s == c->end;
	sign = *c->s == '+' ? 1 : *c->s == '-' ? -1 : 0;
	c->s++;
	if (!sign || !read_digits(c, 2, ':', &hours) || !read_digits(c, 2, 0, &minutes) ||
	    c->s != c->end)
		return 0;
	*seconds -= sign * (hours * 3600 + minutes * 60);
	return 1;
}

static int wall_date(struct cursor c, int64_t *out)
{
	struct tm tm = {0};
	int64_t ns, seconds;
	int year, month;

	if (!read_digits(&c, 4, '-', &year) || !read_digits(&c, 2, '-', &month) ||
	    !read_digits(&c, 2, 0, &tm.tm_mday) || c.s == c.end || (*c.s != 'T' && *c.s != ' '))
		return 0;
	c.s++;
	if (year < 1970 || year >= YEARS_MAX || month < 1 || month > 12 || tm.tm_mday < 1 ||
	    tm.tm_mday > 31 || !parse_clock(&c, &tm, &ns))
		return 0;
	tm.tm_year = year - 1900;
	tm.tm_mon = month - 1;
	if (!parse_zone(&c, &tm, &seconds))
		return 0;
	*out = seconds * NS + ns;
	return 1;
}

static int wall_seconds(struct cursor c, int64_t *out)
{
	int64_t seconds = 0;
	const char *digits;

	if (c.s == c.end || *c.s++ != '@')
		return 0;
	for (digits = c.s; c.s < c.end && *c.s >= '0' && *c.s <= '9'; c.s++)
		if (seconds < INT64_MAX / NS / 10 - 1)
			seconds = seconds * 10 + (*c.s - '0');
	if (c.s == digits)
		return 0;
	*out = seconds * NS + parse_fraction(&c);
	return c.s == c.end;
}

int wall_moment(const char *s, size_t n, int64_t *out)
{
	struct cursor c = {s, s + n};

	return wall_date(c, out) || wall_seconds(c, out);
}

int wall_clock(const char *s, size_t n, int64_t *out)
{
	struct cursor c = {s, s + n};
	struct tm tm = {0};
	int64_t ns;

	if (!parse_clock(&c, &tm, &ns) || c.s != c.end)
		return 0;
	*out = (tm.tm_hour * 3600ll + tm.tm_min * 60 + tm.tm_sec) * NS + ns;
	return 1;
}

int64_t wall_nearest(int64_t clock, int64_t begin, int64_t end)
{
	int64_t best = 0, least = INT64_MAX;

	for (int day = -1; day <= 1; day++) {
		time_t seconds = begin / NS;
		int64_t at, away;
		struct tm tm;

		localtime_r(&seconds, &tm);
		tm.tm_mday += day;
		tm.tm_hour = (int)(clock / NS / 3600);
		tm.tm_min = (int)(clock / NS / 60 % 60);
		tm.tm_sec = (int)(clock / NS % 60);
		tm.tm_isdst = -1;
		at = (int64_t)mktime(&tm) * NS + clock % NS;
		away = at < begin ? begin - at : at > end ? at - end : 0;
		if (away < least) {
			least = away;
			best = at;
		}
	}
	return best;
}
