/*
 * unrecorded.h: calls that are not recorded, because recording is off or their group is disabled.
 */
#ifndef UNRECORDED_H
#define UNRECORDED_H

#include "record/base/compiler.h"
#include "record/base/process.h"
#include "record/base/registry.h"
#include "record/base/thread.h"
#include "record/define/define.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Enters and leaves a frame while recording is off; key as in struct frame. false: recording has just resumed on the plain
 * path, and the caller must enter or leave it.
 */
bool enter_off(uint64_t key, uint64_t sp);
bool leave_off(uint64_t key);
/* The slow path of a leave: ends the frames inside that of key, which have no leave of their own. The thread is busy. */
void leave_key(uint64_t key);
/* True: the region is in a disabled group, and its entry was counted. */
bool region_skipped(uint32_t region);
/* The same for a region that the file of the thread may not define yet. */
bool skipped_first(uint32_t region);

/* Does the file of the calling thread define the region? */
static inline bool region_is_known(uint32_t region)
{
	return likely(region < self.local_cap) && likely(self.local[region].token);
}

/* The same for a region with region_is_known(). Changes only a count of the calling thread. */
static inline bool skipped_known(uint32_t region)
{
	uint32_t at = region - 1;

	if (!process.registry[REG_REGION].block[at / BLOCK][at % BLOCK].off)
		return false;
	self.local[region].skipped++;
	return true;
}

/* True: the entry that is left now was counted by the functions above. */
static inline bool leave_skipped(uint32_t region)
{
	if (region >= self.local_cap || !self.local[region].skipped)
		return false;
	self.local[region].skipped--;
	return true;
}

#endif
