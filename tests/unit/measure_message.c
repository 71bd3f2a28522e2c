/* measure_message.c: requests of processes for measurements are taken whole or not at all, and never with values out of range. */
#include <string.h>

#include "convert/native/live/measure_message.h"
#include "tap.h"

static struct tau_measure sound(void)
{
	struct tau_measure m = {.size = sizeof(m), .kind = TAU_MEASURE_FROM, .pid = 7, .outer_pid = 8, .clock = 1, .shift = 3,
				.ticks_hz = 1000, .what = TAU_MEASURE_SYSTEM | TAU_MEASURE_HEAP,
				.system_ns = 1000000, .track_ns = 1000000, .heap_part_size = 64,
				.files = "host.7.0"};

	return m;
}

static int size_of(const struct tau_measure *m, size_t n)
{
	struct tau_measure out;

	return measure_message_read((const char *)m, n, &out);
}

#define REFUSED(what, field, value) \
	do { \
		m = sound(); \
		m.field = value; \
		ok(size_of(&m, sizeof(m)) == -1, what " is refused"); \
	} while (0)

int main(void)
{
	struct tau_measure m = sound(), last = measure_message_last();

	ok(size_of(&m, sizeof(m)) == sizeof(m), "a message is read");
	ok(size_of(&m, sizeof(m) + 9) == sizeof(m), "with another after it, too");
	for (size_t n = 0; n < sizeof(m); n++)
		if (size_of(&m, n))
			ok(0, "a part of %zu bytes is read", n);
	ok(size_of(&last, sizeof(last)) == sizeof(last), "the last message is read");
	REFUSED("another size", size, sizeof(m) - 1);
	REFUSED("an unknown kind", kind, 9);
	REFUSED("kind 0", kind, 0);
	REFUSED("no process", pid, 0);
	REFUSED("a process number that is none", pid, UINT32_MAX);
	REFUSED("another process number that is none", outer_pid, UINT32_MAX);
	REFUSED("an unknown clock", clock, 3);
	REFUSED("a shift of all bits", shift, 64);
	REFUSED("a clock that is at rest", ticks_hz, 0);
	REFUSED("an interval of 0", system_ns, 0);
	REFUSED("an interval that is too short", track_ns, 999999);
	REFUSED("a structure larger than memory", heap_part_size, UINT64_MAX);
	REFUSED("no name", files[0], 0);
	REFUSED("a hidden name", files[0], '.');
	REFUSED("a name in another folder", files[4], '/');
	m = sound();
	memset(m.files, 'x', sizeof(m.files));
	ok(size_of(&m, sizeof(m)) == -1, "a name without an end is refused");
	return tap_end();
}
