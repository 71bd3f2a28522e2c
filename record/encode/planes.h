/*
 * planes.h: splits records and tokens into streams of bytes that compress well.
 */
#ifndef PLANES_H
#define PLANES_H

#include <stddef.h>
#include <stdint.h>

/* n records to 2n bytes of times, low ones first, and n tokens of 2 bytes. */
void planes_split(const uint8_t *records, size_t n, uint8_t *times, uint8_t *tokens);
void tokens_split(const uint8_t *tokens, size_t n, uint8_t *planes);	/* low bytes, then high ones */

#endif
