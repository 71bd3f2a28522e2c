/* mem_stream.c: text printed into memory: its bytes, its length, and its end when memory ends. */
#include "analyze/base/mem_stream.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

static void test_text(void)
{
	char *text;
	size_t n;
	FILE *f = mem_stream(&text, &n);

	fflush(f);
	ok(!n && !*text, "nothing printed is an empty text");
	fputs("one ", f);
	ok(ftell(f) == 4, "ftell() is the number of bytes, here %ld", ftell(f));
	fflush(f);
	ok(n == 4 && !strcmp(text, "one "), "fflush() completes the text");
	for (int i = 0; i < 100000; i++)
		fprintf(f, "%05d", i);
	ok(ftell(f) == 500004, "ftell() of many bytes");
	fclose(f);
	ok(n == 500004 && strlen(text) == n && !strcmp(text + n - 10, "9999899999"), "many bytes: %zu", n);
	free(text);
}

static void test_rewind(void)
{
	char *text;
	size_t n;
	FILE *f = mem_stream(&text, &n);

	fputs("first", f);
	fflush(f);
	rewind(f);
	fputs("a", f);
	fflush(f);
	ok(n == 1 && !strcmp(text, "a"), "what follows rewind() replaces the text");
	rewind(f);
	fclose(f);
	ok(!n && !*text, "rewind() and no more is an empty text");
	free(text);

	f = mem_stream(&text, &n);
	fclose(f);
	ok(!n && !*text, "closed at once");
	free(text);
}

#define UNLIMITED 98 /* an emulated processor has no RLIMIT_AS */

/* In a child that has little memory left: prints for ever. Its exit status, and what it wrote to stderr. */
static int starve(char said[64])
{
	int fd[2], status;
	ssize_t n;
	pid_t pid;

	if (pipe(fd))
		return -1;
	pid = fork();
	if (!pid) {
		const struct rlimit few = {256 << 20, 256 << 20};
		struct rlimit now;
		char *text;
		size_t length;
		FILE *f;

		dup2(fd[1], 2);
		setrlimit(RLIMIT_AS, &few);
		if (getrlimit(RLIMIT_AS, &now) || now.rlim_cur != few.rlim_cur)
			_exit(UNLIMITED);
		f = mem_stream(&text, &length);
		for (size_t i = 0; i < (size_t)1 << 30; i++)
			putc('x', f);
		_exit(99);
	}
	close(fd[1]);
	n = read(fd[0], said, 63);
	said[n > 0 ? n : 0] = 0;
	close(fd[0]);
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int main(void)
{
	char said[64];
	int code;

	test_text();
	test_rewind();
#ifndef __SANITIZE_ADDRESS__ /* which reserves more than any limit */
	code = starve(said);
	if (code == UNLIMITED)
		skip("out of memory ends the program", "an emulated processor has no RLIMIT_AS");
	else
		ok(code == 4 && !strcmp(said, "out of memory\n"), "out of memory ends the program: exit %d, '%s'", code, said);
#else
	(void)said;
	(void)code;
#endif
	return tap_end();
}
