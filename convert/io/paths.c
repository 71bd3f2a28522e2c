/* paths.c: sorts and releases a list of paths. */
#include "convert/io/paths.h"

#include <stdlib.h>
#include <string.h>

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
