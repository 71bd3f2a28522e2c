/*
 * timer_name.h: what the name of a timer or counter shows, in TAU's conventions:
 *
 *	int main(int, char **) C [{matmult.c} {209,1}-{299,1}]	source location of a timer
 *	[SAMPLE] foo [{foo.c} {12}]				line only
 *	for enter/exit [OpenMP location: file:foo.c <12, 34>]	first and last line, of Opari
 *	foo [ <i> = <3> ]					parameters of a timer
 *	Message size for broadcast : main => MPI_Bcast()	counter in the context of a call path
 */
#ifndef TIMER_NAME_H
#define TIMER_NAME_H

#include <stddef.h>
#include <stdint.h>

struct name_location {
	const char *begin;	/* the bracket before it, inside the name */
	const char *file;	/* inside the name, not terminated */
	size_t file_n;
	uint32_t line, column, line_end, column_end;	/* 0: not in the name */
};

/* 1, and *out is filled, if the name has a source location; otherwise 0. */
int name_location(const char *name, struct name_location *out);

/*
 * Length of the name without source location, parameters and the blanks before them; never 0 unless
 * the name is empty.
 */
size_t name_short(const char *name);

struct name_address {
	const char *module, *at; /* inside the name, not terminated */
	size_t module_n, at_n;
};

/* 1, and *out is filled, if it is code without a name: "addr=<0x1cc40> [libgomp.so.1]"; otherwise 0. */
int name_address(const char *name, struct name_address *out);

struct name_parameter {
	const char *key, *value;	/* inside the name, not terminated */
	size_t key_n, value_n;
};

/*
 * Finds the next "<key> = <value>" at or after *cursor (at first: the name itself). 1: *out is
 * filled and the cursor moves on; 0: there is none.
 */
int name_parameter(const char **cursor, struct name_parameter *out);

/*
 * Calls each(arg, name, base length, context) for every split of the name into "BASE : CONTEXT",
 * the longest base first, until one call returns non-zero; returns that, or 0. The name of an event
 * may itself contain " : ", so only the caller, which has the lists of events and timers, can
 * decide which split is right. Names from a file may contain any number: more than NAME_SPLITS are not tried.
 */
#define NAME_SPLITS 256
int name_context(const char *name, int (*each)(void *arg, const char *name, size_t base_n, const char *context),
		 void *arg);

#endif
