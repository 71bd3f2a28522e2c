/*
 * inflate.h: decompresses raw deflate (RFC 1951): with ISA-L if it is installed (2.4 times as fast:
 * with zlib, reading a trace into a profile spends half of its time here), otherwise, and if there are few bytes, with zlib.
 */
#ifndef INFLATE_H
#define INFLATE_H

#include <stddef.h>
#include <stdint.h>

struct inflater;

struct inflater *inflater_new(void);
void inflater_free(struct inflater *i);

/* 0: `from` is exactly one stream of exactly out_n bytes, which are now in `out`; otherwise -1, also for more than 2^32 - 1. */
int inflater_run(struct inflater *i, const unsigned char *from, size_t from_n, unsigned char *out, size_t out_n);

/* CRC-32 of n bytes, as zlib computes it: ISA-L needs an eighth of zlib's time. */
uint32_t inflater_crc(const struct inflater *i, const unsigned char *p, size_t n);

#endif
