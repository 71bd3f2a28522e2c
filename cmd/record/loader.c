/*
 * loader.c: asks a program's own dynamic loader what it would load, and whether it takes the recorder.
 *
 * LD_PRELOAD goes on to all children. The loader of another C library (musl) would find the recorder, miss symbols in it, and end
 * the program. So what is preloaded are libraries with nothing in them (load-NAME.so beside NAME.so) but an entry DT_AUXILIARY: the
 * GNU loader loads the library that it names, too, and others do not know it. A name with $LIB, which only the GNU loader
 * knows, would do as well, but for names with $ it makes a system call, readlink, that a seccomp filter may forbid the program.
 */
#include "cmd/record/loader.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The empty library that is preloaded instead of one of ours. */
static char *stand_in(const char *path)
{
	int folder = (int)(strrchr(path, '/') + 1 - path);

	return mem_printf("%.*sload-%s", folder, path, path + folder);
}

/* The output of the loader's --list, with LD_PRELOAD as given (NULL: none); NULL: it failed. */
static char *list(const struct target *t, const char *preload)
{
	char *out = NULL;
	size_t n = 0;
	int fd[2], status = -1;
	pid_t pid;

	if (pipe2(fd, O_CLOEXEC) < 0)
		return NULL;
	pid = fork();
	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);

		dup2(fd[1], 1);
		dup2(null, 2);
		dup2(null, 0);
		if (!preload || setenv("LD_PRELOAD", preload, 1))
			unsetenv("LD_PRELOAD");
		execl(t->interpreter, t->interpreter, "--list", t->elf, (char *)NULL);
		_exit(127);
	}
	close(fd[1]);
	while (pid > 0) {
		ssize_t r;

		out = mem_resize(out, n + 4096, 1);
		r = read(fd[0], out + n, 4095);
		if (r <= 0)
			break;
		n += (size_t)r;
	}
	close(fd[0]);
	if (pid > 0)
		waitpid(pid, &status, 0);
	if (out)
		out[n] = 0;
	if (status) {
		free(out);
		return NULL;
	}
	return out;
}

/* Removes the line of the preloaded file from the loader's output, which is then about the program alone. 0: there is none. */
static int line_take(char *needed, const char *library)
{
	char *at = needed ? strstr(needed, library) : NULL, *begin = at, *end;

	if (!at)
		return 0;
	while (begin > needed && begin[-1] != '\n')
		begin--;
	end = strchrnul(at, '\n');
	end += *end == '\n';
	memmove(begin, end, strlen(end) + 1);
	return 1;
}

void loader_ask(struct target *t, const char *library)
{
	char *everywhere = library ? stand_in(library) : NULL;

	t->needed = list(t, everywhere);
	t->everywhere = library && line_take(t->needed, library);
	if (library)
		line_take(t->needed, everywhere);
	free(everywhere);
	if (!library || t->everywhere)
		return;
	free(t->needed);
	t->needed = list(t, library);
	if (line_take(t->needed, library))
		return;
	free(t->needed);
	t->needed = list(t, NULL);
	/* A loader that fails without us, too, shows nothing; the program itself will fail. */
	if (t->needed)
		t->obstacle = "is built for a different C library than the recorder";
}

char *loader_name(const struct target *t, const char *path)
{
	return t->everywhere ? stand_in(path) : mem_string(path);
}
