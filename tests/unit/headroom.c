/*
 * headroom.c: the headroom is the smallest of the limits that there are, of control groups of both
 * versions and those above them too, on machines that are made up for it.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "record/metric/headroom.c"
#include "tap.h"

#define MB (1ull << 20)

static char made[64];

static void file(const char *path, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void file(const char *path, const char *format, ...)
{
	char full[1024], *slash = full;
	va_list args;
	FILE *f;

	snprintf(full, sizeof(full), "%s%s", made, path);
	while ((slash = strchr(slash + 1, '/'))) {
		*slash = 0;
		mkdir(full, 0755);
		*slash = '/';
	}
	f = fopen(full, "w");
	if (!f)
		exit(1);
	va_start(args, format);
	vfprintf(f, format, args);
	va_end(args);
	fclose(f);
}

static void group(const char *path, const char *most, unsigned long long used,
		  unsigned long long inactive)
{
	char name[512];

	snprintf(name, sizeof(name), "%s/memory.max", path);
	file(name, "%s\n", most);
	snprintf(name, sizeof(name), "%s/memory.current", path);
	file(name, "%llu\n", used);
	snprintf(name, sizeof(name), "%s/memory.stat", path);
	file(name, "anon 5\nfile 9\ninactive_anon 7\nactive_file 4\ninactive_file %llu\n",
	     inactive);
}

static void machine(void)
{
	char remove[128];

	if (*made) {
		snprintf(remove, sizeof(remove), "rm -rf '%s'", made);
		if (system(remove))
			exit(1);
	}
	strcpy(made, "/tmp/tau-headroom.XXXXXX");
	if (!mkdtemp(made))
		exit(1);
	file("/proc/meminfo",
	     "MemTotal:       9000000 kB\nMemFree:        100 kB\nMemAvailable:   %llu kB\n"
	     "CommitLimit:     900000 kB\nCommitted_AS:    400000 kB\n",
	     4000 * MB / 1024);
	file("/proc/sys/vm/overcommit_memory", "0\n");
	file("/proc/self/status",
	     "Name:\tx\nVmPeak:\t  9 kB\nVmSize:\t  2048 kB\nVmData:\t  1024 kB\n");
}

static uint64_t left(const char **limit)
{
	headroom_find(made, 0, false);
	return headroom_read(limit);
}

static int is(uint64_t want, const char *name)
{
	const char *limit;
	uint64_t got = left(&limit);

	if (got == want && !strcmp(limit, name))
		return 1;
	printf("# %llu by '%s', not %llu by '%s'\n", (unsigned long long)got, limit,
	       (unsigned long long)want, name);
	return 0;
}

static void version_two(void)
{
	machine();
	ok(is(4000 * MB, "MemAvailable"), "without groups what the machine has binds");
	file("/proc/self/cgroup", "0::/job/step/task\n");
	file("/proc/self/mountinfo", "22 1 0:20 / / rw - ext4 /dev/sda rw\n31 22 0:28 / "
				     "/sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup rw\n");
	group("/sys/fs/cgroup/job/step/task", "max", 100 * MB, 0);
	group("/sys/fs/cgroup/job/step", "max", 200 * MB, 0);
	ok(is(4000 * MB, "MemAvailable"), "a group without a limit binds nothing");
	group("/sys/fs/cgroup/job", "1073741824", 400 * MB, 100 * MB);
	ok(is(724 * MB, "cgroup /job"),
	   "the limit of a group two above, where inactive files go first");
	group("/sys/fs/cgroup/job/step/task", "209715200", 100 * MB, 10 * MB);
	ok(is(110 * MB, "cgroup /job/step/task"), "the group's own is smaller");
	group("/sys/fs/cgroup/job/step/task", "209715200", 300 * MB, 0);
	ok(is(0, "cgroup /job/step/task"), "more used than allowed leaves nothing");
	group("/sys/fs/cgroup/job/step/task", "9223372036854771712", 300 * MB, 0);
	ok(is(724 * MB, "cgroup /job"), "a limit that no machine has is none");
	/* In a container: what is mounted is the group itself. */
	file("/proc/self/mountinfo",
	     "31 22 0:28 /job/step /sys/fs/cgroup rw - cgroup2 cgroup rw\n");
	group("/sys/fs/cgroup", "104857600", 4 * MB, 0);
	group("/sys/fs/cgroup/task", "max", 1, 0);
	ok(is(96 * MB, "cgroup /"), "what is mounted may be a group");
	file("/proc/self/cgroup", "0::/elsewhere\n");
	ok(is(96 * MB, "cgroup /"), "and need not be above the one that is named");
}

