/* tap.h: the Test Anything Protocol for C tests: ok(), skip() and tap_end(). */
#ifndef TAP_H
#define TAP_H

#include <stdarg.h>
#include <stdio.h>

static int tap_n, tap_bad;

__attribute__((format(printf, 2, 3), unused)) static int ok(int good, const char *format, ...)
{
	va_list args;

	tap_bad += !good;
	printf("%sok %d - ", good ? "" : "not ", ++tap_n);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
	return good;
}

__attribute__((unused)) static void skip(const char *what, const char *why)
{
	printf("ok %d - %s # SKIP %s\n", ++tap_n, what, why);
}

/* Last statement of main: return tap_end(); */
__attribute__((unused)) static int tap_end(void)
{
	printf("1..%d\n", tap_n);
	return tap_bad != 0;
}

#endif
