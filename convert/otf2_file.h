/*
 * otf2_file.h: the files of an OTF2 archive, on disk or in memory, as the chunks that they consist of. Nothing is read
 * beyond what a file holds, and nothing is allocated that is larger.
 */
#ifndef OTF2_FILE_H
#define OTF2_FILE_H

#include "../analyze/base.h"
#include "otf2_format.h"

/* A file in memory: its name is ".otf2", ".def", "/0.evt", "/0.def" ... */
struct otf2_part {
	const char *name;
	const unsigned char *p;
	size_t n;
};

struct otf2_archive {
	char *path;			/* of the anchor */
	const struct otf2_part *part;	/* not NULL: the files are these */
	size_t part_n;
	uint64_t event_chunk, definition_chunk;	/* bytes */
	uint64_t locations, definitions;	/* how many there are said to be */
	char *creator;
};

struct otf2_file {
	char *path;			/* for messages */
	int fd;				/* -1: in memory */
	const unsigned char *p;
	uint64_t size;
};

/*
 * Reads the anchor. ERROR_INPUT, "PATH: offset N: ...": it is damaged, or of a kind that cannot be read; ERROR_SYSTEM. Release it in
 * any case.
 */
int otf2_archive_open(struct otf2_archive *a, const char *path, const struct otf2_part *part, size_t part_n,
		      struct error *e);
void otf2_archive_release(struct otf2_archive *a);

/* The global definitions (location NULL: suffix ".def"), or a file of a location. 0: it is there. Otherwise nothing is open. */
int otf2_file_open(struct otf2_file *f, const struct otf2_archive *a, const uint64_t *location, const char *suffix);
void otf2_file_close(struct otf2_file *f);

/* A walk through the chunks of a file. */
struct otf2_chunks {
	struct otf2_file *file;
	uint64_t size;		/* of a chunk */
	uint64_t at, next;	/* offsets of the current chunk and the one behind it */
	uint64_t read;		/* bytes so far */
	uint64_t first, last;	/* numbers of its events */
	unsigned char *buffer;
	size_t buffer_n;
	const unsigned char *start;	/* of the current chunk */
	const char *wrong;	/* what is wrong with it */
};

/* The records of the next chunk. 1, 0: there is none, -1: it is damaged, see wrong, or cannot be read. */
int otf2_chunk_next(struct otf2_chunks *c, struct otf2_bytes *out);
void otf2_chunks_release(struct otf2_chunks *c);
/* Offset of a place in the current chunk. */
static inline uint64_t otf2_offset(const struct otf2_chunks *c, const unsigned char *p)
{
	return c->start && p ? c->at + (uint64_t)(p - c->start) : c->at;
}

#endif
