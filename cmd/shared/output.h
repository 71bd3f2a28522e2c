/*
 * output.h: output that appears whole or not at all. A command prints into memory; the end puts it on standard
 * output, or into a file under a temporary name beside it which is then renamed. What may be large is written as it comes:
 * a file appears at the end all the same.
 */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdio.h>

#include "analyze/base/base.h"

struct output {
	FILE *file;	/* print here */
	char *text;
	size_t length;
	char *temporary;	/* name of the file that is being written; NULL: none is */
	int written;		/* as it comes, not kept in memory */
};

void output_open(struct output *o);
/* The same, written as it comes. path: as output_close() has it. ERROR_SYSTEM: nothing is left to release. */
int output_begin(struct output *o, const char *path, struct error *e);
/* Hands on what has been printed so far. ERROR_SYSTEM: it cannot be written. */
int output_flush(struct output *o, const char *path, struct error *e);
/* path NULL or "-": standard output. Releases o in any case. ERROR_SYSTEM: nothing was left at path that was not there before. */
int output_close(struct output *o, const char *path, struct error *e);
/* Writes all; -1 and errno. */
int output_write(int fd, const char *s, size_t n);
/* Throws away what was printed. */
void output_drop(struct output *o);

#endif
