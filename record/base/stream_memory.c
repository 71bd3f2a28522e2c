/*
 * stream_memory.c: the memory that a stream begins with: one page.
 *
 * Each page that a thread touches first costs it a page fault, which takes longer than all that a
 * short thread records. So what every stream needs is in one page, and the pages of several streams
 * are allocated at once. An array that becomes larger moves to a mapping of its own.
 */
#include "record/base/stream_memory.h"
#include "record/base/frame.h"
#include "record/base/function_table.h"
#include "record/base/memory_map.h"
#include "record/base/process.h"
#include "record/base/stream.h"

#define PAGE 4096
#define BATCH 16
#define FUNCTIONS 128	/* slots; a power of two */
#define REGIONS 128

struct first_page {
	struct stream stream;
	uint64_t slots[SLOTS_HEAD + FUNCTIONS + FUNCTIONS / 2];
	uint64_t module[8];
	struct tau_index_entry index[2];
	uint8_t known[REGIONS];
	struct frame frames[];
};

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))
#define FRAMES ((PAGE - sizeof(struct first_page)) / sizeof(struct frame) - 2)
_Static_assert(sizeof(struct first_page) + 18 * sizeof(struct frame) <= PAGE, "room for 16 frames");

static char *spare;
static uint32_t spares;

/* Doubles the number of pages until it grows by BATCH: at most half of them are unused. */
static bool batch_map(void)
{
	uint32_t n = process.stream_n < 1 ? 1 : process.stream_n > BATCH ? BATCH : process.stream_n;

	spare = map_alloc((size_t)n * PAGE);
	if (!spare)
		return false;
	if (n > 1)
		map_populate(spare, (size_t)n * PAGE);
	spares = n;
	return true;
}

/* Function tables, as slots_new() makes them, and frames, between two that are never open. */
static void equip(struct first_page *p)
{
	struct stream *s = &p->stream;

	s->slots = p->slots + SLOTS_HEAD;
	s->slots[-1] = FUNCTIONS - 1;
	s->module = p->module;
	s->module_cap = LENGTH(p->module);
	s->index = p->index;
	s->index_cap = LENGTH(p->index);
	s->known[REG_REGION] = p->known;
	s->known_cap[REG_REGION] = LENGTH(p->known);
	s->frames = p->frames + 1;
	s->frame_cap = FRAMES;
}

struct stream *stream_memory(void)
{
	struct first_page *p;

	if (!spares && !batch_map())
		return NULL;
	p = (void *)spare;
	spare += PAGE;
	spares--;
	if (process.stream_n)
		equip(p);
	return &p->stream;
}
