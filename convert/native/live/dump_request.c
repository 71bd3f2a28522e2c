/* dump_request.c: reads requests of a running program for profiles of itself. */
#include "convert/native/live/dump_request.h"

#include <string.h>

#include "analyze/base/base.h"

void dump_request_release(struct dump_request *d)
{
	free(d->files);
	free(d->directory);
	free(d->name);
	free(d->regions);
}

struct dump_request dump_request_copy(const struct dump_request *d)
{
	return (struct dump_request){.head = d->head,
				     .series = d->series,
				     .files = mem_string(d->files),
				     .directory = mem_string(d->directory),
				     .name = mem_string(d->name),
				     .regions = mem_string(d->regions)};
}

/* n bytes as four texts, each with a NUL at its end. 0: they are none. */
static int texts_find(const char *p, size_t n, const char *text[4])
{
	for (size_t i = 0; i < 4; i++) {
		size_t length = strnlen(p, n);

		if (length == n)
			return 0;
		text[i] = p;
		p += length + 1;
		n -= length + 1;
	}
	return !n;
}

int dump_request_read(const char *p, size_t n, struct dump_request *out)
{
	struct tau_dump_request head;
	const char *text[4];

	if (n < sizeof(head))
		return 0;
	memcpy(&head, p, sizeof(head));
	if (head.size < sizeof(head) || head.size > TAU_DUMP_MOST ||
	    head.kind < TAU_DUMP_BEGIN || head.kind > TAU_DUMP_END || head.tick == DUMP_NOW)
		return -1;
	if (head.size > n)
		return 0;
	*out = (struct dump_request){.head = head};
	if (head.kind == TAU_DUMP_END)
		return (int)head.size;
	/* The files are in the run, and nowhere else. */
	if (!texts_find(p + sizeof(head), head.size - sizeof(head), text) || !*text[0] ||
	    strchr(text[0], '/'))
		return -1;
	out->files = mem_string(text[0]);
	out->directory = mem_string(text[1]);
	out->name = mem_string(text[2]);
	out->regions = mem_string(text[3]);
	return (int)head.size;
}
