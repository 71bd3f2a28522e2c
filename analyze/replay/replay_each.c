/* replay_each.c: replays a trace window by window, a few windows at a time, and completes each profile with metadata. */
#include <stdio.h>
#include <string.h>

#include "analyze/base/note.h"
#include "analyze/profile/memory_side.h"
#include "analyze/profile/profile.h"
#include "analyze/replay/replay.h"
#include "analyze/trace/trace.h"
#include "record/metadata.h"

#define GROUP_BYTES (32u << 20) /* approximate limit of the memory for a group of windows */
#define GROUP_MOST  256		/* larger groups save no time */
#define ROW_BYTES   48		/* memory of a region's row in a stream and in a profile */
#define LEVEL_BYTES 48
#define STREAM_ROWS 64 /* estimated regions and counters of a stream in a window */
#define PATHS	    16 /* estimated call paths per region, if they are kept */

/* ---- metadata ---- */

/* The metadata of the processes of a trace, for every profile. */
struct replay_meta {
	struct profile *common; /* its metadata, and those of thread 0 of each process */
};

/* Which of the names of metadata of one thread a name is, before ": " and the number; NULL: none. */
static const char *of_thread(const char *name, unsigned long *number)
{
	static const char *const names[] = {TAU_META_THREAD_CPU_PPM, TAU_META_THREAD_TO_RUN_US,
					    TAU_META_THREAD_ASLEEP_US};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		size_t n = strlen(names[i]);

		if (strncmp(name, names[i], n) || strncmp(name + n, ": ", 2))
			continue;
		*number = strtoul(name + n + 2, NULL, 10);
		return names[i];
	}
	return NULL;
}

/*
 * Metadata that is equal in all processes becomes that of the trial; other metadata is added to
 * thread 0 of its process, or to the thread that it is of.
 */
static void replay_meta_init(struct replay_meta *m, const struct trace *t)
{
	struct profile *p = m->common = profile_new();

	for (size_t i = 0; t->process_n && i < t->process[0].meta_n; i++) {
		const struct trace_attribute *a = &t->process[0].meta[i];
		unsigned long number;
		size_t same = 1;

		if (of_thread(a->name, &number))
			continue;
		while (same < t->process_n) {
			const char *other = trace_process_meta(&t->process[same], a->name);

			if (!other || strcmp(other, a->value))
				break;
			same++;
		}
		if (same == t->process_n)
			profile_set_meta(p, UINT32_MAX, a->name, a->value);
	}
	for (size_t i = 0; i < t->memtype_n; i++) {
		const struct trace_memtype *m = &t->memtype[i];

		memory_side_keep(p, &(struct memory_object){.type = m->name,
							    .kind = m->kind,
							    .family = m->family,
							    .library = m->library});
	}
	for (size_t q = 0; q < t->process_n; q++) {
		uint32_t thread = profile_add_thread(p, t->process[q].node, 0, 0);

		for (size_t j = 0; j < t->process[q].meta_n; j++) {
			const struct trace_attribute *a = &t->process[q].meta[j];
			unsigned long number = 0;
			const char *name = of_thread(a->name, &number);

			uint32_t to = thread;

			if (number > INT32_MAX)
				continue;
			if (number)
				to = profile_add_thread(p, t->process[q].node, 0, (int32_t)number);
			profile_set_meta(p, to, name ? name : a->name, a->value);
		}
	}
}

static void replay_meta_release(struct replay_meta *m)
{
	profile_free(m->common);
	m->common = NULL;
}

/*
 * Adds metadata to a thread. The names in `from` are different, and the thread has few attributes
 * so far.
 */
static void thread_meta(struct profile *p, uint32_t thread, const struct profile_thread *from)
{
	struct profile_thread *to = &p->thread[thread];
	size_t own = to->meta_n;

	for (size_t i = 0; i < from->meta_n; i++) {
		const struct profile_attribute *a = &from->meta[i];
		size_t k = 0;

		while (k < own && strcmp(to->meta[k].name, a->name))
			k++;
		if (k == own) {
			*array_add(to, meta) = (struct profile_attribute){mem_string(a->name),
									  mem_string(a->value)};
			continue;
		}
		free(to->meta[k].value);
		to->meta[k].value = mem_string(a->value);
	}
}

static char *notes_of(const struct trace *t)
{
	char *all = mem_string("");

	for (size_t i = 0; i < t->note_n; i++) {
		char *sentence = note_sentence(&t->note[i]);
		char *longer = mem_printf("%s%s%s", all, i ? "\n" : "", sentence);

		free(sentence);
		free(all);
		all = longer;
	}
	return all;
}

/* A bound of the overhead, if there is one. */
static void overhead_meta(struct profile *p, const char *name, uint64_t ns, const struct trace *t)
{
	char number[32];

	if (!t->added_most_ns)
		return;
	snprintf(number, sizeof(number), "%.0f", (double)ns / 1000);
	profile_set_meta(p, UINT32_MAX, name, number);
}

