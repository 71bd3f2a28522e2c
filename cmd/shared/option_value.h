/* option_value.h: gives an option its value, wherever that comes from. */
#ifndef OPTION_VALUE_H
#define OPTION_VALUE_H

#include "cmd/shared/option_types.h"

/* value: NULL if there is none; borrowed, and kept by the option. ERROR_USAGE. */
int option_set(const struct option *o, const char *value, struct error *e);

/* "; did you mean 'PREFIXname'?", or "" if no option of the program is near a word; to be freed. */
char *option_near(const struct option *options, const char *word, const char *prefix);

/* The option of this name, which has `length` letters; NULL: there is none. */
const struct option *option_find(const struct option *options, const char *name, size_t length);

#endif
