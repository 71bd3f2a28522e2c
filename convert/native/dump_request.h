/* dump_request.h: requests of a running program for profiles of itself, as messages (record/format.h). */
#ifndef DUMP_REQUEST_H
#define DUMP_REQUEST_H

#include <stddef.h>

#include "record/format.h"

#define DUMP_NOW UINT64_MAX	/* as the tick of a request: up to the present */

struct dump_request {
	struct tau_dump_request head;
	char *files, *directory, *name;	/* on the heap */
	int series;		/* only of threads that have snapshots already */
};
void dump_request_release(struct dump_request *d);
struct dump_request dump_request_copy(const struct dump_request *d);

/*
 * Reads the first message of n bytes. Returns its size; 0: it is not complete; -1: it is damaged. TAU_DUMP_END has no texts. The caller
 * releases *out, which a size above 0 fills.
 */
int dump_request_read(const char *p, size_t n, struct dump_request *out);

#endif
