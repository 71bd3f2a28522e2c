/* paths.c: sorts and releases lists of paths; the parts of a path, and what it names. */
#include "convert/io/paths.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/base/base.h"

static int path_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void paths_sort(struct paths *p)
{
	if (p->path_n)
		qsort(p->path, p->path_n, sizeof(*p->path), path_compare);
}

void paths_release(struct paths *p)
{
	for (size_t i = 0; i < p->path_n; i++)
		free(p->path[i]);
	free(p->path);
	*p = (struct paths){0};
}

const char *path_file(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

char *path_name(const char *path)
{
	size_t n = strlen(path), begin;

	while (n > 1 && path[n - 1] == '/')
		n--;
	for (begin = n; begin > 0 && path[begin - 1] != '/'; begin--)
		;
	return begin < n ? mem_printf("%.*s", (int)(n - begin), path + begin) : mem_string(path);
}

int path_ends_in(const char *path, const char *suffix)
{
	size_t n = strlen(path), m = strlen(suffix);

	return m && n > m && !strcmp(path + n - m, suffix);
}

char *path_absolute(const char *path)
{
	char *here = *path == '/' ? NULL : getcwd(NULL, 0);
	char *text = here ? mem_printf("%s/%s", here, path) : mem_string(path);

	free(here);
	return text;
}

int path_is_directory(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}
