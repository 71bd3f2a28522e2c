/* dump_request.c: requests for profiles are read from bytes that may be cut or damaged. */
#include "tap.h"

#include <string.h>

#include "convert/native/live/dump_request.h"

/* A message with these texts, n bytes of them. Returns its size. */
static size_t make(char *out, uint32_t kind, const char *texts, size_t n)
{
	struct tau_dump_request head = {.size = (uint32_t)(sizeof(head) + n),
					.kind = kind,
					.thread = 3,
					.process_id = 77,
					.tick = 1234};

	memcpy(out, &head, sizeof(head));
	memcpy(out + sizeof(head), texts, n);
	return head.size;
}

static void damaged(const char *what, uint32_t kind, const char *texts, size_t n)
{
	char bytes[TAU_DUMP_MOST];
	struct dump_request d;
	size_t size = make(bytes, kind, texts, n);

	ok(dump_request_read(bytes, size, &d) == -1, "damaged: %s", what);
}

static void whole(void)
{
	static const char texts[] = "host.1.0\0/tmp\0dump\0step\n";
	char bytes[TAU_DUMP_MOST];
	struct dump_request d, copy;
	size_t size = make(bytes, TAU_DUMP_PROFILE, texts, sizeof(texts));
	int short_ones = 0;

	ok(dump_request_read(bytes, size, &d) == (int)size, "a message is read");
	ok(!strcmp(d.files, "host.1.0") && !strcmp(d.directory, "/tmp") && !strcmp(d.name, "dump"),
	   "its texts are there");
	d.series = 1;
	copy = dump_request_copy(&d);
	dump_request_release(&d);
	ok(copy.head.tick == 1234 && copy.head.thread == 3 && copy.series == 1 && !strcmp(copy.name, "dump") &&
	   !strcmp(copy.regions, "step\n"),
	   "and in a copy");
	dump_request_release(&copy);
	for (size_t n = 0; n < size; n++)
		short_ones += dump_request_read(bytes, n, &d) == 0;
	ok(short_ones == (int)size, "cut at any byte it is not complete");
}

int main(void)
{
	static const char good[] = "host.1.0\0/tmp\0dump\0step\n";
	char bytes[TAU_DUMP_MOST];
	struct tau_dump_request head = {.size = 8, .kind = TAU_DUMP_PROFILE};
	struct dump_request d;

	whole();
	damaged("an unknown kind", 17, good, sizeof(good));
	damaged("kind 0", 0, good, sizeof(good));
	damaged("two texts", TAU_DUMP_PROFILE, "host.1.0\0/tmp", 14);
	damaged("three texts", TAU_DUMP_PROFILE, "host.1.0\0/tmp\0dump", 19);
	damaged("five texts", TAU_DUMP_PROFILE, "a\0b\0c\0d\0e", 10);
	damaged("no end of the last text", TAU_DUMP_PROFILE, good, sizeof(good) - 1);
	damaged("files outside of the run", TAU_DUMP_PROFILE, "../x\0/tmp\0dump\0", 16);
	damaged("no files", TAU_DUMP_PROFILE, "\0/tmp\0dump\0", 12);
	memcpy(bytes, &head, sizeof(head));
	ok(dump_request_read(bytes, sizeof(bytes), &d) == -1, "a size below the head's");
	head.size = TAU_DUMP_MOST + 1;
	memcpy(bytes, &head, sizeof(head));
	ok(dump_request_read(bytes, sizeof(bytes), &d) == -1, "a size above a message's");
	head = (struct tau_dump_request){.size = sizeof(head), .kind = TAU_DUMP_END};
	memcpy(bytes, &head, sizeof(head));
	ok(dump_request_read(bytes, sizeof(head), &d) == sizeof(head) && !d.files,
	   "the end has no texts");
	return tap_end();
}
