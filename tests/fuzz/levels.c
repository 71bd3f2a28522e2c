/*
 * levels.c: fuzzes what is kept of the memory of a process beside a run (STREAM.levels). The bytes are how many edits follow (bits 0 to
 * 3) and whether checksums are made to fit them (bit 7); the window (8 bits each: its begin and end in 1/256 of the run); the edits
 * (16 bits for the position, 8 bits for the change) of the file that a small run of two threads has.
 *
 * Profiles made with the file must be those that replay makes, whatever was edited, unless the checksums fit the edits.
 */
#include <stdio.h>
#include <stdlib.h>

#include "convert/load.h"
#include "index_edit.h"
#include "loaded.h"
#include "tests/files.h"
#include "tests/profiles.h"
#include "tests/ranks.h"

#define THREADS 2
#define TYPES 3
#define CALLS 300
#define BEGIN 1000000
#define STEP 100

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n);

static char dir[] = "/tmp/tau-fuzz-levels.XXXXXX";
static char run[64], levels[96];
static unsigned char *good;
static size_t good_n;

static void thread_write(const char *to, int thread)
{
	char path[128];
	struct writer w;

	snprintf(path, sizeof(path), "%s/%d.tau", to, thread);
	writer_open(&w, path, 100, (uint32_t)thread, BEGIN, BEGIN);
	w.limit = 16;
	writer_region(&w, 0, "main", "");
	for (uint32_t m = 1; m <= TYPES; m++) {
		char name[8];

		snprintf(name, sizeof(name), "t%u", m);
		writer_memtype(&w, m, 0, TAU_MEM_CLASS, name, "");
	}
	writer_enter(&w, BEGIN, 0);
	for (unsigned i = 1; i < CALLS; i++) {
		uint64_t at = BEGIN + STEP * i + (unsigned)thread;
		unsigned type = 1 + i / 2 % TYPES;

		writer_memory(&w, at, i % 2 ? TAU_REC_ALLOC : TAU_REC_FREE, type, 0, 16 + type);
		if (i % 30 == 1)
			writer_memory(&w, at + 1, TAU_REC_ALLOC, type, 0, i);
	}
	writer_leave(&w, BEGIN + STEP * CALLS);
	writer_close(&w);
}

static void run_remove(void)
{
	free(good);
	folder_remove(dir);
}

static void run_make(void)
{
	static const uint32_t stream[THREADS] = {0, 1};
	struct trace *t;
	struct error e = {0};
	FILE *f;

	if (!mkdtemp(dir) || !(t = run_open(dir, THREADS, thread_write)))
		abort();
	atexit(run_remove);
	if (t->ops->index(t, &(struct trace_index){.kind = TRACE_INDEX_MAKE, .stream = stream, .n = THREADS, .memory = 1}, &e) < 0)
		abort();
	trace_free(t);
	snprintf(run, sizeof(run), "%s/0", dir);
	snprintf(levels, sizeof(levels), "%s/0.levels", run);
	f = fopen(levels, "r");
	if (!f)
		abort();
	good = mem_alloc(1 << 20);
	good_n = fread(good, 1, 1 << 20, f);
	fclose(f);
	if (good_n < sizeof(struct index_header))
		abort();
}

static void edit(const unsigned char *p, size_t edits, int repaired)
{
	unsigned char *x = mem_copy(good, good_n, 1);
	struct index_header head;
	FILE *f = fopen(levels, "w");

	memcpy(&head, x, sizeof(head));
	for (size_t i = 0; i < edits; i++)
		x[pack_16(p + 3 * i) % good_n] ^= p[3 * i + 2];
	if (repaired)
		index_repair(x, good_n, &head);
	if (!f || fwrite(x, 1, good_n, f) != good_n || fclose(f))
		abort();
	free(x);
}

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n)
{
	size_t edits = n ? p[0] & 15 : 0;
	char window[40];
	const char *windows[] = {window};
	struct loaded with, without;

	if (n < 3 + 3 * edits)
		return 0;
	if (!good)
		run_make();
	edit(p + 3, edits, p[0] & 128);
	snprintf(window, sizeof(window), "%.2f%%:%.2f%%", p[1] / 2.56, p[2] / 2.56);
	with = loaded_get(run, windows, 1, INDEX_AUTO);
	without = loaded_get(run, windows, 1, INDEX_NEVER);
	if (!edits || !(p[0] & 128)) {
		if (with.n != without.n)
			abort();
		for (size_t i = 0; i < with.n; i++)
			if (!profiles_same(with.v[i], without.v[i]))
				abort();
	}
	loaded_release(&with);
	loaded_release(&without);
	return 0;
}
