/* native_index_head.h: the head and the entries of FILE.index, and to which file it belongs. */
#ifndef NATIVE_INDEX_HEAD_H
#define NATIVE_INDEX_HEAD_H

#include <stdint.h>
#include <stdio.h>

#include "convert/native/file/native_columns.h"

#define INDEX_MAGIC "TAUINDEX"
#define INDEX_SUFFIX ".index"
#define LEVELS_MAGIC "TAULEVEL"	/* of a process: beside its first stream with memory */
#define LEVELS_SUFFIX ".levels"
#define CELLS_MAGIC "TAUCELLS"	/* of a stream: native_cells.h */
#define CELLS_SUFFIX ".cells"
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
_Static_assert(sizeof(struct index_header) == 144 && sizeof(struct index_entry) == 32, "files contain them as they are in memory");

static inline uint64_t index_entries(uint64_t level0, uint32_t level)
{
	uint64_t n = level0 ? level0 - 1 : 0;

	if (!level)
		return level0;
	while (level--)
		n /= INDEX_FAN;
	return n;
}

/* The path of the index of a file, which the caller frees; NULL: it is no FILE.tau. */
char *native_index_path(const struct native_file *f);
/* The same for the levels of its process. */
char *native_levels_path(const struct native_file *f);
/* The same for the cells of the stream. */
char *native_cells_path(const struct native_file *f);
/* The same for any suffix. */
char *native_path_beside(const struct native_file *f, const char *end);
/*
 * Creates a file from a path that ends with XXXXXX, which are replaced, for rename(). Every user who may read the trace may read it. NULL:
 * it cannot be created.
 */
FILE *native_beside_new(const struct native_file *f, char *path);
/* Was the index made from this file, as that was when it was opened? */
int native_index_is_of(const struct index_header *h, const struct native_file *f);

#endif
