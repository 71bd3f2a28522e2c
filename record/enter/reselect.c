/*
 * reselect.c: functions that are excluded, or selected again, while the program runs.
 *
 * The process excludes a function; each thread has its own table of functions, which it changes when it looks for commands. A
 * function that is open in the thread is recorded until it is left, so that each enter in the trace has its leave. The gate is no
 * longer GATE_OPEN then: hooks look up a function before they record it.
 */
#include "record/enter/reselect.h"
#include "record/base/compiler.h"
#include "record/base/control.h"
#include "record/base/frame.h"
#include "record/base/function_table.h"
#include "record/base/memory_map.h"
#include "record/base/process.h"
#include "record/base/stream.h"
#include "record/base/thread.h"
#include "record/define/call_site.h"
#include "record/define/define.h"
#include "record/define/select.h"

#include <stdbool.h>
#include <stddef.h>

/* Another thread may unload the function meanwhile; then the word keeps the value that that thread has set. */
static void word_change(uint64_t *slot, uint64_t word, uint64_t to)
{
	__atomic_compare_exchange_n(slot, &word, to, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static uint64_t excluded(uint64_t word)
{
	return word & ~(uint64_t)SLOT_TOKEN(~0u);
}

/* Excluded as soon as no call of it is open. Without memory for that it stays recorded. */
static void exclude_later(struct stream *s, uint64_t address)
{
	if (s->leaving_n == s->leaving_cap) {
		void *p = map_grow(s->leaving, &s->leaving_cap, sizeof(*s->leaving),
				   s->leaving_n + 1);

		if (!p)
			return;
		s->leaving = p;
	}
	s->leaving[s->leaving_n++] = address;
}

static void exclude(struct stream *s, uint64_t *slot, uint64_t word)
{
	if (frames_to(SLOT_ADDRESS(word)))
		exclude_later(s, SLOT_ADDRESS(word));
	else
		word_change(slot, word, excluded(word));
}

/* A function that this file does not define is looked up anew at its next call. --throttle and --budget exclude for good. */
static void include(const struct stream *s, uint64_t *slot, uint64_t word)
{
	uint32_t region = *slot_region(s->slots, slot);

	if (region == SLOT_NO_REGION)
		word_change(slot, word, SLOT_GONE);
	else if (region >= s->what_cap || !(s->what[region].flags & FILTERED_DROPPED))
		word_change(slot, word, word | region_token(region));
}

static void follow(struct stream *s)
{
	s->leaving_n = 0;
	call_sites_reselect();
	for (size_t i = 0; i <= s->slots[-1]; i++) {
		uint64_t *slot = &s->slots[i], word = __atomic_load_n(slot, __ATOMIC_RELAXED);
		bool out;

		if (!word || word == SLOT_GONE)
			continue;
		out = process.functions_out || select_keeps_out_address(SLOT_ADDRESS(word));
		if (out && SLOT_TOKEN(word))
			exclude(s, slot, word);
		else if (!out && !SLOT_TOKEN(word))
			include(s, slot, word);
	}
}

/* Excludes functions that were open when the process excluded them, and have been left. */
static void exclude_left(struct stream *s)
{
	size_t n = s->leaving_n;

	s->leaving_n = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t *slot = (uint64_t *)slot_find(s->slots, s->leaving[i]), word = *slot;

		if (SLOT_TOKEN(word))
			exclude(s, slot, word);
	}
}

void reselect(void)
{
	struct stream *s = self.stream;
	uint32_t now = __atomic_load_n(&control.selects, __ATOMIC_ACQUIRE);

	if (s->selects != now) {
		s->selects = now;
		follow(s);
	} else if (unlikely(s->leaving_n)) {
		exclude_left(s);
	}
}
