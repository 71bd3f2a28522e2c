/* alive.c: a live file that is open for writing or mapped has a writer; without leases, its process is searched by number. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "convert/native/live/native_alive.h"
#include "record/format.h"
#include "tap.h"

static char dir[] = "/tmp/tau-alive.XXXXXX";
static char path[100];

/* The number of a process that has ended. */
static uint32_t ended(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	return (uint32_t)pid;
}

/* Is this a container, and the directory not on its own file system? */
static int shared(int at)
{
	struct stat own, here, root;

	return !stat("/proc/self/ns/pid", &own) && own.st_ino != 0xeffffffcu && !fstat(at, &here) &&
	       !stat("/", &root) && here.st_dev != root.st_dev;
}

/* The live file has a chunk that was begun a second ago, or will be in an hour. */
static void live_write(int later)
{
	struct tau_live_header l = {.magic = TAU_LIVE_MAGIC};
	struct timespec t;
	FILE *f = fopen(path, "wb");

	clock_gettime(CLOCK_MONOTONIC, &t);
	l.sync_mono_ns = (uint64_t)(t.tv_sec + (later ? 3600 : -1)) * 1000000000;
	if (!f || fwrite(&l, sizeof(l), 1, f) != 1 || fclose(f))
		exit(1);
}

static void test_mapped(struct native_alive a)
{
	uint32_t gone = ended(), here = (uint32_t)getpid();
	int fd, live;
	void *p;

	live_write(0);
	fd = open(path, O_RDWR);
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	live = open(path, O_RDONLY);
	ok(p != MAP_FAILED && live >= 0, "a file is mapped");
	ok(native_alive_maps(live) && native_alive(&a, live, 0, here), "one that is open for writing has a writer");
	close(fd);
	ok(native_alive(&a, live, 0, here), "one that is mapped, too");
	munmap(p, 4096);
	ok(!native_alive_maps(live) && (shared(a.at) || !native_alive(&a, live, 0, gone)), "afterwards it has none");
	native_alive_release(&a);
	close(live);
}

static void test_number(struct native_alive a)
{
	uint32_t gone = ended();
	int live;

	live_write(0);
	live = open(path, O_RDONLY);
	a.leases = -1;
	ok(native_alive(&a, live, 0, (uint32_t)getpid()), "without leases, a process that runs may write");
	ok(native_alive(&a, live, 0, 0), "as may one without a number");
	if (shared(a.at))
		skip("one that has ended may not", "other containers may use /tmp");
	else
		ok(!native_alive(&a, live, 0, gone) && a.number_n, "one that has ended may not");
	live_write(1);
	ok(native_alive(&a, live, 0, gone), "unless the chunk was begun since");
	native_alive_release(&a);
	close(live);
}

int main(void)
{
	struct native_alive a = {0};
	char command[100];

	if (!mkdtemp(dir))
		return 1;
	snprintf(path, sizeof(path), "%s/x.live", dir);
	a.at = open(dir, O_RDONLY | O_DIRECTORY);
	test_mapped(a);
	test_number(a);
	close(a.at);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command) ? 1 : tap_end();
}
