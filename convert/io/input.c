/* input.c: keeps what a path was found to be, and the names in a directory. */
#include "convert/io/input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/base/base.h"
#include "convert/io/paths.h"
#include "convert/io/regular.h"

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

static size_t head_read(struct input *in)
{
	int fd = in->is_directory ? -1 : regular_open(in->path, NULL);
	ssize_t got = fd < 0 ? 0 : 1;

	while (got > 0 && in->head_n < INPUT_HEAD) {
		got = read(fd, in->head + in->head_n, INPUT_HEAD - in->head_n);
		in->head_n += got > 0 ? (size_t)got : 0;
	}
	if (fd >= 0)
		close(fd);
	return in->head_n;
}

const unsigned char *input_head(struct input *in, size_t *n)
{
	if (!in->head) {
		in->head = mem_alloc(INPUT_HEAD);
		/* what has no bytes yet may get some */
		if (head_read(in)) {
			in->head = mem_resize(in->head, in->head_n, 1);
		} else {
			free(in->head);
			in->head = NULL;
		}
	}
	*n = in->head_n;
	return in->head;
}

void input_changed(struct input *in)
{
	free(in->head);
	in->head = NULL;
	in->head_n = 0;
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
