/* process_environ.c: reads /proc/PID/environ. */
#include "cmd/shared/process_environ.h"

#include <stdio.h>
#include <string.h>

#include "analyze/base/base.h"

char *process_variable(long pid, const char *name)
{
	char *path = mem_printf("/proc/%ld/environ", pid), *text = NULL, *found = NULL;
	FILE *f = fopen(path, "r");
	size_t cap = 0, n = strlen(name);

	while (f && !found && getdelim(&text, &cap, 0, f) > 0)
		if (!strncmp(text, name, n) && text[n] == '=')
			found = mem_string(text + n + 1);
	if (f)
		fclose(f);
	free(text);
	free(path);
	return found;
}
