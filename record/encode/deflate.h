/*
 * deflate.h: compression of columns: raw deflate and CRC-32, by ISA-L or zlib.
 */
#ifndef DEFLATE_H
#define DEFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct codec;
/* Room for this number of bytes of output, and for work, whose size never changes. NULL: out of
 * memory. */
struct codec *codec_get(size_t out_bytes, size_t work_bytes);
void codec_put(struct codec *c);
uint8_t *codec_out(struct codec *c);
/* Raw deflate of n bytes to out; returns the size, or 0 when it would not be smaller than n. */
uint32_t codec_deflate(struct codec *c, const uint8_t *in, uint32_t n, uint8_t *out);
uint32_t codec_crc(const void *p, size_t n);
struct column_work *codec_work(struct codec *c); /* the bytes of work, 64 aligned */
/* Do the writers of column.c deflate records? false: the library does, or nothing is deflated. */
bool codec_deflates_records(void);
void codec_load(void);
const char *codec_name(void);

#endif
