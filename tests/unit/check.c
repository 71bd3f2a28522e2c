/* check.c: what tau-dump --check finds in files whose checksums are all right. */
#include <sys/stat.h>

#include "convert/native/live/native_file.h"
#include "convert/native/events/native_walk.h"
#include "tap.h"
#include "trace_writer.h"

static char path[] = "/tmp/tau-check.XXXXXX.tau";
static char first[2000];

static void say(void *to, const char *sentence)
{
	(void)to;
	if (!*first)
		snprintf(first, sizeof(first), "%s", sentence);
}

/* Problems of the file, and the first sentence about them in `first`. */
static size_t problems(void)
{
	struct native_file *f;
	struct error e;
	size_t n;

	*first = 0;
	if (native_file_open(path, &f, &e)) {
		say(NULL, e.text);
		return 1;
	}
	n = native_check(f, say, NULL);
	native_file_close(f);
	return n;
}

static void begin(struct writer *w)
{
	writer_open(w, path, 1, 0, 1000, 1000);
	writer_region(w, 0, "a", "");
	writer_memtype(w, 1, 0, TAU_MEM_CLASS, "x", "");
	writer_enter(w, 1010, 0);
	writer_memory(w, 1011, TAU_REC_ALLOC, 1, 0, 8);
}

/* Ends the file, and looks for the message about it; NULL: there must be none. */
static void expect(struct writer *w, const char *want, const char *what)
{
	size_t n;

	writer_close(w);
	n = problems();
	if (!ok(want ? n == 1 && strstr(first, want) != NULL : n == 0, "%s", what))
		printf("# %zu problems: %s\n", n, first);
}

int main(void)
{
	struct buffer f = { 0 };
	struct writer w;
	int fd = mkstemps(path, 4);

	if (fd < 0)
		return 1;
	close(fd);

	begin(&w);
	writer_chunk(&w, 1020);
	writer_leave(&w, 1030);
	expect(&w, NULL, "a sound file has no problems");

	begin(&w);
	writer_enter(&w, 1020, 7);
	expect(&w, "uses region 7, which is not defined", "an enter of an undefined region");

	begin(&w);
	writer_chunk(&w, 1012);
	writer_value(&w, 1020, 3, 1);
	expect(&w, "uses event 3, which is not defined", "a sample of an undefined event");

	begin(&w);
	writer_leave(&w, 1020);
	writer_leave(&w, 1021);
	expect(&w, "a leave with no region open", "a leave too many");

	begin(&w);
	w.depth = 0;
	writer_chunk(&w, 1020);
	writer_enter(&w, 1021, 0);
	expect(&w, "0 open regions that are not the 1", "a snapshot whose stack is another");

	begin(&w);
	w.bytes[1] += 4;
	writer_chunk(&w, 1020);
	writer_enter(&w, 1021, 0);
	expect(&w, "the snapshot's memory", "a snapshot whose memory is another");

	begin(&w);
	put_varint(&f, 5);
	writer_extended(&w, 1020, TAU_REC_UNWIND, &f);
	expect(&w, "closes 5 of 1", "an UNWIND of more than is open");

	begin(&w);
	put_varint(&f, 1);
	writer_extended(&w, 1020, TAU_REC_ALLOC, &f);
	expect(&w, "kind ALLOC is cut short", "a record whose fields are cut short");

	begin(&w);
	w.entered[0] = 1005;
	writer_chunk(&w, 1005);
	writer_enter(&w, 1021, 0);
	expect(&w, "begins before the chunk before it ends", "chunks that overlap in time");

	begin(&w);
	writer_block(&w, 1, 1, 40);
	writer_block_op(&w, 1020, 1, TAU_BLOCK_ALLOC, 1, 40);
	writer_block_op(&w, 1021, 1, TAU_BLOCK_BRIEF, 1, 40);
	writer_chunk(&w, 1022);
	writer_block_op(&w, 1023, 1, TAU_BLOCK_FREE, 1, 40);
	writer_chunk(&w, 1024);
	writer_leave(&w, 1030);
	expect(&w, NULL, "tokens of memory count like the records that they stand for");

	begin(&w);
	writer_block(&w, 1, 1, 40);
	writer_block_op(&w, 1020, 2, TAU_BLOCK_ALLOC, 1, 0);
	expect(&w, "is cut short", "a token of a block that is not defined");

	begin(&w);
	writer_block(&w, 1, 9, 40);
	expect(&w, "uses memtype 9, which is not defined", "a block of a memtype that is not defined");

	begin(&w);
	put_varint(&w.args, 5);
	expect(&w, "belong to no record", "arguments of no record");

	begin(&w);
	put_varint(&w.defs, TAU_DEF_REGION);
	put_varint(&w.defs, 100);
	expect(&w, "definitions are cut short", "definitions that are cut short");

	begin(&w);
	put_varint(&f, 1);
	writer_extended(&w, 1020, 63, &f);
	put_varint(&f, 1);
	writer_define(&w, 99, &f);
	expect(&w, NULL, "kinds that nobody knows are no problem");
	unlink(path);
	return tap_end();
}
