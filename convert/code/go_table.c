/* go_table.c: reads the table of functions that the runtime of Go needs for its call stacks. */
#include "convert/code/go_table.h"

#include <string.h>

enum { HEAD = 8, WORD = 8 };
#define GO_1_16 0xfffffffau
#define GO_1_18 0xfffffff0u
#define GO_1_20 0xfffffff1u

/* What the head of a table has, by version. */
struct go_head {
	const unsigned char *p;
	size_t n;
	uint64_t functions, text;
	const unsigned char *row; /* an address and where the function is described, of `width` bytes each */
	size_t row_n;		  /* bytes from there to the end */
	size_t names;		  /* where the texts begin */
	size_t width;
};

static uint64_t number_at(const unsigned char *p, size_t bytes)
{
	uint64_t v = 0;

	for (size_t i = bytes; i--;)
		v = v << 8 | p[i];
	return v;
}

static uint64_t word_of(const struct go_head *h, size_t at)
{
	return number_at(h->p + HEAD + WORD * at, WORD);
}

/* 0, or -1: it is another table. */
static int head_read(struct go_head *h, uint64_t text)
{
	uint32_t magic;
	uint64_t rows;
	int early;

	if (h->n < HEAD + 8 * WORD)
		return -1;
	magic = (uint32_t)number_at(h->p, 4);
	if ((magic != GO_1_16 && magic != GO_1_18 && magic != GO_1_20) || h->p[4] || h->p[5] ||
	    h->p[7] != WORD)
		return -1;
	early = magic == GO_1_16;
	h->width = early ? 8 : 4;
	h->functions = word_of(h, 0);
	h->text = early ? 0 : word_of(h, 2) ? word_of(h, 2) : text;
	h->names = word_of(h, early ? 2 : 3);
	rows = word_of(h, early ? 6 : 7);
	if (rows > h->n || h->names > h->n)
		return -1;
	h->row = h->p + rows;
	h->row_n = h->n - rows;
	/* The last function's end follows. */
	if (h->row_n < h->width)
		return -1;
	return h->functions > (h->row_n - h->width) / (2 * h->width) ? -1 : 0;
}

static const char *name_of(const struct go_head *h, size_t at)
{
	uint64_t place = number_at(h->row + 2 * h->width * at + h->width, h->width), name;
	size_t entry = h->width; /* the description begins with the address, too */

	if (place > h->row_n || h->row_n - place < entry + 4)
		return NULL;
	name = h->names + number_at(h->row + place + entry, 4);
	if (name >= h->n || !memchr(h->p + name, 0, h->n - name) || !h->p[name])
		return NULL;
	return (const char *)h->p + name;
}

size_t go_table_read(const unsigned char *table, size_t n, uint64_t text,
		     void (*each)(void *to, uint64_t low, uint64_t high, const char *name),
		     void *to)
{
	struct go_head h = {.p = table, .n = n};
	size_t found = 0;

	if (head_read(&h, text))
		return 0;
	for (size_t i = 0; i < h.functions; i++) {
		uint64_t low = h.text + number_at(h.row + 2 * h.width * i, h.width);
		uint64_t high = h.text + number_at(h.row + 2 * h.width * (i + 1), h.width);
		const char *name = name_of(&h, i);

		if (!name || high <= low)
			continue;
		each(to, low, high, name);
		found++;
	}
	return found;
}
