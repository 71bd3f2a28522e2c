/*
 * measured_host.c: counters of the host, from /proc and /sys.
 *
 * Counts begin with the first reading for a stream. One tau-record of a host reads them: the one
 * whose number is in the file .system-HOST of the run; if it has not read for three intervals, and
 * ten seconds, another takes over.
 */
#include "cmd/record/requests/measured_host.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define SILENT_NS 10000000000u
#define LEVEL	  VALUE_LEVEL
#define COUNT	  VALUE_COUNT
#define TOTALS	  256
#define NAME	  128
#define ROOT	  64
#define PACKAGES  64

static char text[131072]; /* of the file read last */

/* Where a value goes. */
static struct {
	struct value_stream *stream;
	uint64_t tick;
} to;

/* ---- files ---- */

static int text_read(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t n = 0;
	ssize_t got;

	if (fd < 0)
		return 0;
	while (n < sizeof(text) - 1 && (got = read(fd, text + n, sizeof(text) - 1 - n)) > 0)
		n += (size_t)got;
	close(fd);
	text[n] = 0;
	return n > 0;
}

/* The folder that holds /proc and /sys of the host is another one in tests. */
static int host_read(const char *path)
{
	const char *root = getenv("TAU_RECORD_SYSTEM_ROOT");
	char full[NAME + ROOT];

	snprintf(full, sizeof(full), "%s%s", root && strlen(root) < ROOT ? root : "", path);
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

static void sample(const char *name, enum value_kind kind, double value)
{
	value_stream_put(to.stream, to.tick, kind, name, value);
}

/* ---- counts: since the first reading ---- */

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

/* ---- what is read ---- */

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

/* "0.42 0.30 ...": the mean number of tasks that ran or waited in the last minute. */
static double load_average(void)
{
	char *end;
	uint64_t whole = strtoull(text, &end, 10),
		 parts = *end == '.' ? strtoull(end + 1, NULL, 10) : 0;

	return (double)(whole * 100 + parts) / 100;
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
	if (host_read("/proc/loadavg"))
		sample("Host load average", LEVEL, load_average());
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

/* "  eth0: bytes packets errors dropped fifo frame compressed multicast bytes packets ...":
 * received, then sent. */
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

/* A partition's name is that of its disk and a number, after a p where the disk's name ends with a
 * number: sda1, nvme0n1p1. */
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

/* A zone of the power capping framework: microjoules, which begin again at a limit. 0: there is
 * none. */
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

static void sample_all(void)
{
	host_load();
	host_memory();
	host_network();
	host_disks();
	host_energy();
}

void measured_host_begin(void)
{
	total_n = 0;
}

void measured_host_read(struct value_stream *stream, uint64_t tick)
{
	to.stream = stream;
	to.tick = tick;
	sample_all();
}

/* ---- values that TAU has names for ---- */

void measured_host_load(struct value_stream *stream, uint64_t tick)
{
	if (text_read("/proc/loadavg"))
		value_stream_put(stream, tick, VALUE_LEVEL, "System load", load_average());
}

void measured_host_power(struct value_stream *stream, uint64_t tick)
{
	char path[80], name[80];

	for (int i = 0; i < PACKAGES; i++) {
		snprintf(path, sizeof(path), "/sys/class/powercap/intel-rapl:%d/energy_uj", i);
		if (!text_read(path))
			return;
		snprintf(name, sizeof(name), "Energy of package %d (J)", i);
		value_stream_put(stream, tick, VALUE_COUNT, name,
				 (double)strtoull(text, NULL, 10) / 1e6);
	}
}

/* ---- which tau-record reads the host's counters ---- */

struct memory_reader {
	uint64_t pid, at;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int measured_host_ours(const char *run, mode_t mode, uint64_t interval)
{
	uint64_t silent = 3 * interval > SILENT_NS ? 3 * interval : SILENT_NS;
	struct memory_reader r = {0}, we = {(uint64_t)getpid(), 0};
	struct utsname u;
	int ours = 0, fd;
	char *path;

	if (uname(&u) < 0)
		return 0;
	path = mem_printf("%s/.system-%.64s", run, u.nodename);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, mode);
	free(path);
	if (fd < 0)
		return 0;
	if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
		if (pread(fd, &r, sizeof(r), 0) != sizeof(r))
			r = (struct memory_reader){0};
		we.at = now_ns(); /* under the lock: not before that of others */
		ours = r.pid == we.pid || !r.pid || r.at > we.at || we.at - r.at > silent;
		if (ours && pwrite(fd, &we, sizeof(we), 0) != sizeof(we))
			ours = 0;
	}
	close(fd);
	return ours;
}
