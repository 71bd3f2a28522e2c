/* installed.c: finds the files that are installed with the programs. */
#include "cmd/shared/installed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

int installed_find(const char *file, char out[PATH_MAX])
{
	static const char *const places[] = {"", "../lib/tau/", "../lib/" MULTIARCH "/tau/",
					     "../lib64/tau/"};
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[n > 0 ? n : 0] = 0;
	if (n <= 0 && !realpath((const char *)getauxval(AT_EXECFN), self)) /* /proc may be absent */
		return 0;
	strrchr(self, '/')[1] = 0;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		char path[2 * PATH_MAX];

		snprintf(path, sizeof(path), "%s%s%s", self, places[i], file);
		if (realpath(path, out))
			return 1;
	}
	return 0;
}
