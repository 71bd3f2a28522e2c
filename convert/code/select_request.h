/* select_request.h: requests of a recorded process for the table of one more module (record/format.h). */
#ifndef SELECT_REQUEST_H
#define SELECT_REQUEST_H

#include <stddef.h>
#include <stdint.h>

#define SELECT_REQUEST_MOST 4096

struct select_request {
	uint64_t number;	/* of the table to make */
	const char *path;	/* of the module, ended by a 0; "": the last request. In a buffer of the caller's */
};

/* Reads the first of n bytes. Returns its size, 0: it is not complete, -1: it is damaged. */
int select_request_read(const char *bytes, size_t n, struct select_request *out,
			char path[SELECT_REQUEST_MOST]);
/* Makes the last request. Returns its size. */
size_t select_request_last(char bytes[64]);

#endif
