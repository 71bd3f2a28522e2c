/*
 * native_columns.h: a stream on disk (FILE.tau and the FILE.live beside it) as a list of chunks whose columns can be loaded.
 *
 * A file is read as far as it is intact. `damage` describes, in one sentence, what follows.
 */
#ifndef NATIVE_COLUMNS_H
#define NATIVE_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#include "record/format.h"

enum { NATIVE_HEADER_READ = 1, NATIVE_PAYLOAD_READ = 2 };

struct native_chunk {
	uint64_t offset;	/* of the chunk header in FILE.tau */
	uint64_t first_tick, last_tick;
	uint64_t stored;	/* bytes on disk, header included; 0 while unknown */
	uint32_t records;
	uint32_t defs_stored;
	int live;		/* is in FILE.live */
	int counted;		/* what of it is in bytes_read */
};

#define NATIVE_PAGE 128		/* entries of the list of chunks that are read together */
struct native_pages;

struct native_sync {
	uint64_t tick, mono_ns, real_ns;
};

/*
 * The columns of one chunk, inflated; each is followed by NATIVE_PAD zero bytes. Times are in the order of records, whatever
 * the chunk's layout is. Tokens are two planes, or numbers of a list.
 */
#define NATIVE_PAD 32
struct native_columns {
	unsigned char *data[TAU_COLUMNS];
	size_t length[TAU_COLUMNS];
	size_t cap[TAU_COLUMNS];
	uint32_t listed;	/* tokens that IDS has numbers of, all of them below this; 0: it is two planes */
	uint16_t token[256];
	unsigned char *times;	/* work of native_numbers.c */
	size_t times_cap;
	unsigned char *packed;
	size_t packed_cap;
	struct inflater *inflater;
	struct tau_chunk_header head;
};

struct native_file {
	char *path, *live_path;	/* live_path NULL: there is none */
	uint64_t live_at;	/* offset of the live chunk in that file */
	int fd;			/* of FILE.tau, -1 while closed */
	struct tau_file_header head;
	struct tau_live_header live;	/* as it was when the file was opened; magic[0] == 0: none */
	struct native_columns live_columns;
	struct native_chunk *chunk;	/* use native_file_chunk(): not all of it may have been read */
	size_t chunk_n, chunk_cap;
	struct native_pages *pages;	/* what of it has been read; NULL: all */
	uint64_t records;	/* of all chunks, also of those that damage has cut off later */
	int ordered;		/* no chunk begins before the one before it ends */
	struct native_sync sync[2];	/* the earliest and the latest that were seen */
	int sync_n;		/* 1: they are known */
	int closed;		/* it ends with a trailer */
	int left;		/* it was closed after the process had ended, not by the recorder */
	int stopped;		/* the recorder switched itself off, for the reason stop_error (errno) */
	uint32_t stop_error;
	int indexed;		/* the chunk list comes from the index */
	uint64_t lost;		/* events that the recorder dropped */
	uint64_t size;		/* bytes of FILE.tau that belong to the trace */
	uint64_t mtime;		/* of FILE.tau, ns since 1970 */
	uint64_t device, inode;	/* of FILE.tau */
	int replaced;		/* its writer may replace it by a shorter one: it stays open while it is read */
	uint64_t bytes_total, bytes_read;	/* FILE.live included */
	uint64_t index_read;	/* bytes of its index */
	/* why the calls of FILE.fold are excluded; NULL: they are included */
	const char *unfolded;
	int folded;		/* there was a FILE.fold */
	char *damage;		/* NULL: intact */
	int torn;		/* damage is that the file ends inside a chunk header */
	int nothing_lost;       /* damage is of the index alone, and all records are there */
	uint64_t index_offset;	/* of the index chunk, 0 none */
};

/* The token of record i < records; IDS is loaded. */
static inline uint32_t native_token(const struct native_columns *c, size_t i)
{
	const unsigned char *ids = c->data[TAU_IDS] + i;

	return c->listed ? c->token[*ids] : ids[0] | (uint32_t)ids[c->head.records] << 8;
}

#define NATIVE_JOIN 16 /* records that are joined at once; bytes read after a column are padding */
_Static_assert(NATIVE_JOIN <= NATIVE_PAD, "columns are read in whole pieces");

/* Records from .. from + n of a column of two planes, each `records` long: low bytes, high bytes. */
static inline void native_planes_join(uint16_t *restrict out, const unsigned char *restrict column,
				      size_t records, size_t from, size_t n)
{
	const unsigned char *restrict low = column + from, *restrict high = low + records;

	for (size_t i = 0; i < n; i += NATIVE_JOIN)
		for (size_t k = 0; k < NATIVE_JOIN; k++)
			out[i + k] = (uint16_t)(low[i + k] | high[i + k] << 8);
}

#endif
