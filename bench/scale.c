/*
 * scale.c: scale RUN BYTES [THREADS [memory|ranks]]: writes a run of about BYTES bytes fast. Each of its streams repeats a few dozen chunks
 * with other times: main calls step, which calls a random tree of functions with noisy times, counts events and, if asked, allocates
 * and frees. ranks: each stream is a process with a rank, and chunks are short. Prints: bytes, records, ns of time.
 */
#include <sys/stat.h>

#include "tests/trace_writer.h"

#define PATTERNS 48
#define RECORDS  65536
#define SHORT    8192 /* records of a chunk of many ranks */
#define REGIONS  60
#define TYPES    20
#define DEPTH    12
#define LIVE     400

struct pattern {
	struct buffer time, id;	/* deflated */
	struct buffer args;	/* after the snapshot */
	uint32_t records;
	uint64_t ticks;
};

static uint64_t state = 88172645463325252ull;

static uint64_t roll(uint64_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % n;
}

static void define(struct writer *w, int memory)
{
	char name[40];

	writer_region(w, 0, "main", "TAU_USER");
	writer_region(w, 1, "step", "TAU_USER");
	for (uint32_t r = 2; r < REGIONS; r++) {
		snprintf(name, sizeof(name), "function_%u", r);
		writer_region(w, r, name, "TAU_USER");
	}
	writer_event(w, 0, "size of a thing", 0);
	for (uint32_t m = 1; m <= TYPES && memory; m++) {
		snprintf(name, sizeof(name), "type_%u", m);
		writer_memtype(w, m, m > 3 ? 1 + m % 3 : 0, TAU_MEM_CLASS, name, "");
	}
}

/* What it usually calls: so there are not very many call paths. */
static uint32_t callee(const struct writer *w)
{
	return 2 + (w->open[w->depth - 1] * 3 + (uint32_t)(roll(12) ? 0 : roll(3))) % (REGIONS - 2);
}

static void allocate(struct writer *w, uint64_t now, uint32_t *type, uint64_t *bytes, size_t *live)
{
	if (*live < LIVE && roll(2)) {
		type[*live] = 1 + (uint32_t)roll(TYPES);
		bytes[*live] = 16 + roll(2000);
		writer_memory(w, now, TAU_REC_ALLOC, type[*live], 0, bytes[*live]);
		++*live;
	} else if (*live) {
		--*live;
		writer_memory(w, now, TAU_REC_FREE, type[*live], 0, bytes[*live]);
	}
}

/* One step: all that it opens and allocates it closes and frees. */
static void pattern_make(struct pattern *p, struct writer *w, int memory, size_t records)
{
	uint32_t type[LIVE];
	uint64_t bytes[LIVE], now = 1000;
	size_t snapshot, live = 0;
	struct buffer plane;

	w->depth = 1;
	writer_begin(w, now);
	snapshot = w->args.n;
	writer_enter(w, now, 1);
	while (w->records < records - DEPTH - LIVE - 2) {
		now += 40 + roll(400) * roll(4) / 2 + (roll(2000) == 0) * roll(100000);
		if (memory && !roll(8))
			allocate(w, now, type, bytes, &live);
		else if (!roll(500))
			writer_value(w, now, 0, (double)roll(10000));
		else if (w->depth < DEPTH && (w->depth < 3 || roll(2)))
			writer_enter(w, now, callee(w));
		else
			writer_leave(w, now);
	}
	while (live)
		live--, writer_memory(w, now += 50, TAU_REC_FREE, type[live], 0, bytes[live]);
	while (w->depth > 1)
		writer_leave(w, now += 50);
	p->records = w->records;
	p->ticks = w->last - w->first;
	plane = writer_planes(&w->time);
	p->time = writer_deflate(&plane);
	free(plane.p);
	plane = writer_planes(&w->id);
	p->id = writer_deflate(&plane);
	free(plane.p);
	put_bytes(&p->args, w->args.p + snapshot, w->args.n - snapshot);
}

