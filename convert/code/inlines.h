/*
 * inlines.h: the functions that share one instruction because the compiler put them into each other, from debug information.
 */
#ifndef INLINES_H
#define INLINES_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

struct inlined {
	const char *name;	/* as the linker knows it where it does; NULL: unknown */
	const char *file;	/* of the line; NULL: unknown */
	uint32_t line;		/* of the instruction, or of the call of the one before; 0: unknown */
};

/*
 * The functions at an address of a compilation unit, innermost first; the last one is a function of its own, in which the
 * others are inlined. At most `most`, of which the outermost are left out. Strings live as long as the unit's Dwarf.
 * Returns their number, 0 when the unit knows none.
 */
size_t inlines_get(Dwarf_Die *unit, uint64_t address, struct inlined *out, size_t most);
/* File and line of an address of a unit. 0: unknown. */
int inlines_line(Dwarf_Die *unit, uint64_t address, const char **file, uint32_t *line);

#endif
