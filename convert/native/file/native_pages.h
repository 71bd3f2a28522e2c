/* native_pages.h: a list of very many chunks, page by page. */
#ifndef NATIVE_PAGES_H
#define NATIVE_PAGES_H

#include "convert/native/file/native_columns.h"

/* What is known of chunk k < chunk_n. It stays where it is until the file is closed. native_page_load(): reads its page. */
void native_page_load(struct native_file *f, size_t k);
static inline struct native_chunk *native_file_chunk(struct native_file *f, size_t k)
{
	if (f->pages)
		native_page_load(f, k);
	return &f->chunk[k];
}

/* The first chunk from k on that has definitions; chunk_n: there is none. O(log n) in a list that is read page by page. */
size_t native_file_defined(struct native_file *f, size_t k);

/*
 * Head of a list of very many chunks, in FILE.index (native_index.h). It is followed by defined_n x u32 numbers of chunks with definitions and
 * page_n x u32 checksums.
 */
struct native_list_head {
	uint32_t payload_crc;	/* of the index chunk of FILE.tau */
	uint32_t chunks, defined_n, page_n;
	uint64_t records;
};
/* 1: the list that the trailer refers to can be read page by page, and f->chunk is set up; 0: it must be read whole. */
int native_list_open(struct native_file *f, const struct tau_trailer *t, uint32_t payload_crc);
void native_list_close(struct native_file *f);
/* The *n bytes that FILE.index has to hold for a list, which the caller frees; NULL: it has to be read whole. */
unsigned char *native_list_make(struct native_file *f, size_t *n);

#endif
