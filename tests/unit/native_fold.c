/* native_fold.c: folded calls of a stream that goes on while it is read: which records and which sums belong together. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "convert/native/file/native_chunks.h"
#include "convert/native/file/native_load.h"
#include "convert/native/live/native_complete.h"
#include "convert/native/live/native_fold.h"
#include "convert/native/live/native_open.h"
#include "convert/native/live/native_whole.h"
#include "files.h"
#include "tap.h"

/* Regions and, by the same numbers + 1, nodes: each is called by the one before. */
enum { MAIN, STEP, LEAF, NODES };
#define ENTER(region) (uint16_t)(TAU_TOKEN_REGION + (region))
#define LEAVE TAU_TOKEN_LEAVE
#define FOLD TAU_REC_FOLD /* 2 calls of STEP by the innermost frame, 7 ticks */

static struct native_columns columns;
static struct tau_live_header live;
static struct tau_fold_node node[NODES + 1];

/* A chunk of these records, each 10 ticks after the other, from tick 1000 on, without a section in its snapshot. */
static void chunk_set(const uint16_t *token, size_t n)
{
	static const unsigned char fold[] = {5, 0, 2, 7, 1, STEP};

	for (int i = 0; i < TAU_COLUMNS; i++) {
		native_column_reserve(&columns, i, 256);
		columns.length[i] = 0;
	}
	memset(columns.data[TAU_ARGS], 0, 256);
	columns.length[TAU_ARGS] = 1;
	for (size_t i = 0; i < n; i++) {
		memcpy(columns.data[TAU_TIMES] + 4 * i, (uint16_t[2]){10, token[i]}, 4);
		if (token[i] != FOLD)
			continue;
		memcpy(columns.data[TAU_ARGS] + columns.length[TAU_ARGS], fold, sizeof(fold));
		columns.length[TAU_ARGS] += sizeof(fold);
	}
	columns.length[TAU_TIMES] = 4 * n;
	live = (struct tau_live_header){.header_size = sizeof(live), .first_tick = 1000};
}

static struct native_fold sums(uint64_t step, uint64_t leaf, uint64_t last)
{
	memset(node, 0, sizeof(node));
	for (uint32_t i = 1; i <= NODES; i++)
		node[i] = (struct tau_fold_node){i - 1, i - 1, 0, 0};
	node[STEP + 1].calls = step != 0;
	node[STEP + 1].ticks = step;
	node[LEAF + 1].calls = leaf != 0;
	node[LEAF + 1].ticks = leaf;
	return (struct native_fold){.head = {.last_tick = last}, .node = node, .n = NODES + 1, .there = 1};
}

static void test_open(void)
{
	static const uint16_t token[] = {ENTER(MAIN), ENTER(STEP), LEAVE, ENTER(LEAF)};
	struct native_open open = {0};

	chunk_set(token, 4);
	native_open_find(&columns, live.first_tick, 0, &open, NULL);
	ok(open.of_n == 2 && open.of[0].region == MAIN && open.of[0].tick == 1010 && open.of[1].region == LEAF && open.of[1].tick == 1040,
	   "a region that was left is not open, the others are since they were entered");
	free(open.of);
}

static uint64_t completed(uint64_t step, uint64_t leaf, const uint16_t *token, size_t n, size_t kept)
{
	static const uint32_t path[] = {0, 1, 2, 3};
	struct native_fold d = sums(step, leaf, 1100);

	chunk_set(token, n);
	native_complete(d.node, d.n, path, &columns, &live, kept, 1100);
	ok(!node[MAIN + 1].calls, "main is open and no call of it is missing");
	return 1000 * node[STEP + 1].calls + node[STEP + 1].ticks;
}

static void test_complete(void)
{
	static const uint16_t token[] = {ENTER(MAIN), ENTER(STEP), LEAVE, ENTER(STEP)};
	static const uint16_t folded[] = {ENTER(MAIN), FOLD};

	ok(completed(40, 30, token, 1, 1) == 1040, "calls that took longer than those inside stay as they are");
	ok(completed(0, 30, token, 1, 1) == 1030, "a call is missing: it took as long as those inside");
	ok(completed(20, 30, token, 1, 1) == 2030, "a further call is missing");
	ok(completed(0, 10, token, 3, 3) == 0, "the call is in a record");
	ok(completed(0, 30, token, 3, 3) == 1020, "in a record, and one is missing");
	ok(completed(0, 30, token, 3, 1) == 1030, "its record is not kept");
	ok(completed(0, 60, token, 4, 4) == 0, "it is open");
	ok(completed(0, 7, folded, 2, 2) == 0, "the call was written as a folded one");
	ok(completed(0, 7, folded, 2, 1) == 1007, "but the record is not kept");
}

