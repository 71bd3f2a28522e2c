/* run_pipe.c: pipes for messages of recorded processes. */
#include "cmd/record/requests/run_pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "analyze/base/base.h"

int run_pipe_begin(struct run_pipe *p, const char *run, const char *name, const char *variable,
		   void *(*serve)(void *of), void *of)
{
	struct utsname host;
	int error;

	uname(&host);
	p->path = mem_printf("%s/.%s.%.64s.%ld", run, name, host.nodename, (long)getpid());
	p->fd = mkfifo(p->path, 0600) < 0
			? -1
			: open(p->path, O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	error = errno;
	if (p->fd >= 0) {
		setenv(variable, p->path, 1);
		error = pthread_create(&p->thread, NULL, serve, of);
		if (!error)
			return 0;
		close(p->fd);
	}
	unsetenv(variable);
	unlink(p->path);
	free(p->path);
	*p = (struct run_pipe){.fd = -1};
	errno = error;
	return -1;
}

void run_pipe_end(struct run_pipe *p, const void *last, size_t n)
{
	struct pollfd full = {.fd = p->fd, .events = POLLOUT};
	int joined = 0;

	if (!p->path)
		return;
	unlink(p->path);
	/* A thread that ended early leaves a full pipe. */
	while (write(p->fd, last, n) < 0 && !joined) {
		poll(&full, 1, 100);
		joined = pthread_tryjoin_np(p->thread, NULL) == 0;
	}
	if (!joined)
		pthread_join(p->thread, NULL);
	close(p->fd);
	free(p->path);
	*p = (struct run_pipe){.fd = -1};
}
