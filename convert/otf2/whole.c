/*
 * whole.c: counts the records of a file of an OTF2 archive, without decoding them. A file consists
 * of chunks of one size; the last one may be shorter. A chunk is
 *
 *	3, byte order ('#' big, 'B' little), numbers of its first and last event (8 bytes each; of
 *	definitions 0), records
 *
 * A record is a byte for its kind, its length (a byte, or 255 and 8 bytes), and its bytes. Kinds
 * without a length: 0, up to the end of the chunk; 2, the end of the file; in files of events 5, a
 * time of 8 bytes, and a few events that are one number: a byte holds the number of its bytes, 255
 * for none.
 */
#include "convert/otf2/whole.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/base/base.h"
#include "convert/io/regular.h"

#define HEAD 18 /* bytes of a chunk's head */

enum { END_CHUNK = 0, END_FILE = 2, CHUNK = 3, TIME = 5, FIRST_EVENT = 10 };

struct file_walk {
	const unsigned char *p, *end;
	int big;
	int events;    /* otherwise definitions */
	uint64_t room; /* bytes of the buffer */
	uint64_t records;
	int ends;
};

/* A number of 8 bytes that is there. */
static uint64_t number(const unsigned char *p, int big)
{
	uint64_t v = 0;

	for (int i = 0; i < 8; i++)
		v = v << 8 | p[big ? i : 7 - i];
	return v;
}

/* Events of the oldest versions, which no new ones join. */
static int is_single(unsigned kind)
{
	return kind == 12 || kind == 13 || kind == 16 || kind == 17 || kind == 20 || kind == 21 ||
	       kind == 24 || (kind >= 28 && kind <= 30);
}

/* Bytes of the rest of a record, after its kind, or more than what is left. */
static uint64_t rest(const struct file_walk *w, unsigned kind)
{
	uint64_t left = (uint64_t)(w->end - w->p), n;

	if (w->events && kind == TIME)
		return 8;
	if (!left)
		return 1;
	if (w->events && is_single(kind))
		return 1 + (w->p[0] == 255 ? 0 : w->p[0]);
	if (w->p[0] < 255)
		return 1 + w->p[0];
	if (left < 9)
		return 9;
	n = number(w->p + 1, w->big);
	return n > left ? left + 1 : 9 + n;
}

/* 1: the chunk ends, and another may follow; 0: the walk is over. */
static int walk_chunk(struct file_walk *w)
{
	while (w->p < w->end) {
		unsigned kind = *w->p++;
		uint64_t n;

		if (kind == END_CHUNK)
			return 1;
		w->ends = kind == END_FILE;
		if (w->ends)
			return 0;
		n = rest(w, kind);
		if (n > (uint64_t)(w->end - w->p))
			return 0;
		w->p += n;
		w->records += !w->events || kind >= FIRST_EVENT;
	}
	return 1;
}

/* Reads the chunk at an offset. 0: it has no head. */
static int chunk_at(int fd, uint64_t offset, unsigned char *buffer, struct file_walk *w)
{
	size_t n = 0;
	ssize_t got = 1;

	while (n < w->room && got > 0) {
		got = pread(fd, buffer + n, w->room - n, (off_t)(offset + n));
		n += got > 0 ? (size_t)got : 0;
	}
	if (n < HEAD || buffer[0] != CHUNK || (buffer[1] != 'B' && buffer[1] != '#'))
		return 0;
	w->big = buffer[1] == '#';
	w->p = buffer + HEAD;
	w->end = buffer + n;
	return 1;
}

static void walk_last(int fd, uint64_t size, uint64_t chunk, unsigned char *buffer,
		      struct file_walk *w)
{
	uint64_t at = size ? (size - 1) / chunk * chunk : 0;

	/* Bytes after the end of the file may begin another chunk, which is then not one. */
	if (!chunk_at(fd, at, buffer, w) && (!at || !chunk_at(fd, at -= chunk, buffer, w)))
		return;
	if (at && number(buffer + 2, w->big))
		w->records = number(buffer + 2, w->big) - 1;
	walk_chunk(w);
}

static void walk_all(int fd, uint64_t size, uint64_t chunk, unsigned char *buffer,
		     struct file_walk *w)
{
	for (uint64_t at = 0; at < size; at += chunk)
		if (!chunk_at(fd, at, buffer, w) || !walk_chunk(w))
			break;
}

static int whole(const char *path, uint64_t chunk, int events, struct whole_file *out)
{
	struct file_walk w = {.events = events};
	int fd = chunk ? regular_open(path, NULL) : -1;
	unsigned char *buffer;
	struct stat st;

	*out = (struct whole_file){0};
	if (fd < 0)
		return -1;
	if (!fstat(fd, &st))
		out->size = (uint64_t)st.st_size;
	w.room = out->size < chunk ? out->size : chunk;
	buffer = mem_alloc(w.room + 1);
	if (events)
		walk_last(fd, out->size, chunk, buffer, &w);
	else
		walk_all(fd, out->size, chunk, buffer, &w);
	free(buffer);
	close(fd);
	out->records = w.records;
	out->ends = w.ends;
	return 0;
}

int whole_events(const char *path, uint64_t chunk, struct whole_file *out)
{
	return whole(path, chunk, 1, out);
}

int whole_definitions(const char *path, uint64_t chunk, struct whole_file *out)
{
	return whole(path, chunk, 0, out);
}
