/* run_processes.c: the table of the programs of a run: written, read, damaged, and whether a process still runs. */
#include "convert/native/live/run_processes.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "convert/native/file/run_files.h"
#include "files.h"
#include "tap.h"

static void test_table(int run)
{
	struct tau_process_row row = {.state = TAU_PROCESS_STARTED, .pid = 7, .rank = 3};
	struct run_processes p;

	ok(run_processes_open(run, 0, &p) < 0, "there is no table");
	ok(!run_processes_make(run, 5, 0600), "a table is made");
	ok(!run_processes_lock(run, 1000, &p) && p.row_n == 0 && p.head.size == 5, "it is empty, for 5 processes");
	run_process_here(&row);
	ok(!run_process_write(&p, 0, &row), "a row is written");
	row.rank = 4;
	ok(!run_process_write(&p, 1, &row) && !run_processes_closed(&p, 1, &(struct run_overhead){1ull << 38, 1ull << 40, 1ull << 37, 1ull << 39, TAU_OVERHEAD_MEASURED}), "another one, and the closing line");
	run_processes_close(&p);
	ok(!run_processes_open(run, 0, &p) && p.row_n == 2 && p.row[0].rank == 3 && p.row[1].rank == 4 && p.head.closed, "read back");
	ok(p.head.added_ns == 1ull << 38 && p.head.alone_ns == 1ull << 40 && p.head.overhead == TAU_OVERHEAD_MEASURED, "and the overhead");
	ok(run_added(&p.head, p.head.least) >> 10 == (1ull << 27) - 1 && run_added(&p.head, p.head.most) >> 10 == (1ull << 29) - 1,
	   "and its bounds, to 2^-32: %llu, %llu", (unsigned long long)run_added(&p.head, p.head.least),
	   (unsigned long long)run_added(&p.head, p.head.most));
	ok(run_process_write(&p, 0, &row) < 0, "a table that is open for reading is not written");
	run_processes_close(&p);
	ok(p.fd == -1 && !p.row, "closed");
}

/* A program that runs is noted each second, and after 100 s each hundredth of its time; only its own row is written. */
static void test_seen(int run)
{
	static const struct {
		uint64_t begin, last, due; /* s */
	} cases[] = {{100, 0, 101}, {100, 101, 102}, {100, 199, 200}, {1000, 1500, 1505}, {1000, 4600, 4636}, {100, 50, 101}};
	struct tau_process_row row = {0};
	struct run_processes p;
	int fd;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		row.begin_real_ns = cases[i].begin * 1000000000;
		row.end_real_ns = cases[i].last * 1000000000;
		ok(run_seen_due(&row) == cases[i].due * 1000000000, "begun at %d s and seen at %d s, it is due at %d s", (int)cases[i].begin,
		   (int)cases[i].last, (int)cases[i].due);
	}
	ok(!run_processes_lock(run, 1000, &p) && p.row_n == 2, "a table");
	fd = run_processes_unlocked(&p);
	run_processes_close(&p);
	ok(fd >= 0 && !run_process_seen_write(fd, 1, 12345), "a program is noted without the lock");
	ok(!run_processes_lock(run, 1000, &p) && p.row[1].end_real_ns == 12345 && p.row[1].rank == 4 && !p.row[0].end_real_ns && p.row_n == 2,
	   "in its row alone, and another one can lock the table meanwhile");
	ok(!run_process_seen_write(fd, 1, 0), "the row is as it was");
	run_processes_close(&p);
	close(fd);
	ok(run_process_seen_write(fd, 1, 1) < 0, "a table that is closed is not written");
}

static void test_damage(int run, const char *folder)
{
	static const struct {
		size_t keep; /* bytes of the file */
		int at;	     /* byte that is changed, -1: none */
		int rows;    /* -1: it cannot be used */
	} cases[] = {{0, -1, -1}, {63, -1, -1}, {64, -1, 0}, {64 + 127, -1, 0}, {64 + 128, -1, 1}, {64 + 256, 0, -1}, {64 + 256, 8, -1}, {64 + 256, -1, 2}};
	size_t n;
	unsigned char *whole = file_get(file_below(folder, TAU_PROCESSES_FILE), &n);

	ok(n == 64 + 256, "a head of 64 bytes and rows of 128");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct run_processes p;
		unsigned char *copy = mem_copy(whole, n + 1, 1);
		int code;

		if (cases[i].at >= 0)
			copy[cases[i].at] ^= 0x55;
		file_put(file_below(folder, TAU_PROCESSES_FILE), copy, cases[i].keep);
		code = run_processes_open(run, 0, &p);
		ok(cases[i].rows < 0 ? code < 0 : !code && (int)p.row_n == cases[i].rows, "%zu bytes, byte %d changed: %d rows", cases[i].keep,
		   cases[i].at, code ? -1 : (int)p.row_n);
		run_processes_close(&p);
		free(copy);
	}
	/* A host without its zero byte. */
	memset(whole + 64 + 48, 'h', 72);
	file_put(file_below(folder, TAU_PROCESSES_FILE), whole, n);
	{
		struct run_processes p;

		ok(!run_processes_open(run, 0, &p) && strlen(p.row[0].host) == 71, "a name of a host ends");
		run_processes_close(&p);
	}
	free(whole);
}

static void test_life(void)
{
	struct tau_process_row row = {.state = TAU_PROCESS_STARTED};
	int status;
	pid_t child;

	run_process_here(&row);
	ok(row.recorder_pid == (uint32_t)getpid() && row.recorder_start && run_process_life(&row) == RUN_PROCESS_RUNS, "this process runs");
	row.recorder_start++;
	ok(run_process_life(&row) == RUN_PROCESS_ENDED, "another process with this number does not count");
	row.recorder_start--;
	row.state = TAU_PROCESS_EXITED;
	ok(run_process_life(&row) == RUN_PROCESS_ENDED, "a program that has ended");
	row.state = TAU_PROCESS_STARTED;
	strcpy(row.host, "another.host.invalid");
	ok(run_process_life(&row) == RUN_PROCESS_UNKNOWN, "one of another host is unknown");
	child = fork();
	if (!child)
		_exit(0);
	waitpid(child, &status, 0);
	ok(!run_process_start((uint32_t)child) && !run_process_start(0), "a process that has ended has no start");
	row.pid = row.recorder_pid;
	ok(run_process_spawned(&row), "a process that is its own recorder was spawned");
	row.pid++;
	ok(!run_process_spawned(&row), "another one was not");
}

int main(void)
{
	char folder[] = "/tmp/run-processes-XXXXXX";
	int run;

	if (!mkdtemp(folder) || (run = run_directory(folder)) < 0)
		return 1;
	test_table(run);
	test_seen(run);
	test_damage(run, folder);
	test_life();
	close(run);
	folder_remove(folder);
	return tap_end();
}
