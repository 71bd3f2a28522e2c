/* otf2_out.c: chunks and records of an OTF2 archive that is being written. */
#include "otf2_out.h"

#include <errno.h>

#define REGION     15 /* bytes of an enter or leave and its time */
#define ATTRIBUTED 64 /* bytes of an event with attributes: those stand with it in one chunk */

static void chunk_begin(struct otf2_out *o)
{
	o->n = OTF2_CHUNK_HEAD;
	o->first = o->events + 1;
	o->timed = 0;
}

/* Its head is filled in when its last event is known. */
static void chunk_head(struct otf2_out *o)
{
	o->chunk[0] = OTF2_CHUNK;
	o->chunk[1] = 'B';
	memcpy(o->chunk + 2, &o->first, 8);
	memcpy(o->chunk + 10, &o->events, 8);
}

int otf2_out_open(struct otf2_out *o, const char *path, size_t size)
{
	memset(o, 0, sizeof(*o));
	o->f = fopen(path, "wxe");
	if (!o->f)
		return -1;
	o->size = size;
	o->chunk = mem_alloc(size);
	chunk_begin(o);
	return 0;
}

void otf2_out_seal(struct otf2_out *o)
{
	chunk_head(o);
	memset(o->chunk + o->n, OTF2_END_CHUNK, o->size - o->n);
	fwrite(o->chunk, 1, o->size, o->f);
	chunk_begin(o);
}

int otf2_out_close(struct otf2_out *o)
{
	int bad, failed;

	if (!o->f)
		return 0;
	chunk_head(o);
	o->chunk[o->n++] = OTF2_END_FILE;
	o->chunk[o->n++] = 1;
	fwrite(o->chunk, 1, o->n, o->f);
	errno = 0;
	bad = fflush(o->f) || ferror(o->f);
	failed = errno;
	if (fclose(o->f) && !bad) {
		bad = 1;
		failed = errno;
	}
	free(o->chunk);
	o->f = NULL;
	errno = failed ? failed : EIO;
	return bad ? -1 : 0;
}

void otf2_field(struct buffer *b, char letter, uint64_t v)
{
	unsigned char p[9];

	if (letter == 'b')
		put_byte(b, (unsigned)v);
	else
		put(b, p,
		    (size_t)(otf2_put_number(p, letter == 'u' ? (uint32_t)v : v,
					     letter == 'u' ? OTF2_UNDEFINED32 : OTF2_UNDEFINED64) -
			     p));
}

/* Kind, length, fields, at p. */
static void put_record(struct otf2_out *o, unsigned char *p, unsigned kind, struct buffer *fields)
{
	uint64_t n = fields->v_n;

	*p++ = (unsigned char)kind;
	if (n < 255) {
		*p++ = (unsigned char)n;
	} else {
		*p++ = 255;
		memcpy(p, &n, 8);
		p += 8;
	}
	if (n)
		memcpy(p, fields->v, n);
	o->n = (size_t)(p + n - o->chunk);
	o->records++;
	fields->v_n = 0;
}

void otf2_put_event(struct otf2_out *o, uint64_t time, unsigned kind, struct buffer *fields)
{
	put_record(o, otf2_put_time(o, time, fields->v_n + 10), kind, fields);
}

void otf2_put_attributes(struct otf2_out *o, uint64_t time, struct buffer *fields)
{
	put_record(o, otf2_put_time(o, time, fields->v_n + 10 + ATTRIBUTED), OTF2_ATTRIBUTES,
		   fields);
	o->events--;
}

/* Without a branch on which of the two it is, how long its number is, or whether time has passed. */
void otf2_put_regions(struct otf2_out *o, const struct event *ev, size_t n)
{
	while (n) {
		unsigned char *p = otf2_out_room(o, REGION);
		size_t fit = (o->size - 2 - o->n) / REGION, k = fit < n ? fit : n;
		uint64_t before = o->timed ? o->time : UINT64_MAX;

		for (size_t i = 0; i < k; i++) {
			uint64_t time = ev[i].time > 0 ? (uint64_t)ev[i].time : 0;
			uint32_t region = ev[i].ref, bytes;

			bytes = (39 - (uint32_t)__builtin_clz(region | 1)) / 8 - !region;
			*p = OTF2_TIME;
			memcpy(p + 1, &time, 8);
			p += time != before ? 9 : 0;
			before = time;
			p[0] = ev[i].kind == EVENT_ENTER ? OTF2_ENTER : OTF2_LEAVE;
			p[1] = (unsigned char)bytes;
			memcpy(p + 2, &region, 4);
			p += 2 + bytes;
		}
		o->n = (size_t)(p - o->chunk);
		o->time = before;
		o->timed = 1;
		o->events += k;
		ev += k;
		n -= k;
	}
}

void otf2_put_definition(struct otf2_out *o, unsigned kind, struct buffer *fields)
{
	put_record(o, otf2_out_room(o, fields->v_n + 10), kind, fields);
}
