/*
 * otf2.c: fuzzes the reader of OTF2 archives. The bytes are its files: lengths (16 bits) of the anchor (0: a good one), the
 * global definitions, the events and the definitions of location 0, then these files and the events of location 1.
 *
 * The OTF2 library reads them, which may crash on damage: so each archive is in a folder, and is read in a child process. An error
 * in our own code ends the child with a code. A fuzzer sees nothing of what the child does, so it only tries inputs at random.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/inputs.h"
#include "events.h"

#define OURS 99 /* exit code of a child that found something wrong with what we made of it */

/* Chunks of 256 KiB. */
static const unsigned char anchor[] = {
	3,   'B', 'O', 'T', 'F', '2', 0, 3, 2, 3, 0, 2, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 1, 1, 2,
	0,   0,   0,   0,   0,	 0,   0, 0, 0, 0, 0, 0, 0, 0,  0, 0, 0, 't', 'a', 'u', '-', 'c', 'o', 'n', 'v', 'e', 'r', 't', 0, 0,
	0,   0,   0,   0,   0,	 0,   0, 0, 0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0, 2, 1, 0,
};
static const char *const name[] = { "a.otf2", "a.def", "a/0.evt", "a/0.def", "a/1.evt" };

struct place {
	char folder[32], path[64];
};

static const char *path_of(struct place *p, const char *file)
{
	snprintf(p->path, sizeof(p->path), "%s/%s", p->folder, file);
	return p->path;
}

static void end_with_code(int number)
{
	(void)number;
	_exit(OURS);
}

static void read_archive(int shared)
{
	struct error e = { 0 };
	struct trace *t;

	/* Until the archive is open, the library's own abort() cannot be distinguished from ours; it ends the child, too. */
	if (path_otf2_open("a.otf2", &t, &e)) {
		if (strncmp(e.text, "a.", 2))
			_exit(OURS);
		return;
	}
	signal(SIGABRT, end_with_code);
	fuzz_trace(t, shared);
}

static void write_file(const char *path, const unsigned char *p, size_t n)
{
	FILE *f = fopen(path, "wb");

	FUZZ_MUST(f && fwrite(p, 1, n, f) == n && !fclose(f));
}

static void try(const char *folder, int shared)
{
	int status = 0;
	pid_t child;

	fflush(NULL);
	child = fork();
	if (!child) {
		setrlimit(RLIMIT_CPU, &(struct rlimit){ 60, 60 });
		if (chdir(folder))
			_exit(OURS);
		read_archive(shared);
		_exit(0);
	}
	waitpid(child, &status, 0);
	FUZZ_MUST(WIFSIGNALED(status) ? WTERMSIG(status) != SIGXCPU && WTERMSIG(status) != SIGKILL : !WEXITSTATUS(status));
}

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n)
{
	struct place in = { .folder = "/tmp/tau-fuzz-XXXXXX" };
	size_t at = 8;

	if (n < at)
		return 0;
	FUZZ_MUST(mkdtemp(in.folder) && !mkdir(path_of(&in, "a"), 0700));
	for (int i = 0; i < 5; i++) {
		size_t length = i < 4 ? p[2 * i] | (size_t)p[2 * i + 1] << 8 : n - at;

		if (length > n - at)
			length = n - at;
		/* Files that are empty are not there. */
		if (length)
			write_file(path_of(&in, name[i]), p + at, length);
		else if (!i)
			write_file(path_of(&in, name[i]), anchor, sizeof(anchor));
		at += length;
	}
	try(in.folder, n % 4 == 0);
	for (int i = 0; i < 5; i++)
		remove(path_of(&in, name[i]));
	rmdir(path_of(&in, "a"));
	rmdir(in.folder);
	return 0;
}
