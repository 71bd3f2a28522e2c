/*
 * go_table.h: names of functions in programs of Go, which keep them when they are stripped: the table .gopclntab, as the package
 * debug/gosym of Go describes it, of Go 1.16 and later on little-endian processors of 64 bits.
 */
#ifndef GO_TABLE_H
#define GO_TABLE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Calls each() for the functions in a table of n bytes, in order of address, [low, high); names are in the table. text: the address of
 * the program's code, for tables that do not have it. Returns their number; 0: it is another table, or damaged.
 */
size_t go_table_read(const unsigned char *table, size_t n, uint64_t text,
		     void (*each)(void *to, uint64_t low, uint64_t high, const char *name), void *to);

#endif
