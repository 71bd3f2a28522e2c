/*
 * symbols.h: names of functions from the binaries that hold them: symbol tables, debug information, C++ names made
 * readable. Modules and answers are cached.
 */
#ifndef SYMBOLS_H
#define SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/trace/trace.h"

struct symbols;

struct symbol {
	const char *name;	/* as profiles show it; see symbols_get() */
	const char *file;	/* NULL: unknown */
	uint32_t line;		/* 0: unknown */
};

struct symbols *symbols_new(void);
void symbols_free(struct symbols *s);

/*
 * The function at an address of a process: path of the module (NULL: it lies in none), its build id (n bytes,
 * 0: it has none), bias (address - ELF virtual address). The name is
 *	name [{file} {line,0}]		with debug information
 *	name				with a symbol only
 *	addr=<0x4012> [module]		otherwise, the address as in the file
 * A module whose build id is not the recorded one is not asked. The strings live as long as s.
 */
struct symbol symbols_get(struct symbols *s, const char *path, const unsigned char *build_id, size_t build_id_n,
			  uint64_t bias, uint64_t address);

/*
 * All functions of a binary, one call for each that has a place of its own, in order of address: its ELF virtual
 * address and its name without the position behind it. files: look for the file too, which takes longer. Returns how
 * many there are.
 */
size_t symbols_each(struct symbols *s, const char *path, const unsigned char *build_id, size_t build_id_n, int files,
		    void (*each)(void *to, uint64_t address, const char *name, const char *file), void *to);

/* The build id of a binary: its length, 0 none (also: no binary). hooks: as in hooks.h. */
size_t symbols_build_id(const char *path, unsigned char out[64], int *hooks);

/*
 * The functions at an ELF virtual address of a binary, inlined ones first; holds as long as s. Names are as
 * above without the position, NULL where nothing is known.
 */
struct trace_place symbols_place(struct symbols *s, const char *path, const unsigned char *build_id, size_t build_id_n,
				 uint64_t address);

/* What uses a function that has no name (callers.h): in words that the caller frees; NULL: unknown. */
char *symbols_callers(struct symbols *s, const char *path, const unsigned char *build_id, size_t build_id_n,
		      uint64_t address);

/* What could not be done, one sentence per module. */
size_t symbols_note_n(const struct symbols *s);
const char *symbols_note(const struct symbols *s, size_t i);

#endif
