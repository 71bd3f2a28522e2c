/*
 * profile_format.h: the profile formats as rows. A file's format is recognized by its contents,
 * never by its name; tau-formats(5) describes each of them. A new one is one file and one row.
 */
#ifndef PROFILE_FORMAT_H
#define PROFILE_FORMAT_H

#include <stdio.h>

#include "analyze/profile/profile.h"
#include "convert/io/input.h"

/* What a format can hold of a profile; profile_format_lost() names the rest. */
enum profile_keeps {
	KEEPS_METRICS = 1 << 0,		/* metrics besides the first */
	KEEPS_PATHS = 1 << 1,
	KEEPS_THREADS = 1 << 2,		/* apart, not added up */
	KEEPS_DERIVED = 1 << 3,
	KEEPS_COUNTERS = 1 << 4,
	KEEPS_CONTEXTS = 1 << 5,	/* of counters */
	KEEPS_META = 1 << 6,
	KEEPS_GROUPS = 1 << 7,
	KEEPS_CALLS = 1 << 8,		/* and calls to children */
	KEEPS_PLACES = 1 << 9,		/* source files and lines that are not part of the name */
	KEEPS_WINDOW = 1 << 10,
	KEEPS_FRACTIONS = 1 << 11,	/* of a nanosecond, or of another metric's unit */
	KEEPS_LONG = 1 << 12,		/* texts over 65,535 bytes, more than 2^31 - 1 samples */
	KEEPS_SERIES = 1 << 13,		/* several windows */
	KEEPS_LINES = 1 << 14,		/* line ends within names */
	KEEPS_SEMICOLONS = 1 << 15,	/* within names */
	KEEPS_DIGITS = 1 << 16,		/* all of them */
	KEEPS_CALLERS = 1 << 17,	/* what callers that samples were unwound to have of their own */
	KEEPS_EDGES = 1 << 18,		/* blanks at the ends of names */
	KEEPS_TITLES = 1 << 19,		/* blanks at the ends of the names of metrics */
	KEEPS_CONTROLS = 1 << 20,	/* control characters, in any text */
	KEEPS_BYTES = 1 << 21,		/* bytes that are not UTF-8, in any text */
	KEEPS_SIGNS = 1 << 22,		/* of the names of metrics, what is no letter, digit or underscore */
	KEEPS_BELOW_0 = 1 << 23,	/* values below 0 */
	KEEPS_NAN = 1 << 24,		/* values that are not numbers, or infinite */
	KEEPS_PATHLIKE = 1 << 25,	/* names that look like a call path or a context */
	KEEPS_SQUARES = 1 << 26,	/* sums of squares of the calls' values */
};

struct profile_format {
	const char *name;		/* "ppk" */
	const char *about;		/* one phrase for messages and manuals */
	const char *suffix;		/* of its files, ".ppk"; "": a directory. NULL: it is only read */
	uint32_t keeps;
	/* NULL: it is only written; p has a NUL after it */
	int (*is)(const unsigned char *p, size_t n);
	/*
	 * Reads n bytes (a NUL after them) of the file at path, which is used in messages and as
	 * the name of the trial: "PATH: offset N: what", "PATH: line N: what". *out is sorted.
	 */
	int (*read)(const char *path, const unsigned char *p, size_t n, struct profile **out, struct error *e);
	/*
	 * Prints profile nth of n, one call after the other: the first call also prints the head of
	 * the file, the last one its end. NULL: it is written as a directory (tau_profile.h), or
	 * only read, so that it keeps nothing. Without KEEPS_SERIES there is one profile.
	 */
	void (*print)(FILE *f, struct profile *p, size_t nth, size_t n);
};

/* Ends with a row without a name. */
extern const struct profile_format profile_formats[];

/* The row of that name; NULL: there is none. */
const struct profile_format *profile_format_named(const char *name);

/*
 * Reads an input: a directory of TAU profiles or of its snapshots, a file in one of the formats, in gzip or not, or a directory
 * with exactly one such file (other than folded stacks, which any text may look like). *format (may be NULL) is the row. ERROR_INPUT:
 * it is damaged or none of them; ERROR_SYSTEM: it cannot be read. The caller frees *out.
 */
int profile_read(struct input *in, const struct profile_format **format, struct profile **out, struct error *e);

/* 1 when path is a file in one of the formats, but not one of folded stacks. */
int profile_file_is(const char *path);

/* 1 when the input begins as one of the formats does, or is a directory that holds profiles. */
int profile_is(struct input *in);

/*
 * What is lost of profiles that are written one after the other: zero it before the first.
 * profile_loss_text(): "folded cannot hold: 2 metrics, 17 counters, ...", to be freed; NULL: nothing is lost.
 */
enum { PROFILE_LOSSES = 32 };
struct profile_loss {
	size_t n;		/* profiles */
	size_t count[PROFILE_LOSSES];
};
void profile_loss_add(struct profile_loss *l, const struct profile_format *f, const struct profile *p);
char *profile_loss_text(const struct profile_loss *l, const struct profile_format *f);
/* The same of one profile. */
char *profile_format_lost(const struct profile_format *f, const struct profile *p);

/* ---- readers and writers that have no header of their own ---- */

/* One file of a directory of TAU profiles (tau_profile.h), by itself. */
int tau_file_is(const unsigned char *p, size_t n);
int tau_file_read(const char *path, const unsigned char *p, size_t n, struct profile **out, struct error *e);

int ppk_is(const unsigned char *p, size_t n);
int ppk_read(const char *path, const unsigned char *p, size_t n, struct profile **out, struct error *e);
void ppk_print(FILE *f, struct profile *p, size_t nth, size_t n);

int snapshot_is(const unsigned char *p, size_t n);
int snapshot_read(const char *path, const unsigned char *p, size_t n, struct profile **out, struct error *e);
/* A folder with snapshot.N.C.T, one for each thread. Its name is not the trial's yet. */
int snapshot_folder_is(struct input *in);
int snapshot_folder_read(struct input *in, struct profile **out, struct error *e);
void snapshot_print(FILE *f, struct profile *p, size_t nth, size_t n);

int cubex_is(const unsigned char *p, size_t n);
int cubex_read(const char *path, const unsigned char *p, size_t n, struct profile **out, struct error *e);
int cube3_is(const unsigned char *p, size_t n);
int cube3_read(const char *path, const unsigned char *p, size_t n, struct profile **out, struct error *e);

int folded_is(const unsigned char *p, size_t n);
int folded_read(const char *path, const unsigned char *p, size_t n, struct profile **out, struct error *e);
void folded_print(FILE *f, struct profile *p, size_t nth, size_t n);

void callgrind_print(FILE *f, struct profile *p, size_t nth, size_t n);
void pprof_print(FILE *f, struct profile *p, size_t nth, size_t n);

#endif
