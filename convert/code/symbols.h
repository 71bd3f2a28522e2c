/*
 * symbols.h: looks up names of functions in binaries: symbol tables, debug information, readable
 * C++ names. Modules and results are cached.
 */
#ifndef SYMBOLS_H
#define SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/trace/trace.h"

struct symbols;
struct symbols_kept;

struct symbol {
	const char *name;	/* as profiles show it, see symbols_get() */
	const char *file;	/* NULL: unknown */
	uint32_t line;		/* 0: unknown */
};

struct symbols *symbols_new(void);
void symbols_free(struct symbols *s);
/*
 * Binaries that stay open, with what was found in them, after the struct symbols that met them: a program that opens traces several
 * times reads debug information once. kept: borrowed, NULL: none; free it after all struct symbols that use it. These may be used
 * by different threads.
 */
struct symbols_kept *symbols_kept_new(void);
void symbols_kept_free(struct symbols_kept *kept);
/*
 * When the recording of the code began, in seconds of real time. Files without a build id that are newer get a note, because their
 * addresses may have other names than then.
 */
void symbols_recorded(struct symbols *s, int64_t seconds);
struct symbols *symbols_new_kept(struct symbols_kept *kept);
/* Names that take the place of those in files that have changed (stored_names_compare()). Borrowed, for as long as s; NULL: none. */
struct stored_names;
void symbols_use_stored(struct symbols *s, const struct stored_names *stored);
/*
 * A name for the function around an address whose place has none: "sqlite3+0x4f30", the file and the function's first address; of a
 * stripped binary. NULL: where it begins is unknown. To be freed.
 */
char *symbols_start_name(struct symbols *s, const char *path, const unsigned char *build_id, size_t build_id_n, uint64_t address);
/* From now on, functions are looked up in symbol tables alone: without files, lines, and functions that are inlined. */
void symbols_brief(struct symbols *s);
/* The same for binaries with a debug file of their own: unpacking one takes some 100 ms. */
void symbols_own_debug(struct symbols *s);
/* Adds all that was found so far in files that can be read, and what was stored and used. */
void symbols_store(struct symbols *s, struct stored_names *out);

/*
 * The function at an address of a process. path: of the module (NULL: it is in no module),
 * build_id: of the module (build_id_n bytes, 0: none), bias: address - ELF virtual address. The
 * name is
 *	name [{file} {line,0}]		with debug information
 *	name				with a symbol only
 *	addr=<0x4012> [module]		otherwise, the address as in the file
 * If the module does not have the recorded build id, it is not used. The strings are valid as long
 * as s.
 */
struct symbol symbols_get(struct symbols *s, const char *path, const unsigned char *build_id, size_t build_id_n,
			  uint64_t bias, uint64_t address);

/*
 * Calls each() for all functions of a binary with an address of their own, in order of address,
 * with the ELF virtual address and the name without source position. files: look up the file too,
 * which takes longer. Returns their number.
 */
size_t symbols_each(struct symbols *s, const char *path, const unsigned char *build_id, size_t build_id_n, int files,
		    void (*each)(void *to, uint64_t address, const char *name, const char *file), void *to);

/* The build id of a binary: its length; 0: none (or no binary). hooks: as in hooks.h. */
size_t symbols_build_id(const char *path, unsigned char out[64], int *hooks);

/*
 * The functions at an ELF virtual address of a binary, inlined ones first; valid as long as s.
 * Names are as above, without source position; NULL: unknown.
 */
struct trace_place symbols_place(struct symbols *s, const char *path, const unsigned char *build_id, size_t build_id_n,
				 uint64_t address);

/*
 * Describes what uses a function without a name (callers.h). The caller frees the text; NULL:
 * unknown.
 */
char *symbols_callers(struct symbols *s, const char *path, const unsigned char *build_id, size_t build_id_n,
		      uint64_t address);

/* Problems, one sentence per module, borrowed. */
size_t symbols_note_n(const struct symbols *s);
const char *symbols_note(const struct symbols *s, size_t i);

#endif
