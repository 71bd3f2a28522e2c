/*
 * lives.c: fuzzes the reader of the file with the live chunks of all threads of a process. The bytes are flags (1: the others are that
 * file as it is), then how many bytes its head is longer (8 bits) and a place is longer than its chunk (16 bits), the number of the
 * stream less 1 (modulo 4), and a live chunk as in native.h.
 */
#include "convert/native/native.h"
#include "native.h"

#include "events.h"

#define LIVES "x.7.0." TAU_LIVES_STREAM TAU_LIVE_SUFFIX

/* Puts the file with a chunk in the place of stream k. */
static void pack_lives(const unsigned char *p, size_t n, uint32_t k)
{
	struct tau_lives_header h = {.magic = TAU_LIVES_MAGIC, .major = TAU_VERSION_MAJOR, .process_id = 7};
	const void *live;
	unsigned char *file;
	size_t size;

	pack_live(p + 5, n - 5, 0);
	live = place_get("x.live", &size);
	h.header_size = (uint32_t)sizeof(h) + p[1];
	h.place_size = size + pack_16(p + 2);
	file = mem_alloc(h.header_size + k * h.place_size);
	memset(file, 0, h.header_size + k * h.place_size);
	memcpy(file, &h, sizeof(h));
	memcpy(file + h.header_size + (k - 1) * h.place_size, live, size);
	memcpy(file + h.header_size + (k - 1) * h.place_size + offsetof(struct tau_live_header, thread), &k, sizeof(k));
	place_put(LIVES, file, h.header_size + k * h.place_size);
	free(file);
}

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n)
{
	struct tau_file_header h = {.magic = TAU_TRACE_MAGIC, .major = TAU_VERSION_MAJOR, .header_size = sizeof(h), .process_id = 7,
				    .clock = TAU_CLOCK_MONOTONIC, .ticks_hz = 1000000000};
	uint32_t k = n > 4 ? p[4] % 4 + 1 : 1;
	char name[] = "x.7.0.1.tau";
	struct error e = {0};
	struct trace *t;

	place_open();
	h.thread = k;
	h.crc = pack_crc(&h, offsetof(struct tau_file_header, crc));
	name[6] = (char)('0' + k);
	if (n && p[0] & 1)
		place_put(LIVES, p + 1, n - 1);
	else if (n > 11)
		pack_lives(p, n, k);
	if (!native_open(place_put(name, &h, sizeof(h)), &t, &e))
		fuzz_trace(t, n % 4 == 0);
	place_close();
	return 0;
}
