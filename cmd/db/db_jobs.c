/* db_jobs.c: starts a process for each run, and lets them store one after the other. */
#include "cmd/db/db_jobs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* A run, and the parent's end of a socket: a byte lets it store, its end stops it; a struct error
 * may come back. */
struct job {
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

static int start(struct job *job, size_t i, int (*one)(void *to, size_t i, struct error *e),
		 void *to, struct error *e)
{
	struct job *j = &job[i];
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return error_set(e, ERROR_SYSTEM, "socketpair: %s", strerror(errno));
	fflush(NULL);
	j->pid = fork();
	if (j->pid < 0)
		return error_set(e, ERROR_SYSTEM, "fork: %s", strerror(errno));
	if (j->pid == 0) {
		struct error own = {0};
		int code;

		/* Otherwise the end of the parent would not close the sockets of the others. */
		for (size_t k = 0; k < i; k++)
			if (job[k].pid)
				close(job[k].socket);
		close(ends[0]);
		turn = ends[1];
		waits = 1;
		code = one(to, i, &own);
		jobs_turn();
		fflush(NULL);
		if (code < 0 && send(turn, &own, sizeof(own), MSG_NOSIGNAL) != sizeof(own))
			_exit(2);
		_exit(code < 0);
	}
	close(ends[1]);
	j->socket = ends[0];
	return 0;
}

/* Lets a run store, and waits for its end. */
static int finish(struct job *j, int let, struct error *e)
{
	struct error own;
	int status, code = 0;

	if (let)
		send(j->socket, "", 1, MSG_NOSIGNAL);
	else
		shutdown(j->socket, SHUT_RDWR);
	if (let && recv(j->socket, &own, sizeof(own), MSG_WAITALL) == sizeof(own)) {
		*e = own;
		code = own.code;
	}
	close(j->socket);
	while (waitpid(j->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (code == 0 && let && WIFSIGNALED(status))
		code = error_set(e, ERROR_SYSTEM, "an import was ended by signal %d",
				 WTERMSIG(status));
	else if (code == 0 && let && WEXITSTATUS(status))
		code = error_set(e, ERROR_SYSTEM, "an import ended with status %d",
				 WEXITSTATUS(status));
	j->pid = 0;
	return code;
}

int jobs_run(size_t n, size_t jobs, int (*one)(void *to, size_t i, struct error *e), void *to,
	     struct error *e)
{
	struct job *job = mem_alloc(n * sizeof(*job));
	size_t started = 0;
	int code = 0;

	for (size_t i = 0; code == 0 && i < n; i++) {
		for (; code == 0 && started < n && started < i + jobs; started++)
			code = start(job, started, one, to, e);
		if (code == 0)
			code = finish(&job[i], 1, e);
	}
	for (size_t i = 0; i < started; i++)
		if (job[i].pid > 0)
			finish(&job[i], 0, e);
	free(job);
	return code;
}
