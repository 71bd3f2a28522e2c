/*
 * deflate.c: writes raw deflate streams with ISA-L if it is installed, otherwise with zlib, and
 * stored bytes without both. Both libraries are loaded privately at run time, so that linking the
 * recorder adds nothing but libc to the program.
 */
#include "record/encode/deflate.h"
#include "record/base/memory_map.h"
#include "record/metadata.h"
#include "record/own/own.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <zlib.h>

#if __has_include(<isa-l/igzip_lib.h>)
#include <isa-l/igzip_lib.h>
#define WORK_BYTES ISAL_DEF_LVL1_DEFAULT
#else
struct isal_zstream;
#define WORK_BYTES (256 << 10)
#endif

/*
 * Fewer bytes are stored as they are: making codes for them takes 3 us and saves some tens of bytes of a chunk. Streams of threads
 * that record little consist of such columns.
 */
#define LEAST 256

/* The state of one compression; the output buffer follows it. */
struct codec {
	size_t size;			/* of this mapping */
	size_t out_bytes;
#ifdef ISAL_DEF_LVL1_DEFAULT
	struct isal_zstream isal;
#endif
	uint8_t work[WORK_BYTES] __attribute__((aligned(64)));
	uint8_t out[];			/* followed by column.c's work, at a multiple of 64 bytes */
};

static struct {
	void (*isal_init)(struct isal_zstream *);
	int (*isal_deflate)(struct isal_zstream *);
	uint32_t (*isal_crc)(uint32_t, const unsigned char *, uint64_t);
	int (*z_init)(z_stream *, int, int, int, int, int, const char *, int);
	int (*z_deflate)(z_stream *, int);
	int (*z_end)(z_stream *);
	uint32_t crc_table[256];
	struct codec *spare;		/* one codec is kept between chunks */
	const char *name;
	bool alone;			/* the library that TAU_RECORD_CODEC names writes everything */
} lib = { .name = "stored" };

#ifdef ISAL_DEF_LVL1_DEFAULT
static void load_isal(void)
{
	void *h = own_library("libisal.so.2", 1);

	if (!h)
		return;
	*(void **)&lib.isal_init = own_of(h, "isal_deflate_stateless_init");
	*(void **)&lib.isal_deflate = own_of(h, "isal_deflate_stateless");
	*(void **)&lib.isal_crc = own_of(h, "crc32_gzip_refl");
	if (lib.isal_init && lib.isal_deflate && lib.isal_crc)
		lib.name = TAU_COMPRESSION_ISAL;
	else
		lib.isal_deflate = NULL;
}
#else
/* Built without its header it is not loaded. */
static void load_isal(void)
{
}
#endif

static void load_zlib(void)
{
	void *h = own_library("libz.so.1", 1);

	if (!h)
		return;
	*(void **)&lib.z_init = own_of(h, "deflateInit2_");
	*(void **)&lib.z_deflate = own_of(h, "deflate");
	*(void **)&lib.z_end = own_of(h, "deflateEnd");
	if (lib.z_init && lib.z_deflate && lib.z_end)
		lib.name = "zlib";
	else
		lib.z_deflate = NULL;
}

void codec_load(void)
{
	const char *want = getenv("TAU_RECORD_CODEC");

	lib.alone = want != NULL;
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;

		for (int k = 0; k < 8; k++)
			c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
		lib.crc_table[i] = c;
	}
	if (!want || !strcmp(want, TAU_COMPRESSION_ISAL))
		load_isal();
	if (!lib.isal_deflate && (!want || strcmp(want, "stored") != 0))
		load_zlib();
}

const char *codec_name(void)
{
	return lib.name;
}

bool codec_deflates_records(void)
{
	return !lib.alone && (lib.isal_deflate || lib.z_deflate);
}

struct codec *codec_get(size_t out_bytes, size_t work_bytes)
{
	struct codec *c = __atomic_exchange_n(&lib.spare, NULL, __ATOMIC_ACQUIRE);
	size_t size = sizeof(*c) + out_bytes + 64 + work_bytes + 4096;

	if (c && c->out_bytes >= out_bytes)
		return c;
	if (c)
		map_free(c, c->size);
	c = map_alloc(size);
	if (c) {
		c->size = size;
		c->out_bytes = out_bytes;
	}
	return c;
}

