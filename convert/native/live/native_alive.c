/*
 * native_alive.c: finds whether any process still writes a stream.
 *
 * The kernel grants a lease for reading only if no process has the file open for writing, which a writable mapping implies. This
 * holds for processes in containers, too, but not on all file systems: NFS has no leases, and on overlayfs, as in containers, a
 * mapping belongs to the file below. There the process is searched by its number.
 */
#include "convert/native/live/native_alive.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analyze/base/base.h"
#include "convert/io/now.h"
#include "convert/native/file/native_chunks.h"
#include "convert/native/file/run_files.h"

#define FIRST_PID_NAMESPACE 0xeffffffcu	/* the inode of the namespace that the machine began with */

/* 0: the lease was granted and given back; 1: the file is open for writing; -1: this file system has no leases. */
static int lease_try(int fd)
{
	/* If the lease is broken before it is given back: a signal that does nothing, not SIGIO. */
	if (fcntl(fd, F_SETSIG, SIGURG) < 0 || fcntl(fd, F_SETLEASE, F_RDLCK) < 0)
		return errno == EAGAIN ? 1 : -1;
	fcntl(fd, F_SETLEASE, F_UNLCK);
	return 0;
}

int native_alive_maps(int live)
{
	return lease_try(live) == 1;
}

#define MAKING_S 1

/* The writer is searched before the bytes: one that has closed the file has written them, or never will. */
int native_alive_makes(int trace)
{
	int lease = lease_try(trace);
	struct timespec now;
	struct stat st;

	if (fstat(trace, &st))
		return 0;
	if (st.st_size)
		return -1;
	clock_gettime(CLOCK_REALTIME, &now);
	return lease > 0 || (lease < 0 && now.tv_sec - st.st_mtim.tv_sec <= MAKING_S);
}

/* Does a mapping refuse a lease here? Tried with a file of our own, which is mapped and not open. */
static int leases_see_mappings(int at)
{
	struct timespec t;
	size_t size = 4096;
	void *p = MAP_FAILED;
	char *name;
	int fd, see = 0;

	clock_gettime(CLOCK_MONOTONIC, &t);
	name = mem_printf(".seal.%ld.%ld", (long)getpid(), t.tv_nsec);
	fd = openat(at, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd >= 0) {
		p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		close(fd);
		fd = p == MAP_FAILED ? -1 : run_file_open(at, name, O_RDONLY | O_NONBLOCK);
		see = fd >= 0 && lease_try(fd) == 1;
		unlinkat(at, name, 0);
	}
	if (fd >= 0)
		close(fd);
	if (p != MAP_FAILED)
		munmap(p, size);
	free(name);
	return see;
}

/*
 * Are all processes that may write in the directory in /proc? Those of other containers are not, but they do not share the file
 * system of our root.
 */
static int sees_all(int at)
{
	struct stat own, here, root;

	if (stat("/proc/self/ns/pid", &own))
		return 0;
	return own.st_ino == FIRST_PID_NAMESPACE ||
	       (!fstat(at, &here) && !stat("/", &root) && here.st_dev == root.st_dev);
}

/* The number of a process of /proc in its own PID namespace, as the last of "NSpid: 4711 12"; 0: unknown. */
static uint32_t own_number(const char *process)
{
	char *path = mem_printf("/proc/%s/status", process), line[400];
	FILE *f = fopen(path, "re");
	unsigned long number = 0;

	while (f && !number && fgets(line, sizeof(line), f)) {
		char *last = strncmp(line, "NSpid:", 6) ? NULL : strrchr(line, '\t');

		if (last)
			number = strtoul(last, NULL, 10);
	}
	if (f)
		fclose(f);
	free(path);
	return (uint32_t)number;
}

/* The numbers of all processes in /proc, each in its own PID namespace: -1 if it cannot be read. */
static int numbers_read(struct native_alive *a)
{
	DIR *d = opendir("/proc");
	struct dirent *e;

	if (!d)
		return -1;
	a->seen_ns = now_ns();
	while ((e = readdir(d)))
		if (isdigit((unsigned char)*e->d_name))
			*array_add(a, number) = own_number(e->d_name);
	closedir(d);
	return 0;
}

/*
 * The number may meanwhile, or in another namespace, be that of another process: then the stream counts as being written, as if its
 * chunk was begun after the numbers were read: its process may have begun later, too.
 */
static int is_gone(struct native_alive *a, int live, uint64_t at, uint32_t pid)
{
	struct tau_live_header l;

	if (!pid || !sees_all(a->at) || !(kill((pid_t)pid, 0) < 0 && errno == ESRCH) ||
	    (!a->number_n && numbers_read(a)) || native_read_at(live, &l, sizeof(l), at) ||
	    l.sync_mono_ns >= (uint64_t)a->seen_ns)
		return 0;
	for (size_t i = 0; i < a->number_n; i++)
		if (a->number[i] == pid)
			return 0;
	return 1;
}

int native_alive(struct native_alive *a, int live, uint64_t at, uint32_t pid)
{
	int lease = lease_try(live);

	if (lease == 0 && !a->leases)
		a->leases = leases_see_mappings(a->at) ? 1 : -1;
	if (lease > 0 || (lease == 0 && a->leases > 0))
		return lease > 0;
	return !is_gone(a, live, at, pid);
}

void native_alive_release(struct native_alive *a)
{
	free(a->number);
}
