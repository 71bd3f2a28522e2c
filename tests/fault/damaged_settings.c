/*
 * damaged_settings.c: runs a program under the recorder with a damaged setting: cut at each byte, and with each byte wrong. The program must print
 * and return what it does without the recorder. Started by damaged_settings.sh:
 *
 *   damaged_settings VARIABLE FILE PROGRAM [ARGUMENTS]	the variable names the file
 *   damaged_settings VARIABLE -TEXT PROGRAM [ARGUMENTS]	the variable is the text
 *
 * The library to preload is in PRELOAD, so that it is not in this program.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

enum { EACH = 256, STEP = 997, OUTPUT = 65536 };

static const char *variable, *preload;
static int is_text;
static char **program;

struct said {
	char out[OUTPUT];
	size_t n;
	int status;
};

static size_t take(int fd, char *to, size_t room)
{
	size_t n = 0;
	ssize_t got;

	while (n < room && (got = read(fd, to + n, room - n)) > 0)
		n += (size_t)got;
	close(fd);
	return n;
}

/* value: of the variable; NULL: without the recorder. Returns how many lines the recorder said. */
static int start(const char *value, struct said *s)
{
	char err[OUTPUT];
	int out[2], err_at = open("setting.err", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), lines = 0;
	size_t n;
	pid_t pid;

	if (pipe(out) || err_at < 0 || (pid = fork()) < 0)
		exit(1);
	if (!pid) {
		dup2(out[1], 1);
		dup2(err_at, 2);
		close(out[0]);
		close(out[1]);
		if (value) {
			setenv(variable, value, 1);
			setenv("LD_PRELOAD", preload, 1);
		}
		execv(*program, program);
		_exit(127);
	}
	close(out[1]);
	s->n = take(out[0], s->out, OUTPUT);
	if (waitpid(pid, &s->status, 0) != pid)
		exit(1);
	lseek(err_at, 0, SEEK_SET);
	n = take(err_at, err, OUTPUT);
	for (size_t i = 0; i < n; i++)
		lines += err[i] == '\n';
	return lines;
}

/* Runs the program with these n bytes. 1: it behaves as without the recorder. The last argument counts the lines on stderr. */
static int harmless(char *p, size_t n, const struct said *want, int *told)
{
	struct said got;
	const char *value = p;
	int fd, lines;

	if (!is_text) {
		fd = open("setting.file", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (fd < 0 || write(fd, p, n) != (ssize_t)n || close(fd))
			exit(1);
		value = "setting.file";
	}
	lines = start(value, &got);
	*told += lines;
	return lines <= 1 && got.status == want->status && got.n == want->n && !memcmp(got.out, want->out, got.n);
}

int main(int argc, char **argv)
{
	struct said want;
	char *p, was;
	struct stat st;
	int told = 0, harm = 0, fd;
	size_t n, tried = 0;

	if (argc < 4 || !getenv("PRELOAD"))
		return 1;
	variable = argv[1];
	preload = getenv("PRELOAD");
	program = argv + 3;
	is_text = *argv[2] == '-';
	fd = is_text ? -1 : open(argv[2], O_RDONLY | O_CLOEXEC);
	if (!is_text && (fd < 0 || fstat(fd, &st)))
		return 1;
	n = is_text ? strlen(argv[2] + 1) : (size_t)st.st_size;
	p = calloc(1, n + 1);
	if (is_text)
		memcpy(p, argv[2] + 1, n);
	else if (take(fd, p, n) != n)
		return 1;
	start(NULL, &want);
	ok(want.n && harmless(p, n, &want, &told) && !told, "%s is as it should be: %zu bytes", variable, n);
	for (size_t i = 0; i < n; i += i < EACH ? 1 : STEP, tried++) {
		was = p[i];
		if (is_text)
			p[i] = 0;
		if (!harmless(p, i, &want, &told) && !harm++)
			printf("# cut at %zu\n", i);
		p[i] = was;
	}
	ok(!harm, "cut at any of %zu bytes it does no harm", tried);
	for (size_t i = tried = 0; i < n; i += i < EACH ? 1 : STEP)
		for (int way = 0; way < 2; way++, tried++) {
			was = p[i];
			p[i] ^= way ? (char)0xff : (char)(1 << i % 8);
			if (!harmless(p, n, &want, &told) && !harm++)
				printf("# byte %zu\n", i);
			p[i] = was;
		}
	ok(!harm && (told || is_text), "with a byte wrong, %zu times, neither, and %d times something is said of it", tried, told);
	free(p);
	return tap_end();
}
