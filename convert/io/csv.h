/* csv.h: writes text cells of CSV (RFC 4180) for all writers. */
#ifndef CSV_H
#define CSV_H

#include <stdio.h>

/*
 * Writes s as one cell, with quotes if it contains a comma, a quote or a line end, or begins or
 * ends with a blank. A spreadsheet treats a cell that begins with = + - @, a tab or a carriage
 * return as a formula, so such a text gets an apostrophe first, unless all of it is a number.
 */
void csv_cell(FILE *f, const char *s);
/* Bytes of s, if a cell is written as it is; 0: it is not, or s is empty. */
size_t csv_plain(const char *s);

#endif
