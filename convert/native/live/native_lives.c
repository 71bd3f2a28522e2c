/* native_lives.c: finds the live chunk of a thread in the file with those of all threads of its process. */
#include "convert/native/live/native_lives.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyze/base/base.h"
#include "convert/native/file/native_chunks.h"

/* Where the number of the stream begins in HOST.PID.N.THREAD.tau; NULL: it is another name. */
static const char *number_of(const char *trace)
{
	size_t n = strlen(trace), end = strlen(TAU_TRACE_SUFFIX);
	const char *p = trace + n - end;

	if (n <= end || strcmp(p, TAU_TRACE_SUFFIX))
		return NULL;
	for (n -= end; n && isdigit((unsigned char)trace[n - 1]); n--)
		;
	return n && trace[n - 1] == '.' && trace + n < p ? trace + n : NULL;
}

char *native_lives_name(const char *trace)
{
	const char *number = number_of(trace);

	return number ? mem_printf("%.*s" TAU_LIVES_STREAM TAU_LIVE_SUFFIX,
				   (int)(number - trace), trace)
		      : NULL;
}

uint32_t native_lives_stream(const char *trace)
{
	const char *number = number_of(trace);
	unsigned long k = number ? strtoul(number, NULL, 10) : 0;

	return k <= UINT32_MAX ? (uint32_t)k : 0;
}

uint32_t native_lives_places(int fd, struct tau_lives_header *head)
{
	struct stat st;
	uint64_t n;

	if (native_read_at(fd, head, sizeof(*head), 0) ||
	    memcmp(head->magic, TAU_LIVES_MAGIC, sizeof(head->magic))) {
		*head = (struct tau_lives_header){0};
		return 0;
	}
	if (head->major != TAU_VERSION_MAJOR || head->header_size < sizeof(*head) ||
	    head->place_size < sizeof(struct tau_live_header))
		*head = (struct tau_lives_header){0};
	if (!head->place_size || fstat(fd, &st) || (uint64_t)st.st_size < head->header_size)
		return 0;
	n = ((uint64_t)st.st_size - head->header_size) / head->place_size;
	return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

int native_lives_find(int fd, uint32_t stream, struct native_place *place)
{
	struct tau_lives_header head;
	char magic[sizeof(head.magic)];

	uint32_t places = native_lives_places(fd, &head);
	struct stat st;

	if (!stream || places < stream)
		return !places && !head.place_size && !fstat(fd, &st) && st.st_size ? 1 : -1;
	place->at = head.header_size + (stream - 1) * head.place_size;
	place->size = head.place_size;
	if (native_read_at(fd, magic, sizeof(magic), place->at) || !*magic)
		return -1;
	return 0;
}
