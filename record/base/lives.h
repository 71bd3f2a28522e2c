/*
 * lives.h: the live chunks of all threads of a process but the first, in one file of the process. Its functions run on the
 * recorder's own stack, with signals blocked.
 */
#ifndef LIVES_H
#define LIVES_H

#include <stdint.h>

struct tau_live_header;

/* The place of a stream, empty, of *size bytes or a few more; these are in *size then. NULL: it needs a file of its own. */
struct tau_live_header *lives_claim(uint32_t stream, uint64_t *size);
/* The chunk at a place is over: readers do not find it any more. */
void lives_release(struct tau_live_header *live);
/* At the end of the process: removes the file, unless a thread still writes there. */
void lives_end(void);
void lives_forget(void);	/* in a forked child: the file is its parent's */

#endif
