/* inflate.c: decompresses with ISA-L or zlib. */
#include "convert/io/inflate.h"

#include <stdint.h>
#include <zlib.h>

#include "analyze/base/base.h"
#include "convert/io/isal.h"

#define FEW 4096 /* bytes for which the tables of ISA-L cost more than zlib takes: 80,000 instructions */

struct inflater {
	void *library;		/* ISA-L, NULL: not installed */
	void (*isal_init)(struct inflate_state *);
	int (*isal_inflate)(struct inflate_state *);
	uint32_t (*isal_crc)(uint32_t, const unsigned char *, uint64_t);
	z_stream zlib;
	int zlib_ready;
};

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
	if (i->zlib_ready)
		inflateEnd(&i->zlib);
	free(i);
}

#if HAVE_ISAL
/*
 * The state has 87 KB, which a reader of a thousand traces cannot keep for each of them, and for which
 * a small stack (ulimit -s) has no room.
 */
static int run_isal(struct inflater *i, const unsigned char *from, size_t from_n,
		    unsigned char *out, size_t out_n)
{
	struct inflate_state *isal = mem_resize(NULL, 1, sizeof(*isal));
	int code = -1;

	i->isal_init(isal);
	isal->next_in = (unsigned char *)from;
	isal->avail_in = (uint32_t)from_n;
	isal->next_out = out;
	isal->avail_out = (uint32_t)out_n;
	isal->crc_flag = ISAL_DEFLATE;
	/* bytes that were read ahead into the bit buffer are not part of the stream */
	if (i->isal_inflate(isal) == ISAL_DECOMP_OK && !isal->avail_out &&
	    !(isal->avail_in + (uint32_t)isal->read_in_length / 8))
		code = 0;
	free(isal);
	return code;
}
#else
static int run_isal(struct inflater *i, const unsigned char *from, size_t from_n,
		    unsigned char *out, size_t out_n)
{
	(void)i, (void)from, (void)from_n, (void)out, (void)out_n;
	return -1;
}
#endif

static int run_zlib(struct inflater *i, const unsigned char *from, size_t from_n,
		    unsigned char *out, size_t out_n)
{
	z_stream *z = &i->zlib;

	if (i->zlib_ready ? inflateReset(z) : inflateInit2(z, -MAX_WBITS))
		return -1;
	i->zlib_ready = 1;
	z->next_in = (unsigned char *)from;
	z->avail_in = (uInt)from_n;
	z->next_out = out;
	z->avail_out = (uInt)out_n;
	return inflate(z, Z_FINISH) == Z_STREAM_END && !z->avail_out && !z->avail_in ? 0 : -1;
}

int inflater_run(struct inflater *i, const unsigned char *from, size_t from_n, unsigned char *out,
		 size_t out_n)
{
	if (from_n > UINT32_MAX || out_n > UINT32_MAX)
		return -1;
	if (i->isal_init && i->isal_inflate && out_n > FEW)
		return run_isal(i, from, from_n, out, out_n);
	return run_zlib(i, from, from_n, out, out_n);
}

uint32_t inflater_crc(const struct inflater *i, const unsigned char *p, size_t n)
{
	return i->isal_crc ? i->isal_crc(0, p, n) : (uint32_t)crc32_z(0, p, n);
}
