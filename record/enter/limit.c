/*
 * limit.c: stops recording a region, or folds its calls, in the file of the calling thread.
 */
#include "record/enter/limit.h"
#include "record/base/frame.h"
#include "record/base/function_table.h"
#include "record/base/stream.h"
#include "record/base/thread.h"
#include "record/define/define.h"
#include "record/encode/define_write.h"
#include "record/encode/varint.h"
#include "record/format.h"

/* Excludes a dropped function that has no open call: from now on its slot alone marks it as excluded. */
void keep_out(uint64_t key)
{
	uint64_t *slot;

	if (KEY_IS_REGION(key) || frames_to(key))
		return;
	slot = address_slot(key);
	if (slot)
		*slot &= ~(uint64_t)SLOT_TOKEN(~0u);
}

void filtered_limit(uint32_t region, enum tau_limit why)
{
	struct filtered_region *what = &self.stream->what[region];
	uint8_t bytes[40], *p;

	what->flags |= why == TAU_LIMIT_FOLD ? FILTERED_FOLDED : FILTERED_DROPPED;
	p = put_varint(bytes, region);
	p = put_varint(p, why);
	p = put_varint(p, what->calls);
	define_raw(TAU_DEF_LIMIT, bytes, (size_t)(p - bytes));
	if (what->flags & FILTERED_DROPPED)
		keep_out(what->key);
	if (why == TAU_LIMIT_BUDGET && KEY_IS_REGION(what->key))
		self.local[(uint32_t)what->key].out = true;
}
