/* native_waits.h: what the innermost call of a live chunk waits for. */
#ifndef NATIVE_WAITS_H
#define NATIVE_WAITS_H

#include "convert/native/file/native_columns.h"

/*
 * Appends the waits of the live header to the columns of its chunk as WAITS records, with the time of the last record, if the call
 * is open there. The columns are whole (native_whole.h), and TIMES still has 4 bytes per record.
 */
void native_waits_add(struct native_columns *c, const struct tau_live_header *live);

#endif
