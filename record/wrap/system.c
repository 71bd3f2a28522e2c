/*
 * system.c: counters of the system at an interval: of each process, and of its host once per
 * host, read by the recorder's own thread from /proc and /sys.
 *
 * Counts of a process begin with the process, those of a host with the first reading. One process
 * of a host reads the host's: the one whose number is in the file .system-HOST of the run; if it has
 * not read for three intervals, and ten seconds, another takes over.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "own/own.h"
#include "tau.h"

#define INTERVAL_NS 1000000000u
#define SILENT_NS   10000000000u
#define LEVEL	    0 /* flags of tau_event() */
#define COUNT	    1
#define TOTALS	    256
#define NAME	    128

static uint64_t interval = INTERVAL_NS;
static char root[64];	  /* the folder that holds /proc and /sys of the host, for tests */
static char text[131072]; /* of the file read last */

/* ---- files ---- */

static int text_read(const char *path)
{
	size_t n = 0;
	long got, fd = system_call(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);

	if (fd < 0)
		return 0;
	while (n < sizeof(text) - 1 &&
	       (got = system_call(SYS_read, fd, text + n, sizeof(text) - 1 - n)) > 0) {
		tau_own_read(got);
		n += (size_t)got;
	}
	system_call(SYS_close, fd);
	text[n] = 0;
	return n > 0;
}

static int host_read(const char *path)
{
	char full[NAME + sizeof(root)];

	snprintf(full, sizeof(full), "%s%s", root, path);
	return text_read(full);
}

/* The number after a word at the beginning of a line. */
static int number_after(const char *word, uint64_t *out)
{
	size_t n = strlen(word);

	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
		if (!strncmp(line, word, n)) {
			*out = strtoull(line + n, NULL, 10);
			return 1;
		}
	return 0;
}

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void sample(const char *name, unsigned flags, double value)
{
	tau_trigger(tau_event(name, flags), value);
}

static void sample_after(const char *name, unsigned flags, const char *word, double factor)
{
	uint64_t v;

	if (number_after(word, &v))
		sample(name, flags, (double)v * factor);
}

/* ---- counts of the host: since the first reading ---- */

static struct total {
	char name[NAME];
	uint64_t last, sum;
} totals[TOTALS];
static size_t total_n;

/* range: the value at which the counter begins again, 0: unknown. */
static void count(const char *name, uint64_t value, uint64_t range, double factor)
{
	struct total *t = totals;

	while (t < totals + total_n && strcmp(t->name, name) != 0)
		t++;
	if (t == totals + TOTALS)
		return;
	if (t == totals + total_n) {
		snprintf(t->name, sizeof(t->name), "%s", name);
		t->last = value;
		t->sum = 0;
		total_n++;
	}
	t->sum += value >= t->last ? value - t->last : range ? range - t->last + value : 0;
	t->last = value;
	sample(name, COUNT, (double)t->sum * factor);
}

static void count_after(const char *name, const char *word)
{
	uint64_t v;

	if (number_after(word, &v))
		count(name, v, 0, 1);
}

/* ---- the process ---- */

static void process_load(void)
{
	static uint64_t last_cpu, last_wall;
	uint64_t cpu = now(CLOCK_PROCESS_CPUTIME_ID), wall = now(CLOCK_MONOTONIC);

	/* In a forked child the CPU time begins again. */
	if (last_wall && cpu >= last_cpu && wall > last_wall)
		sample("Process CPU load (%)", LEVEL,
		       (double)(cpu - last_cpu) * 100 / (double)(wall - last_wall));
	last_cpu = cpu;
	last_wall = wall;
}

static void process_usage(void)
{
	struct rusage u;

	if (getrusage(RUSAGE_SELF, &u) < 0)
		return;
	sample("Process voluntary context switches", COUNT, (double)u.ru_nvcsw);
	sample("Process involuntary context switches", COUNT, (double)u.ru_nivcsw);
	sample("Process minor page faults", COUNT, (double)u.ru_minflt);
	sample("Process major page faults", COUNT, (double)u.ru_majflt);
}