static void version_one(void)
{
	machine();
	file("/proc/self/cgroup", "5:devices:/\n4:cpu,memory:/a/b\n0::/\n");
	file("/proc/self/mountinfo",
	     "30 22 0:28 / /sys/fs/cgroup/devices rw - cgroup cgroup rw,devices\n"
	     "35 22 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,cpu,memory\n");
	file("/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n");
	file("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "%llu\n", 900 * MB);
	file("/sys/fs/cgroup/memory/a/memory.usage_in_bytes", "%llu\n", 600 * MB);
	file("/sys/fs/cgroup/memory/a/memory.stat", "inactive_file 1\ntotal_inactive_file %llu\n",
	     50 * MB);
	file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
	ok(is(350 * MB, "cgroup /a"),
	   "version 1: the group above, and files of the groups below it");
}

static void others(void)
{
	struct rlimit r = {64 * MB, RLIM_INFINITY}, now, none = {RLIM_INFINITY, RLIM_INFINITY};
	char words[512];

	machine();
	file("/proc/sys/vm/overcommit_memory", "2\n");
	ok(is(500000 * 1024, "CommitLimit"), "a kernel that promises no more than it has");
	file("/proc/sys/vm/overcommit_memory", "1\n");
	ok(is(4000 * MB, "MemAvailable"), "which binds in no other");
	r.rlim_cur = 64 * MB;
	setrlimit(RLIMIT_DATA, &r);
	getrlimit(RLIMIT_DATA, &now);
	if (now.rlim_cur == r.rlim_cur) {
		ok(is(63 * MB, "RLIMIT_DATA"), "RLIMIT_DATA less VmData");
		ok(!strcmp(headroom_words(words, sizeof(words)),
			   "RLIMIT_DATA 63 MB; MemAvailable 4000 MB"),
		   "all limits in words, smallest first");
	} else {
		skip("RLIMIT_DATA less VmData", "an emulated processor has no RLIMIT_DATA");
	}
	setrlimit(RLIMIT_DATA, &none);
	ok(is(4000 * MB, "MemAvailable"), "a limit that is lifted binds no more");
}

/* Nothing that the files may hold is trusted. */
static void damage(void)
{
	static const char *const cgroup[] = {
		"", "\n", "::", "0:", "0::", "0::\n", "4:memory", "4:memory:", "\n\n0::/x"};
	static const char *const mounts[] = {"",
					     " - ",
					     " - cgroup2",
					     "1 2 3 / - cgroup2 x rw",
					     "1 2 3 4 5 - cgroup2 c rw",
					     " - cgroup c memory"};
	const char *limit;
	char *longer = malloc(40000);
	size_t good = 0, all = 0;

	machine();
	memset(longer, 'x', 39999);
	longer[39999] = 0;
	memcpy(longer, "0::/", 4);
	for (size_t i = 0; i < 10; i++)
		for (size_t k = 0; k < 7; k++) {
			file("/proc/self/cgroup", "%s", i < 9 ? cgroup[i] : longer);
			file("/proc/self/mountinfo", "%s", k < 6 ? mounts[k] : longer);
			good += left(&limit) == 4000 * MB;
			all++;
		}
	ok(good == all, "files that say nothing, or too much, bind nothing");
	file("/proc/meminfo", "MemAvailable: 99999999999999999999999 kB");
	ok(left(&limit) == HEADROOM_NONE && !*limit, "where nothing is known nothing is said");
	file("/proc/meminfo", "MemAvailable");
	ok(left(&limit) == HEADROOM_NONE && !*headroom_words(longer, 100),
	   "neither of a file that is cut");
	free(longer);
}

int main(void)
{
	char remove[128];

	version_two();
	version_one();
	others();
	damage();
	snprintf(remove, sizeof(remove), "rm -rf '%s'", made);
	if (system(remove))
		return 1;
	return tap_end();
}
