/* tau_dir.c: lists and removes directories of TAU profiles. */
#include "convert/io/listing.h"
#include "convert/tau/tau_dir.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MULTI "MULTI__" /* begins the name of a metric's folder */

/* ".123" and moves on; 0 when it is not that or does not fit an int32_t. */
static int parse_number(const char **s, int32_t *out)
{
	int64_t n = 0;
	const char *c = *s;

	if (*c++ != '.' || *c < '0' || *c > '9')
		return 0;
	for (; *c >= '0' && *c <= '9'; c++) {
		n = n * 10 + (*c - '0');
		if (n > INT32_MAX)
			return 0;
	}
	*out = (int32_t)n;
	*s = c;
	return 1;
}

/* The name has to be the one that its numbers give: "profile.00.0.0" would be profile.0.0.0 a second time. */
static int is_profile_name(const char *name, struct tau_dir_file *f)
{
	const char *at = name + 7;
	char same[48];

	if (strncmp(name, "profile", 7) != 0 || !parse_number(&at, &f->node) ||
	    !parse_number(&at, &f->context) || !parse_number(&at, &f->thread))
		return 0;
	snprintf(same, sizeof(same), "profile.%d.%d.%d", f->node, f->context, f->thread);
	return !strcmp(name, same);
}

int tau_dir_place(const char *path, struct tau_dir_file *out)
{
	const char *slash = strrchr(path, '/'), *begin = slash ? slash + 1 : path;
	int dots = 0;

	path = begin + strlen(begin);
	while (path > begin && dots < 3)
		dots += *--path == '.';
	return dots == 3 && parse_number(&path, &out->node) && parse_number(&path, &out->context) &&
	       parse_number(&path, &out->thread) && !*path;
}

static int file_order(const void *x, const void *y)
{
	const struct tau_dir_file *a = x, *b = y;

	return a->node != b->node         ? (a->node > b->node) - (a->node < b->node)
	       : a->context != b->context ? (a->context > b->context) - (a->context < b->context)
					  : (a->thread > b->thread) - (a->thread < b->thread);
}

/* Sort key of a metric's folder: the first metric of a profile is its time, if there is one. */
static size_t place_of(const char *name)
{
	static const char *const first[] = {"TIME", "GET_TIME_OF_DAY", "CLOCK_GET_TIME",
					    "P_WALL_CLOCK_TIME", "LINUX_TIMERS"};
	size_t n = sizeof(first) / sizeof(*first), i = 0;

	while (i < n && strcmp(name + strlen(MULTI), first[i]) != 0)
		i++;
	return i;
}

static int name_order(const void *x, const void *y)
{
	size_t a = place_of(*(char *const *)x), b = place_of(*(char *const *)y);

	if (a != b)
		return a < b ? -1 : 1;
	return strcmp(*(char *const *)x, *(char *const *)y);
}

static void entry_add(const char *path, const struct listing_entry *x, struct tau_dir *out)
{
	struct tau_dir_file f;

	if (is_profile_name(x->name, &f))
		*array_add(out, file) = f;
	else if (!strncmp(x->name, MULTI, strlen(MULTI)) && listing_is_directory(path, x))
		*array_add(out, multi) = mem_string(x->name);
	else if (!out->other)
		out->other = mem_string(x->name);
}

