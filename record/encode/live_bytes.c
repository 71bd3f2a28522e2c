/*
 * live_bytes.c: the live bytes of each memtype that a stream has added to the process.
 */
#include "record/encode/live_bytes.h"
#include "record/base/compiler.h"
#include "record/base/memory_map.h"
#include "record/base/process.h"
#include "record/base/stream.h"

void level_add(struct stream *s, uint32_t memtype, int64_t bytes, int64_t blocks)
{
	if (unlikely(memtype >= s->level_cap)) {
		void *p = map_grow(s->level, &s->level_cap, sizeof(*s->level), memtype + 1);

		if (!p)
			return;
		s->level = p;
	}
	s->level[memtype].bytes += bytes;
	s->level[memtype].blocks += blocks;
}

void block_settle(struct stream *s)
{
	for (size_t i = 0; i < s->net_cap; i++) {
		const struct mem_block *b = &process.mem_block[i];

		if (!s->net[i] || s->net[i] == UNKNOWN)
			continue;
		level_add(s, b->memtype, s->net[i] * (int64_t)b->bytes, s->net[i]);
		s->net[i] = 0;
	}
}
