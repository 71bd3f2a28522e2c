/* meta.c: what is known about the process: written into its first stream at the start, completed at
 * the end. */
#include "core.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

extern char **environ;

/* Variables whose names begin so are kept: they decide how a run behaves. */
static const char *const environment[] = {
	"TAU_",         "OMP_", "OMPI_MCA_",      "OMPI_COMM_WORLD_",
	"SHMEM_",       "UCX_", "PMIX_NAMESPACE", "SLURM_",
	"PBS_",         "KMP_", "MALLOC_",        "LD_LIBRARY_PATH=",
	"CUDA_VISIBLE",
};

/* Reads a small file whole; the end is cut at size - 1. Returns the length, -1 on failure. */
static long read_file(const char *path, char *out, size_t size)
{
	long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0), n = 0, r;

	if (fd < 0)
		return -1;
	while ((size_t)n < size - 1 &&
	       (r = file_read(fd, out + n, size - 1 - (size_t)n)) > 0)
		n += r;
	syscall(SYS_close, fd);
	out[n] = 0;
	return n;
}

void meta_number(const char *name, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	define_meta(name, text);
}

/* Names a process as the headers of its files do. */
static void meta_process(const char *name, uint64_t id)
{
	char text[24];

	snprintf(text, sizeof(text), "%016llx", (unsigned long long)id);
	define_meta(name, text);
}

/* Arguments as a shell would take them back: words with blanks or quotes are quoted. */
static void command_line(void)
{
	enum { SIZE = 65536 };
	char *in = map_alloc(2 * SIZE), *out = in + SIZE, *p = out;
	long n;

	if (!in)
		return;
	n = read_file("/proc/self/cmdline", in, SIZE);
	for (char *word = in; n > 0 && word < in + n; word += strlen(word) + 1) {
		size_t length = strlen(word);
		bool plain = length && !strpbrk(word, " \t\n\"'\\$&;|<>()*?");

		if (p + length + 4 > out + SIZE)
			break;
		if (p > out)
			*p++ = ' ';
		p += sprintf(p, plain ? "%s" : strchr(word, '\'') ? "\"%s\"" : "'%s'", word);
	}
	if (p > out)
		define_meta("Command Line", out);
	map_free(in, 2 * SIZE);
}

static void line_of_file(const char *path, const char *key, const char *name)
{
	char text[8192], *at, *end;

	if (read_file(path, text, sizeof(text)) < 0)
		return;
	at = strstr(text, key);
	at = at ? strchr(at, ':') : NULL;
	if (!at)
		return;
	at += 1 + strspn(at + 1, " \t");
	end = strchr(at, '\n');
	if (end)
		*end = 0;
	define_meta(name, at);
}

static int main_program(struct dl_phdr_info *info, size_t size __attribute__((unused)), void *arg)
{
	uint8_t id[64];
	char *out = arg;
	size_t n = build_id(info, id);

	for (size_t i = 0; i < n; i++)
		sprintf(out + 2 * i, "%02x", id[i]);
	return 1;
}

static void environment_write(void)
{
	char name[300];

	for (char **e = environ; e && *e; e++) {
		const char *equals = strchr(*e, '=');

		for (size_t i = 0; equals && i < sizeof(environment) / sizeof(*environment); i++)
			if (!strncmp(*e, environment[i], strlen(environment[i]))) {
				snprintf(name, sizeof(name), "env %.*s", (int)(equals - *e), *e);
				if (strlen(equals) < 8192)
					define_meta(name, equals + 1);
				break;
			}
	}
}

/* Inside the recorder; the calling thread's stream is the one that gets it. */
/* The number of the process whose program image n wrote FOLDER/STEM.n.0.tau; 0: there is none. */
static uint64_t image_id(const char *stem, unsigned n)
{
	char path[sizeof(process.directory) + 300];
	struct tau_file_header h;
	char bytes[sizeof(h) + 1];

	snprintf(path, sizeof(path), "%s/%s.%u.0" TAU_TRACE_SUFFIX, process.directory, stem, n);
	if (read_file(path, bytes, sizeof(bytes)) != sizeof(h))
		return 0;
	memcpy(&h, bytes, sizeof(h));
	return memcmp(h.magic, TAU_TRACE_MAGIC, sizeof(h.magic)) ? 0 : h.process_id;
}

/*
 * Who made this program, where nobody forked it before our eyes: the program that this process was before, or else the
 * last one that the parent has been.
 */
