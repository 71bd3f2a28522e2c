/*
 * cpu_samples.c: tests of samples from outside: of work that comes in lumps, of threads that switch often, and of the overhead that
 * they show.
 */
#include "cmd/record/launch/cpu_samples.h"
#include "cmd/record/summary/overhead.h"
#include "record/metadata.h"

#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tap.h"

/* Machine code of a function that counts its argument down to 0: dec, jump to it unless 0, return. */
static const unsigned char count_down[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3};

static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double wall_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

typedef void (*counter)(unsigned long);

static __attribute__((noinline)) void program_counts(unsigned long n)
{
	while (n-- > 0)
		__asm__ volatile("");
}

static void count_for(counter count, double ms)
{
	double end = cpu_ms() + ms;

	while (cpu_ms() < end)
		count(100000);
}

/* The recorder's code, from a file that is called like its library. */
static counter recorder_map(const char *path)
{
	int fd = open(path, O_RDONLY);
	void *p = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	counter count = NULL;

	close(fd);
	if (p != MAP_FAILED)
		memcpy(&count, &p, sizeof(p));
	return count;
}

/* 400 ms of CPU time: three fifths in the recorder, as ten lumps of 24 ms, with 16 ms of the program between them. */
static void lumps(const char *path)
{
	counter recorder = recorder_map(path);

	for (int i = 0; recorder && i < 10; i++) {
		count_for(recorder, 24);
		count_for(program_counts, 16);
	}
}

/* 3 s of CPU time, so that samples are taken a part of the time only; half of it is the recorder's. */
static void lasts(const char *path)
{
	counter recorder = recorder_map(path);

	for (int i = 0; recorder && i < 150; i++) {
		count_for(recorder, 10);
		count_for(program_counts, 10);
	}
}

static char messages_path[64];	/* a file that is called like the library of MPI */

/* Two processes on one processor: a quarter of each is in the recorder, a quarter in the library. */
static void polls(const char *path)
{
	cpu_set_t one;
	pid_t other;
	counter recorder, messages;
	int first = 0;

	CPU_ZERO(&one);
	if (!sched_getaffinity(0, sizeof(one), &one))
		while (first < CPU_SETSIZE - 1 && !CPU_ISSET(first, &one))
			first++;
	CPU_ZERO(&one);
	CPU_SET(first, &one);
	sched_setaffinity(0, sizeof(one), &one);
	other = fork();
	recorder = recorder_map(path);
	messages = recorder_map(messages_path);
	for (int i = 0; recorder && messages && i < 10; i++) {
		count_for(recorder, 10);
		count_for(messages, 10);
		count_for(program_counts, 20);
	}
	if (!other)
		_exit(0);
	waitpid(other, NULL, 0);
}

/* Two processes pass a byte to and fro, and sleep between. */
static void turns(const char *path)
{
	int a[2], b[2], more = 1, rc = pipe(a) | pipe(b);
	pid_t other = fork();
	char c = 0;

	recorder_map(path);
	for (int i = 0; !rc && more && i < 100000; i++)
		more = other ? write(a[1], &c, 1) == 1 && read(b[0], &c, 1) == 1
			     : read(a[0], &c, 1) == 1 && write(b[1], &c, 1) == 1;
	if (other)
		waitpid(other, NULL, 0);
}

static void count(void *times)
{
	++*(int *)times;
}

/* The samples of a child that does the work; NULL: they cannot be taken here. */
static struct cpu_samples *samples_of(void (*work)(const char *), const char *path, pid_t *pid)
{
	struct cpu_samples *s;
	int go[2], rc = pipe(go), times = 0;
	pid_t child = fork();
	char c;

	if (child == 0) {
		close(go[1]);
		rc = (int)read(go[0], &c, 1);
		work(path);
		_exit(rc != 0);
	}
	s = cpu_samples_start(child);
	close(go[0]);
	close(go[1]);
	if (s)
		cpu_samples_wait(s, child, count, &times);
	ok(!s || times > 0, "what looks at it meanwhile is called");
	waitpid(child, NULL, 0);
	*pid = child;
	return s;
}

/* Of all processes. */
static struct cpu_sampled sum_of(const struct cpu_samples *s)
{
	struct cpu_sampled sum = {0};
	size_t n;
	const struct cpu_sampled *v = cpu_samples_get(s, &n);

	for (size_t i = 0; i < n; i++) {
		sum.recorder += v[i].recorder;
		sum.messages += v[i].messages;
		sum.all += v[i].all;
		sum.samples += v[i].samples;
		sum.taken += v[i].taken;
		sum.kernel |= v[i].kernel;
	}
	return sum;
}

/* ---- the overhead of a process that used 400 ms, of which the samples have a part ---- */

