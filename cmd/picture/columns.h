/*
 * columns.h: a picture of one number for each of many things in a row, such as ranks: columns with a line for their mean on the left,
 * and a histogram on the right. If there are more things than room, a column shows several: it reaches from the least to the
 * largest of them.
 */
#ifndef COLUMNS_H
#define COLUMNS_H

#include <stddef.h>
#include <stdio.h>

struct columns_value {
	char *name;	/* freed by columns_release() */
	double value;
};

struct columns {
	const char *title, *subtitle, *x_title;
	struct columns_value *v;
	size_t v_n, v_cap;
	double mean;
	const size_t *bin;	/* how many values, from the least to the largest */
	size_t bins;
	/* A value as text, into out, which is returned. */
	const char *(*text)(const void *of, double value, char out[48]);
	const void *of;
};

void columns_print(const struct columns *c, FILE *f);
void columns_release(struct columns *c);

#endif
