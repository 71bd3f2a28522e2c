/*
 * timer_name.h: what the text of a timer or counter name says, in TAU's conventions:
 *
 *	int main(int, char **) C [{matmult.c} {209,1}-{299,1}]	source location of a timer
 *	[SAMPLE] foo [{foo.c} {12}]				line only
 *	foo [ <i> = <3> ]					parameters of a timer
 *	Message size for broadcast : main => MPI_Bcast()	counter in the context of a call path
 */
#ifndef TIMER_NAME_H
#define TIMER_NAME_H

#include <stddef.h>
#include <stdint.h>

struct name_location {
	const char *file;	/* inside the name, not terminated */
	size_t file_n;
	uint32_t line, column, line_end, column_end;	/* 0: not given */
};

/* 1 and *out filled when the name carries a source location, otherwise 0. */
int name_location(const char *name, struct name_location *out);

/* Length of the name without source location, parameters and the blanks before them; never 0 for a name. */
size_t name_short(const char *name);

struct name_parameter {
	const char *key, *value;	/* inside the name, not terminated */
	size_t key_n, value_n;
};

/* Next "<key> = <value>" at or after *cursor (start: the name itself): 1 and the cursor moves on, or 0. */
int name_parameter(const char **cursor, struct name_parameter *out);

/*
 * Calls each(arg, base length, context) for every way to read name as "BASE : CONTEXT", the longest base first,
 * until one returns non-zero; returns that, or 0. An event's own name may hold " : ", so only the
 * caller, who knows which events and timers there are, can tell which reading is meant.
 */
int name_context(const char *name, int (*each)(void *arg, const char *name, size_t base_n, const char *context),
		 void *arg);

#endif
