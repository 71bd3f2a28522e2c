/* file_locks.c: reads the kernel's table of the locks of files. */
#include "convert/native/live/file_locks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/base/base.h"

/*
 * "7: POSIX  ADVISORY  WRITE 4711 fe:00:123 0 EOF" is a lock of process 4711. Locks that wait for it follow, with the same number:
 * "7: -> FLOCK ADVISORY WRITE 4712 ...", and those that wait for these with more of " " before the arrow.
 */
static void line_read(struct file_locks *x, const char *line, pid_t *has)
{
	const char *at = strchr(line, ':');
	int pid, waits;

	if (!at)
		return;
	at += 1 + strspn(at + 1, " ");
	waits = !strncmp(at, "->", 2);
	if (sscanf(at + 2 * waits, "%*s %*s %*s %d", &pid) != 1)
		pid = 0;
	if (!waits)
		*has = pid;
	else if (pid > 0)
		*array_add(x, v) = (struct file_lock_wait){pid, *has};
}

void file_locks_read(struct file_locks *x, const char *path)
{
	FILE *f = fopen(path, "re");
	char line[256];
	pid_t has = 0;

	*x = (struct file_locks){0};
	while (f && fgets(line, sizeof(line), f))
		line_read(x, line, &has);
	if (f)
		fclose(f);
}

void file_locks_release(struct file_locks *x)
{
	free(x->v);
	*x = (struct file_locks){0};
}

pid_t file_locks_holder(const struct file_locks *x, pid_t waits)
{
	pid_t found = 0;

	for (size_t i = 0; i < x->v_n; i++) {
		if (x->v[i].waits != waits || x->v[i].has <= 0)
			continue;
		if (found && found != x->v[i].has)
			return 0;
		found = x->v[i].has;
	}
	return found;
}
