/* db_jobs.c: starts a process for each run, and lets them store one after the other. */
#include "cmd/db/db_jobs.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* A run, and the parent's end of a socket: a byte lets it store, its end stops it; a struct
 * job_failure may come back. */
struct db_worker {
	pid_t pid;
	int socket;
};

static int turn = -1; /* in a child: its end of the socket */
static int waits;     /* for its turn */

void jobs_turn(void)
{
	ssize_t n;
	char c;

	if (!waits)
		return;
	do
		n = read(turn, &c, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(0);
	waits = 0;
}

/* In the child: does not return. */
static void work(const struct jobs *jobs, size_t i)
{
	struct job_failure f = {0};
	int code = jobs->one(jobs->to, i, &f);

	jobs_turn();
	if ((fflush(stdout) || ferror(stdout)) && !code) {
		code = error_set(&f.e, ERROR_SYSTEM, "standard output: %s", strerror(errno));
		f.last = 1;
	}
	fflush(NULL);
	if (code < 0 && send(turn, &f, sizeof(f), MSG_NOSIGNAL) != sizeof(f))
		_exit(2);
	_exit(code < 0);
}

static int start(const struct jobs *jobs, struct db_worker *job, size_t i, struct error *e)
{
	pid_t parent = getpid();
	struct db_worker *j = &job[i];
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return error_set(e, ERROR_SYSTEM, "socketpair: %s", strerror(errno));
	fflush(NULL);
	j->pid = fork();
	if (j->pid < 0) {
		close(ends[0]);
		close(ends[1]);
		return error_set(e, ERROR_SYSTEM, "fork: %s", strerror(errno));
	}
	if (j->pid == 0) {
		/* Otherwise the end of the parent would not close the sockets of the others. */
		for (size_t k = 0; k < i; k++)
			if (job[k].pid)
				close(job[k].socket);
		close(ends[0]);
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() != parent)
			_exit(128 + SIGTERM);
		turn = ends[1];
		waits = 1;
		work(jobs, i);
	}
	close(ends[1]);
	j->socket = ends[0];
	return 0;
}

/* Lets a run store, or stops it, and waits for its end. 0, or how it failed. */
static int finish(struct db_worker *j, int let, struct job_failure *f)
{
	int status, failed;

	*f = (struct job_failure){0};
	if (let)
		send(j->socket, "", 1, MSG_NOSIGNAL);
	else
		shutdown(j->socket, SHUT_RDWR);
	failed = let && recv(j->socket, f, sizeof(*f), MSG_WAITALL) == sizeof(*f);
	close(j->socket);
	while (waitpid(j->pid, &status, 0) < 0 && errno == EINTR)
		;
	j->pid = 0;
	if (failed || !let)
		return failed;
	*f = (struct job_failure){0};
	if (WIFSIGNALED(status))
		f->signal = WTERMSIG(status);
	else if (WEXITSTATUS(status))
		error_set(&f->e, ERROR_SYSTEM, "the import ended with status %d",
			  WEXITSTATUS(status));
	return WIFSIGNALED(status) || WEXITSTATUS(status);
}

int jobs_run(const struct jobs *jobs, size_t n, size_t at_once, struct error *e)
{
	struct db_worker *job = mem_alloc(n * sizeof(*job));
	struct job_failure f = {0};
	size_t started = 0;
	int code = 0;

	for (size_t i = 0; code == 0 && !f.last && i < n; i++) {
		for (; code == 0 && started < n && started < i + at_once; started++)
			code = start(jobs, job, started, e);
		if (code == 0 && finish(&job[i], 1, &f))
			jobs->failed(jobs->to, i, &f);
	}
	for (size_t i = 0; i < started; i++)
		if (job[i].pid > 0)
			finish(&job[i], 0, &f);
	free(job);
	return code;
}
