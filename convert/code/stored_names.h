/*
 * stored_names.h: names of code that are stored with a run, for readers on other machines, or after the binaries have changed: a
 * table in memory, without its file (names_file.h).
 */
#ifndef STORED_NAMES_H
#define STORED_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/base/map.h"

#define STORED_NONE UINT32_MAX	/* no text */

/* What a row is. Inlined functions follow the code that they contain, the real function last. */
enum stored_kind { STORED_FUNCTION, STORED_CODE, STORED_INTO, STORED_USERS, STORED_KINDS };

struct stored_row {
	uint64_t address;	/* ELF virtual address; INTO: that of the row before */
	enum stored_kind kind;
	uint32_t name, file;	/* numbers of texts, or STORED_NONE: unknown. USERS: the text of callers.h as name */
	uint32_t line;		/* 0: unknown */
};

/* What a binary was when its names were looked up. */
struct stored_state {
	int64_t mtime_ns;	/* since 1970 */
	uint64_t size;
};

struct stored_module {
	char *path;
	unsigned char *build_id;	/* build_id_n bytes, 0: none */
	size_t build_id_n;
	struct stored_state state;
	int changed;		/* the file there is another one now, or gone: stored_names_compare() */
	size_t first, row_n;	/* in the rows of all modules */
	struct map at[STORED_KINDS];	/* address -> row */
};

struct stored_names {
	struct stored_module *module;
	size_t module_n, module_cap;
	struct stored_row *row;	/* those of a module are together */
	size_t row_n, row_cap;
	struct names text;
	int part;		/* some code of samples has no row, or a name alone */
};

struct stored_names *stored_names_new(void);
void stored_names_free(struct stored_names *s);	/* NULL: does nothing */

/* A module, whose rows are added next. The texts are copied. */
void stored_names_module(struct stored_names *s, const char *path, const unsigned char *build_id, size_t build_id_n,
			 struct stored_state state);
/* A row of the last module. An address that is there already, INTO without code before it, and texts that are not there are ignored. */
void stored_names_row(struct stored_names *s, struct stored_row row);
/* The number of a text; NULL: STORED_NONE. */
uint32_t stored_names_text(struct stored_names *s, const char *text);
const char *stored_text(const struct stored_names *s, uint32_t text);	/* NULL: none */

/*
 * Looks at the files of all modules and sets `changed` of those that are not as they were: gone, with another build id, or without
 * one and of another size or time. Returns their number.
 */
size_t stored_names_compare(struct stored_names *s);
/* The module of a path and build id; NULL: there is none. */
const struct stored_module *stored_names_find(const struct stored_names *s, const char *path, const unsigned char *build_id,
					      size_t build_id_n);
/* The row of a kind for an address; NULL: there is none. *n: of CODE: with those that it is inlined into; otherwise 1. */
const struct stored_row *stored_row_find(const struct stored_names *s, const struct stored_module *m, enum stored_kind kind,
					 uint64_t address, size_t *n);
/* One sentence about the modules that have changed; NULL: none has. The caller frees it. */
char *stored_names_sentence(const struct stored_names *s);

#endif
