/* seal.c: streams that were left open are closed, unless they are of another machine, in use, damaged or of others. */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>

#include "convert/native/live/native_file.h"
#include "convert/native/live/native_seal.h"
#include "convert/native/events/native_walk.h"
#include "convert/native/file/run_files.h"
#include "tap.h"
#include "trace_writer.h"

static char dir[] = "/tmp/tau-seal.XXXXXX";
static char trace[400], live[400], folded[400];

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Sets fields of the live header: the state, and when the machine was started, in seconds before this one. */
static void live_set(uint32_t state, uint64_t seconds)
{
	struct tau_live_header l;
	FILE *f = fopen(live, "r+b");

	if (!f || fread(&l, sizeof(l), 1, f) != 1)
		exit(1);
	l.state = state;
	l.error = state ? 28 : 0;
	l.sync_mono_ns = now_ns(CLOCK_MONOTONIC);
	l.sync_real_ns = now_ns(CLOCK_REALTIME) - seconds * 1000000000;
	rewind(f);
	if (fwrite(&l, sizeof(l), 1, f) != 1 || fclose(f))
		exit(1);
}

/* Two chunks in the file, and one of 4 records in the live file. */
static void stream_write(void)
{
	struct writer w = {0};

	writer_open(&w, trace, 7, 0, 1000, 1000);
	writer_region(&w, 0, "work", "");
	for (uint64_t t = 1000; t < 1060; t += 10) {
		writer_enter(&w, t, 0);
		writer_leave(&w, t + 5);
		if (t == 1010 || t == 1030)
			writer_chunk(&w, t + 6);
	}
	writer_kill(&w);
	live_set(TAU_LIVE_OPEN, 0);
}

static int is_left(void)
{
	struct input *in = input_new(dir);
	struct stat st;

	native_seal(in);
	input_free(in);
	return !stat(live, &st);
}

static void say(void *to, const char *sentence)
{
	(void)to;
	printf("# %s\n", sentence);
}

static void test_sealed(uint32_t state)
{
	struct native_file *f;
	struct error e;

	stream_write();
	live_set(state, 0);
	ok(!is_left(), "the live file is removed");
	if (!ok(!native_file_open(trace, &f, &e), "the file opens"))
		return;
	ok(f->closed && f->left && f->indexed && f->chunk_n == 3 && f->records == 12 && !f->damage,
	   "it is closed, with 3 chunks and 12 records");
	ok(f->stopped == (state == TAU_LIVE_STOPPED) && f->stop_error == (state ? 28 : 0),
	   "why the recorder had stopped is kept");
	ok(!native_check(f, say, NULL), "it is sound");
	native_file_close(f);
}

/* FILE.fold of a process with one folded region. */
static void fold_write(struct tau_fold_node node, uint64_t last_tick, uint64_t folding)
{
	struct {
		struct tau_fold_header head;
		struct tau_fold_node node[2];
	} fold = {.head = {.magic = TAU_FOLD_MAGIC,
			   .major = TAU_VERSION_MAJOR,
			   .header_size = sizeof(fold.head),
			   .process_id = 7,
			   .last_tick = last_tick,
			   .folding = folding},
		  .node = {[1] = node}};
	FILE *f = fopen(folded, "wb");

	if (!f || fwrite(&fold, sizeof(fold), 1, f) != 1 || fclose(f))
		exit(1);
}

/* As if the process was killed after it stored the last chunk and before it began the next: `calls` of work are folded still. */
static void stale_write(uint64_t calls)
{
	struct tau_live_header l;
	FILE *f;

	stream_write();
	f = fopen(live, "r+b");
	if (!f || fread(&l, sizeof(l), 1, f) != 1)
		exit(1);
	l.seq = 1;
	l.cur[TAU_TIMES] = l.base[TAU_TIMES];
	rewind(f);
	if (fwrite(&l, sizeof(l), 1, f) != 1 || fclose(f))
		exit(1);
	fold_write((struct tau_fold_node){.calls = calls, .ticks = 9}, 0, 0);
}

