/* select_request.c: reads requests for tables of selected functions. */
#include "convert/code/select_request.h"

#include <string.h>

#include "record/format.h"

int select_request_read(const char *bytes, size_t n, struct select_request *out,
			char path[SELECT_REQUEST_MOST])
{
	struct tau_select_request q;

	if (n < sizeof(q))
		return 0;
	memcpy(&q, bytes, sizeof(q));
	if (q.size < sizeof(q) || q.size > sizeof(q) + TAU_SELECT_PATH_MOST)
		return -1;
	if (n < q.size)
		return 0;
	memcpy(path, bytes + sizeof(q), q.size - sizeof(q));
	path[q.size - sizeof(q)] = 0;
	*out = (struct select_request){q.number, path};
	return (int)q.size;
}

size_t select_request_last(char bytes[64])
{
	const struct tau_select_request q = {.size = sizeof(q)};

	memcpy(bytes, &q, sizeof(q));
	return sizeof(q);
}
