/*
 * output.h: output that appears whole or not at all. A command prints into memory; the end puts it on standard
 * output, or into a file under a temporary name beside it which is then renamed.
 */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdio.h>

#include "../analyze/base.h"

struct output {
	FILE *file;	/* print here */
	char *text;
	size_t length;
};

void output_open(struct output *o);
/* path NULL or "-": standard output. Releases o in any case. ERROR_SYSTEM: nothing was left at path that was not there before. */
int output_close(struct output *o, const char *path, struct error *e);
/* Throws away what was printed. */
void output_drop(struct output *o);

#endif
