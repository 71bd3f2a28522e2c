/*
 * otf2.c: fuzzes the reader of OTF2 archives. The bytes are its files: lengths (16 bits) of the anchor (0: a good one), the
 * global definitions, the events and the definitions of location 0, then these files and the events of location 1.
 */
#include "convert/otf2.h"
#include "events.h"

/* Chunks of 4 KiB. */
static const unsigned char anchor[] = {
	3,   'B', 'O', 'T', 'F', '2', 0, 3, 2, 3, 0, 2, 0, 16, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 1, 1, 2,
	0,   0,   0,   0,   0,	 0,   0, 0, 0, 0, 0, 0, 0, 0,  0, 0, 0, 't', 'a', 'u', '-', 'c', 'o', 'n', 'v', 'e', 'r', 't', 0, 0,
	0,   0,   0,   0,   0,	 0,   0, 0, 0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0, 2, 1, 0,
};

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n)
{
	static const char *const name[] = { ".otf2", ".def", "/0.evt", "/0.def", "/1.evt" };
	struct otf2_part part[5];
	unsigned char *copy[5];
	struct trace *t;
	struct error e = { 0 };
	size_t at = 8;

	if (n < at)
		return 0;
	for (int i = 0; i < 5; i++) {
		size_t length = i < 4 ? p[2 * i] | (size_t)p[2 * i + 1] << 8 : n - at;

		if (length > n - at)
			length = n - at;
		copy[i] = mem_alloc(length + 1);
		memcpy(copy[i], p + at, length);
		part[i] = (struct otf2_part){ name[i], copy[i], length };
		at += length;
	}
	if (!part[0].n)
		part[0] = (struct otf2_part){ name[0], anchor, sizeof(anchor) };
	/* Files that are empty are not there. */
	for (int i = 1; i < 5; i++)
		if (!part[i].n)
			part[i].name = "";
	if (!otf2_open_parts("a.otf2", part, 5, &t, &e))
		fuzz_trace(t, n % 4 == 0);
	else if (strncmp(e.text, "a.", 2))
		abort();
	for (int i = 0; i < 5; i++)
		free(copy[i]);
	return 0;
}