/* How many records the chunk has after the sums were added, folded calls that are added included; *steps: calls of STEP in them. */
static size_t added(struct native_fold d, const uint16_t *token, size_t n, int moved, uint64_t tick, uint64_t *steps)
{
	struct bytes args;
	size_t records;

	chunk_set(token, n);
	ok(!native_fold_add(&d, &columns, &live, (struct native_fold_chunk){.moved = moved, .tick = tick}), "they are added");
	records = columns.length[TAU_TIMES] / 4;
	args = bytes_of(columns.data[TAU_ARGS], columns.length[TAU_ARGS]);
	native_snapshot_pass(&args, NULL, NULL);
	*steps = 0;
	for (size_t i = 0; i < records; i++) {
		struct native_live_record r = native_record_pass(&columns, 4 * i, 0, &args);
		uint64_t calls, length, last = MAIN;

		if (r.token != FOLD)
			continue;
		bytes_varint(&r.fields);
		calls = bytes_varint(&r.fields);
		bytes_varint(&r.fields);
		for (length = bytes_varint(&r.fields); length; length--)
			last = bytes_varint(&r.fields);
		*steps += last == STEP ? calls : 0;
	}
	return records;
}

static void test_add(void)
{
	static const uint16_t token[] = {ENTER(MAIN), ENTER(STEP)}, folded[] = {ENTER(MAIN), FOLD, FOLD, LEAVE};
	struct native_fold d = sums(30, 20, 1025);
	uint64_t steps;

	ok(added(d, token, 2, 0, 0, &steps) == 4 && steps == 1, "nothing went on: both records stay, and two are added");
	d = sums(30, 20, 1060);
	ok(added(d, token, 2, 1, 1015, &steps) == 3 && steps == 1, "a call that began after the sums were read is not kept");
	d = sums(5, 3, 1060);
	ok(added(d, token, 2, 1, 1020, &steps) == 4 && steps == 1, "one that had begun before is");
	d = sums(5, 3, 1060);
	d.head.writing_records = 1;
	ok(added(d, folded, 4, 1, 1015, &steps) == 4 && steps == 3,
	   "folded calls that were written before the sums were read are kept, those written later are still in the sums");
	ok(live.last_tick == 1060, "the last record is when the last folded call ended");
	d = sums(30, 20, 1060);
	d.head.folding = (uint64_t)(STEP + 1) << 32;
	ok(added(d, token, 2, 0, 0, &steps) == 3 && steps == 0, "a killed process: a call that is open and in the sums counts once");
	d = sums(30, 20, 1060);
	d.head.folding = (uint64_t)(LEAF + 1) << 32;
	ok(added(d, token, 2, 0, 0, &steps) == 4 && steps == 1, "the one in the sums is another one");
}

/* A file of sums, and a file that is none. */
static void test_read(void)
{
	char dir[] = "/tmp/tau-fold.XXXXXX", name[64], path[64];
	struct native_file f = {.path = path};
	struct tau_fold_header head = {.magic = TAU_FOLD_MAGIC, .major = TAU_VERSION_MAJOR, .header_size = sizeof(head), .last_tick = 7};
	struct native_fold d = sums(30, 20, 7);
	FILE *to;

	if (!mkdtemp(dir))
		return;
	snprintf(path, sizeof(path), "%s/a.tau", dir);
	snprintf(name, sizeof(name), "%s/a.fold", dir);
	to = fopen(name, "w");
	if (!to)
		return;
	fwrite(&head, sizeof(head), 1, to);
	fwrite(node, sizeof(node), 1, to);
	fclose(to);
	native_fold_read(&f, &d);
	ok(d.there && !d.wrong && !d.moved && d.n == NODES + 1 && d.node[STEP + 1].ticks == 30, "the nodes of a file");
	native_fold_release(&d);
	f.head.thread = 1;
	native_fold_read(&f, &d);
	ok(d.there && d.wrong && !strcmp(d.wrong, "it belongs to another stream"), "%s", d.wrong ? d.wrong : "no reason");
	native_fold_release(&d);
	folder_remove(dir);
	native_fold_read(&f, &d);
	ok(!d.there && !d.wrong, "no file");
	native_fold_release(&d);
}

int main(void)
{
	test_open();
	test_complete();
	test_add();
	test_read();
	native_columns_release(&columns);
	return tap_end();
}
