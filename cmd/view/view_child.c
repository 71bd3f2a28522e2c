/* view_child.c: starts a program with its output in a pipe and its messages in a file without a name. */
#include "cmd/view/view_child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* In the child. Signals that this program holds back end it. */
static void become(const char *program, char *const *argv, uint64_t memory, int out, int errors)
{
	const struct rlimit limit = {memory, memory};
	int none = open("/dev/null", O_RDONLY);
	sigset_t all;

	setpgid(0, 0);
	sigemptyset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	if (none < 0 || dup2(none, 0) < 0 || dup2(out, 1) < 0 || dup2(errors, 2) < 0)
		_exit(4);
	setrlimit(RLIMIT_DATA, &limit);
	execv(program, argv);
	dprintf(2, "tau-view: %s: %s\n", program, strerror(errno));
	_exit(4);
}

int view_child_start(const char *program, char *const *argv, uint64_t memory,
		     struct http_answer *out, struct error *e)
{
	int both[2] = {-1, -1}, errors = memfd_create("errors", MFD_CLOEXEC);
	pid_t pid = -1;

	if (errors >= 0 && pipe2(both, O_CLOEXEC) == 0)
		pid = fork();
	if (!pid)
		become(program, argv, memory, both[1], errors);
	if (both[1] >= 0)
		close(both[1]);
	if (pid > 0) {
		setpgid(pid, pid);
		fcntl(both[0], F_SETFL, O_NONBLOCK);
		out->child = pid;
		out->from = both[0];
		out->errors = errors;
		return 0;
	}
	error_set(e, ERROR_SYSTEM, "%s cannot be started: %s", program, strerror(errno));
	if (both[0] >= 0)
		close(both[0]);
	if (errors >= 0)
		close(errors);
	return e->code;
}