static void process_sample(void)
{
	process_load();
	process_usage();
	if (text_read("/proc/self/status")) {
		sample_after("Process resident memory (B)", LEVEL, "VmRSS:", 1024);
		sample_after("Process threads", LEVEL, "Threads:", 1);
	}
	if (text_read("/proc/self/io")) {
		sample_after("Process bytes read", COUNT, "rchar: ", 1);
		sample_after("Process bytes written", COUNT, "wchar: ", 1);
		sample_after("Process bytes read from storage", COUNT, "read_bytes: ", 1);
		sample_after("Process bytes written to storage", COUNT, "write_bytes: ", 1);
	}
}

/* ---- the host ---- */

/* "cpu  user nice system idle iowait irq softirq steal ...": ticks of all processors. */
static void host_load(void)
{
	static uint64_t last_all, last_idle;
	uint64_t all = 0, idle = 0;
	char *at = text;

	if (!host_read("/proc/stat"))
		return;
	if (!strncmp(at, "cpu ", 4)) {
		at += 4;
		for (int i = 0; i < 8; i++) {
			uint64_t v = strtoull(at, &at, 10);

			all += v;
			idle += i == 3 || i == 4 ? v : 0;
		}
		if (last_all && all > last_all && idle >= last_idle)
			sample("Host CPU load (%)", LEVEL,
			       100 - (double)(idle - last_idle) * 100 / (double)(all - last_all));
		last_all = all;
		last_idle = idle;
	}
	count_after("Host context switches", "ctxt ");
}

static void host_memory(void)
{
	uint64_t all, available;

	if (host_read("/proc/meminfo") && number_after("MemTotal:", &all) &&
	    number_after("MemAvailable:", &available) && available <= all)
		sample("Host memory used (B)", LEVEL, (double)(all - available) * 1024);
	if (host_read("/proc/vmstat")) {
		count_after("Host page faults", "pgfault ");
		count_after("Host major page faults", "pgmajfault ");
	}
	if (host_read("/proc/loadavg")) {
		char *end;
		uint64_t whole = strtoull(text, &end, 10),
			 parts = *end == '.' ? strtoull(end + 1, NULL, 10) : 0;

		sample("Host load average", LEVEL, (double)(whole * 100 + parts) / 100);
	}
}

/* Numbers of a line, separated by blanks. */
static size_t numbers(const char *at, uint64_t *out, size_t most)
{
	size_t n = 0;
	char *end;

	for (; n < most && *at && *at != '\n'; at = end, n++) {
		out[n] = strtoull(at, &end, 10);
		if (end == at)
			break;
	}
	return n;
}

/* "  eth0: bytes packets errors dropped fifo frame compressed multicast bytes packets ...": received, then sent. */
static void host_network(void)
{
	uint64_t v[16];
	char name[NAME];

	if (!host_read("/proc/net/dev"))
		return;
	for (char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		char *begin = line + strspn(line, " ");
		size_t n = strcspn(begin, ":\n");

		if (begin[n] != ':' || n > 32 || numbers(begin + n + 1, v, 16) < 10)
			continue;
		if (!v[1] && !v[9])
			continue;
		snprintf(name, sizeof(name), "Host bytes received by %.*s", (int)n, begin);
		count(name, v[0], 0, 1);
		snprintf(name, sizeof(name), "Host bytes sent by %.*s", (int)n, begin);
		count(name, v[8], 0, 1);
	}
}

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A partition's name is that of its disk and a number, after a p where the disk's name ends with a number: sda1, nvme0n1p1. */
static int is_part(const char *name, const char *whole)
{
	size_t n = strlen(whole);

	if (!n || strncmp(name, whole, n) != 0)
		return 0;
	n += is_digit(whole[n - 1]) && name[n] == 'p';
	return is_digit(name[n]) && (!is_digit(whole[strlen(whole) - 1]) || name[n - 1] == 'p');
}

/* "major minor NAME reads merged sectors ms writes merged sectors ...", in sectors of 512 bytes. */
static void host_disks(void)
{
	char name[NAME], device[33], whole[33] = "";
	uint64_t v[8];

	if (!host_read("/proc/diskstats"))
		return;
	for (char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		char *begin = line;
		size_t n;

		for (int i = 0; i < 2; i++) {
			begin += strspn(begin, " ");
			begin += strcspn(begin, " \n");
		}
		begin += strspn(begin, " ");
		n = strcspn(begin, " \n");
		if (begin[n] != ' ' || n > 32 || numbers(begin + n, v, 8) < 7)
			continue;
		snprintf(device, sizeof(device), "%.*s", (int)n, begin);
		if (is_part(device, whole) || (!v[0] && !v[4]))
			continue;
		memcpy(whole, device, sizeof(whole));
		snprintf(name, sizeof(name), "Host bytes read from %s", device);
		count(name, v[2], 0, 512);
		snprintf(name, sizeof(name), "Host bytes written to %s", device);
		count(name, v[6], 0, 512);
	}
}

