/* slab.c: blocks that hold many objects at equal distances, as free lists carve them, and reading memory not trusted. */
#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include "area.h"
#include "census.h"
#include "class.h"
#include "hints.h"

#define HEAD 8192	/* the second object begins within this much of a block */
#define STARTS 8	/* class pointers tried as the first object: the block may begin with a header object */
#define OBJECTS_MIN 3
#define PAGE 4096
#define READABLE 1024

/* Pages that could be read in this census, each plus one in the place of its number; and whether the kernel answers at all. */
static uintptr_t readable[READABLE];
static int answers;

void census_read_begin(void)
{
	char byte;

	memset(readable, 0, sizeof(readable));
	answers = census_copy(&byte, (uintptr_t)&answers, 1) == 1;
}

static int is_readable(uintptr_t page)
{
	uintptr_t *known = &readable[page % READABLE];
	char byte;

	if (likely(*known == page + 1))
		return 1;
	if (answers && census_copy(&byte, page * PAGE, 1) != 1)
		return 0;
	*known = page + 1;
	return 1;
}

/*
 * Ranges of less than a page are read directly, if their pages can be read: they should be inside
 * live blocks or loaded data, but a program may have freed a block unseen. Protection never covers
 * less than a page. The kernel copies other ranges, so that memory which the program has protected
 * gives an error and no signal.
 */
size_t census_read(void *to, uintptr_t from, size_t bytes)
{
	if (bytes >= PAGE || !is_readable(from / PAGE) || !is_readable((from + bytes) / PAGE))
		return census_copy(to, from, bytes);
	memcpy(to, (const void *)from, bytes);
	return bytes;
}

size_t census_read_block(void *to, const struct census_block *b, size_t offset, size_t bytes)
{
	if (b->size >= PAGE)
		return census_copy(to, b->address + offset, bytes);
	return census_read(to, b->address + offset, bytes);
}

size_t census_copy(void *to, uintptr_t from, size_t bytes)
{
	struct iovec local = { to, bytes }, remote = { (void *)from, bytes };
	int e = errno;
	ssize_t n;

	n = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
	errno = e;
	return n < 0 ? 0 : (size_t)n;
}

struct window *window_new(void)
{
	return area_map(sizeof(struct window));
}

void window_free(struct window *w)
{
	area_unmap(w, sizeof(*w));
}

/*
 * The first look into something takes little of it, most end there. What is left of something large is read as such: it may lie on
 * the rest of a protected page.
 */
static void window_fill(struct window *w, uintptr_t address, uintptr_t limit)
{
	size_t most = limit == w->limit ? WINDOW : PAGE, rest = limit - address;
	size_t bytes = rest < most ? rest : most;

	w->begin = address;
	w->bytes = limit == w->limit ? census_copy(w->word, address, bytes)
				     : census_read(w->word, address, bytes);
	w->limit = limit;
}

uint64_t window_word(struct window *w, uintptr_t address, uintptr_t limit, int *good)
{
	if (address < w->begin || address + 8 > w->begin + w->bytes) {
		window_fill(w, address, limit);
		if (w->bytes < 8) {
			w->bytes = 0;
			*good = 0;
			return 0;
		}
	}
	return w->word[(address - w->begin) / 8];
}

/* Objects of a class with their class pointers at `first`, `first` + stride ...: enough of them, and almost all there? */
static int slab_verify(struct window *w, uintptr_t first, size_t stride, uintptr_t end, size_t size,
		       unsigned class)
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

unsigned slab_class(struct window *w, uintptr_t block, size_t size)
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
