/*
 * frames.c: the calls of Python that a thread has entered, and leaves in their order.
 */
#include "frames.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "function.h"
#include "tau.h"

struct python_entered {
	const object *id;
	uint32_t region;
	uint32_t task; /* it is of the task that runs the frame; the frame's own follows */
};

#define FIRST 4096 /* entries, before it grows */
static __thread struct {
	struct python_entered *at;
	size_t n, cap;
	unsigned tasks; /* open */
} frames;
static pthread_key_t frames_key;

static void frames_free(void *at)
{
	(void)at;
	tau_unmap(frames.at, frames.cap * sizeof(*frames.at));
	memset(&frames, 0, sizeof(frames));
}

static int frames_grow(void)
{
	size_t cap = frames.cap ? frames.cap * 2 : FIRST, bytes = cap * sizeof(*frames.at);
	struct python_entered *at = tau_map(bytes);

	if (!at)
		return 0;
	if (frames.n)
		memcpy(at, frames.at, frames.n * sizeof(*at));
	if (frames.at)
		tau_unmap(frames.at, frames.cap * sizeof(*at));
	frames.at = at;
	frames.cap = cap;
	pthread_setspecific(frames_key, at);
	return 1;
}

static void push(const object *id, uint32_t region, uint32_t task)
{
	if (frames.n == frames.cap && !frames_grow())
		return;
	frames.at[frames.n++] = (struct python_entered){id, region, task};
	frames.tasks += task;
	tau_begin(region);
}

static void pop(void)
{
	const struct python_entered *last = &frames.at[--frames.n];

	frames.tasks -= last->task;
	tau_leave(last->region);
}

int frames_start(void)
{
	return !pthread_key_create(&frames_key, frames_free);
}

void frame_enter(const object *id, object *code, uint64_t kept)
{
	uint32_t task = kept & COROUTINE && !frames.tasks ? task_region(code) : 0;

	if (task)
		push(id, task, 1);
	push(id, REGION(kept), 0);
}

/* Those above it have lost their leave. */
void frame_leave(const object *id)
{
	size_t i = frames.n;

	while (i && frames.at[i - 1].id != id)
		i--;
	if (i > 1 && frames.at[i - 2].id == id && frames.at[i - 2].task)
		i--;
	while (i && frames.n >= i)
		pop();
}

int frame_is_last(const object *id)
{
	return frames.n && frames.at[frames.n - 1].id == id;
}

void frames_leave(void)
{
	while (frames.n)
		pop();
}
