/*
 * native_index.h: FILE.index beside a FILE.tau: summaries of spans of its chunks, so that a long
 * window reads sums instead of chunks. It is made from the trace, is valid as long as the trace
 * does not change, and can be deleted at any time. tau-trace(5) describes the format.
 */
#ifndef NATIVE_INDEX_H
#define NATIVE_INDEX_H

#include "analyze/window/loop_frames.h"
#include "analyze/summary/summary.h"
#include "convert/io/bytes.h"
#include "convert/native/native.h"
#include "convert/native/native_out.h"

#define INDEX_MAGIC "TAUINDEX"
#define INDEX_SUFFIX ".index"
#define LEVELS_MAGIC "TAULEVEL"	/* of a process: beside its first stream with memory */
#define LEVELS_SUFFIX ".levels"
#define INDEX_MAJOR 5
#define INDEX_MINOR 0
#define INDEX_FAN 16		/* entries of a level that one entry of the next level covers */
#define INDEX_LEVELS 8

/* 144 bytes at offset 0. */
struct index_header {
	char magic[8];
	uint16_t major, minor;
	uint32_t header_size;	/* 144 */
	uint64_t trace_size, trace_mtime;	/* of FILE.tau: bytes; ns since 1970 */
	uint64_t process_id;	/* as in FILE.tau */
	uint32_t thread;
	uint32_t trace_crc;	/* of the file header of FILE.tau */
	uint64_t clock, names;	/* hashes of clock and definitions: native_index_expect() */
	uint64_t tables;	/* offset of the tables of all levels, level 0 first */
	uint64_t entries;	/* of level 0, including the one that ends it */
	uint64_t dictionary;	/* offset */
	uint64_t dictionary_size;
	uint32_t dictionary_crc;
	uint32_t levels;
	uint32_t metrics;
	uint32_t list_crc;
	uint64_t list;		/* offset of what is known of the list of chunks (native_file.h) */
	uint32_t list_size;	/* 0: nothing */
	uint32_t frames_crc;
	uint64_t frames;	/* offset of what is known of frames in which loops may be (analyze/window/loop_frames.h) */
	uint32_t frames_size;	/* 0: nothing */
	uint32_t crc;		/* CRC-32 of the 140 bytes before */
};

/* One span. Level 0 ends with an entry of length 0 that holds the end of the last span. */
struct index_entry {
	uint64_t offset;	/* of its bytes */
	uint32_t length;
	uint32_t bytes_crc;
	int64_t begin;		/* ns: time of the state of its first chunk */
	uint32_t chunk;		/* the first; not used where levels of a process are kept */
	uint32_t crc;		/* CRC-32 of the 28 bytes before */
};
_Static_assert(sizeof(struct index_header) == 144 && sizeof(struct index_entry) == 32, "they stand in files as in memory");

static inline uint64_t index_entries(uint64_t level0, uint32_t level)
{
	uint64_t n = level0 ? level0 - 1 : 0;

	if (!level)
		return level0;
	while (level--)
		n /= INDEX_FAN;
	return n;
}

/* ---- use: native_index.c ---- */

struct native_index;

/*
 * What is kept of a stream; NULL: nothing that can be used. Damage is noted in the trace. The index is the caller's, who
 * closes it before the trace.
 */
struct native_index *native_index_open(struct trace *t, uint32_t stream);
void native_index_close(struct native_index *x);
/*
 * Gets the longest span that begins with a chunk and that TRACE_SKIP_KNOWN allows. 1: its summary
 * is in *s until the next call, and *chunk is the chunk after the span. 0: there is none, or it is
 * damaged (noted).
 */
int native_index_skip(struct native_index *x, size_t *chunk, struct trace_skip *s);

/* As TRACE_INDEX_FRAMES has it. */
int native_index_frames(struct trace *t, uint32_t stream, struct frames_kept *out);

/* Is there an index that can be used? Reads only its header. */
int native_index_has(struct trace *t, uint32_t stream);

/* The header as it has to be for a stream as it is now; 0, or -1: it has no file that could be had an index of. */
int native_index_expect(struct trace *t, uint32_t stream, struct index_header *out);
/* NULL: it is no FILE.tau. */
char *native_index_path(const struct native_file *f);
/* Was it made from this file, as that is now? */
int native_index_is_of(const struct index_header *h, const struct native_file *f);

/*
 * Levels of the memory of a process (native_levels.c), as TRACE_INDEX_MEMORY describes.
 * native_levels_has: are there any? native_levels_expect: the header that a valid index has now,
 * and the stream whose file names it; 0, or -1: no index can be kept.
 */
int native_levels_inside(struct trace *t, uint32_t process, struct summary *inside, size_t n);
int native_levels_has(struct trace *t, uint32_t process);
int native_levels_expect(struct trace *t, uint32_t process, struct index_header *out, uint32_t *stream);
char *native_levels_path(const struct native_file *f);

/* ---- between native_index.c and native_levels.c ---- */

struct native_index *native_index_open_as(struct trace *t, uint32_t stream, char *path, const struct index_header *want);
/* Sums all spans from the first that begins after `from` to the last that ends before `to`. */
int native_index_inside(struct native_index *x, int64_t from, int64_t to, struct summary *out);

/* ---- making: native_index_make.c ---- */

/*
 * Reads whole streams and writes the indexes that are not there, each whole or not at all. 1: all are there; 0: some cannot be made
 * (damage; a directory that cannot be written; a trace that is still growing); < 0: the system failed in a way that reading will meet
 * as well. ops: those that read the streams, where the trace may have others now.
 */
int native_index_make(struct trace *t, const struct trace_index *x, const struct trace_ops *ops, struct error *e);

/* ---- bytes: native_index_bytes.c ---- */

void native_index_put_stretch(struct buffer *b, const struct summary *s, size_t metric_n);
/* By region of the trace, [region_n] the root: the number that it has in the index; to be freed. */
uint32_t *native_index_ids(const struct trace *t, const struct native_stream *s);
/* A region of the trace, or TRACE_NONE. */
uint32_t native_index_region(const struct trace *t, const struct native_stream *s, uint64_t id);
/* 0, or -1: damaged. Everything in it is checked against the names. */
int native_index_get_stretch(struct bytes b, const struct summary_names *n, size_t metric_n,
			     struct summary *out);
void native_index_put_names(struct buffer *b, struct trace *t, uint32_t stream,
			    const struct summary_names *n);
int native_index_get_names(struct bytes b, struct trace *t, uint32_t stream,
			   struct summary_names *out);

/* ---- frames: native_frames.c ---- */

/* ids: as native_index_ids() has them. */
void native_frames_put(struct buffer *b, const struct frame *f, const uint32_t *ids);
/* Writes what follows the frames. */
void native_frames_put_rest(struct buffer *b, const struct trace *t, const struct frames_kept *rest, const uint32_t *ids);
/* 0, or -1: damaged, and *out is empty. */
int native_frames_get(struct bytes b, const struct trace *t, const struct native_stream *s, struct frames_kept *out);

#endif
