/* native_open.h: the regions that are open at the end of a live chunk, and how they came to be. */
#ifndef NATIVE_OPEN_H
#define NATIVE_OPEN_H

#include "convert/io/bytes.h"
#include "convert/native/file/native_columns.h"

struct native_open_region {
	uint64_t tick;	/* when it was entered; 0: not known */
	uint32_t region;
};
struct native_open {
	struct native_open_region *of;	/* outermost first; free() it */
	size_t of_n, of_cap;
};
/* What is called for regions that are entered, those open when the chunk began included, for ends of regions, and for folded calls. record: its number in the chunk. */
struct native_open_visit {
	void *to;
	void (*enter)(void *to, size_t record, uint32_t region, uint64_t tick);
	void (*leave)(void *to, size_t open, uint64_t tick);	/* open: how many are then */
	void (*fold)(void *to, size_t record, struct bytes fields);
};
/*
 * The columns are whole (native_whole.h), and TIMES still has 4 bytes per record. first_tick, metrics: of the live header. The list is
 * empty if the arguments are damaged. visit: NULL: nothing is called.
 */
void native_open_find(const struct native_columns *c, uint64_t first_tick, unsigned metrics, struct native_open *out,
		      const struct native_open_visit *visit);

#endif
