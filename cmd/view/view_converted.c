/* view_converted.c: converts large traces of other tools once, and keeps the runs in the user's cache. */
#include "cmd/view/view_converted.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analyze/base/map.h"
#include "analyze/base/base.h"
#include "cmd/shared/message.h"
#include "convert/formats.h"
#include "convert/io/input.h"
#include "convert/io/listing.h"
#include "convert/io/whole_file.h"

#define PROGRAM "tau-view"
#define DEPTH_MOST 4  /* folders inside of each other */
#define NAME_MOST  80 /* bytes of a trace's name that its run has */
#define LEFT_OVER  86400 /* seconds after which a conversion that has no end is none */

extern char **environ;

/* The files of a trace: how many bytes they have, and a hash of their names, sizes and times. */
struct trace_files {
	uint64_t bytes, hash;
};

static void file_add(struct trace_files *x, const char *path, int depth);

static void folder_add(struct trace_files *x, const char *path, const char *begin, int depth)
{
	struct listing l = {0};

	if (depth < DEPTH_MOST && !listing_read(path, &l))
		for (size_t i = 0; i < l.entry_n; i++) {
			char *file = mem_printf("%s/%s", path, l.entry[i].name);

			if (!strncmp(l.entry[i].name, begin, strlen(begin)))
				file_add(x, file, depth + 1);
			free(file);
		}
	listing_release(&l);
}

static void file_add(struct trace_files *x, const char *path, int depth)
{
	struct stat st;
	int64_t is[3];

	if (stat(path, &st))
		return;
	x->hash = hash_bytes(x->hash, path, strlen(path) + 1);
	if (S_ISDIR(st.st_mode)) {
		folder_add(x, path, "", depth);
		return;
	}
	is[0] = st.st_size;
	is[1] = st.st_mtim.tv_sec;
	is[2] = st.st_mtim.tv_nsec;
	x->hash = hash_bytes(x->hash, is, sizeof(is));
	x->bytes += (uint64_t)st.st_size;
}

/* All in a directory; of a file, all beside it whose names begin as its own: traces.otf2, traces.def, traces/. */
static struct trace_files files_of(char *path)
{
	struct trace_files x = {.hash = HASH_FIRST};
	char *name = strrchr(path, '/') + 1, *dot = strrchr(name, '.');
	struct stat st;

	if (!stat(path, &st) && S_ISDIR(st.st_mode)) {
		file_add(&x, path, 0);
		return x;
	}
	name[-1] = '\0';
	if (dot && dot > name)
		*dot = '\0';
	folder_add(&x, *path ? path : "/", name, 0);
	if (dot && dot > name)
		*dot = '.';
	name[-1] = '/';
	return x;
}

static int is_foreign(const char *trace)
{
	struct input *in = input_new(trace);
	const struct trace_format *format = trace_format_of(in);
	int is = format && !format->indexed;

	input_free(in);
	return is;
}

/* ---- the cache ---- */

/* May other users put something there, or lead it elsewhere? */
static int is_of_others(const char *folder)
{
	struct stat st;

	return lstat(folder, &st) || !S_ISDIR(st.st_mode) || st.st_uid != geteuid() ||
	       st.st_mode & (S_IWGRP | S_IWOTH);
}

/* The folder of conversions; to be freed. NULL: the user has none. */
static char *cache_folder(void)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char *folder, *at;

	if (cache && *cache == '/')
		folder = mem_printf("%s/tau", cache);
	else if (home && *home == '/')
		folder = mem_printf("%s/.cache/tau", home);
	else
		return NULL;
	for (at = folder; (at = strchr(at + 1, '/'));) {
		*at = '\0';
		mkdir(folder, 0700);
		*at = '/';
	}
	if (!mkdir(folder, 0700) || (errno == EEXIST && !is_of_others(folder)))
		return folder;
	message_print(PROGRAM,
		      "%s: nothing is converted, because this is not a folder that only you can "
		      "write to",
		      folder);
	free(folder);
	return NULL;
}

struct conversion {
	char *path;
	struct timespec used;
};

