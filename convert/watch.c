/* watch.c: makes the file that the processes of a run map, and appends commands to it. */
#include "watch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../record/format.h"

#define WATCH_FILE ".watch"

char *watch_make(const char *directory, struct error *e)
{
	struct tau_watch *w = mem_alloc(sizeof(*w));
	char *path = mem_printf("%s/" WATCH_FILE, directory);
	char *hidden = mem_printf("%s.%ld", path, (long)getpid());
	int fd = open(hidden, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), good;

	memcpy(w->magic, TAU_WATCH_MAGIC, sizeof(w->magic));
	good = fd >= 0 && write(fd, w, sizeof(*w)) == (ssize_t)sizeof(*w) && close(fd) == 0 &&
	       (link(hidden, path) == 0 || errno == EEXIST);
	if (!good)
		error_set(e, ERROR_SYSTEM, "%s: cannot write: %s", path,
			  strerror(errno ? errno : ENOSPC));
	unlink(hidden);
	free(hidden);
	free(w);
	if (good)
		return path;
	free(path);
	return NULL;
}

static int append(struct tau_watch *w, const char *directory, const char *command, struct error *e)
{
	size_t n = strlen(command);

	if (memcmp(w->magic, TAU_WATCH_MAGIC, sizeof(w->magic)) != 0)
		return error_set(e, ERROR_INPUT, "%s: its file of commands is damaged", directory);
	if (w->count >= TAU_WATCH_COMMANDS)
		return error_set(e, ERROR_INPUT, "%s: has had %d commands, which is the most",
				 directory, TAU_WATCH_COMMANDS);
	if (n >= sizeof(w->command[0]))
		return error_set(e, ERROR_USAGE, "the command is too long");
	memcpy(w->command[w->count], command, n + 1);
	__atomic_add_fetch(&w->count, 1, __ATOMIC_RELEASE);
	return 0;
}

int watch_command(const char *directory, const char *command, struct error *e)
{
	char *path = mem_printf("%s/" WATCH_FILE, directory);
	int fd = open(path, O_RDWR | O_CLOEXEC), code;
	struct tau_watch *w = MAP_FAILED;

	free(path);
	if (fd >= 0 && flock(fd, LOCK_EX) == 0 && lseek(fd, 0, SEEK_END) == (off_t)sizeof(*w))
		w = mmap(NULL, sizeof(*w), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (w == MAP_FAILED) {
		code = error_set(e, ERROR_INPUT, "%s: is no run that was started with --watch",
				 directory);
	} else {
		code = append(w, directory, command, e);
		munmap(w, sizeof(*w));
	}
	if (fd >= 0)
		close(fd);
	return code;
}
