/* listing.c: reads the names in a directory. */
#include "convert/io/listing.h"

#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/base/base.h"
#include "convert/io/paths.h"

static int entry_compare(const void *va, const void *vb)
{
	const struct listing_entry *a = va, *b = vb;

	return strcmp(a->name, b->name);
}

int listing_read(const char *path, struct listing *out)
{
	DIR *d = opendir(path);
	struct dirent *e;
	int failed;

	if (!d)
		return -1;
	while ((errno = 0, e = readdir(d)))
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			*array_add(out, entry) =
				(struct listing_entry){mem_string(e->d_name), e->d_type};
	failed = errno;
	closedir(d);
	if (failed) {
		listing_release(out);
		errno = failed;
		return -1;
	}
	if (out->entry_n)
		qsort(out->entry, out->entry_n, sizeof(*out->entry), entry_compare);
	return 0;
}

void listing_release(struct listing *l)
{
	for (size_t i = 0; i < l->entry_n; i++)
		free(l->entry[i].name);
	free(l->entry);
	*l = (struct listing){0};
}

size_t listing_find(const struct listing *l, const char *name)
{
	struct listing_entry key = {.name = (char *)(uintptr_t)name}, *found;

	found = l->entry_n ? bsearch(&key, l->entry, l->entry_n, sizeof(key), entry_compare) : NULL;
	return found ? (size_t)(found - l->entry) : l->entry_n;
}

int listing_is_directory(const char *path, const struct listing_entry *x)
{
	char *below;
	int is;

	if (x->type != DT_UNKNOWN && x->type != DT_LNK)
		return x->type == DT_DIR;
	below = mem_printf("%s/%s", path, x->name);
	is = path_is_directory(below);
	free(below);
	return is;
}
