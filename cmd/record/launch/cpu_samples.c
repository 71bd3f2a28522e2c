/*
 * cpu_samples.c: samples the CPU time of a program and of what it starts, from outside.
 *
 * There is an event for each processor that the program may use, and what it starts inherits them; so each processor has a buffer
 * of its own, which the kernel fills and this process empties.
 */
#include "cmd/record/launch/cpu_samples.h"

#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "analyze/base/base.h"

enum { PROCESSORS_MOST = 64, PAGE = 4096, DATA = 16 * PAGE };

/*
 * Samples are taken all the time, because the recorder stores a chunk at once. But an event that
 * counts makes each switch between threads cost microseconds more. So where threads switch often, samples are taken in bursts, with
 * pauses of random length, so that they do not fall in step with the program; there each sample counts for more time.
 * A sample is an interrupt: a few microseconds on a processor, up to 100 on one of a virtual machine. So when there are enough,
 * samples are taken a fifth of the time, in bursts that are longer than storing a chunk takes.
 */
enum { PERIOD_NS = 1000000, LOOK_LEAST_MS = 5, LOOK_MOST_MS = 100 };
enum { PAUSE_LEAST_MS = 50, PAUSE_MORE_MS = 100, PAUSE_MS = PAUSE_LEAST_MS + PAUSE_MORE_MS / 2 };
enum { BURST_MS = 8, BURST_WEIGHT = 1 + PAUSE_MS / BURST_MS };
enum { ENOUGH = 1000, ENOUGH_WEIGHT = 1 + 4 * PAUSE_MS / LOOK_MOST_MS };
/* What is often: more switches than this, for each sample and in 10 ms. */
enum { SWITCHES_SAMPLE = 4, SWITCHES_10MS = 2 };
/*
 * The cost of a sample is the difference between the fastest rounds of work with samples and without. The work is reading memory
 * that fills a cache of the second level, because the sample and the program evict each other's data there.
 */
enum { COST_PERIOD_NS = 250000, COST_BYTES = 1 << 20 };
/* Rounds, and passes over the memory in each: roughly, in 5 to 10 ms, and well, in 30 to 60. */
static const struct {
	int rounds, passes;
} cost_work[] = {{5, 40}, {7, 150}};

struct perf_buffer {
	int fd;
	struct perf_event_mmap_page *page;	/* the data follow */
};

/* Addresses of code of the recorder, or of a library of messages. */
struct code_range {
	uint64_t begin, end;
	int messages;
	int passes_on;	/* its system calls are the program's own */
};

enum { RANGES = 160, LOOKS_FIRST = 3 };

/* A process that was sampled; out is what others see of it. */
struct sampled_process {
	struct code_range range[RANGES];
	int range_n;
	int recorder_n;	/* how many of them are the recorder's */
	int looked;	/* how often its address space was read */
	unsigned look;	/* in which it was read last */
	unsigned next;	/* in which it is to be read again */
};

struct cpu_samples {
	int kernel;	/* samples in the kernel are taken, too */
	struct perf_buffer buffer[PROCESSORS_MOST];
	int buffer_n;
	unsigned look;		/* the number of the present one */
	int bursts;		/* samples are taken in bursts */
	uint64_t samples, switches;	/* in the present look */
	uint64_t taken;		/* in all looks */
	uint64_t preempted;	/* in all looks, each with its weight */
	uint64_t weight;	/* of a sample of the present look: the time that it is for, in periods */
	struct sampled_process *process;	/* parallel to out */
	size_t process_n, process_cap;
	struct cpu_sampled *out;	/* ascending by pid */
	size_t out_n, out_cap;
};

/*
 * A record, as the attributes below make it. After the fixed part come: the number of addresses, and these: a mark and the address
 * outside of the kernel; then the number of bytes of the stack, these, and how many of them are valid.
 */
struct perf_sample {
	struct perf_event_header header;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t more[1 + 2 + 3];
};

enum { STACK_BYTES = 8 };

static int event_open(pid_t pid, int processor, int kernel, uint64_t period_ns)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(a),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = period_ns,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN |
			       PERF_SAMPLE_STACK_USER,
		.sample_stack_user = STACK_BYTES,
		.sample_max_stack = 1,
		.context_switch = 1,
		.exclude_callchain_kernel = 1,
		.exclude_kernel = !kernel,
		.exclude_hv = 1,
		.inherit = 1,
		.disabled = 1,
	};

	return (int)syscall(SYS_perf_event_open, &a, pid, processor, -1, PERF_FLAG_FD_CLOEXEC);
}

