/*
 * seccomp_probe.c: finds out whether the recorder may make its system calls here, by making each of them once in a child.
 *
 * A seccomp filter can end a process at a system call (then the program, recorded, would not do what it does alone) or refuse it
 * with an error (as those of containers do), which the recorder takes like any other error. Filters that the program puts
 * on later, or what it starts, are not ours to test: the recorder counts them, and records nothing where there are more.
 */
#include "cmd/record/doctor/seccomp_probe.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Calls that the recorder and its wrappers make for themselves. */
static const struct {
	const char *name;
	long number;
} calls[] = {
#define CALL(name) {#name, SYS_##name}
	CALL(openat), CALL(read), CALL(write), CALL(close), CALL(lseek), CALL(pread64),
	CALL(pwrite64), CALL(fcntl), CALL(fstat), CALL(newfstatat), CALL(fallocate),
	CALL(ftruncate), CALL(flock), CALL(unlinkat), CALL(linkat), CALL(renameat2),
	CALL(symlinkat), CALL(readlinkat), CALL(statfs), CALL(fstatfs), CALL(getcwd),
	CALL(mmap), CALL(munmap), CALL(mprotect), CALL(madvise), CALL(mremap), CALL(membarrier),
	CALL(process_vm_readv), CALL(getpid), CALL(getppid), CALL(gettid), CALL(uname),
	CALL(getrandom), CALL(getrusage), CALL(prlimit64), CALL(prctl), CALL(sched_yield),
	CALL(sched_getaffinity), CALL(futex), CALL(rt_sigaction), CALL(rt_sigprocmask),
	CALL(rt_sigtimedwait), CALL(sigaltstack), CALL(clock_gettime), CALL(timer_create),
	CALL(timer_settime), CALL(timer_delete), CALL(ioctl), CALL(clone), CALL(clone3),
	CALL(perf_event_open), CALL(memfd_create), CALL(sysinfo), CALL(rt_sigqueueinfo),
	CALL(rt_tgsigqueueinfo),
#if defined(__x86_64__)
	CALL(open), CALL(stat), CALL(unlink), CALL(link), CALL(rename), CALL(symlink),
	CALL(readlink), CALL(getrlimit),
#endif
};
#define CALLS ((int)(sizeof(calls) / sizeof(*calls)))

/* A number in /proc/self/status; -1: it is not there, or nothing is. */
static int status_number(const char *name, int *readable)
{
	char line[256];
	int value = -1;
	FILE *f = fopen("/proc/self/status", "re");

	*readable = f != NULL;
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, strlen(name)))
			value = (int)strtol(line + strlen(name), NULL, 10);
	if (f)
		fclose(f);
	return value;
}

/* Each call with arguments that are good for nothing. How far it came is in *at. */
static void try_calls(volatile int *at)
{
	for (; *at < CALLS; ++*at)
		syscall(calls[*at].number, -1l, 0l, 0l, 0l, 0l, 0l);
	_exit(0);
}

const char *seccomp_check(int trust)
{
	static char why[128], text[16];
	int readable, filters, mode = status_number("Seccomp:", &readable), status = 0;
	volatile int *at;
	pid_t child;

	filters = status_number("Seccomp_filters:", &readable);
	snprintf(text, sizeof(text), "%d", mode > 0 ? filters : 0);
	setenv("TAU_RECORD_SECCOMP", trust ? "trust" : readable ? text : "unknown", 1);
	if (mode <= 0 || trust)
		return NULL;
	at = mmap(NULL, sizeof(*at), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		return NULL;
	child = fork();
	if (child == 0)
		try_calls(at);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (child <= 0 || !WIFSIGNALED(status) || *at >= CALLS)
		return NULL;
	snprintf(why, sizeof(why),
		 "is under a seccomp filter that ends a process at the recorder's system call %s",
		 calls[*at].name);
	return why;
}

/* ---- processes under filters of their own ---- */

static char watched[PATH_MAX];

/*
 * The recorder in a process that it may not record opens the file, and does nothing else with it,
 * because a filter may refuse more. Programs that read the run meanwhile (grep -r, cp -r, a backup)
 * open the file, too, but then read the text in it. Equal events that follow each other become one,
 * so closing it is watched as well.
 */
int filtered_watch(const char *directory)
{
	static const char text[] = "tau-record notices here which processes are under a filter.\n";
	int fd, watch;

	snprintf(watched, sizeof(watched), "%s/.filtered.%ld", directory, (long)getpid());
	fd = open(watched, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return -1;
	/* A full disk: then any open counts. */
	if (write(fd, text, sizeof(text) - 1) < 0)
		errno = 0;
	close(fd);
	watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (watch >= 0 && inotify_add_watch(watch, watched, IN_OPEN | IN_ACCESS | IN_CLOSE) >= 0)
		setenv("TAU_RECORD_FILTERED", watched, 1);
	return watch;
}

int filtered_seen(int watch)
{
	_Alignas(struct inotify_event) char events[4096];
	size_t opened = 0, was_read = 0;
	ssize_t n;

	while (watch >= 0 && (n = read(watch, events, sizeof(events))) > 0)
		for (ssize_t at = 0; at < n;) {
			const struct inotify_event *e = (const struct inotify_event *)&events[at];

			opened += (e->mask & IN_OPEN) != 0;
			was_read += (e->mask & IN_ACCESS) != 0;
			at += (ssize_t)(sizeof(*e) + e->len);
		}
	if (watch >= 0)
		close(watch);
	unlink(watched);
	return opened > was_read;
}
