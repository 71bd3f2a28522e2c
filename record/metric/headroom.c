/* headroom.c: reads the limits of memory and what is used of them (headroom.h). */
#include "record/metric/headroom.h"
#include "record/own/own.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#define GROUPS   16 /* control groups, one above the other */
#define PATH     512
#define NO_LIMIT (UINT64_MAX / 4) /* a larger number is no limit */

/* One limit. read: bytes left; HEADROOM_NONE: they are unknown, or there is no limit. */
struct limit {
	uint64_t (*read)(const struct limit *l);
	char name[PATH + 16];
	char directory[PATH]; /* of a control group */
	bool first;           /* of version 1 */
	uint64_t left;        /* when it was read last */
};

static struct limit limits[GROUPS + 5];
static size_t limit_n;
static char root[128];
static uint32_t of; /* the process; 0: this one */
static char text[16384]; /* of the file read last */

/* The directory of the process in /proc. */
static const char *process_path(void)
{
	static char path[24];

	if (!of)
		return "/proc/self";
	snprintf(path, sizeof(path), "/proc/%u", of);
	return path;
}

/* The file of that name below the root, whole or its beginning, in `text`. */
static bool slurp(const char *directory, const char *file)
{
	char path[sizeof(root) + PATH + 64];
	size_t n = 0;
	long fd, got;

	snprintf(path, sizeof(path), "%s%s%s", root, directory, file);
	fd = system_call(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return false;
	while (n < sizeof(text) - 1 &&
	       (got = system_call(SYS_read, fd, text + n, sizeof(text) - 1 - n)) > 0)
		n += (size_t)got;
	system_call(SYS_close, fd);
	text[n] = 0;
	return n > 0;
}

/* The number after a line's first word; HEADROOM_NONE: there is no such line. */
static uint64_t number_of(const char *word)
{
	size_t n = strlen(word);

	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
		if (!strncmp(line, word, n) && (line[n] == ' ' || line[n] == '\t'))
			return strtoull(line + n, NULL, 10);
	return HEADROOM_NONE;
}

/* The file's only number; "max" and what is too large: none. */
static uint64_t number_in(const char *directory, const char *file)
{
	uint64_t v;

	if (!slurp(directory, file) || *text < '0' || *text > '9')
		return HEADROOM_NONE;
	v = strtoull(text, NULL, 10);
	return v > NO_LIMIT ? HEADROOM_NONE : v;
}

static uint64_t less(uint64_t most, uint64_t used)
{
	return most > used ? most - used : 0;
}

/* ---- control groups ---- */

static uint64_t group_most(const struct limit *l)
{
	return number_in(l->directory, l->first ? "/memory.limit_in_bytes" : "/memory.max");
}

/* The kernel frees pages of files that were not used lately before the limit has an effect. */
static uint64_t group_read(const struct limit *l)
{
	uint64_t most = group_most(l), used, file;

	used = number_in(l->directory, l->first ? "/memory.usage_in_bytes" : "/memory.current");
	if (most == HEADROOM_NONE || used == HEADROOM_NONE)
		return HEADROOM_NONE;
	file = slurp(l->directory, "/memory.stat")
		       ? number_of(l->first ? "total_inactive_file" : "inactive_file")
		       : HEADROOM_NONE;
	return less(most, file == HEADROOM_NONE ? used : less(used, file));
}

/* The next word of *at, ended by a 0; "" at the end. */
static char *word_next(char **at)
{
	char *word = *at;
	size_t n = strcspn(word, " ");

	*at = word + n + (word[n] == ' ');
	word[n] = 0;
	return word;
}

/* n bytes as a string of at most PATH with its end. */
static void copy(char *to, const char *from, size_t n)
{
	n = n < PATH ? n : PATH - 1;
	memcpy(to, from, n);
	to[n] = 0;
}

static bool has_word(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (; *list; list += strcspn(list, ","), list += *list == ',')
		if (!strncmp(list, word, n) && (list[n] == ',' || !list[n]))
			return true;
	return false;
}

/*
 * Where the groups of a hierarchy are mounted (/proc/self/mountinfo: id, parent, device, root, mount point, options, ...,
 * "-", type, source, options of the type), and which of them is at the mount point.
 */
static bool group_mount(bool first, char *point, char *top)
{
	static char line[4 * PATH];
	size_t n;

	for (char *at = text; *at; at += n + (at[n] == '\n')) {
		char *word = line, *rest, *is;

		n = strcspn(at, "\n");
		snprintf(line, sizeof(line), "%.*s", (int)(n < PATH * 4 ? n : PATH * 4 - 1), at);
		rest = strstr(line, " - ");
		if (!rest)
			continue;
		*rest = 0;
		rest += 3;
		is = word_next(&rest);
		if (strcmp(is, first ? "cgroup" : "cgroup2") != 0)
			continue;
		word_next(&rest);
		if (first && !has_word(rest, "memory"))
			continue;
		for (int i = 0; i < 3; i++)
			word_next(&word);
		snprintf(top, PATH, "%s", word_next(&word));
		snprintf(point, PATH, "%s", word_next(&word));
		return true;
	}
	return false;
}

/* The group of this process: after the second colon of the line "0::PATH", or "N:...memory...:PATH". */
static bool group_path(bool first, char *path)
{
	size_t n;

	for (char *at = text; *at; at += n + (at[n] == '\n')) {
		char list[PATH], *one, *two;

		n = strcspn(at, "\n");
		one = memchr(at, ':', n);
		two = one ? memchr(one + 1, ':', (size_t)(at + n - one - 1)) : NULL;
		if (!two)
			continue;
		copy(list, one + 1, (size_t)(two - one - 1));
		if (first ? has_word(list, "memory") : !*list) {
			copy(path, two + 1, (size_t)(at + n - two - 1));
			return true;
		}
	}
	return false;
}

/* The process's group and those above it, as far as they have a limit. */
static void groups_find(bool first)
{
	char path[PATH], point[PATH], top[PATH], directory[2 * PATH];
	const char *below;
	size_t n;

	if (!slurp(process_path(), "/cgroup") || !group_path(first, path) ||
	    !slurp(process_path(), "/mountinfo") || !group_mount(first, point, top))
		return;
	/* What is mounted may be a group itself: what is above it is not to be seen. */
	n = strcmp(top, "/") ? strlen(top) : 0;
	below = !strncmp(path, top, n) && (path[n] == '/' || !path[n]) ? path + n : "";
	snprintf(directory, sizeof(directory), "%s%s", point, strcmp(below, "/") ? below : "");
	for (n = strlen(directory); n >= strlen(point) && limit_n < GROUPS;) {
		struct limit *l = &limits[limit_n];

		*l = (struct limit){.read = group_read, .first = first};
		if (n < PATH) {
			memcpy(l->directory, directory, n);
			snprintf(l->name, sizeof(l->name), "cgroup %s",
				 n > strlen(point) ? l->directory + strlen(point) : "/");
			limit_n += group_most(l) != HEADROOM_NONE;
		}
		while (n > strlen(point) && directory[n - 1] != '/')
			n--;
		if (n <= strlen(point))
			break;
		directory[--n] = 0;
	}
}

/* ---- the others ---- */

static uint64_t available_read(const struct limit *l __attribute__((unused)))
{
	uint64_t kb = slurp("/proc", "/meminfo") ? number_of("MemAvailable:") : HEADROOM_NONE;

	return kb > NO_LIMIT / 1024 ? HEADROOM_NONE : kb * 1024;
}

static uint64_t commit_read(const struct limit *l __attribute__((unused)))
{
	uint64_t most, used;

	if (!slurp("/proc", "/meminfo"))
		return HEADROOM_NONE;
	most = number_of("CommitLimit:");
	used = number_of("Committed_AS:");
	if (most > NO_LIMIT / 1024 || used > NO_LIMIT / 1024)
		return HEADROOM_NONE;
	return less(most, used) * 1024;
}

static uint64_t most_of(__rlimit_resource_t what)
{
	struct rlimit64 r;

	return system_call(SYS_prlimit64, (long)of, what, NULL, &r) < 0 ||
			       r.rlim_cur == RLIM64_INFINITY || r.rlim_cur > NO_LIMIT
		       ? HEADROOM_NONE
		       : r.rlim_cur;
}

/* A limit on the process, which it may set or lift at any time. */
static uint64_t status_read(__rlimit_resource_t what, const char *word)
{
	uint64_t most = most_of(what), kb;

	if (most == HEADROOM_NONE || !slurp(process_path(), "/status"))
		return HEADROOM_NONE;
	kb = number_of(word);
	return kb > NO_LIMIT / 1024 ? HEADROOM_NONE : less(most, kb * 1024);
}

static uint64_t space_read(const struct limit *l __attribute__((unused)))
{
	return status_read(RLIMIT_AS, "VmSize:");
}

static uint64_t data_read(const struct limit *l __attribute__((unused)))
{
	return status_read(RLIMIT_DATA, "VmData:");
}

static uint64_t shared_read(const struct limit *l __attribute__((unused)))
{
	struct statfs s;
	char path[sizeof(root) + 16];

	snprintf(path, sizeof(path), "%s/dev/shm", root);
	return statfs(path, &s) < 0 ? HEADROOM_NONE : (uint64_t)s.f_bavail * (uint64_t)s.f_bsize;
}

static void limit_add(const char *name, uint64_t (*read)(const struct limit *l))
{
	struct limit *l = &limits[limit_n++];

	*l = (struct limit){.read = read};
	snprintf(l->name, sizeof(l->name), "%s", name);
}

void headroom_find(const char *at, uint32_t pid, bool symmetric)
{
	int saved = errno;

	of = pid;
	limit_n = 0;
	snprintf(root, sizeof(root), "%s", at);
	groups_find(false);
	groups_find(true);
	limit_add("MemAvailable", available_read);
	if (number_in("/proc/sys/vm", "/overcommit_memory") == 2)
		limit_add("CommitLimit", commit_read);
	limit_add("RLIMIT_AS", space_read);
	limit_add("RLIMIT_DATA", data_read);
	if (symmetric)
		limit_add("/dev/shm", shared_read);
	errno = saved;
}

uint64_t headroom_read(const char **limit)
{
	uint64_t least = HEADROOM_NONE;
	int saved = errno;

	*limit = "";
	for (size_t i = 0; i < limit_n; i++) {
		limits[i].left = limits[i].read(&limits[i]);
		if (limits[i].left >= least)
			continue;
		least = limits[i].left;
		*limit = limits[i].name;
	}
	errno = saved;
	return least;
}

char *headroom_words(char *out, size_t size)
{
	uint64_t done = 0;
	size_t at = 0;

	*out = 0;
	for (size_t k = 0; k < limit_n; k++) {
		size_t next = limit_n;

		for (size_t i = 0; i < limit_n; i++)
			if (!(done >> i & 1) && limits[i].left != HEADROOM_NONE &&
			    (next == limit_n || limits[i].left < limits[next].left))
				next = i;
		if (next == limit_n)
			break;
		done |= 1ull << next;
		if (at < size)
			at += (size_t)snprintf(out + at, size - at, "%s%s %llu MB", at ? "; " : "",
					       limits[next].name,
					       (unsigned long long)(limits[next].left >> 20));
	}
	return out;
}
