/*
 * plt.h: finds the entries of a procedure linkage table through which functions are called whose code is chosen at start (IFUNC,
 * target_clones). The address that the compiler takes of such a function may be that of the entry.
 */
#ifndef PLT_H
#define PLT_H

#include <gelf.h>
#include <stdint.h>

/* Calls each() with every such entry and its function's name, which `symbols` owns. `symbols` may be the file with the code. */
void plt_read(Elf *code, Elf *symbols,
	      void (*each)(void *to, uint64_t low, uint64_t high, const char *name), void *to);

#endif
