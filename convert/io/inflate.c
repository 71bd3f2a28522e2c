/* inflate.c: decompresses with ISA-L or zlib. */
#include "convert/io/inflate.h"

#include <pthread.h>
#include <stdint.h>
#include <zlib.h>

#include "analyze/base/base.h"
#include "convert/io/isal.h"

/*
 * What one call of inflater_run() needs. ISA-L's part has 90 KB: a reader of a thousand traces has
 * as many inflaters, but only as many of these as threads that inflate at the same time.
 */
struct state {
	struct inflate_state isal;
	z_stream zlib;
	int zlib_ready;
	struct state *next;
};

static pthread_mutex_t idle_lock = PTHREAD_MUTEX_INITIALIZER;
static struct state *idle; /* kept until the program ends */

struct inflater {
	void *library;		/* ISA-L, NULL: not installed */
	void (*isal_init)(struct inflate_state *);
	int (*isal_inflate)(struct inflate_state *);
	uint32_t (*isal_crc)(uint32_t, const unsigned char *, uint64_t);
};

static struct state *state_take(void)
{
	struct state *s;

	pthread_mutex_lock(&idle_lock);
	s = idle;
	if (s)
		idle = s->next;
	pthread_mutex_unlock(&idle_lock);
	return s ? s : mem_alloc(sizeof(*s));
}

static void state_give(struct state *s)
{
	pthread_mutex_lock(&idle_lock);
	s->next = idle;
	idle = s;
	pthread_mutex_unlock(&idle_lock);
}

struct inflater *inflater_new(void)
{
	struct inflater *i = mem_alloc(sizeof(*i));

	i->library = isal_open();
	isal_find(i->library, "isal_inflate_init", &i->isal_init);
	isal_find(i->library, "isal_inflate_stateless", &i->isal_inflate);
	isal_find(i->library, "crc32_gzip_refl", &i->isal_crc);
	return i;
}

void inflater_free(struct inflater *i)
{
	if (!i)
		return;
	isal_close(i->library);
	free(i);
}

static int run_isal(struct inflater *i, struct state *s, const unsigned char *from, size_t from_n,
		    unsigned char *out, size_t out_n)
{
	i->isal_init(&s->isal);
	s->isal.next_in = (unsigned char *)from;
	s->isal.avail_in = (uint32_t)from_n;
	s->isal.next_out = out;
	s->isal.avail_out = (uint32_t)out_n;
	s->isal.crc_flag = ISAL_DEFLATE;
	if (i->isal_inflate(&s->isal) != ISAL_DECOMP_OK || s->isal.avail_out)
		return -1;
	/* bytes that were read ahead into the bit buffer are not part of the stream */
	return s->isal.avail_in + (uint32_t)s->isal.read_in_length / 8 ? -1 : 0;
}

static int run_zlib(struct state *s, const unsigned char *from, size_t from_n,
		    unsigned char *out, size_t out_n)
{
	z_stream *z = &s->zlib;

	if (s->zlib_ready ? inflateReset(z) : inflateInit2(z, -MAX_WBITS))
		return -1;
	s->zlib_ready = 1;
	z->next_in = (unsigned char *)from;
	z->avail_in = (uInt)from_n;
	z->next_out = out;
	z->avail_out = (uInt)out_n;
	return inflate(z, Z_FINISH) == Z_STREAM_END && !z->avail_out && !z->avail_in ? 0 : -1;
}

int inflater_run(struct inflater *i, const unsigned char *from, size_t from_n, unsigned char *out,
		 size_t out_n)
{
	struct state *s;
	int code;

	if (from_n > UINT32_MAX || out_n > UINT32_MAX)
		return -1;
	s = state_take();
	if (i->isal_init && i->isal_inflate)
		code = run_isal(i, s, from, from_n, out, out_n);
	else
		code = run_zlib(s, from, from_n, out, out_n);
	state_give(s);
	return code;
}

uint32_t inflater_crc(const struct inflater *i, const unsigned char *p, size_t n)
{
	return i->isal_crc ? i->isal_crc(0, p, n) : (uint32_t)crc32_z(0, p, n);
}
