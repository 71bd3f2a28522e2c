/* function_starts.h: where functions begin in a binary without symbols: the table of .eh_frame_hdr, which unwinding needs. */
#ifndef FUNCTION_STARTS_H
#define FUNCTION_STARTS_H

#include <libelf.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The first ELF virtual addresses of functions, ascending, in *start, which the caller frees; returns their number. 0: there is no such
 * table, or none that can be read; *start is NULL then. Parts of functions that compilers move away have rows of their own.
 */
size_t function_starts(Elf *elf, uint64_t **start);
/*
 * Does the function that begins at one of these addresses end before another address? Its row of .eh_frame has its length. Not all code
 * has a row: that of Go has none. 0: it does not, or its length cannot be read.
 */
int function_ends_before(Elf *elf, uint64_t start, uint64_t address);

#endif
