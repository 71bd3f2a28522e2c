/*
 * calls.c: functions of the C library that are a system call, or data of the process. Compiled one
 * by one: a library of the recorder gets those that it calls, and none that it defines itself for
 * the program.
 */
#include "record/own/own.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#ifdef CALL_mmap
void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
	return (void *)system_call(SYS_mmap, at, n, protection, flags, fd, offset);
}
#endif
#ifdef CALL_munmap
int munmap(void *at, size_t n)
{
	return (int)system_call(SYS_munmap, at, n);
}
#endif
#ifdef CALL_mprotect
int mprotect(void *at, size_t n, int protection)
{
	return (int)system_call(SYS_mprotect, at, n, protection);
}
#endif
#ifdef CALL_madvise
int madvise(void *at, size_t n, int advice)
{
	return (int)system_call(SYS_madvise, at, n, advice);
}
#endif
#ifdef CALL_fstat
int fstat(int fd, struct stat *out)
{
	return (int)system_call(SYS_fstat, fd, out);
}
#endif
#ifdef CALL_ioctl
int ioctl(int fd, unsigned long request, ...)
{
	__builtin_va_list more;
	void *argument;

	__builtin_va_start(more, request);
	argument = __builtin_va_arg(more, void *);
	__builtin_va_end(more);
	return (int)system_call(SYS_ioctl, fd, request, argument);
}
#endif
#ifdef CALL_readlink
ssize_t readlink(const char *restrict path, char *restrict out, size_t n)
{
	return system_call(SYS_readlinkat, -100 /* AT_FDCWD */, path, out, n);
}
#endif
#ifdef CALL_access
int access(const char *path, int mode)
{
	return (int)system_call(SYS_faccessat, -100 /* AT_FDCWD */, path, mode);
}
#endif
#ifdef CALL_statfs
int statfs(const char *path, struct statfs *out)
{
	return (int)system_call(SYS_statfs, path, out);
}
#endif
#ifdef CALL_uname
int uname(struct utsname *out)
{
	return (int)system_call(SYS_uname, out);
}
#endif
#ifdef CALL_getrusage
int getrusage(__rusage_who_t who, struct rusage *out)
{
	return (int)system_call(SYS_getrusage, who, out);
}
#endif
#ifdef CALL_getrlimit
int getrlimit(__rlimit_resource_t which, struct rlimit *out)
{
	return (int)system_call(SYS_prlimit64, 0, which, NULL, out);
}
#endif
#ifdef CALL_getpid
pid_t getpid(void)
{
	return (pid_t)system_call(SYS_getpid);
}
#endif
#ifdef CALL_getppid
pid_t getppid(void)
{
	return (pid_t)system_call(SYS_getppid);
}
#endif
#ifdef CALL_gettid
pid_t gettid(void)
{
	return (pid_t)system_call(SYS_gettid);
}
#endif
#ifdef CALL_geteuid
uid_t geteuid(void)
{
	return (uid_t)system_call(SYS_geteuid);
}
#endif
#ifdef CALL_getrandom
ssize_t getrandom(void *out, size_t n, unsigned flags)
{
	return system_call(SYS_getrandom, out, n, flags);
}
#endif
#ifdef CALL_getcwd
char *getcwd(char *out, size_t n)
{
	return system_call(SYS_getcwd, out, n) > 0 && *out == '/' ? out : NULL;
}
#endif
#ifdef CALL_sched_yield
int sched_yield(void)
{
	return (int)system_call(SYS_sched_yield);
}
#endif
#ifdef CALL_sched_getaffinity
int sched_getaffinity(pid_t pid, size_t n, cpu_set_t *out)
{
	long got = system_call(SYS_sched_getaffinity, pid, n, out);

	if (got < 0)
		return -1;
	memset((char *)out + got, 0, n - (size_t)got);
	return 0;
}
#endif
#ifdef CALL___sched_cpucount
int __sched_cpucount(size_t n, const cpu_set_t *set)
{
	int count = 0;

	for (size_t i = 0; i < n / sizeof(set->__bits[0]); i++)
		for (unsigned long bits = set->__bits[i]; bits; bits &= bits - 1)
			count++;
	return count;
}
#endif
#ifdef CALL_process_vm_readv
ssize_t process_vm_readv(pid_t pid, const struct iovec *to, unsigned long to_n,
			 const struct iovec *from, unsigned long from_n, unsigned long flags)
{
	return system_call(SYS_process_vm_readv, pid, to, to_n, from, from_n, flags);
}
#endif
#ifdef CALL_raise
int raise(int number)
{
	return (int)system_call(SYS_tgkill, system_call(SYS_getpid), system_call(SYS_gettid),
				number);
}
#endif
#ifdef CALL_sigtimedwait
int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info,
		 const struct timespec *restrict time)
{
	return (int)system_call(SYS_rt_sigtimedwait, set, info, time, 8L);
}
#endif
#ifdef CALL_sigaltstack
int sigaltstack(const stack_t *restrict stack, stack_t *restrict old)
{
	return (int)system_call(SYS_sigaltstack, stack, old);
}
#endif
#ifdef CALL_nanosleep
int nanosleep(const struct timespec *time, struct timespec *left)
{
	return (int)system_call(SYS_nanosleep, time, left);
}
#endif
#ifdef CALL__Exit
void _Exit(int status)
{
	for (;;)
		system_call(SYS_exit_group, status);
}
#endif

/* ---- data ---- */

#ifdef CALL_getenv
char *getenv(const char *name)
{
	size_t n = strlen(name);

	for (char **e = environ; e && *e; e++)
		if (!strncmp(*e, name, n) && (*e)[n] == '=')
			return *e + n + 1;
	return NULL;
}
#endif
#ifdef CALL_sigemptyset
int sigemptyset(sigset_t *set)
{
	memset(set, 0, sizeof(*set));
	return 0;
}
#endif
#ifdef CALL_sigaddset
int sigaddset(sigset_t *set, int number)
{
	set->__val[(unsigned)(number - 1) / (8 * sizeof(long))] |=
		1ul << (unsigned)(number - 1) % (8 * sizeof(long));
	return 0;
}
#endif
#ifdef CALL_sigdelset
int sigdelset(sigset_t *set, int number)
{
	set->__val[(unsigned)(number - 1) / (8 * sizeof(long))] &=
		~(1ul << (unsigned)(number - 1) % (8 * sizeof(long)));
	return 0;
}
#endif
#ifdef CALL_sigismember
int sigismember(const sigset_t *set, int number)
{
	return set->__val[(unsigned)(number - 1) / (8 * sizeof(long))] >>
		       (unsigned)(number - 1) % (8 * sizeof(long)) &
	       1;
}
#endif
