/* measure_message.c: reads requests of recorded processes for measurements from outside. */
#include "convert/native/live/measure_message.h"

#include <limits.h>
#include <string.h>

#include "record/format.h"

#define LEAST_NS 1000000

static int is_sound(const struct tau_measure *m)
{
	const unsigned tracked = m->what & TAU_MEASURE_TRACKED;

	if (m->kind == TAU_MEASURE_OVER)
		return 1;
	return (m->kind == TAU_MEASURE_FROM || m->kind == TAU_MEASURE_END) && *m->files &&
	       strnlen(m->files, sizeof(m->files)) < sizeof(m->files) && !strchr(m->files, '/') &&
	       *m->files != '.' && m->pid && m->pid <= INT_MAX && m->outer_pid <= INT_MAX &&
	       m->shift < 64 && m->ticks_hz && m->heap_part_size < 1 << 30 &&
	       (m->clock == TAU_CLOCK_TSC || m->clock == TAU_CLOCK_MONOTONIC) &&
	       (!(m->what & TAU_MEASURE_SYSTEM) || m->system_ns >= LEAST_NS) &&
	       (!tracked || m->track_ns >= LEAST_NS);
}

int measure_message_read(const char *p, size_t n, struct tau_measure *out)
{
	if (n < sizeof(*out))
		return 0;
	memcpy(out, p, sizeof(*out));
	return out->size == sizeof(*out) && is_sound(out) ? (int)sizeof(*out) : -1;
}

struct tau_measure measure_message_last(void)
{
	return (struct tau_measure){.size = sizeof(struct tau_measure), .kind = TAU_MEASURE_OVER};
}
