/*
 * native_walk.h: the contents of one chunk element by element, for programs that show or verify a file. Reading for
 * analysis goes through native_cursor.c, which does the same faster.
 */
#ifndef NATIVE_WALK_H
#define NATIVE_WALK_H

#include "convert/io/bytes.h"
#include "convert/native/file/native_columns.h"

/*
 * Fields of a record or definition, as words separated by blanks: a letter for the type, then the name.
 *	v varint   d varint, ticks   z zigzag   f f64   a 8 bytes   s string   x string shown as hex digits
 *	r region   e event   c communicator   m memtype (varints)   o memtype, 0 = none
 *	? 8 bytes   t string   w varint: each may be absent, at the end
 *	q request, zigzag of the difference to the one before in the chunk: may be absent, at the end of a record
 *	V n, then n varints   R n, then n regions   A n, then n code addresses, as zigzags of differences
 */
struct native_kind {
	const char *name;	/* NULL: no such kind */
	const char *fields;
};
extern const struct native_kind native_record_kind[64];	/* by enum tau_record_kind */
#define NATIVE_DEFINE_KINDS (TAU_DEF_RENAME + 1)
extern const struct native_kind native_define_kind[NATIVE_DEFINE_KINDS];	/* by enum tau_def_kind */

/* Next field of a description: its type (0 at the end) and its name up to the blank. */
char native_field(const char **fields, const char **name, int *name_n);

struct native_element {
	uint32_t kind;		/* record: 0 LEAVE, 1..63 extended, TAU_TOKEN_REGION ENTER */
	uint64_t region;	/* of an ENTER */
	uint64_t tick;		/* of a record */
	uint32_t request;	/* its field q; 0: it has none */
	struct bytes fields;	/* of an extended record, a definition or a snapshot section: in the columns, or in `made` */
	int64_t metric[TAU_METRICS];	/* values that a record carries */
	uint32_t metric_n;
	unsigned char made[20];	/* holds the fields of a record that is a token */
};

/* The definitions BLOCK so far: native_blocks_add() adds those of a chunk. The caller frees v. */
struct native_blocks {
	struct native_block_said {
		uint64_t memtype, bytes;	/* memtype 0: not defined */
	} *v;
	size_t v_n, v_cap;
};
void native_blocks_add(struct native_blocks *b, const struct native_columns *c);

/*
 * Definitions of a chunk, or sections of a snapshot; both borrow the columns. native_list_next(): 1: an element, 0: the end,
 * -1: damaged.
 */
struct native_list {
	struct bytes rest;
	uint64_t left;
};
struct native_list native_definitions(const struct native_columns *c);
int native_list_next(struct native_list *l, struct native_element *out);

/*
 * Records of a chunk, of which all columns are loaded. blocks: up to this chunk; NULL: there are none. native_walk_begin():
 * sets *snapshot to the sections of its snapshot; 0, or -1: the snapshot is damaged. native_walk_next(): 1: a record, 0: the
 * end, -1: the record is damaged. *out is valid as long as the columns and blocks are, and must not be copied: fields may be in
 * `made`.
 */
struct native_walk {
	const struct native_blocks *blocks;
	const struct native_columns *columns;
	size_t at;
	uint64_t tick;
	uint32_t request;	/* the last one of the chunk */
	struct bytes args;
	int64_t metric[TAU_METRICS];	/* at the record before */
};
int native_walk_begin(struct native_walk *w, const struct native_columns *c, const struct native_blocks *blocks,
		      struct native_list *snapshot);
int native_walk_next(struct native_walk *w, struct native_element *out);

/*
 * Verifies one stream beyond its checksums: ids are defined before they are used, leaves match
 * enters, snapshots agree with the records before, times never decrease. Calls the callback with a
 * sentence for each problem, which is borrowed; returns the number of problems. Ends at the first chunk that cannot be loaded.
 */
size_t native_check(struct native_file *f, void (*print)(void *to, const char *sentence), void *to);

#endif
