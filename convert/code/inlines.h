/*
 * inlines.h: finds, from debug information, the functions that an address belongs to because the
 * compiler has inlined them into each other.
 */
#ifndef INLINES_H
#define INLINES_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

struct inlined {
	const char *name;	/* the linker's name if there is one; NULL: unknown */
	const char *file;	/* of the source line; NULL: unknown */
	uint32_t line;		/* of the instruction, or of the call of the function before; 0:
				 * unknown */
};

/*
 * The functions at an address of a compilation unit, innermost first; the last one is the real
 * function, into which the others are inlined. At most `most`; further outer ones are excluded.
 * Strings are valid as long as the unit's Dwarf. Returns their number, 0 if the unit has none at
 * this address.
 */
size_t inlines_get(Dwarf_Die *unit, uint64_t address, struct inlined *out, size_t most);
/* File and line of an address of a unit. 0: unknown. */
int inlines_line(Dwarf_Die *unit, uint64_t address, const char **file, uint32_t *line);
/*
 * The source file whose number an attribute of an entry has (DW_AT_decl_file, DW_AT_call_file).
 * Since DWARF 5 file 0 is the unit's own, as clang writes it; before, it is none. NULL: unknown.
 */
const char *inlines_file(Dwarf_Die *die, unsigned attribute);

#endif
