/*
 * otf2_out.h: writes the files of an OTF2 archive (otf2_format.h): chunks of one size, records, times. Little endian.
 */
#ifndef OTF2_OUT_H
#define OTF2_OUT_H

#include <stdio.h>

#include "../analyze/base.h"
#include "../analyze/event.h"
#include "native_out.h"
#include "otf2_format.h"

#define OTF2_EVENT_CHUNK      (1u << 20)
#define OTF2_DEFINITION_CHUNK (1u << 22)
#define OTF2_CHUNK_MOST       (1u << 24)	/* bytes of a chunk that the OTF2 library reads */
#define OTF2_TEXT_MOST	      (OTF2_CHUNK_MOST - 64)	/* of a text: it stands in one chunk, with its head and ends */

struct otf2_out {
	FILE *f;
	unsigned char *chunk;
	size_t size, n;		/* of a chunk; bytes in it */
	uint64_t first;		/* number of the first event of the chunk, from 1 */
	uint64_t events;	/* so far */
	uint64_t records;	/* the same, definitions included */
	uint64_t time;		/* that was written last in this chunk */
	int timed;
};

/* 0, or -1 with errno: it cannot be made. size: of its chunks. */
int otf2_out_open(struct otf2_out *o, const char *path, size_t size);
/* Ends the file. 0, or -1 with errno when anything could not be written. */
int otf2_out_close(struct otf2_out *o);
/* Makes room for n bytes, in the next chunk if need be. */
void otf2_out_seal(struct otf2_out *o);
static inline unsigned char *otf2_out_room(struct otf2_out *o, size_t n)
{
	if (__builtin_expect(o->size - o->n < n + 2, 0))
		otf2_out_seal(o);
	return o->chunk + o->n;
}

/* A compressed number; returns behind it. 9 bytes at most. */
static inline unsigned char *otf2_put_number(unsigned char *p, uint64_t v, uint64_t undefined)
{
	unsigned n;

	if (v == 0 || v == undefined) {
		*p++ = v ? 255 : 0;
		return p;
	}
	n = (71 - (unsigned)__builtin_clzll(v)) / 8;
	*p++ = (unsigned char)n;
	for (unsigned i = 0; i < n; i++)
		*p++ = (unsigned char)(v >> 8 * i);
	return p;
}

/* The time of the next event, where it is another than before. Call it before the event, with the room that the event needs. */
static inline unsigned char *otf2_put_time(struct otf2_out *o, uint64_t time, size_t room)
{
	unsigned char *p = otf2_out_room(o, room + 9);

	if (!o->timed || o->time != time) {
		*p++ = OTF2_TIME;
		memcpy(p, &time, 8);
		p += 8;
		o->time = time;
		o->timed = 1;
	}
	o->events++;
	return p;
}

/* n events, each an EVENT_ENTER or EVENT_LEAVE with its region. */
void otf2_put_regions(struct otf2_out *o, const struct event *ev, size_t n);

/*
 * Fields of a record, put together in a buffer: 'b' a byte, 'u' 32 bits, 'U' 64 bits, compressed.
 */
void otf2_field(struct buffer *b, char letter, uint64_t v);
/* An event, or a definition, or attributes of the event that is to follow at once, with its fields, which are emptied. */
void otf2_put_event(struct otf2_out *o, uint64_t time, unsigned kind, struct buffer *fields);
void otf2_put_attributes(struct otf2_out *o, uint64_t time, struct buffer *fields);
void otf2_put_definition(struct otf2_out *o, unsigned kind, struct buffer *fields);

#endif