void codec_put(struct codec *c)
{
	c = __atomic_exchange_n(&lib.spare, c, __ATOMIC_ACQ_REL);
	if (c)
		map_free(c, c->size);
}

uint8_t *codec_out(struct codec *c)
{
	return c->out;
}

/*
 * ISA-L leaves the upper halves of vector registers in use. Until they are cleared every SSE instruction of the program
 * waits for them: sqlite's benchmark took 9 % longer because of that.
 */
#if defined(__x86_64__)
static void vectors_clear(void)
{
	if (__builtin_cpu_supports("avx"))
		__asm__ volatile("vzeroupper" ::: "memory");
}
#else
static void vectors_clear(void)
{
}
#endif

struct column_work *codec_work(struct codec *c)
{
	return (struct column_work *)(void *)(((uintptr_t)c->out + c->out_bytes + 63) &
					      ~(uintptr_t)63);
}

#ifdef ISAL_DEF_LVL1_DEFAULT
static uint32_t deflate_isal(struct codec *c, const uint8_t *in, uint32_t n, uint8_t *out)
{
	int code;

	lib.isal_init(&c->isal);
	c->isal.level = 1;
	c->isal.level_buf = c->work;
	c->isal.level_buf_size = sizeof(c->work);
	c->isal.end_of_stream = 1;
	c->isal.flush = NO_FLUSH;
	c->isal.gzip_flag = IGZIP_DEFLATE;
	c->isal.next_in = (uint8_t *)in;
	c->isal.avail_in = n;
	c->isal.next_out = out;
	c->isal.avail_out = n - 1;
	code = lib.isal_deflate(&c->isal);
	vectors_clear();
	return code == COMP_OK && !c->isal.avail_in ? c->isal.total_out : 0;
}
#else
static uint32_t deflate_isal(struct codec *c, const uint8_t *in, uint32_t n, uint8_t *out)
{
	(void)c, (void)in, (void)n, (void)out;
	return 0;
}
#endif

/* zlib calls these functions to allocate: it gets parts of the codec's memory, never the program's heap. */
struct pool {
	uint8_t *at, *end;
};

static void *pool_allocate(void *pool, unsigned count, unsigned size)
{
	struct pool *p = pool;
	size_t n = ((size_t)count * size + 63) & ~(size_t)63;
	uint8_t *at = p->at;

	if (n > (size_t)(p->end - p->at))
		return Z_NULL;
	p->at += n;
	return at;
}

static void pool_drop(void *pool __attribute__((unused)), void *at __attribute__((unused)))
{
}

static uint32_t deflate_zlib(struct codec *c, const uint8_t *in, uint32_t n, uint8_t *out)
{
	struct pool pool = { c->work, c->work + sizeof(c->work) };
	z_stream z = {.zalloc = pool_allocate,
		      .zfree = pool_drop,
		      .opaque = &pool,
		      .next_in = (uint8_t *)in,
		      .avail_in = n,
		      .next_out = out,
		      .avail_out = n - 1};
	uint32_t size = 0;

	/* 8 KB window and small tables: they fit the pool, and the columns repeat closely. */
	if (lib.z_init(&z, 1, Z_DEFLATED, -13, 6, Z_DEFAULT_STRATEGY, ZLIB_VERSION, sizeof(z)) !=
	    Z_OK)
		return 0;
	if (lib.z_deflate(&z, Z_FINISH) == Z_STREAM_END)
		size = (uint32_t)z.total_out;
	lib.z_end(&z);
	return size;
}

uint32_t codec_deflate(struct codec *c, const uint8_t *in, uint32_t n, uint8_t *out)
{
	if (n < LEAST)
		return 0;
	if (lib.isal_deflate)
		return deflate_isal(c, in, n, out);
	return lib.z_deflate ? deflate_zlib(c, in, n, out) : 0;
}

/* CRC-32 as in zlib and RFC 1952. */
uint32_t codec_crc(const void *bytes, size_t n)
{
	const uint8_t *p = bytes;
	uint32_t crc = 0xffffffffu;

	if (lib.isal_crc) {
		crc = lib.isal_crc(0, p, n);
		vectors_clear();
		return crc;
	}
	while (n--)
		crc = lib.crc_table[(crc ^ *p++) & 0xff] ^ crc >> 8;
	return ~crc;
}