/* Appends a chunk that repeats a pattern from a tick on. */
static void repeat(struct writer *w, const struct pattern *p, uint64_t tick)
{
	struct tau_chunk_header h = {.magic = TAU_CHUNK_MAGIC,
				     .kind = TAU_CHUNK_EVENTS,
				     .codec = TAU_CODEC_DEFLATE,
				     .seq = w->seq,
				     .records = p->records,
				     .first_tick = tick,
				     .last_tick = tick + p->ticks,
				     .raw = {0, 2 * p->records, 2 * p->records},
				     .stored = {0, (uint32_t)p->time.n, (uint32_t)p->id.n},
				     .sync_tick = tick + p->ticks,
				     .sync_mono_ns = tick + p->ticks,
				     .sync_real_ns = tick + p->ticks};
	struct tau_index_entry entry = {.offset = (uint64_t)ftell(w->file),
					.first_tick = tick,
					.last_tick = h.last_tick,
					.records = p->records};
	uLong crc;

	writer_begin(w, tick);
	put_bytes(&w->args, p->args.p, p->args.n);
	h.raw[TAU_ARGS] = h.stored[TAU_ARGS] = (uint32_t)w->args.n;
	crc = crc32_z(0, p->time.p, p->time.n);
	crc = crc32_z(crc, p->id.p, p->id.n);
	h.payload_crc = (uint32_t)crc32_z(crc, w->args.p, w->args.n);
	h.header_crc = (uint32_t)crc32(0, (unsigned char *)&h,
				       offsetof(struct tau_chunk_header, header_crc));
	fwrite(&h, sizeof(h), 1, w->file);
	fwrite(p->time.p, 1, p->time.n, w->file);
	fwrite(p->id.p, 1, p->id.n, w->file);
	fwrite(w->args.p, 1, w->args.n, w->file);
	put_bytes(&w->index, &entry, sizeof(entry));
	w->total += p->records;
	w->seq++;
	w->chunks++;
}

/* ranks: their number; 0: the streams are threads of one process */
static void stream(const char *run, unsigned thread, uint64_t bytes, int memory, unsigned ranks,
		   uint64_t *records, uint64_t *end)
{
	static struct pattern pattern[PATTERNS];
	struct writer w;
	char path[400];
	uint64_t tick = 1000 + thread;

	if (snprintf(path, sizeof(path), "%s/scale.%u.tau", run, thread) >= (int)sizeof(path))
		exit(2);
	writer_open(&w, path, ranks ? 7 + thread : 7, ranks ? 0 : thread, 0, tick);
	if (!w.file)
		exit(1);
	for (size_t i = 0; i < PATTERNS && !pattern[i].records; i++) {
		struct writer scratch = w;

		memset(&scratch.defs, 0, sizeof(w.defs));
		memset(&scratch.args, 0, sizeof(w.args));
		pattern_make(&pattern[i], &scratch, memory, ranks ? SHORT : RECORDS);
	}
	define(&w, memory);
	if (ranks)
		writer_rank(&w, thread, ranks);
	writer_enter(&w, tick, 0);
	writer_chunk(&w, tick + 100);
	tick += 100;
	while ((uint64_t)ftell(w.file) < bytes) {
		const struct pattern *p = &pattern[roll(PATTERNS)];

		repeat(&w, p, tick);
		tick += p->ticks + 60 + roll(500);
	}
	writer_begin(&w, tick);
	writer_leave(&w, tick);
	*records += w.total + 1;
	*end = tick;
	writer_close(&w);
}

int main(int argc, char **argv)
{
	uint64_t bytes = argc > 2 ? strtoull(argv[2], NULL, 0) : 0, records = 0, end = 0;
	unsigned threads = argc > 3 ? (unsigned)atoi(argv[3]) : 1;
	int memory = argc > 4 && !strcmp(argv[4], "memory");
	int ranks = argc > 4 && !strcmp(argv[4], "ranks");

	if (argc < 3 || !threads || mkdir(argv[1], 0777))
		return 2;
	for (unsigned i = 0; i < threads; i++)
		stream(argv[1], i, bytes / threads, memory, ranks ? threads : 0, &records, &end);
	printf("%llu %llu %llu\n", (unsigned long long)bytes, (unsigned long long)records,
	       (unsigned long long)end);
	return 0;
}