static int buffer_open(struct cpu_samples *s, pid_t pid, int processor, uint64_t period_ns)
{
	struct perf_buffer *b = &s->buffer[s->buffer_n];
	void *p;

	b->fd = event_open(pid, processor, s->kernel, period_ns);
	if (b->fd < 0)
		return -1;
	p = mmap(NULL, PAGE + DATA, PROT_READ | PROT_WRITE, MAP_SHARED, b->fd, 0);
	if (p == MAP_FAILED) {
		close(b->fd);
		return -1;
	}
	b->page = p;
	s->buffer_n++;
	return 0;
}

static void buffers_close(struct cpu_samples *s)
{
	while (s->buffer_n > 0) {
		struct perf_buffer *b = &s->buffer[--s->buffer_n];

		munmap(b->page, PAGE + DATA);
		close(b->fd);
	}
}

/* 0, or -1: none is open. */
static int buffers_open(struct cpu_samples *s, pid_t pid, const cpu_set_t *may, uint64_t period_ns)
{
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, may) && buffer_open(s, pid, i, period_ns) < 0) {
			buffers_close(s);
			return -1;
		}
	return 0;
}

static struct cpu_samples *samples_open(pid_t pid, uint64_t period_ns)
{
	struct cpu_samples *s;
	cpu_set_t may;

	/* More processors than a set holds, or than is worth a buffer each: nothing is sampled. */
	if (sysconf(_SC_PAGESIZE) != PAGE || sched_getaffinity(0, sizeof(may), &may) < 0 ||
	    CPU_COUNT(&may) > PROCESSORS_MOST)
		return NULL;
	s = mem_alloc(sizeof(*s));
	/* The kernel may be watched only by some users. */
	for (s->kernel = 1; s->kernel >= 0; s->kernel--)
		if (!buffers_open(s, pid, &may, period_ns))
			return s;
	free(s);
	return NULL;
}

struct cpu_samples *cpu_samples_start(pid_t pid)
{
	return samples_open(pid, PERIOD_NS);
}

/* ---- records ---- */

/* libtau.so, its wrappers, and the library that only they load. */
static int is_recorder(const char *line)
{
	const char *name = strrchr(line, '/');

	return name && (!strncmp(name, "/libtau", 7) || !strncmp(name, "/libisal.so", 11));
}

/* Those of Open MPI, MPICH and what they send messages with. */
static int is_messages(const char *line)
{
	static const char *const begins[] = {
		"libmpi",  "libopen-", "libopal", "liboshmem", "mca_",   "libmca_",   "libpmix",
		"libevent", "libucp",  "libuct",  "libucs",    "libucm", "libfabric", "libpsm",
	};
	const char *name = strrchr(line, '/');

	for (size_t i = 0; name && i < sizeof(begins) / sizeof(*begins); i++)
		if (!strncmp(name + 1, begins[i], strlen(begins[i])))
			return 1;
	return 0;
}

/* Is that a wrapper of system calls? That of memory makes its own for the census, and passes on few. */
static int passes_on(const char *line)
{
	return strstr(line, "/libtau-") && !strstr(line, "/libtau-memory.so");
}

/*
 * A process is read in its first looks, when it may not have loaded all, each time after twice as many, and then every tenth time,
 * for it may have become another program. To print the list takes the kernel a millisecond in a program with many libraries.
 */
static void ranges_read(struct sampled_process *p, uint32_t pid, unsigned look)
{
	char path[64], line[4096 + 200];
	unsigned long long begin, end;
	char executable;
	FILE *f;

	if (p->look == look ||
	    (p->looked > LOOKS_FIRST ? look % 10 != 0 : p->recorder_n && look < p->next))
		return;
	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	f = fopen(path, "re");
	if (!f)
		return;
	p->look = look;
	if (p->looked <= LOOKS_FIRST)
		p->next = look + (1u << p->looked++);
	p->range_n = p->recorder_n = 0;
	while (fgets(line, sizeof(line), f) && p->range_n < RANGES) {
		int recorder = is_recorder(line);

		if (sscanf(line, "%llx-%llx %*c%*c%c", &begin, &end, &executable) != 3 ||
		    executable != 'x' || (!recorder && !is_messages(line)))
			continue;
		p->recorder_n += recorder;
		p->range[p->range_n++] = (struct code_range){.begin = begin,
							     .end = end,
							     .messages = !recorder,
							     .passes_on = passes_on(line)};
	}
	fclose(f);
}

