/*
 * measure.c: requests measurements of this process from tau-record, by messages through a pipe of the run.
 *
 * The numbers of the process's begin and end are read here, by its own thread: from outside, a process that
 * has ended has none.
 */
#include "record/event/measure.h"
#include "record/api.h"
#include "record/base/clock.h"
#include "record/base/failure.h"
#include "record/base/files.h"
#include "record/base/gate.h"
#include "record/base/lock.h"
#include "record/base/process.h"
#include "record/format.h"
#include "record/measures.h"
#include "record/metric/system.h"
#include "record/own/own.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
	unsigned what;
	uint64_t system_ns, track_ns;
	bool known;		/* to tau-record */
	uint32_t stream;	/* 0: none yet: the first one is the process's own */
	struct tau_heap_parts heap;
	char pipe[4096];
} measure;

/* The number after a word at the beginning of a line; 0: there is none. */
static uint64_t number_after(const char *text, const char *word)
{
	const char *at = strstr(text, word);

	return at ? strtoull(at + strlen(word), NULL, 10) : 0;
}

static uint64_t us_of(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000 + (uint64_t)t->tv_usec;
}

static void numbers_read(struct tau_measured *m)
{
	char text[4096];
	struct rusage u;

	if (getrusage(RUSAGE_SELF, &u) == 0)
		*m = (struct tau_measured){.cpu_ns = (us_of(&u.ru_utime) + us_of(&u.ru_stime)) * 1000,
					   .voluntary = (uint64_t)u.ru_nvcsw,
					   .involuntary = (uint64_t)u.ru_nivcsw,
					   .minor = (uint64_t)u.ru_minflt,
					   .major = (uint64_t)u.ru_majflt};
	if (system_text("/proc/self/status", text, sizeof(text))) {
		m->resident = number_after(text, "\nVmRSS:") * 1024;
		m->threads = number_after(text, "\nThreads:");
	}
	m->io = system_text("/proc/self/io", text, sizeof(text));
	if (m->io) {
		m->read = number_after(text, "rchar: ");
		m->written = number_after(text, "wchar: ");
		m->disk_read = number_after(text, "\nread_bytes: ");
		m->disk_written = number_after(text, "\nwrite_bytes: ");
	}
}

/* The number of this process in the PID namespace of what is mounted at /proc. */
static uint32_t outer_pid(void)
{
	char text[24];
	long n = system_call(SYS_readlinkat, AT_FDCWD, "/proc/self", text, sizeof(text) - 1);

	text[n > 0 ? n : 0] = 0;
	return (uint32_t)strtoul(text, NULL, 10);
}

/*
 * In one step, to a reader that is there: false and errno. It may end meanwhile, so the pipe is open for
 * reading, too: then no signal is raised.
 */
static bool send_message(const struct tau_measure *m)
{
	int probe = file_open(measure.pipe, O_WRONLY | O_NONBLOCK | O_NOFOLLOW), fd, error;
	struct stat st;
	bool sent;

	if (probe < 0)
		return false;
	fd = file_open(measure.pipe, O_RDWR | O_NONBLOCK | O_NOFOLLOW);
	error = errno;
	file_close(probe);
	errno = error;
	if (fd < 0)
		return false;
	errno = EACCES;
	sent = fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode) && st.st_uid == geteuid() &&
	       file_write(fd, m, sizeof(*m));
	error = errno;
	file_close(fd);
	errno = error;
	return sent;
}

/* Of the streams of the process. */
static uint32_t stream_number(void)
{
	sigset_t saved;

	if (measure.stream)
		return measure.stream;
	lock_acquire(&saved);
	measure.stream = process.stream_n++;
	lock_release(&saved);
	return measure.stream;
}

static bool message(enum tau_measure_kind kind, uint64_t headroom_least)
{
	struct tau_measure m = {
		.size = sizeof(m),
		.kind = kind,
		.what = measure.what | (own_first("shmem_malloc") ? TAU_MEASURE_SYMMETRIC : 0),
		.pid = process.pid,
		.outer_pid = outer_pid(),
		.stream = stream_number(),
		.clock = process.clock,
		.shift = process.shift == SHIFT_MONOTONIC ? 0 : process.shift,
		.process_id = process.id,
		.ticks_hz = process.ticks_hz,
		.start_tick = process.start_tick,
		.system_ns = measure.system_ns,
		.track_ns = measure.track_ns,
		.id_at = (uintptr_t)&process.id,
		.gate_at = (uintptr_t)&tau_gate.value,
		.heap_at = (uintptr_t)measure.heap.shared,
		.heap_parts_at = (uintptr_t)measure.heap.part,
		.heap_parts_n_at = (uintptr_t)measure.heap.parts,
		.heap_part_size = measure.heap.size,
		.headroom_least = headroom_least,
	};

	strcpy(m.files, process.prefix);
	numbers_read(&m.now);
	m.tick = ticks(process.shift);
	return send_message(&m);
}

/* Once there is a file by which others know the process. */
static void from_now(void)
{
	const char *path = getenv("TAU_RECORD_MEASURES");
	static bool said;

	if (!measure.pipe[0] && path && *path == '/' && strlen(path) < sizeof(measure.pipe))
		strcpy(measure.pipe, path);
	if ((!measure.what && !measure.known) || !__atomic_load_n(&process.named, __ATOMIC_ACQUIRE))
		return;
	measure.known = message(TAU_MEASURE_FROM, UINT64_MAX);
	if (!measure.known && !said)
		message_print("process %u: nothing is measured at intervals: no message to "
			      "tau-record: %s",
			      process.pid, strerrordesc_np(errno));
	said |= !measure.known;
}

/* The caller has a stream, or gets one, with which the process begins. */
static void changed(void)
{
	int saved = errno;
	bool fresh = !__atomic_load_n(&process.named, __ATOMIC_ACQUIRE);

	if (tau_active() && !tau_inside()) {
		tau_attach();
		if (!fresh || !measure.known)
			from_now();
	}
	errno = saved;
}

void measure_tracked(unsigned what, uint64_t ns)
{
	unsigned before = measure.what, now = (before & ~TAU_MEASURE_TRACKED) | what;

	if (now == before && ns == measure.track_ns)
		return;
	measure.what = now;
	measure.track_ns = ns;
	changed();
}

void tau_measure_system(uint64_t ns)
{
	measure.what |= TAU_MEASURE_SYSTEM;
	measure.system_ns = ns;
	changed();
}

void tau_heap_parts(const struct tau_heap_parts *parts)
{
	int saved = errno;

	measure.heap = *parts;
	if (measure.known)
		from_now();
	errno = saved;
}

void measure_begins(void)
{
	from_now();
}

void measure_after_fork(void)
{
	measure.known = false;
	measure.stream = 0;
}

void measure_end(uint64_t headroom_least)
{
	int saved = errno;

	if (measure.known && (uint32_t)system_call(SYS_getpid) == process.pid) {
		message(TAU_MEASURE_END, headroom_least);
		measure.known = false;
	}
	errno = saved;
}