static void fill_meta(const struct trace *t, const struct replay_meta *m, struct profile *p)
{
	const struct profile *from = m->common;
	char number[32];

	for (size_t i = 0; i < from->meta_n; i++)
		*array_add(p, meta) = (struct profile_attribute){mem_string(from->meta[i].name),
								 mem_string(from->meta[i].value)};
	for (size_t i = 0; i < p->thread_n; i++) {
		uint32_t at = profile_add_thread(m->common, p->thread[i].node, 0,
						 p->thread[i].thread);

		thread_meta(p, (uint32_t)i, &from->thread[at]);
	}
	snprintf(number, sizeof(number), "%llu", (unsigned long long)trace_lost(t));
	profile_set_meta(p, UINT32_MAX, TAU_META_LOST_EVENTS, number);
	snprintf(number, sizeof(number), "%llu", (unsigned long long)p->repaired);
	profile_set_meta(p, UINT32_MAX, TAU_META_REPAIRED_FRAMES, number);
	if (t->added_ns || t->alone_ns) {
		snprintf(number, sizeof(number), "%.0f", (double)t->added_ns / 1000);
		profile_set_meta(p, UINT32_MAX, TAU_META_CPU_ADDED_US, number);
		snprintf(number, sizeof(number), "%.0f", (double)t->alone_ns / 1000);
		profile_set_meta(p, UINT32_MAX, TAU_META_CPU_ALONE_US, number);
		overhead_meta(p, TAU_META_CPU_ADDED_LEAST_US, t->added_least_ns, t);
		overhead_meta(p, TAU_META_CPU_ADDED_MOST_US, t->added_most_ns, t);
		profile_set_meta(p, UINT32_MAX, TAU_META_CPU_MEASURED,
				 t->overhead_measured ? "1" : "0");
	}
	if (t->note_n) {
		char *all = notes_of(t);

		profile_set_meta(p, UINT32_MAX, TAU_META_NOTES, all);
		free(all);
	}
}

/*
 * Sorts and completes the profiles of a part, which are the windows from `first` on of n, passes
 * them to the sink, and empties the part.
 */
static int replay_finish(struct trace *t, const struct replay_meta *m, struct replay_part *p,
			 size_t first, size_t n, const struct replay_sink *sink, struct error *e)
{
	size_t w = 0;
	int code = 0;

	trace_settle(t);
	for (; w < p->n && !code; w++) {
		struct profile *x = p->profile[w];

		p->profile[w] = NULL;
		profile_order(x);
		fill_meta(t, m, x);
		code = sink->receive(sink->to, x, first + w, n, e);
	}
	replay_part_release(p);
	return code;
}

/* ---- groups ---- */

/* The number of windows at a time, from an estimate of the memory of each. */
static size_t group_of(const struct trace *t, const struct replay_options *o)
{
	uint64_t rows = ((uint64_t)t->region_n + 1) * (1 + t->metric_n) *
			(replay_path_depth(o) ? PATHS : 1);
	uint64_t most = 1, streams = 0, each;

	for (size_t p = 0; p < t->process_n; p++) {
		uint64_t memory = 0;

		for (size_t i = 0; i < t->process[p].stream_n; i++)
			memory += t->stream[t->process[p].stream[i]].has_memory != 0;
		most = memory > most ? memory : most;
		streams += t->process[p].stream_n;
	}
	each = (most * rows * ROW_BYTES + (uint64_t)t->memtype_n * 2 * LEVEL_BYTES) *
		       (o->threads ? o->threads : 1) +
	       streams * STREAM_ROWS * ROW_BYTES;
	each = GROUP_BYTES / (each + 1);
	return each < 1 ? 1 : each > GROUP_MOST ? GROUP_MOST : (size_t)each;
}

int replay_each(struct trace *t, const struct replay_options *o, const struct replay_sink *sink,
		uint64_t *repaired, struct error *e)
{
	struct replay_options part = *o;
	struct replay_whole whole;
	struct replay_meta meta;
	size_t n = o->windows ? o->windows->v_n : 1, group = o->group ? o->group : group_of(t, o);
	int code = 0;

	*repaired = 0;
	replay_meta_init(&meta, t);
	replay_whole_begin(&whole, t, o->windows);
	for (size_t first = 0; first < n && !code; first += group) {
		struct windows some = {.v_n = n - first < group ? n - first : group};
		struct replay_part all;

		if (o->windows) {
			some.v = o->windows->v + first;
			part.windows = &some;
			part.whole = &whole;
		}
		code = replay_part(t, &part, &all, e);
		if (o->gather)
			code = o->gather(o->gather_to, t, &all, code, e);
		if (code)
			break;
		*repaired += all.repaired;
		code = replay_finish(t, &meta, &all, first, n, sink, e);
		/* All indexes that are useful exist after the first group. */
		if (part.index != INDEX_NEVER)
			part.index = INDEX_USE;
	}
	replay_meta_release(&meta);
	return code;
}

static int keep(void *to, struct profile *p, size_t at, size_t n, struct error *e)
{
	(void)n;
	(void)e;
	((struct profile **)to)[at] = p;
	return 0;
}

int replay_profiles(struct trace *t, const struct replay_options *o, struct profile **out,
		    struct error *e)
{
	const struct replay_sink sink = {keep, out};
	size_t n = o->windows ? o->windows->v_n : 1;
	uint64_t repaired;
	int code;

	memset(out, 0, n * sizeof(*out));
	code = replay_each(t, o, &sink, &repaired, e);
	for (size_t i = 0; i < n && code; i++)
		profile_free(out[i]);
	return code;
}