static uint64_t parent_find(void)
{
	char stem[sizeof(process.prefix) + 20], *dot;
	uint64_t id, last = 0;
	unsigned n;

	strcpy(stem, process.prefix);
	dot = strrchr(stem, '.');
	if (!dot)
		return 0;
	n = (unsigned)strtoul(dot + 1, NULL, 10);
	*dot = 0;
	if (n)
		return image_id(stem, n - 1);
	dot = strrchr(stem, '.');
	if (!dot)
		return 0;
	snprintf(dot, 20, ".%d", (int)getppid());
	for (n = 0; (id = image_id(stem, n)); n++)
		last = id;
	return last;
}

void meta_write(void)
{
	char text[4096], id[130] = "";
	struct utsname u;
	uint64_t parent;
	ssize_t n;

	command_line();
	n = readlink("/proc/self/exe", text, sizeof(text) - 1);
	if (n > 0) {
		text[n] = 0;
		define_meta("Executable", text);
	}
	dl_iterate_phdr(main_program, id);
	if (*id)
		define_meta("Build ID", id);
	if (getcwd(text, sizeof(text)))
		define_meta("CWD", text);
	if (uname(&u) == 0) {
		define_meta("Hostname", u.nodename);
		define_meta("OS Name", u.sysname);
		define_meta("OS Release", u.release);
		define_meta("OS Version", u.version);
		define_meta("OS Machine", u.machine);
	}
	meta_process("Process", process.id);
	parent = process.parent_id ? process.parent_id : parent_find();
	if (parent)
		meta_process("Parent Process", parent);
	meta_number("PID", process.pid);
	meta_number("Parent PID", (uint64_t)getppid());
	meta_number("CPU Cores", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
	meta_number("Starting Timestamp", clock_ns(CLOCK_REALTIME) / 1000);
	line_of_file("/proc/cpuinfo", "model name", "CPU Type");
	define_meta("TAU Clock", process.clock == TAU_CLOCK_TSC ? "TSC" : "CLOCK_MONOTONIC");
	define_meta("TAU Compression", codec_name());
	cost_measure(&process.cost);
	meta_number("TAU Event Cost (ps)", process.cost.all / 2);
	meta_number("TAU Call Cost Inside (ps)", process.cost.inside);
	meta_number("TAU Call Cost Outside (ps)", process.cost.all - process.cost.inside);
	meta_number("TAU Call Cost Spread (ps)", process.cost.spread);
	if (process.cost.fold)
		meta_number("TAU Folded Call Cost (ps)", process.cost.fold);
	if (process.cost.tiny_all) {
		meta_number("TAU Tiny Call Cost (ps)", process.cost.tiny_all);
		meta_number("TAU Tiny Call Cost Folded (ps)", process.cost.tiny_fold);
		meta_number("TAU Tiny Call Cost Dropped (ps)", process.cost.tiny_out);
	}
	environment_write();
}

void meta_end(void)
{
	uint64_t flown = 0, folded = 0, stored = 0, told = 0, repaired = 0;
	struct rusage u;

	for (const struct stream *s = process.streams; s; s = s->next)
		repaired += s->repaired;
	meta_number("Ending Timestamp", clock_ns(CLOCK_REALTIME) / 1000);
	if (getrusage(RUSAGE_SELF, &u) == 0) {
		meta_number("User Time (us)",
			    (uint64_t)u.ru_utime.tv_sec * 1000000u + (uint64_t)u.ru_utime.tv_usec);
		meta_number("System Time (us)",
			    (uint64_t)u.ru_stime.tv_sec * 1000000u + (uint64_t)u.ru_stime.tv_usec);
		meta_number("Peak Memory Usage Resident Set Size (VmHWM) (KB)",
			    (uint64_t)u.ru_maxrss);
	}
	meta_number("TAU Lost Events", self.live->lost + process.lost_outside);
	meta_number("TAU Repaired Frames", repaired);
	meta_number("TAU Unmatched Stops", process.unmatched);
	meta_number("TAU Class Allocation Mismatches", process.class_mismatches);
	control_meta();
	metric_end();
	track_meta();
	for (const struct stream *s = process.streams; s; s = s->next) {
		flown += s->flown;
		stored += s->stored_ns;
		folded += fold_calls(s, &told);
	}
	meta_number("TAU Storing Time (ns)", stored);
	if (process.cost.all)
		meta_number("TAU Call Cost Spread (ps)",
			    cost_spread(self.stream->call_ps ? self.stream->call_ps
							     : process.cost.all));
	if (folded) {
		meta_number("TAU Folded Calls", folded);
		meta_number("TAU Fold Records", told);
	}
	meta_number("TAU First Chunk Bytes", process.first_bytes);
	meta_number("TAU First Chunk Records", process.first_records);
	if (control.flight)
		meta_number("TAU Records Not Kept", flown);
	sample_meta();
	budget_meta();
}
