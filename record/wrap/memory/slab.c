/* slab.c: blocks that hold many objects at equal distances, as free lists carve them. */
#include "census_read.h"
#include "class.h"
#include "slab.h"

#define HEAD 8192	/* the second object begins within this much of a block */
#define STARTS 8	/* class pointers tried as the first object: the block may begin with a header object */
#define OBJECTS_MIN 3

/* Objects of a class with their class pointers at `first`, `first` + stride ...: enough of them, and almost all there? */
static int slab_verify(struct read_window *w, uintptr_t first, size_t stride, uintptr_t end,
		       size_t size, unsigned class)
{
	size_t places = 0, hits = 0;
	uintptr_t at;
	int good = 1;

	for (at = first; at + classes[class].size - family_offset[classes[class].family] <= end;
	     at += stride) {
		places++;
		hits += class_find((void *)window_word(w, at, end, &good)) == class;
		if (!good || places - hits > places / 16 + 1)
			return 0;
	}
	return hits >= OBJECTS_MIN && hits * 16 >= places * 15 && hits * stride * 3 >= size * 2;
}

unsigned slab_class(struct read_window *w, uintptr_t block, size_t size)
{
	uintptr_t end = block + (size & ~(size_t)7), head = size < HEAD ? end : block + HEAD, first,
		  next;
	unsigned starts = 0, class;
	int good = 1;

	if (block & 7)
		return 0;
	for (first = block; first + 8 <= head && starts < STARTS; first += 8) {
		class = class_find((void *)window_word(w, first, end, &good));
		if (!good)
			return 0;
		if (!class || first - block < family_offset[classes[class].family])
			continue;
		starts++;
		/* The distance is to the next object of the class; a large object's may be beyond the head. */
		for (next = first + classes[class].size; next + 8 <= end && next < first + 8 * HEAD;
		     next += 8)
			if (class_find((void *)window_word(w, next, end, &good)) == class || !good)
				break;
		if (good && next + 8 <= end && next < first + 8 * HEAD &&
		    slab_verify(w, first, next - first, end, size, class))
			return class;
		good = 1;
	}
	return 0;
}
