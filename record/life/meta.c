/* meta.c: metadata of the process: written into its first stream at the start, completed at the end. */
#include "record/life/meta.h"
#include "record/base/clock.h"
#include "record/base/control.h"
#include "record/base/files.h"
#include "record/base/gate.h"
#include "record/base/memory_map.h"
#include "record/base/process.h"
#include "record/base/stream.h"
#include "record/base/stream_time.h"
#include "record/base/thread.h"
#include "record/control/cost.h"
#include "record/define/module.h"
#include "record/encode/define_write.h"
#include "record/encode/deflate.h"
#include "record/enter/budget.h"
#include "record/enter/fold.h"
#include "record/event/heap_events.h"
#include "record/format.h"
#include "record/metadata.h"
#include "record/metric/metric.h"
#include "record/own/own.h"
#include "record/sample/sample.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

extern char **environ;

/* Variables whose names begin so are recorded: they change how a run behaves. */
static const char *const environment[] = {
	"TAU_",         "OMP_", "OMPI_MCA_",      "OMPI_COMM_WORLD_",
	"SHMEM_",       "UCX_", "PMIX_NAMESPACE", "SLURM_",
	"PBS_",         "KMP_", "MALLOC_",        "LD_LIBRARY_PATH=",
	"CUDA_VISIBLE",
};

/* Reads a small file, at most size - 1 bytes. Returns the length, -1 on failure. */
static long read_file(const char *path, char *out, size_t size)
{
	long fd = system_call(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0), n = 0, r;

	if (fd < 0)
		return -1;
	while ((size_t)n < size - 1 &&
	       (r = file_read(fd, out + n, size - 1 - (size_t)n)) > 0)
		n += r;
	system_call(SYS_close, fd);
	out[n] = 0;
	return n;
}

/* Names a process as the headers of its files do. */
static void meta_process(const char *name, uint64_t id)
{
	char text[24];

	snprintf(text, sizeof(text), "%016llx", (unsigned long long)id);
	define_meta(name, text);
}

/* Records the arguments as a shell command: words with blanks or quotes are quoted. */
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
 * The parent of this program, if no fork was recorded: the program that this process executed before, or else the last
 * program that the parent process executed.
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

/* Found once, when the process starts: in a forked child another thread of its parent may have held the loader's lock. */
static const char *main_build_id(void)
{
	static char id[130];
	static bool found;

	if (!found)
		dl_iterate_phdr(main_program, id);
	found = true;
	return id;
}

/* Processors of this thread; at the end once more, if the program has bound it to fewer. */
static void meta_allowed(void)
{
	cpu_set_t allowed;
	int n;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) < 0)
		return;
	n = CPU_COUNT(&allowed);
	if (process.allowed && n >= process.allowed)
		return;
	process.allowed = n;
	meta_number(TAU_META_CPUS_ALLOWED, (uint64_t)n);
}

static void meta_limits(const struct cost_parts *least, const struct cost_parts *most)
{
	meta_number(TAU_META_CALL_COST_LEAST_INSIDE_PS, least->inside);
	meta_number(TAU_META_CALL_COST_LEAST_OUTSIDE_PS, least->outside);
	meta_number(TAU_META_CALL_COST_MOST_INSIDE_PS, most->inside);
	meta_number(TAU_META_CALL_COST_MOST_OUTSIDE_PS, most->outside);
}

