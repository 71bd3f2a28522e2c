/*
 * table_text.h: pieces of text for tables and pictures: sizes in bytes, UTF-8 that may be broken, what a terminal
 * may see, numbers that read back as they were, JSON strings.
 */
#ifndef TABLE_TEXT_H
#define TABLE_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analyze/base/quantity.h"

/* Writes s as a JSON string with its quotes; what is not UTF-8 becomes U+FFFD. */
void table_json_string(FILE *f, const char *s);
/* Writes ,"name": and the text as a JSON string; null for NULL. */
void table_json_member(FILE *f, const char *name, const char *text);
/* Writes the shortest decimal that reads back as value; null where it is not finite. */
void table_json_number(FILE *f, double value);

/* Writes the shortest decimal that reads back as value, which is finite; whole numbers as such. */
void table_number(FILE *f, double value);
/* The same into at least NUMBER_TEXT bytes (number.h); the end of the text, which has no NUL. */
char *table_number_text(char *to, double value);
char *table_integer_text(char *to, int64_t value);
void table_integer(FILE *f, int64_t value);

/* Escaped for XML and HTML, also inside quotes; what XML forbids becomes U+FFFD. */
void table_escaped(FILE *f, const char *s);

/* Characters that s takes on the screen: one each is right for the names that programs have. */
size_t table_text_width(const char *s);
/* Columns of the terminal of f, 0 if it is none. */
size_t table_width(FILE *f);
/* What is that wide is a terminal (0: none) that is not known to show UTF-8. */
int table_ascii(size_t width);
/* Takes characters out of the middle of s, in place, until it is width wide. */
void table_elide(char *s, size_t width);
/* Microseconds of the unit at the end of a key, as in "mean_ms" or "time_ms_4"; 0: it has none. *at: where
 * "_ms" begins; NULL if not needed. */
double table_key_unit(const char *key, const char **at);

#endif
