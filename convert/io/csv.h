/* csv.h: text cells of CSV (RFC 4180) for all writers. */
#ifndef CSV_H
#define CSV_H

#include <stdio.h>

/*
 * Writes s as one cell, quoted if it holds a comma, a quote or a line end, or begins or ends with a blank. A spreadsheet takes a
 * cell that begins with = + - @, a tab or a carriage return for a formula, so such a text gets an apostrophe first; a text that
 * is a number as a whole stays.
 */
void csv_cell(FILE *f, const char *s);

#endif
