/* library.h: which loaded object an address belongs to. */
#ifndef LIBRARY_H
#define LIBRARY_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum library_flag {
	LIBRARY_RUNTIME = 1,	/* part of Open MPI, OpenSHMEM, PMIx, or of what they bring along */
	LIBRARY_CLASSES = 2,	/* has registered a class */
	LIBRARY_PMIX = 4,	/* of these, PMIx and its plugins */
	LIBRARY_MPICH = 8,	/* of these, MPICH and its family, which have no classes */
};

#define LIBRARY_MAX 2048
#define LIBRARY_NAME 62
struct library {
	char name[LIBRARY_NAME];		/* file name without folders, "gups" for the program itself */
	uint8_t flags;
	uint8_t objects;	/* its code has objects of C++, CPython or of rules, as the census found */
	uint8_t searched;	/* the census follows the pointers in its memory, in a program with the runtime */
};
struct library_segment {
	uintptr_t begin, end;
	uint32_t library;
	uint32_t writable;
	uintptr_t base;		/* what is added to the addresses in the object's file */
	const void *headers;	/* its program headers */
	uint32_t header_n;
	uint32_t place;		/* tau_place(); 0: not looked up yet */
};
struct library_segments {
	unsigned n;
	uint64_t adds, subs;	/* as dl_iterate_phdr counted when last asked */
	size_t bytes;
	struct library_segment at[]; /* by address */
};

/* Number of the loaded object that `address` is in, 0 when it is in none. Log of the number of segments. */
unsigned library_of(uintptr_t address);
/* tau_place() of the address; 0: unknown. */
uint32_t library_place(uintptr_t address);
struct library *library_get(unsigned library);	/* 0 gives one named "unknown" */
/* The segment, or NULL. Valid for ever, true until the object is unloaded. */
const struct library_segment *segment_of(uintptr_t address);
/* The whole table. Asks the dynamic linker: not in a hook of an allocation. */
const struct library_segments *segments_now(void);
/*
 * The same from the table as it is: never waits for the dynamic linker. For a thread that holds other threads' gates.
 */
const struct library_segment *segment_known(uintptr_t address);
const struct library_segments *segments_known(void);
/*
 * Removes what has been unloaded from the table, after a dlclose. Returns how many ranges of addresses, at most `most`, contain it;
 * what else is in them was unloaded before, or another thread may unload it. before: segments_known() before the dlclose.
 */
struct code_gone {
	uintptr_t begin, end;
};
size_t segments_drop(const struct library_segments *before, struct code_gone *range, size_t most);
static inline int range_has(const struct code_gone *range, size_t n, uintptr_t address)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (address >= range[i].begin && address < range[i].end)
			return 1;
	return 0;
}
/* Has any library that is loaded, or was, flags? Without one no objects can be expected. */
int library_any_flags(void);

#pragma GCC visibility pop
#endif
