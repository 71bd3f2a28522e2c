/* cpu_samples.c: tests of samples from outside: of work that comes in lumps, of threads that switch often. */
#include "cmd/record/cpu_samples.h"

#include <fcntl.h>
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

/* The samples of a child that does the work, all its processes added up; 0: they cannot be taken here. */
static struct cpu_sampled sampled(void (*work)(const char *), const char *path)
{
	struct cpu_sampled sum = {0};
	const struct cpu_sampled *v;
	struct cpu_samples *s;
	int go[2], rc = pipe(go);
	size_t n;
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
		cpu_samples_wait(s, child);
	waitpid(child, NULL, 0);
	v = cpu_samples_get(s, &n);
	for (size_t i = 0; i < n; i++) {
		sum.recorder += v[i].recorder;
		sum.all += v[i].all;
		sum.samples += v[i].samples;
	}
	return sum;
}

int main(void)
{
	char directory[] = "/tmp/cpu_samples.XXXXXX", path[64];
	struct cpu_sampled s;
	int fd;

	if (!mkdtemp(directory))
		return 1;
	snprintf(path, sizeof(path), "%s/libtau.so", directory);
	fd = open(path, O_CREAT | O_RDWR, 0700);
	if (fd < 0 || write(fd, count_down, sizeof(count_down)) < 0 || ftruncate(fd, 4096) < 0)
		return 1;
	close(fd);
	s = sampled(lumps, path);
	if (!s.samples) {
		skip("samples from outside", "the kernel does not permit them");
	} else {
		double share = (double)s.recorder / (double)s.all;

		ok(s.samples >= 400, "400 ms of CPU time: %ju samples, at least 400", (uintmax_t)s.samples);
		ok(share > 0.5 && share < 0.7, "lumps of 24 of 40 ms are the recorder's: %.3f", share);
		s = sampled(turns, path);
		ok(s.all > 4 * s.samples, "processes that switch often are left alone most of the time: %ju of %ju",
		   (uintmax_t)s.samples, (uintmax_t)s.all);
	}
	unlink(path);
	rmdir(directory);
	return tap_end();
}