/* The last chunk is in FILE.tau only: it must be there at each moment. */
static void test_replaced(void)
{
	unsigned char before[1000], after[1000];
	struct native_file *f;
	struct error e;
	struct stat st;
	ssize_t n;
	int fd;

	stale_write(5);
	fd = open(trace, O_RDONLY);
	n = pread(fd, before, sizeof(before), 0);
	ok(n > 64 && !is_left() && stat(folded, &st), "a stream with folded calls after its last chunk is closed");
	ok(pread(fd, after, sizeof(after), 0) == n && !memcmp(before, after, (size_t)n),
	   "the file that has that chunk is replaced as a whole");
	close(fd);
	if (!ok(!native_file_open(trace, &f, &e), "the file opens"))
		return;
	ok(f->closed && f->left && f->indexed && f->chunk_n == 2 && f->records == 9 && !f->damage,
	   "it has one record more, with the folded calls");
	ok(!native_check(f, say, NULL), "it is sound");
	native_file_close(f);
	stale_write(5);
	if (truncate(folded, 10))
		exit(1);
	ok(is_left(), "one whose folded calls cannot be read is left alone");
	unlink(folded);
	ok(!is_left(), "without any, it is closed");
}

/* Killed while the last call was in its node and its ENTER not yet removed: it is counted once. Returns the number of records. */
static uint64_t records_with(uint64_t folding)
{
	struct writer w = {0};
	struct native_file *file;
	struct error e;
	uint64_t n;

	writer_open(&w, trace, 7, 0, 1000, 1000);
	writer_region(&w, 0, "work", "");
	writer_enter(&w, 1000, 0);
	writer_kill(&w);
	live_set(TAU_LIVE_OPEN, 0);
	fold_write((struct tau_fold_node){.calls = 1, .ticks = 10}, 1010, folding);
	is_left();
	if (native_file_open(trace, &file, &e))
		return 0;
	n = file->records;
	native_file_close(file);
	return n;
}

static void test_doubled(void)
{
	ok(records_with(0) == 2, "a folded call and an open one are two");
	ok(records_with(1ull << 32) == 1, "an open call that was folded already is one");
	ok(records_with(1ull << 32 | 1) == 2, "one that was not yet folded leaves the others as they are");
}

static void test_left(const char *host)
{
	char other[400], trace_of[400];
	int fd;

	stream_write();
	live_set(TAU_LIVE_OPEN, 3600);
	ok(is_left(), "a stream of another machine is left alone");
	live_set(TAU_LIVE_OPEN, 0);
	fd = open(live, O_RDWR);
	ok(is_left(), "one that is open for writing, too");
	close(fd);
	chmod(dir, 0777);
	ok(is_left(), "one in a directory that others may write to, too");
	chmod(dir, 0700);
	snprintf(other, sizeof(other), "%s/%s.x.1.0.0.live", dir, host);
	snprintf(trace_of, sizeof(trace_of), "%s/%s.x.1.0.0.tau", dir, host);
	rename(live, other);
	rename(trace, trace_of);
	is_left();
	ok(!rename(other, live) && !rename(trace_of, trace), "one of a host whose name begins with that of this one, too");
	if (truncate(trace, 150))
		exit(1);
	ok(is_left(), "one whose chunks are missing, too");
}

int main(void)
{
	struct utsname here;
	char command[100], *host;

	if (!mkdtemp(dir) || uname(&here))
		return 1;
	host = run_file_host(here.nodename);
	snprintf(trace, sizeof(trace), "%s/%s.1.0.0.tau", dir, host);
	snprintf(live, sizeof(live), "%s/%s.1.0.0.live", dir, host);
	snprintf(folded, sizeof(folded), "%s/%s.1.0.0.fold", dir, host);
	test_sealed(TAU_LIVE_OPEN);
	test_sealed(TAU_LIVE_STOPPED);
	test_replaced();
	test_doubled();
	test_left(host);
	free(host);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command) ? 1 : tap_end();
}