/* The place of a process in both arrays. */
static size_t process_of(struct cpu_samples *s, uint32_t pid)
{
	size_t at = s->out_n;

	while (at > 0 && s->out[at - 1].pid > pid)
		at--;
	if (at > 0 && s->out[at - 1].pid == pid)
		return at - 1;
	(void)array_add(s, out);
	(void)array_add(s, process);
	memmove(&s->out[at + 1], &s->out[at], (s->out_n - 1 - at) * sizeof(*s->out));
	memmove(&s->process[at + 1], &s->process[at],
		(s->process_n - 1 - at) * sizeof(*s->process));
	s->out[at] = (struct cpu_sampled){.pid = pid};
	s->process[at] = (struct sampled_process){.look = UINT_MAX};
	return at;
}

static const struct code_range *range_of(const struct sampled_process *p, uint64_t address)
{
	for (int i = 0; i < p->range_n; i++)
		if (address >= p->range[i].begin && address < p->range[i].end)
			return &p->range[i];
	return NULL;
}

/*
 * The code that the sample is for; NULL: other code. The kernel works for a library where it was entered from there: by a page
 * fault, or by a function of the C library that does nothing but the system call, so that the stack begins with the address of its
 * caller. The system calls of wrappers are those that the program requested.
 */
static const struct code_range *sample_for(const struct sampled_process *p,
					   const struct perf_sample *x)
{
	const size_t fixed = offsetof(struct perf_sample, more),
		     words = (x->header.size - fixed) / 8;
	const uint64_t n = words ? x->more[0] : 0;
	const struct code_range *caller;

	if ((x->header.misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_KERNEL)
		return range_of(p, x->ip);
	if (n != 2 || words < 1 + n)
		return NULL;
	caller = range_of(p, x->more[2]);
	if (caller || words != 1 + n + 3 || x->more[5] != STACK_BYTES)
		return caller;
	caller = range_of(p, x->more[4]);
	return caller && !caller->passes_on ? caller : NULL;
}

/* Of a process that was gone before anybody could look, and of one that has not loaded the recorder yet, nothing is known. */
static void sample_read(struct cpu_samples *s, const struct perf_sample *x)
{
	size_t at = process_of(s, x->pid);
	struct sampled_process *p = &s->process[at];
	struct cpu_sampled *out = &s->out[at];
	const struct code_range *of;

	ranges_read(p, x->pid, s->look);
	s->samples++;
	out->taken++;
	out->kernel = s->kernel;
	if (!p->recorder_n)
		return;
	out->samples++;
	out->all += s->weight;
	of = sample_for(p, x);
	if (of && of->messages)
		out->messages += s->weight;
	else if (of)
		out->recorder += s->weight;
}

/* A record may go on at the buffer's beginning. */
static void bytes_copy(const struct perf_buffer *b, uint64_t at, void *to, size_t n)
{
	const uint8_t *data = (const uint8_t *)b->page + PAGE;
	size_t first = DATA - at % DATA;

	memcpy(to, data + at % DATA, n < first ? n : first);
	if (n > first)
		memcpy((uint8_t *)to + first, data, n - first);
}

static void buffer_read(struct cpu_samples *s, struct perf_buffer *b)
{
	uint64_t end = __atomic_load_n(&b->page->data_head, __ATOMIC_ACQUIRE);
	struct perf_sample x;

	for (uint64_t at = b->page->data_tail; at + sizeof(x.header) <= end; at += x.header.size) {
		bytes_copy(b, at, &x.header, sizeof(x.header));
		if (x.header.size < sizeof(x.header))
			break;
		s->switches += x.header.type == PERF_RECORD_SWITCH &&
			       x.header.misc & PERF_RECORD_MISC_SWITCH_OUT;
		if (x.header.type == PERF_RECORD_SWITCH &&
		    x.header.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT)
			s->preempted += s->weight;
		if (x.header.type != PERF_RECORD_SAMPLE ||
		    x.header.size < offsetof(struct perf_sample, more) || x.header.size > sizeof(x))
			continue;
		bytes_copy(b, at, &x, x.header.size);
		sample_read(s, &x);
	}
	__atomic_store_n(&b->page->data_tail, end, __ATOMIC_RELEASE);
}

/* The look that has lasted so long ends. */
static void buffers_read(struct cpu_samples *s, int ms)
{
	s->samples = s->switches = 0;
	for (int i = 0; i < s->buffer_n; i++)
		buffer_read(s, &s->buffer[i]);
	s->look++;
	s->taken += s->samples;
	s->bursts = s->switches >
		    SWITCHES_SAMPLE * s->samples + (uint64_t)(SWITCHES_10MS * ms / 10);
	s->weight = s->bursts ? BURST_WEIGHT : s->taken > ENOUGH ? ENOUGH_WEIGHT : 1;
}

/* ---- the program runs ---- */

static void buffers_switch(struct cpu_samples *s, unsigned long to)
{
	for (int i = 0; i < s->buffer_n; i++)
		ioctl(s->buffer[i].fd, to, 0);
}

/* Has the program ended, or does it within ms? */
static int has_ended(struct pollfd *f, int ms)
{
	int ready = f->fd < 0 ? 1 : poll(f, 1, ms);

	return ready > 0 || (ready < 0 && errno != EINTR);
}

void cpu_samples_wait(struct cpu_samples *s, pid_t pid, void (*f)(void *of), void *of)
{
	struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
	unsigned seed = (unsigned)pid;
	int ms = LOOK_LEAST_MS, look, pause, ended = 0;

	s->weight = 1;
	buffers_switch(s, PERF_EVENT_IOC_ENABLE);
	while (!ended) {
		look = s->bursts ? BURST_MS : s->weight > 1 ? LOOK_MOST_MS : ms;
		if (has_ended(&end, look))
			break;
		buffers_read(s, look);
		f(of);
		ms = 2 * ms < LOOK_MOST_MS ? 2 * ms : LOOK_MOST_MS;
		if (s->weight == 1)
			continue;
		buffers_switch(s, PERF_EVENT_IOC_DISABLE);
		pause = PAUSE_LEAST_MS + rand_r(&seed) % PAUSE_MORE_MS;
		ended = has_ended(&end, s->bursts ? pause : 4 * pause);
		buffers_switch(s, PERF_EVENT_IOC_ENABLE);
	}
	if (end.fd >= 0)
		close(end.fd);
	buffers_read(s, 0);
	buffers_close(s);
}

const struct cpu_sampled *cpu_samples_get(const struct cpu_samples *s, size_t *n)
{
	*n = s ? s->out_n : 0;
	return s ? s->out : NULL;
}

/* ---- the cost of a sample ---- */

static uint64_t work_ns(volatile uint8_t *memory, int passes)
{
	struct timespec begin, end;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	for (int i = 0; i < passes; i++)
		for (size_t at = 0; at < COST_BYTES; at += 64)
			memory[at]++;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
	return (uint64_t)((end.tv_sec - begin.tv_sec) * 1000000000 + end.tv_nsec - begin.tv_nsec);
}

double cpu_samples_preempted(const struct cpu_samples *s)
{
	return s ? (double)s->preempted : 0;
}

double cpu_samples_cost(int well)
{
	struct cpu_samples *s = samples_open(0, COST_PERIOD_NS);
	uint8_t *memory = s ? mem_alloc(COST_BYTES) : NULL;
	uint64_t without = UINT64_MAX, with = UINT64_MAX, took, taken = 0;

	for (int i = 0; i < cost_work[well].rounds && s; i++) {
		took = work_ns(memory, cost_work[well].passes);
		without = took < without ? took : without;
		buffers_switch(s, PERF_EVENT_IOC_ENABLE);
		took = work_ns(memory, cost_work[well].passes);
		buffers_switch(s, PERF_EVENT_IOC_DISABLE);
		buffers_read(s, 0);
		if (took < with) {
			with = took;
			taken = s->samples;
		}
	}
	if (s)
		buffers_close(s);
	cpu_samples_free(s);
	free(memory);
	return taken && with > without ? (double)(with - without) / (double)taken : 0;
}

void cpu_samples_free(struct cpu_samples *s)
{
	if (!s)
		return;
	free(s->process);
	free(s->out);
	free(s);
}