/* A zone of the power capping framework: microjoules, which begin again at a limit. 0: there is none. */
static int host_zone(const char *zone, const char *of)
{
	char path[NAME], name[NAME], what[33];
	uint64_t range = 0, value;

	snprintf(path, sizeof(path), "/sys/class/powercap/%s/name", zone);
	if (!host_read(path))
		return 0;
	snprintf(what, sizeof(what), "%.*s", (int)strcspn(text, "\n"), text);
	snprintf(path, sizeof(path), "/sys/class/powercap/%s/max_energy_range_uj", zone);
	if (host_read(path))
		range = strtoull(text, NULL, 10);
	snprintf(path, sizeof(path), "/sys/class/powercap/%s/energy_uj", zone);
	if (host_read(path)) {
		value = strtoull(text, NULL, 10);
		snprintf(name, sizeof(name), "Host energy of %s%s%s (J)", of, *of ? " " : "", what);
		count(name, value, range, 1e-6);
	}
	return 1;
}

static void host_energy(void)
{
	char zone[48], package[33];

	for (int i = 0; i < 64; i++) {
		snprintf(zone, sizeof(zone), "intel-rapl:%d", i);
		if (!host_zone(zone, ""))
			return;
		snprintf(package, sizeof(package), "package %d", i);
		for (int k = 0; k < 8; k++) {
			snprintf(zone, sizeof(zone), "intel-rapl:%d:%d", i, k);
			if (!host_zone(zone, package))
				break;
		}
	}
}

static void host_sample(void)
{
	host_load();
	host_memory();
	host_network();
	host_disks();
	host_energy();
}

/* ---- which process reads the host's counters ---- */

struct reader {
	uint64_t pid, at;
};

/* A file of the run; no other process of the host has it locked. -1: another reads, or there can be no file. */
static int host_is_ours(void)
{
	const char *directory = getenv("TAU_RECORD_DIR");
	struct reader r = {0}, we = {(uint64_t)getpid(), 0};
	uint64_t silent = 3 * interval > SILENT_NS ? 3 * interval : SILENT_NS;
	struct utsname u;
	char path[4096];
	int ours = 0;
	long fd;

	if (!directory || uname(&u) < 0)
		return 0;
	snprintf(path, sizeof(path), "%.3900s/.system-%.64s", directory, u.nodename);
	fd = system_call(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
		     getenv("TAU_RECORD_SHARED") ? 0666 : 0600);
	if (fd < 0)
		return 0;
	/* LOCK_EX | LOCK_NB */
	if (system_call(SYS_flock, fd, 2 | 4) == 0) {
		if (system_call(SYS_pread64, fd, &r, sizeof(r), 0L) != (long)sizeof(r))
			r = (struct reader){0};
		we.at = now(CLOCK_MONOTONIC); /* under the lock: not before that of others */
		ours = r.pid == we.pid || !r.pid || r.at > we.at || we.at - r.at > silent;
		if (ours && system_call(SYS_pwrite64, fd, &we, sizeof(we), 0L) != (long)sizeof(we))
			ours = 0;
	}
	system_call(SYS_close, fd);
	return ours;
}

static void system_sample(void)
{
	static int pid;
	int saved = errno;

	if (pid != getpid())
		total_n = 0;
	pid = getpid();
	process_sample();
	if (host_is_ours())
		host_sample();
	errno = saved;
}

__attribute__((constructor)) static void system_begin(void)
{
	const char *ns = getenv("TAU_RECORD_SYSTEM_NS"), *at = getenv("TAU_RECORD_SYSTEM_ROOT");

	if (!tau_active())
		return;
	if (ns && strtoull(ns, NULL, 10) >= 1000000)
		interval = strtoull(ns, NULL, 10);
	if (at && strlen(at) < sizeof(root))
		strcpy(root, at);
	tau_every(interval, system_sample);
}