/* l NULL: the directory cannot be read, errno has why. */
static int dir_of(const char *path, const struct listing *l, struct tau_dir *out, struct error *e)
{
	memset(out, 0, sizeof(*out));
	if (!l)
		return error_set(e, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
	for (size_t i = 0; i < l->entry_n; i++)
		entry_add(path, &l->entry[i], out);
	if (out->file_n)
		qsort(out->file, out->file_n, sizeof(*out->file), file_order);
	if (out->multi_n)
		qsort(out->multi, out->multi_n, sizeof(*out->multi), name_order);
	return 0;
}

int tau_dir_scan(const char *path, struct tau_dir *out, struct error *e)
{
	struct listing l = {0};
	int code = dir_of(path, listing_read(path, &l) ? NULL : &l, out, e);

	listing_release(&l);
	return code;
}

void tau_dir_release(struct tau_dir *d)
{
	for (size_t i = 0; i < d->multi_n; i++)
		free(d->multi[i]);
	free(d->multi);
	free(d->file);
	free(d->other);
	memset(d, 0, sizeof(*d));
}

static void note_empty(struct tau_folders *f, const char *name)
{
	char *longer = mem_printf("%s%s (no files), ", f->empty ? f->empty : "", name);

	free(f->empty);
	f->empty = longer;
}

int tau_folders_find(struct input *in, struct tau_folders *out, struct error *e)
{
	const char *dir = in->path;
	struct tau_dir top;
	int code = dir_of(dir, input_names(in), &top, e);

	if (code < 0)
		return code;
	if (top.file_n && top.multi_n)
		code = error_set(e, ERROR_INPUT,
				 "%s: holds both profile files and %s: keep one of them", dir,
				 top.multi[0]);
	if (code == 0 && top.file_n) {
		struct tau_folder *f = array_add(out, v);

		f->path = mem_string(dir);
		f->dir = top;
		return 0;
	}
	for (size_t i = 0; code == 0 && i < top.multi_n; i++) {
		struct input *below = input_below(in, top.multi[i]);
		struct tau_folder f = {.path = mem_string(below->path)};

		code = dir_of(f.path, input_names(below), &f.dir, e);
		if (code == 0 && f.dir.file_n) {
			*array_add(out, v) = f;
			continue;
		}
		if (code == 0)
			note_empty(out, top.multi[i]);
		free(f.path);
		tau_dir_release(&f.dir);
	}
	if (code == 0 && !out->v_n)
		code = error_set(e, ERROR_INPUT,
				 "%s: holds no TAU profiles (profile.N.C.T or MULTI__METRIC)", dir);
	tau_dir_release(&top);
	return code;
}

void tau_folders_release(struct tau_folders *f)
{
	for (size_t i = 0; i < f->v_n; i++) {
		free(f->v[i].path);
		tau_dir_release(&f->v[i].dir);
	}
	free(f->v);
	free(f->empty);
}

int tau_dir_pure(const char *path, char **other, struct error *e)
{
	struct tau_dir d, inner;
	int code = tau_dir_scan(path, &d, e);

	*other = NULL;
	if (code < 0)
		return code;
	if (d.other)
		*other = mem_string(d.other);
	for (size_t i = 0; !*other && code == 0 && i < d.multi_n; i++) {
		char *folder = mem_printf("%s/%s", path, d.multi[i]);

		code = tau_dir_scan(folder, &inner, e);
		if (code == 0 && (inner.other || inner.multi_n))
			*other = mem_printf("%s/%s", d.multi[i],
					    inner.other ? inner.other : inner.multi[0]);
		if (code == 0)
			tau_dir_release(&inner);
		free(folder);
	}
	tau_dir_release(&d);
	return code < 0 ? code : !*other;
}

static void remove_files(const char *path, const struct tau_dir *d)
{
	for (size_t i = 0; i < d->file_n; i++) {
		char *name = mem_printf("%s/profile.%d.%d.%d", path, d->file[i].node,
					d->file[i].context, d->file[i].thread);

		unlink(name);
		free(name);
	}
}

void tau_dir_remove(const char *path)
{
	struct error e;
	struct tau_dir d;

	if (tau_dir_scan(path, &d, &e) < 0)
		return;
	remove_files(path, &d);
	for (size_t i = 0; i < d.multi_n; i++) {
		char *folder = mem_printf("%s/%s", path, d.multi[i]);
		struct tau_dir inner;

		/* Of a link, the link is removed: what it leads to is of another profile. */
		if (unlink(folder) < 0 && tau_dir_scan(folder, &inner, &e) == 0) {
			remove_files(folder, &inner);
			tau_dir_release(&inner);
		}
		rmdir(folder);
		free(folder);
	}
	tau_dir_release(&d);
	rmdir(path);
}
