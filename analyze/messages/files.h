/* files.h: adds up reads and writes of each file, and calls about names of files, by file or directory: calls, bytes, time, sizes. */
#ifndef FILES_H
#define FILES_H

#include "analyze/messages/messages.h"

#define FILES_SMALL 4096 /* bytes; a call that transfers less is small */
#define FILES_BLOCK 4096 /* bytes of a page, and of a block of most file systems; at no multiple of it a call is unaligned */
#define FILES_SIZES 65	 /* 0: no bytes; i: 2^(i-1) up to 2^i - 1 (message_size_class()) */

/* Calls of one operation on a file, in all processes. Of those that move no bytes, bytes and what follows is 0. */
struct files_row {
	uint32_t name; /* id in files.names */
	uint32_t op;   /* enum event_io */
	uint64_t calls, bytes, small;
	uint64_t placed, unaligned; /* calls whose offset in the file was recorded; those of them that are unaligned */
	uint64_t least, most;	 /* bytes per call */
	uint64_t timed;		 /* bytes of the calls whose time was recorded */
	uint64_t files;		 /* by directory: names of files in it */
	int64_t ns;		 /* of these calls */
};

struct files_size {
	uint64_t calls[IO_MOVES], bytes[IO_MOVES]; /* by enum event_io */
};

struct files {
	const struct messages *m;
	struct names names;
	struct files_row *row; /* most time first, then most bytes, after files_end() */
	size_t row_n, row_cap;
	struct map at; /* by name and operation */
	struct files_size size[FILES_SIZES];
};

/* The use for messages_read(); m must stay. Then call files_end(), and release x. */
struct messages_use files_use(struct files *x, const struct messages *m);
void files_end(struct files *x);
/* The same rows added up by directory: `into` is empty, and is released like x. Files without a directory, as pipes, stay. */
void files_by_directory(const struct files *x, struct files *into);
void files_release(struct files *x);

#endif
