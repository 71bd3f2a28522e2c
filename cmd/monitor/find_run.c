/* find_run.c: reads /proc. */
#include "cmd/monitor/find_run.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cmd/shared/process_environ.h"

#define VARIABLE "TAU_RECORD_DIR"
#define DEPTH	 64 /* of children; deeper ones are not looked at */

/* The parent of a process: the second number after the name, which may hold anything; -1: it is gone. */
static long parent_of(long pid)
{
	char *path = mem_printf("/proc/%ld/stat", pid), text[1024], *end;
	FILE *f = fopen(path, "r");
	long parent = -1;
	size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;

	text[n] = 0;
	end = strrchr(text, ')');
	if (!end || sscanf(end + 1, " %*c %ld", &parent) != 1)
		parent = -1;
	if (f)
		fclose(f);
	free(path);
	return parent;
}

static int is_below(long pid, long above)
{
	for (int i = 0; i < DEPTH && pid > 1; i++) {
		pid = parent_of(pid);
		if (pid == above)
			return 1;
	}
	return 0;
}

static char *directory_below(long above)
{
	DIR *d = opendir("/proc");
	struct dirent *x;
	char *found = NULL;

	while (d && !found && (x = readdir(d)) != NULL) {
		long pid = strtol(x->d_name, NULL, 10);

		if (pid > 0 && is_below(pid, above))
			found = process_variable(pid, VARIABLE);
	}
	if (d)
		closedir(d);
	return found;
}

int find_run(long pid, char **out, struct error *e)
{
	if (pid < 0 || (kill((pid_t)pid, 0) < 0 && errno == ESRCH))
		return error_set(e, ERROR_SYSTEM, "process %ld: there is no such process", pid);
	*out = process_variable(pid, VARIABLE);
	if (!*out)
		*out = directory_below(pid);
	if (*out)
		return 0;
	return error_set(e, ERROR_INPUT,
			 "process %ld: neither it nor a process that it started is recorded, or it "
			 "is another user's",
			 pid);
}