void meta_write(void)
{
	const char *id = main_build_id();
	char text[4096];
	struct utsname u;
	uint64_t parent;
	ssize_t n;

	command_line();
	n = readlink("/proc/self/exe", text, sizeof(text) - 1);
	if (n > 0) {
		text[n] = 0;
		define_meta(TAU_META_EXECUTABLE, text);
	}
	if (*id)
		define_meta("Build ID", id);
	if (getcwd(text, sizeof(text)))
		define_meta("CWD", text);
	if (uname(&u) == 0) {
		define_meta(TAU_META_HOSTNAME, u.nodename);
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
	meta_number(TAU_META_PARENT_PID, (uint64_t)getppid());
	meta_number(TAU_META_CPU_CORES, (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
	process.allowed = 0;
	meta_allowed();
	meta_number(TAU_META_STARTING_TIMESTAMP, clock_ns(CLOCK_REALTIME) / 1000);
	line_of_file("/proc/cpuinfo", "model name", "CPU Type");
	define_meta(TAU_META_CLOCK,
		    process.clock == TAU_CLOCK_TSC ? TAU_COUNTER_NAME : TAU_CLOCK_NAME_MONOTONIC);
	define_meta(TAU_META_COMPRESSION, codec_name());
	if (control.fold_ticks || control.budget_ppm || control.estimate)
		meta_number(TAU_META_CALLS_MAY_BE_FOLDED, 1);
	if (control.flight)
		meta_number(TAU_META_CHUNKS_MAY_BE_REMOVED, 1);
	cost_measure(&process.cost);
	meta_number(TAU_META_EVENT_COST_PS, process.cost.all / 2);
	meta_number(TAU_META_CALL_COST_INSIDE_PS, process.cost.inside);
	meta_number(TAU_META_CALL_COST_OUTSIDE_PS, process.cost.all - process.cost.inside);
	meta_limits(&process.cost.least, &process.cost.most);
	if (process.cost.fold)
		meta_number(TAU_META_FOLDED_CALL_COST_PS, process.cost.fold);
	if (process.cost.tiny_all) {
		meta_number(TAU_META_TINY_CALL_COST_PS, process.cost.tiny_all);
		meta_number(TAU_META_TINY_CALL_COST_FOLDED_PS, process.cost.tiny_fold);
		meta_number(TAU_META_TINY_CALL_COST_DROPPED_PS, process.cost.tiny_out);
	}
	environment_write();
	process.begin_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - process.begin_cpu;
}

/* Records the cost of calls that reached the hooks and were not recorded, and the cost of the hooks without the recorder. */
static void meta_hooks(void)
{
	uint64_t out = self.out, silent = self.silent;
	bool functions = false;

	for (const struct stream *s = process.streams; s; s = s->next) {
		out += s->out;
		silent += s->silent;
		functions |= s->slot_n > 0;
	}
	if (functions || out)
		meta_number(TAU_META_EMPTY_HOOKS_COST_PS, process.cost.empty);
	meta_number(TAU_META_EMPTY_HOOKS_BARE_COST_PS, process.cost.empty_bare);
	if (out) {
		meta_number(TAU_META_CALLS_KEPT_OUT, out);
		meta_number(TAU_META_KEPT_OUT_CALL_COST_PS, process.cost.out);
	}
	if (silent)
		meta_number(TAU_META_CALLS_NOT_WRITTEN, silent);
	meta_number(TAU_META_STARTING_TIME_NS, process.begin_ns);
}

static void meta_of_thread(const char *what, uint32_t number, uint64_t value)
{
	char name[80];

	snprintf(name, sizeof(name), "%s: %u", what, number);
	meta_number(name, value);
}

/* The name of a thread that goes on, if another one has given it since the thread defined its own. */
static void meta_thread_name(const struct stream *s, uint32_t tid)
{
	char path[64], name[32], what[80];
	long n;

	snprintf(path, sizeof(path), "/proc/self/task/%u/comm", tid);
	n = s == self.stream ? 0 : read_file(path, name, sizeof(name));
	if (n <= 1 || name[n - 1] != '\n')
		return;
	name[n - 1] = 0;
	if (!strcmp(name, s->name))
		return;
	snprintf(what, sizeof(what), TAU_META_THREAD_NAME ": %u", s->number);
	define_meta(what, name);
}

/*
 * Records of the threads, also of those that ended, for which share of their lives they used a processor, without the first thread,
 * which runs the program; how long they waited for one, and how long they slept; and what others have named those that exist.
 */
static void meta_threads(void)
{
	for (const struct stream *s = process.streams; s; s = s->next) {
		uint32_t tid = __atomic_load_n(&s->tid, __ATOMIC_RELAXED);
		uint64_t cpu, life, to_run;

		if (s->device)
			continue;
		if (tid)
			meta_thread_name(s, tid);
		stream_cpu(s, &cpu, &life);
		if (life && stream_to_run(s, &to_run)) {
			meta_of_thread(TAU_META_THREAD_TO_RUN_US, s->number, to_run / 1000);
			meta_of_thread(TAU_META_THREAD_ASLEEP_US, s->number,
				       life > cpu + to_run ? (life - cpu - to_run) / 1000 : 0);
		}
		if (s->number && life)
			meta_of_thread(TAU_META_THREAD_CPU_PPM, s->number,
				       (uint64_t)((double)cpu / (double)life * 1e6));
	}
}

/* What the process has read and written: the first two lines of the file. */
static void meta_io(void)
{
	static const char read_key[] = "rchar: ", written_key[] = "\nwchar: ";
	char text[256];
	const char *written;

	if (read_file("/proc/self/io", text, sizeof(text)) < 0)
		return;
	written = strstr(text, written_key);
	if (strncmp(text, read_key, sizeof(read_key) - 1) || !written)
		return;
	meta_number(TAU_META_BYTES_READ, strtoul(text + sizeof(read_key) - 1, NULL, 10));
	meta_number(TAU_META_BYTES_WRITTEN,
		    strtoul(written + sizeof(written_key) - 1, NULL, 10));
}

/* How long recording was off. */
static void meta_pauses(void)
{
	unsigned __int128 ns = (unsigned __int128)control.paused * 1000000000u;

	if (!control.pauses || !process.ticks_hz)
		return;
	meta_number(TAU_META_RECORDING_PAUSED, control.pauses);
	meta_number(TAU_META_RECORDING_PAUSED_US, (uint64_t)(ns / process.ticks_hz / 1000));
}

void meta_end(void)
{
	uint64_t flown = 0, folded = 0, stored = 0, written = 0, records = 0, repaired = 0,
		 lost = tau_gate.lost;
	struct cost_parts least, most;
	struct rusage u;

	for (const struct stream *s = process.streams; s; s = s->next) {
		repaired += s->repaired;
		lost += s->live ? s->live->lost : s->lost;
	}
	meta_number(TAU_META_ENDING_TIMESTAMP, clock_ns(CLOCK_REALTIME) / 1000);
	meta_allowed();
	/* Before the recorder's own work at the end, which waits for a processor, too. */
	meta_threads();
	if (getrusage(RUSAGE_SELF, &u) == 0) {
		meta_number(TAU_META_USER_TIME_US,
			    (uint64_t)u.ru_utime.tv_sec * 1000000u + (uint64_t)u.ru_utime.tv_usec);
		meta_number(TAU_META_SYSTEM_TIME_US,
			    (uint64_t)u.ru_stime.tv_sec * 1000000u + (uint64_t)u.ru_stime.tv_usec);
		meta_number(TAU_META_PEAK_RESIDENT_KB,
			    (uint64_t)u.ru_maxrss);
	}
	meta_io();
	meta_number(TAU_META_LOST_EVENTS, lost);
	if (tau_gate.lost)
		meta_number(TAU_META_LOST_EVENTS_OUTSIDE, tau_gate.lost);
	meta_number(TAU_META_REPAIRED_FRAMES, repaired);
	meta_number(TAU_META_UNMATCHED_STOPS, process.unmatched);
	meta_number(TAU_META_CLASS_ALLOCATION_MISMATCHES, process.class_mismatches);
	meta_pauses();
	metric_end();
	track_meta();
	for (const struct stream *s = process.streams; s; s = s->next) {
		flown += s->flown;
		stored += s->stored_ns;
		written += s->written_ns;
		folded += fold_calls(s, &records);
	}
	meta_number(TAU_META_STORING_TIME_NS, stored);
	meta_number(TAU_META_WRITING_TIME_NS, written);
	meta_hooks();
	if (process.cost.all) {
		cost_limits(self.stream->call_ps ? self.stream->call_ps : process.cost.all,
			    &least, &most);
		meta_limits(&least, &most);
	}
	if (folded) {
		meta_number(TAU_META_FOLDED_CALLS, folded);
		meta_number(TAU_META_FOLD_RECORDS, records);
	}
	meta_number(TAU_META_FIRST_CHUNK_BYTES, process.first_bytes);
	meta_number(TAU_META_FIRST_CHUNK_RECORDS, process.first_records);
	if (control.flight)
		meta_number(TAU_META_RECORDS_NOT_KEPT, flown);
	sample_meta();
	budget_meta();
}
