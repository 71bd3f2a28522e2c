/*
 * frames_room.c: room for the open frames of a stream, and for what filters and metrics add to each.
 */
#include "record/enter/frames_room.h"
#include "record/base/failure.h"
#include "record/base/frame.h"
#include "record/base/memory_map.h"
#include "record/base/own_stack.h"
#include "record/base/process.h"
#include "record/base/stream.h"
#include "record/base/thread.h"
#include "record/enter/repair.h"
#include "record/metric/metric.h"

#include <errno.h>
#include <string.h>

#define FIRST_FRAMES 1024

/*
 * The frames follow a frame that is never open (key 0), so that the innermost can be read without a test, and precede a
 * scratch frame.
 */
static struct frame *frames_new(size_t *cap, size_t want)
{
	struct frame *f = map_alloc((want + 2) * sizeof(*f));

	*cap = want;
	return f ? f + 1 : NULL;
}

/* Allocates the filtered_frame of each frame, if the process needs them. */
static bool filtered_equip(struct stream *s, size_t used, size_t old_cap)
{
	struct filtered_frame *p, *old = s->filtered;

	if (!process.filtered)
		return true;
	if (!metric_equip(s, used))
		return false;
	p = map_alloc((s->frame_cap + 1) * sizeof(*p));
	if (!p)
		return false;
	p->recorded = true;
	if (old) {
		memcpy(p, old - 1, (used + 1) * sizeof(*p));
		map_free(old - 1, (old_cap + 1) * sizeof(*p));
	}
	s->filtered = p + 1;
	return true;
}

bool frames_equip(struct stream *s)
{
	if (!s->frames)
		s->frames = frames_new(&s->frame_cap, FIRST_FRAMES);
	return s->frames && (s->filtered || filtered_equip(s, 0, 0));
}

/* Room for *argument frames. */
static bool room_work(void *argument)
{
	struct stream *s = self.stream;
	size_t used = (size_t)(self.top - s->frames), old_cap = s->frame_cap,
	       cap = old_cap < FIRST_FRAMES ? FIRST_FRAMES : old_cap;
	struct frame *p;

	while (cap < *(size_t *)argument)
		cap *= 2;
	p = frames_new(&cap, cap);
	if (!p)
		return false;
	memcpy(p, s->frames, (used + 1) * sizeof(*p));
	map_free(s->frames - 1, (old_cap + 2) * sizeof(*p));
	s->frames = p;
	s->frame_cap = cap;
	self.top = s->frames + used;
	self.frames_end = s->frames + s->frame_cap;
	return filtered_equip(s, used, old_cap);
}

bool frames_room(size_t depth)
{
	if (depth <= self.stream->frame_cap || own_stack_run(self.stream, room_work, &depth))
		return true;
	process_fail(ENOMEM, "cannot get memory for a deep stack", NULL);
	return false;
}

bool frames_grow(uint64_t sp)
{
	frames_sweep(sp);
	return self.top != self.frames_end || frames_room(self.stream->frame_cap + 1);
}
