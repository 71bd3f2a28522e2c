/* functions.h: the functions of a binary, found by address. */
#ifndef FUNCTIONS_H
#define FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

/* One function, from a symbol or from the debug information. */
struct function {
	uint64_t low, high;	/* ELF virtual addresses, [low, high); high == low: size unknown */
	const char *name;	/* borrowed from the ELF file; NULL: only in the debug
				 * information */
	const char *file;
	uint32_t line;
	int weak;		/* a smaller value is preferred */
};

/* All zero: none. */
struct functions {
	struct function *v;
	size_t v_n, v_cap;
	int sorted;		/* 0 after more were added */
	/* private: groups of functions by address; a group is sorted when it is needed */
	size_t *group;		/* the first function of each, and the end; NULL: not made */
	unsigned char *group_sorted;
	size_t group_n, grouped;	/* grouped: functions when they were made */
	uint64_t least;		/* the lowest address */
	unsigned shift;		/* a group spans 1 << shift addresses */
};

/*
 * Order by address; for equal addresses the strongest symbol first, then the shortest name, then
 * alphabetically. O(n) if few addresses are equal. Does nothing if they are sorted.
 */
void functions_sort(struct functions *t);
/*
 * The function at an address, or NULL. A function without a size covers its first byte only. The first call after functions
 * were added is O(n), and may move them.
 */
const struct function *functions_find(struct functions *t, uint64_t address);
void functions_release(struct functions *t);

#endif
