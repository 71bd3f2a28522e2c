/*
 * paused.c: runs a program and stops it before each system call that makes, writes, renames or removes a file; a command is
 * executed meanwhile. Started by paused.sh:
 *
 *   paused COMMAND PROGRAM ARGUMENTS...
 *
 * All threads and processes that the program starts are followed; one is stopped at a time, the others go on. Writes "STOPS N" at
 * the end, and the exit status is the program's; 3: no process may be traced here. A command that fails is written with the stop.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define OPTIONS                                                                                     \
	(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |   \
	 PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL)

struct names {
	long number;
	const char *name;
};

/* Of files; a write is of interest only if it is not to a standard stream. */
static const struct names calls[] = {
	{SYS_write, "write"},	      {SYS_pwrite64, "pwrite"},	    {SYS_ftruncate, "ftruncate"},
	{SYS_fallocate, "fallocate"}, {SYS_renameat2, "renameat2"}, {SYS_unlinkat, "unlinkat"},
	{SYS_symlinkat, "symlinkat"}, {SYS_linkat, "linkat"},	    {SYS_munmap, "munmap"},
};

static unsigned long stops;

static const char *name_of(pid_t pid)
{
	struct __ptrace_syscall_info info;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), &info) <= 0 ||
	    info.op != PTRACE_SYSCALL_INFO_ENTRY)
		return NULL;
	if (info.entry.nr == SYS_write && info.entry.args[0] < 3)
		return NULL;
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (calls[i].number == (long)info.entry.nr)
			return calls[i].name;
	return NULL;
}

static void stopped(pid_t pid, const char *command)
{
	const char *name = name_of(pid);

	if (!name)
		return;
	stops++;
	if (system(command))
		printf("process %d, stop %lu, before %s\n", (int)pid, stops, name);
	fflush(stdout);
}

/* The signal to go on with. */
static int signal_of(int status)
{
	int signal = WSTOPSIG(status);

	if (signal == (SIGTRAP | 0x80) || status >> 16 || signal == SIGSTOP)
		return 0;
	return signal;
}

int main(int argc, char **argv)
{
	int status, result = 1;
	pid_t first = fork(), pid;

	if (argc < 3 || first < 0)
		return 2;
	if (!first) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			_exit(3);
		raise(SIGSTOP);
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (waitpid(first, &status, 0) < 0 || !WIFSTOPPED(status))
		return 3;
	ptrace(PTRACE_SETOPTIONS, first, NULL, OPTIONS);
	ptrace(PTRACE_SYSCALL, first, NULL, NULL);
	while ((pid = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR) {
		if (pid < 0)
			continue;
		if (!WIFSTOPPED(status)) {
			if (pid == first)
				result = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
			continue;
		}
		if (WSTOPSIG(status) == (SIGTRAP | 0x80))
			stopped(pid, argv[1]);
		ptrace(PTRACE_SYSCALL, pid, NULL, (void *)(long)signal_of(status));
	}
	printf("STOPS %lu\n", stops);
	return result;
}