static void overhead_test(const struct cpu_samples *s, pid_t pid)
{
	struct trace_attribute meta[] = {{.name = TAU_META_USER_TIME_US, .value = "390000"},
					 {.name = TAU_META_SYSTEM_TIME_US, .value = "10000"},
					 {.name = TAU_META_STARTING_TIME_NS, .value = "1000000"},
					 {.name = TAU_META_CALLS_NOT_WRITTEN, .value = "10000000"},
					 {.name = TAU_META_EMPTY_HOOKS_BARE_COST_PS, .value = "4000"}};
	struct trace_process p = {.pid = (uint32_t)pid, .meta = meta, .meta_n = 3};
	struct trace t = {.process = &p, .process_n = 1};
	struct cpu_sampled sum = sum_of(s);
	double share = (double)sum.recorder / (double)sum.all, cpu = 400e6, hidden = 40e6, cost;
	/* Who may not sample the kernel has the share of the time outside of it. */
	double seen = sum.kernel ? cpu : 390e6, expected;
	struct overhead o = overhead_of(&t, s);
	double sampling;

	/* Beside other programs, rounds with samples may be faster than those without. */
	for (int i = 0; i < 5 && o.sampling <= 0; i++)
		o = overhead_of(&t, s);
	sampling = o.sampling;
	cost = sampling / (double)sum.taken;
	ok(sum.taken >= sum.samples, "%ju samples were taken, %ju of them show where the time went",
	   (uintmax_t)sum.taken, (uintmax_t)sum.samples);
	ok(cost >= 100 && cost < 2e6, "a sample has a cost: %.0f ns", cost);
	expected = share * seen * (1 - sampling / cpu) + sampling;
	ok(o.added > 0.999 * expected && o.added < 1.001 * expected,
	   "added is the recorder's share of the rest, and the samples: %.0f of %.0f", o.added, cpu);
	ok(o.alone + o.added > 0.999 * cpu && o.alone + o.added < 1.001 * cpu, "the rest is the program's");
	o = overhead_of(&t, NULL);
	ok(o.sampling == 0 && o.added == 1e6, "without samples the start is all: %.0f", o.added);
	p.meta_n = 5;
	o = overhead_of(&t, s);
	cost = share * seen * (1 - o.sampling / cpu) + o.sampling - hidden;
	ok(o.added > cost - 1e4 && o.added < cost + 1e4,
	   "what calls take without the recorder is the program's: %.0f added, %.0f expected", o.added, cost);
}

/* Ranks that may poll while others record make the upper end higher. */
static void polling_test(const struct cpu_samples *s)
{
	struct trace_attribute meta[] = {{.name = TAU_META_USER_TIME_US, .value = "390000"},
					 {.name = TAU_META_SYSTEM_TIME_US, .value = "10000"}};
	struct trace_process p[2] = {{.meta = meta, .meta_n = 2}, {.meta = meta, .meta_n = 2}};
	struct trace t = {.process = p, .process_n = 2};
	struct cpu_sampled sum = sum_of(s);
	double share = (double)sum.messages / (double)sum.all, one, two;
	size_t n;
	const struct cpu_sampled *v = cpu_samples_get(s, &n);

	ok(n == 2, "two processes were sampled: %zu", n);
	if (n != 2)
		return;
	ok(share > 0.1 && share < 0.4, "a quarter is in the library of messages: %.3f", share);
	ok(cpu_samples_preempted(s) > 0, "on one processor they were preempted: %.0f", cpu_samples_preempted(s));
	p[0].pid = v[0].pid;
	p[1].pid = v[1].pid;
	two = overhead_of(&t, s).most / 2;
	t.process_n = 1;
	one = overhead_of(&t, s).most;
	ok(two > 1.1 * one, "one of two ranks may poll while the other one records: at most %.0f, of one rank %.0f", two, one);
}

int main(void)
{
	char directory[] = "/tmp/cpu_samples.XXXXXX", path[64];
	struct cpu_samples *samples;
	struct cpu_sampled s;
	pid_t pid;
	int fd, busy = 0;

	if (!mkdtemp(directory))
		return 1;
	snprintf(path, sizeof(path), "%s/libtau.so", directory);
	fd = open(path, O_CREAT | O_RDWR, 0700);
	if (fd < 0 || write(fd, count_down, sizeof(count_down)) < 0 || ftruncate(fd, 4096) < 0)
		return 1;
	close(fd);
	snprintf(messages_path, sizeof(messages_path), "%s/libmpi.so.40", directory);
	fd = open(messages_path, O_CREAT | O_RDWR, 0700);
	if (fd < 0 || write(fd, count_down, sizeof(count_down)) < 0 || ftruncate(fd, 4096) < 0)
		return 1;
	close(fd);
	samples = samples_of(lumps, path, &pid);
	s = sum_of(samples);
	/* Samples are taken a part of the time that passes: beside other programs there are fewer. */
	for (int i = 0; i < 10 && s.samples && s.samples < 300; i++) {
		double begin = wall_ms();

		cpu_samples_free(samples);
		samples = samples_of(lumps, path, &pid);
		s = sum_of(samples);
		busy = wall_ms() - begin > 600;
	}
	if (!s.samples) {
		skip("samples from outside", "the kernel does not permit them");
	} else {
		double share = (double)s.recorder / (double)s.all;

		if (busy && s.samples < 300) {
			skip("samples of 400 ms", "other programs have the processors");
		} else {
			ok(s.samples >= 300, "400 ms of CPU time: %ju samples, at least 300",
			   (uintmax_t)s.samples);
			ok(share > 0.5 && share < 0.7, "lumps of 24 of 40 ms are the recorder's: %.3f",
			   share);
		}
		overhead_test(samples, pid);
		cpu_samples_free(samples);
		samples = samples_of(lasts, path, &pid);
		s = sum_of(samples);
		share = (double)s.recorder / (double)s.all;
		ok(s.samples < 2500, "3 s of CPU time: %ju samples, fewer than 2500", (uintmax_t)s.samples);
		ok(share > 0.4 && share < 0.6, "half of it is the recorder's: %.3f", share);
		cpu_samples_free(samples);
		samples = samples_of(polls, path, &pid);
		polling_test(samples);
		cpu_samples_free(samples);
		samples = samples_of(turns, path, &pid);
		s = sum_of(samples);
		if (s.all)
			ok(s.all > 4 * s.samples, "processes that switch often are left alone most of the time: %ju of %ju",
			   (uintmax_t)s.samples, (uintmax_t)s.all);
		else
			skip("processes that switch often", "other programs have the processors");
	}
	cpu_samples_free(samples);
	unlink(path);
	unlink(messages_path);
	rmdir(directory);
	return tap_end();
}
