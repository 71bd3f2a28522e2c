/*
 * native_file.h: one stream on disk (FILE.tau and the FILE.live beside it) as a list of chunks
 * whose columns can be loaded. Everything about bytes, checksums and damage is here; native.c and
 * native_cursor.c interpret the columns.
 *
 * A file is read as far as it is intact. `damage` describes, in one sentence, what follows.
 */
#ifndef NATIVE_FILE_H
#define NATIVE_FILE_H

#include "analyze/base/base.h"
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
	int closed;		/* it ends with a trailer: the recorder came to its end */
	int indexed;		/* the chunk list comes from the index */
	uint64_t lost;		/* events that the recorder dropped */
	uint64_t size;		/* bytes of FILE.tau that belong to the trace */
	uint64_t mtime;		/* of FILE.tau, ns since 1970 */
	uint64_t bytes_total, bytes_read;	/* FILE.live included */
	uint64_t index_read;	/* bytes of its index */
	/* why the calls of FILE.fold are excluded; NULL: they are included */
	const char *unfolded;
	char *damage;		/* NULL: intact */
	int nothing_lost;       /* damage is of the index alone, and all records are there */
	uint64_t index_offset;	/* of the index chunk, 0 none */
};

/* Does the file at path begin as a FILE.tau or FILE.live? 0 also if it cannot be read. */
int native_file_is(const char *path);

/*
 * Opens FILE.tau, with the FILE.live beside it; path may be of either. A header that cannot be trusted is an
 * error; anything wrong after the header is damage. The file stays open; native_file_rest() closes
 * the descriptor until the next load. O(chunks) without a FILE.index, O(1) with one.
 */
int native_file_open(const char *path, struct native_file **out, struct error *e);
void native_file_rest(struct native_file *f);
void native_file_close(struct native_file *f);

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
 * Loads chunk k < chunk_n into *c, which is all zero or was loaded before: reads it whole, verifies both checksums, inflates
 * the columns of the mask (1 << TAU_DEFS ...; TIMES with IDS). The other columns are undefined. ERROR_INPUT: damaged; the
 * sentence names file, place and what is wrong. ERROR_SYSTEM: the file cannot be opened. The caller releases *c, also after an
 * error.
 */
int native_file_load(struct native_file *f, size_t k, unsigned mask, struct native_columns *c, struct error *e);
void native_columns_release(struct native_columns *c);

/* The token of record i < records; IDS is loaded. */
static inline uint32_t native_token(const struct native_columns *c, size_t i)
{
	const unsigned char *ids = c->data[TAU_IDS] + i;

	return c->listed ? c->token[*ids] : ids[0] | (uint32_t)ids[c->head.records] << 8;
}

/*
 * native_numbers.c: sets `listed` and `token` of a chunk with TAU_LAYOUT_NUMBERS whose columns TIMES and IDS have just been
 * inflated, and puts TIMES in the order of records. 0, or -1: the list is damaged.
 */
int native_numbers_take(struct native_columns *c);
/* Makes IDS of such a chunk two planes. */
void native_numbers_spread(struct native_columns *c);

/* Cuts the file before chunk k and notes why. The first damage is kept. */
void native_file_damage(struct native_file *f, size_t k, const char *why);

/* ---- native_chunks.c ---- */

uint32_t native_crc(const void *p, size_t n);
/* What is wrong with the header of an event or index chunk; NULL: nothing. */
const char *native_header_wrong(const struct tau_chunk_header *h, uint32_t seq, uint8_t kind);
/* Bytes of the chunk on disk, header included. */
uint64_t native_header_stored(const struct tau_chunk_header *h);
/* Opens FILE.tau again if it was closed by native_file_rest(). 0, or -1 with errno. */
int native_file_wake(struct native_file *f);
/* Lists all chunks by their headers: the way to read a file that has no index, or whose index is damaged. Always 0. */
int native_chunks_walk(struct native_file *f);

/* Reads exactly n bytes at offset; 0, or -1 with errno (0: the file is shorter). */
int native_read_at(int fd, void *to, size_t n, uint64_t offset);
/* Notes damage after the chunks found so far. Always 0: the file is usable up to here. */
int native_damage(struct native_file *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
void native_sync_add(struct native_file *f, uint64_t tick, uint64_t mono_ns, uint64_t real_ns);
/* Sets the length of column i to n bytes, with its padding; the contents are undefined. */
void native_column_reserve(struct native_columns *c, int i, size_t n);

/*
 * native_pages.c: lists of very many chunks are read page by page. FILE.index (native_index.h) holds a checksum of each page,
 * and what else must be known of the whole list.
 */

/*
 * Head of such a list. It is followed by defined_n x u32 numbers of chunks with definitions and
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

/* ---- native_live.c and native_fold.c ---- */

/*
 * Copies the live chunk, before the sealed ones are listed: one that is sealed in between is then found there. Returns NULL,
 * also if there is none (live_path is NULL then), or why it cannot be used.
 */
const char *native_live_open(struct native_file *f);
/*
 * Appends the folded calls that FILE.fold holds to the columns of the live chunk, before its
 * records are split into planes. The new records have the time of the last record, or that of the
 * last folded call if it is later; live->last_tick becomes this time. Returns NULL, also if there is
 * no such file, or why the calls are unavailable: then nothing is changed.
 */
const char *native_fold_take(const struct native_file *f, struct native_columns *c,
			     struct tau_live_header *live);
/*
 * Appends the live chunk if it follows the sealed ones. wrong: what native_live_open() returned. Always 0: the rest is damage.
 */
int native_live_take(struct native_file *f, const char *wrong);

#endif
