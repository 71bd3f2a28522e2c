/* native_numbers.h: columns whose tokens are numbers of a list. */
#ifndef NATIVE_NUMBERS_H
#define NATIVE_NUMBERS_H

#include "convert/native/file/native_columns.h"

/*
 * Sets `listed` and `token` of a chunk with TAU_LAYOUT_NUMBERS whose columns TIMES and IDS have just been
 * inflated, and puts TIMES in the order of records. 0, or -1: the list is damaged.
 */
int native_numbers_parse(struct native_columns *c);
/* The same if only IDS has been inflated: TIMES stays as it is. */
int native_numbers_tokens(struct native_columns *c);
/* Makes IDS of such a chunk two planes. */
void native_numbers_spread(struct native_columns *c);

#endif
