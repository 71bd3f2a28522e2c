/* deflate.c: compresses with ISA-L or zlib. */
#include "convert/io/deflate.h"

#include <stdint.h>
#include <zlib.h>

#include "analyze/base/base.h"
#include "convert/io/isal.h"

#define LEAST 256 /* fewer bytes stay as they are: codes for them take longer than they are worth, as in record/encode/deflate.c */

struct deflater {
	void *library;		/* ISA-L, NULL: not installed */
	void (*isal_init)(struct isal_zstream *);
	int (*isal_deflate)(struct isal_zstream *);
#if HAVE_ISAL
	struct isal_zstream isal;
#endif
	unsigned char *work;	/* of ISA-L */
	z_stream zlib;
	int zlib_ready;
};

struct deflater *deflater_new(void)
{
	struct deflater *d = mem_alloc(sizeof(*d));

	d->library = isal_open();
	isal_find(d->library, "isal_deflate_stateless_init", &d->isal_init);
	isal_find(d->library, "isal_deflate_stateless", &d->isal_deflate);
	if (d->library)
		d->work = mem_alloc(ISAL_DEF_LVL1_DEFAULT);
	return d;
}

void deflater_free(struct deflater *d)
{
	if (!d)
		return;
	isal_close(d->library);
	if (d->zlib_ready)
		deflateEnd(&d->zlib);
	free(d->work);
	free(d);
}

#if HAVE_ISAL
static size_t run_isal(struct deflater *d, const unsigned char *from, size_t n, unsigned char *out)
{
	d->isal_init(&d->isal);
	d->isal.level = 1;
	d->isal.level_buf = d->work;
	d->isal.level_buf_size = ISAL_DEF_LVL1_DEFAULT;
	d->isal.end_of_stream = 1;
	d->isal.flush = NO_FLUSH;
	d->isal.gzip_flag = IGZIP_DEFLATE;
	d->isal.next_in = (unsigned char *)from;
	d->isal.avail_in = (uint32_t)n;
	d->isal.next_out = out;
	d->isal.avail_out = (uint32_t)n - 1;
	return d->isal_deflate(&d->isal) == COMP_OK && !d->isal.avail_in ? d->isal.total_out : 0;
}
#else
static size_t run_isal(struct deflater *d, const unsigned char *from, size_t n, unsigned char *out)
{
	(void)d, (void)from, (void)n, (void)out;
	return 0;
}
#endif

static size_t run_zlib(struct deflater *d, const unsigned char *from, size_t n, unsigned char *out)
{
	z_stream *z = &d->zlib;

	if (d->zlib_ready ? deflateReset(z)
			  : deflateInit2(z, 1, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY))
		return 0;
	d->zlib_ready = 1;
	z->next_in = (unsigned char *)from;
	z->avail_in = (uInt)n;
	z->next_out = out;
	z->avail_out = (uInt)n - 1;
	return deflate(z, Z_FINISH) == Z_STREAM_END ? z->total_out : 0;
}

size_t deflater_run(struct deflater *d, const unsigned char *from, size_t n, unsigned char *out)
{
	if (n < LEAST || n > UINT32_MAX)
		return 0;
	if (d->isal_init && d->isal_deflate)
		return run_isal(d, from, n, out);
	return run_zlib(d, from, n, out);
}