static int last_used_first(const void *va, const void *vb)
{
	const struct conversion *a = va, *b = vb;

	if (a->used.tv_sec != b->used.tv_sec)
		return a->used.tv_sec > b->used.tv_sec ? -1 : 1;
	return (a->used.tv_nsec < b->used.tv_nsec) - (a->used.tv_nsec > b->used.tv_nsec);
}

/* A name of ours ends with ".tau-" and the hash. */
static int is_conversion(const char *name)
{
	const size_t n = strlen(name);

	return n > 21 && !strncmp(name + n - 21, ".tau-", 5) &&
	       strspn(name + n - 16, "0123456789abcdef") == 16;
}

/* Is it what a conversion that ended early has left? whole_folder() adds a process and six characters to its name. */
static int is_left_over(const char *name, const struct stat *st)
{
	const char *end = strstr(name, ".tau-");

	if (!end || st->st_mtim.tv_sec > time(NULL) - LEFT_OVER)
		return 0;
	end += 5;
	if (strspn(end, "0123456789abcdef") != 16 || end[16] != '.')
		return 0;
	end += 17;
	end += strspn(end, "0123456789");
	return *end == '.' && strlen(end) == 7;
}

/* Removes the conversions that were not used for longest, so that there is room for one more. */
static void cache_trim(const char *folder)
{
	struct listing l = {0};
	struct {
		struct conversion *v;
		size_t v_n, v_cap;
	} all = {0};

	listing_read(folder, &l);
	for (size_t i = 0; i < l.entry_n; i++) {
		char *path = mem_printf("%s/%s", folder, l.entry[i].name);
		struct stat st;

		if (!lstat(path, &st) && S_ISDIR(st.st_mode)) {
			if (is_conversion(l.entry[i].name)) {
				*array_add(&all, v) = (struct conversion){path, st.st_mtim};
				continue;
			}
			if (is_left_over(l.entry[i].name, &st))
				whole_folder_remove(path);
		}
		free(path);
	}
	if (all.v_n)
		qsort(all.v, all.v_n, sizeof(*all.v), last_used_first);
	for (size_t i = 0; i < all.v_n; i++) {
		if (i + 1 >= CONVERTED_MOST)
			whole_folder_remove(all.v[i].path);
		free(all.v[i].path);
	}
	free(all.v);
	listing_release(&l);
}

/* ---- conversion ---- */

static int convert(const char *converter, char *from, char *to)
{
	char *argv[] = {"tau-convert", "--to", "tau", "--", from, to, NULL};
	int status = -1;
	pid_t pid;

	if (posix_spawn(&pid, converter, NULL, NULL, argv, environ))
		return -1;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (status)
		whole_sweep(to, pid);
	return status ? -1 : 0;
}

static char *converted(char *trace, const char *converter)
{
	const struct trace_files files = files_of(trace);
	char *folder, *to;

	if (files.bytes < CONVERTED_LEAST || !(folder = cache_folder()))
		return NULL;
	to = mem_printf("%s/%.*s.tau-%016" PRIx64, folder, NAME_MOST, strrchr(trace, '/') + 1,
			files.hash);
	if (access(to, R_OK) != 0) {
		cache_trim(folder);
		message_print(PROGRAM,
			      "%s: it is converted once, to %s, which can be deleted at any time",
			      trace, to);
		/* Another tau-view may have been faster. */
		if (convert(converter, trace, to) && access(to, R_OK) != 0) {
			message_print(PROGRAM,
				      "%s: it cannot be converted; each report reads it from its "
				      "begin",
				      trace);
			free(to);
			to = NULL;
		}
	}
	if (to)
		utimensat(AT_FDCWD, to, NULL, 0);
	free(folder);
	return to;
}

char *view_converted(const char *trace, const char *converter)
{
	char *path, *to = NULL;

	if (!converter || !is_foreign(trace) || !(path = realpath(trace, NULL)))
		return NULL;
	if (path[1])
		to = converted(path, converter);
	free(path);
	return to;
}
