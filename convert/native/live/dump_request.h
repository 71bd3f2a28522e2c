/* dump_request.h: requests of a running program for profiles of itself, as messages (record/format.h). */
#ifndef DUMP_REQUEST_H
#define DUMP_REQUEST_H

#include <stddef.h>

#include "record/format.h"
#include "record/requests.h"

#define DUMP_NOW UINT64_MAX	/* as the tick of a request: up to the present */

struct dump_request {
	struct tau_dump_request head;
	char *files, *directory, *name;	/* on the heap */
	char *regions;		/* the same: names, each with a line feed; "": all */
	int series;		/* only of threads that have snapshots already; messages do not have it */
};
void dump_request_release(struct dump_request *d);
/* A copy with texts of its own. *d must have texts. */
struct dump_request dump_request_copy(const struct dump_request *d);

/*
 * Reads the first message of n bytes. Returns its size; 0: it is not complete; -1: it is damaged. A size above 0 fills *out,
 * which the caller releases. The texts of TAU_DUMP_END are NULL. `files` is not empty and contains no '/'.
 */
int dump_request_read(const char *p, size_t n, struct dump_request *out);

#endif
