/* files.h: adds up reads and writes of each file: calls, bytes, time, sizes. */
#ifndef FILES_H
#define FILES_H

#include "analyze/messages/messages.h"

#define FILES_SMALL 4096 /* bytes; a call that transfers less is small */
#define FILES_BLOCK 4096 /* bytes of a page, and of a block of most file systems; at no multiple of it a call is unaligned */
#define FILES_SIZES 65	 /* 0: no bytes; i: 2^(i-1) up to 2^i - 1 (message_size_class()) */

/* Calls that read or write a file, in all processes. */
struct files_row {
	uint32_t name; /* id in files.names */
	uint32_t op;   /* enum event_io */
	uint64_t calls, bytes, small;
	uint64_t placed, unaligned; /* calls whose offset in the file was recorded; those of them that are unaligned */
	uint64_t least, most;	 /* bytes per call */
	uint64_t timed;		 /* bytes of the calls whose time was recorded */
	int64_t ns;		 /* of these calls */
};

struct files_size {
	uint64_t calls[IO_OPS], bytes[IO_OPS]; /* by enum event_io */
};

struct files {
	const struct messages *m;
	struct names names;
	struct files_row *row; /* most bytes first, after files_end() */
	size_t row_n, row_cap;
	struct map at; /* by name and operation */
	struct files_size size[FILES_SIZES];
};

/* The use for messages_read(); m must stay. Then call files_end(), and release x. */
struct messages_use files_use(struct files *x, const struct messages *m);
void files_end(struct files *x);
void files_release(struct files *x);

#endif
