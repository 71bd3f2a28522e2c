/* select_requests.c: the pipe for requests of tables of selected functions, and the thread that serves it. */
#include "cmd/record/select_requests.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyze/base/base.h"
#include "cmd/record/selection.h"
#include "convert/code/select.h"
#include "convert/code/select_request.h"

struct select_requests {
	char *directory, *path;
	struct select *select;
	const char *patch;
	int fd, patched;
	pthread_t thread;
	size_t n; /* bytes that were received and not read yet */
	char bytes[65536];
};

/* A process of its own reads the module, which another user may have made. Its exit status is 1 if functions are to be patched. */
static void answer(struct select_requests *r, const struct select_request *q)
{
	struct error e = {0};
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		size_t before = select_patched(r->select);

		selection_add(r->directory, r->select, q->path, q->number, &e);
		_exit(select_patched(r->select) > before);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 1)
		r->patched = 1;
}

/* Answers all requests that are complete. A damaged one takes those after it along. 0: the last one was there. */
static int requests_read(struct select_requests *r)
{
	struct select_request q;
	char path[SELECT_REQUEST_MOST];
	size_t at = 0;
	int size, more = 1;

	while (more && (size = select_request_read(r->bytes + at, r->n - at, &q, path)) > 0) {
		at += (size_t)size;
		more = *q.path != 0;
		if (more)
			answer(r, &q);
	}
	if (size < 0)
		at = r->n;
	r->n -= at;
	memmove(r->bytes, r->bytes + at, r->n);
	return more;
}

static void *serve(void *of)
{
	struct select_requests *r = of;
	struct pollfd p = {.fd = r->fd, .events = POLLIN};
	ssize_t n;

	do {
		poll(&p, 1, -1);
		n = read(r->fd, r->bytes + r->n, sizeof(r->bytes) - r->n);
		r->n += n > 0 ? (size_t)n : 0;
	} while (requests_read(r));
	return NULL;
}

static void release(struct select_requests *r)
{
	if (r->fd >= 0)
		close(r->fd);
	select_free(r->select);
	free(r->directory);
	free(r->path);
	free(r);
}

struct select_requests *select_requests_begin(const char *directory, struct select *s,
					      const char *patch)
{
	struct select_requests *r = mem_alloc(sizeof(*r));
	struct utsname host;
	int error;

	uname(&host);
	r->directory = mem_string(directory);
	r->select = s;
	r->patch = patch;
	r->patched = select_patched(s) > 0;
	r->path = mem_printf("%s/.selects.%.64s.%ld", directory, host.nodename, (long)getpid());
	r->fd = mkfifo(r->path, 0600) < 0
			? -1
			: open(r->path, O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	if (r->fd < 0 || (errno = pthread_create(&r->thread, NULL, serve, r))) {
		error = errno;
		unlink(r->path);
		release(r);
		unsetenv("TAU_RECORD_SELECT_ASK");
		errno = error;
		return NULL;
	}
	setenv("TAU_RECORD_SELECT_ASK", r->path, 1);
	return r;
}

void select_requests_end(struct select_requests *r, const struct target *t)
{
	char last[64];
	size_t n = select_request_last(last);
	struct pollfd p;

	if (!r)
		return;
	unlink(r->path);
	p = (struct pollfd){.fd = r->fd, .events = POLLOUT};
	while (write(r->fd, last, n) < 0 && errno == EAGAIN)
		poll(&p, 1, 100);
	pthread_join(r->thread, NULL);
	if (r->patch && !r->patched && job_speaks())
		fprintf(stderr,
			"tau-record: --patch: %s, its libraries and the programs that it started "
			"have no patchable function named '%s'. Build with "
			"-fpatchable-function-entry=5, -pg -mfentry or -fxray-instrument, and do "
			"not strip it\n",
			t->path, r->patch);
	release(r);
}
