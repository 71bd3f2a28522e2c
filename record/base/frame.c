/*
 * frame.c: finds open frames of a stream.
 */
#include "record/base/frame.h"
#include "record/base/function_table.h"
#include "record/base/stream.h"
#include "record/base/thread.h"

bool frame_recorded(const struct stream *s, const struct frame *f)
{
	return !s->filtered || s->filtered[f - s->frames].recorded;
}

/* Only for frames of this stream, whose regions its file defines. */
uint32_t frame_region(const struct stream *s, uint64_t key)
{
	if (KEY_IS_REGION(key))
		return s->local[(uint32_t)key].region;
	return *slot_region(s->slots, slot_find(s->slots, key));
}

/* How many open frames, from the innermost, must end for `key` to be left; 0: it is not open. */
size_t frames_to(uint64_t key)
{
	for (struct frame *f = self.top; f > self.stream->frames; f--)
		if (f[-1].key == key)
			return (size_t)(self.top - f) + 1;
	return 0;
}
