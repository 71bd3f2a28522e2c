/* input.c: keeps what a path was found to be, and the names in a directory. */
#include "convert/io/input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/base/base.h"
#include "convert/io/paths.h"

struct input *input_new(const char *path)
{
	struct input *in = mem_alloc(sizeof(*in));

	in->path = mem_string(path);
	in->is_directory = path_is_directory(path);
	return in;
}

void input_free(struct input *in)
{
	if (!in)
		return;
	input_changed(in);
	if (in->files)
		in->free_files(in->files);
	free(in->path);
	free(in);
}

const struct listing *input_names(struct input *in)
{
	if (!in->listed) {
		in->list_errno = listing_read(in->path, &in->names) ? errno : 0;
		in->listed = 1;
	}
	errno = in->list_errno;
	return in->list_errno ? NULL : &in->names;
}

void input_changed(struct input *in)
{
	for (size_t i = 0; in->below && i < in->names.entry_n; i++)
		input_free(in->below[i]);
	free(in->below);
	in->below = NULL;
	listing_release(&in->names);
	in->listed = 0;
}

struct input *input_below(struct input *in, const char *name)
{
	size_t at = listing_find(&in->names, name);
	char *path;

	if (!in->below)
		in->below = mem_alloc(in->names.entry_n * sizeof(struct input *));
	if (!in->below[at]) {
		path = mem_printf("%s/%s", in->path, name);
		in->below[at] = input_new(path);
		free(path);
	}
	return in->below[at];
}

struct input *inputs_get(struct inputs *all, const char *path)
{
	for (size_t i = 0; i < all->v_n; i++)
		if (!strcmp(all->v[i]->path, path))
			return all->v[i];
	*array_add(all, v) = input_new(path);
	all->v[all->v_n - 1]->outlives = 1;
	return all->v[all->v_n - 1];
}

void inputs_release(struct inputs *all)
{
	for (size_t i = 0; i < all->v_n; i++)
		input_free(all->v[i]);
	free(all->v);
	*all = (struct inputs){0};
}
