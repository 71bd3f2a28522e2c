/* select_requests.c: the pipe for requests of tables of selected functions, and the thread that serves it. */
#include "cmd/record/requests/select_requests.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyze/base/base.h"
#include "cmd/record/requests/run_pipe.h"
#include "cmd/record/options/selection.h"
#include "cmd/shared/message.h"
#include "convert/code/select.h"
#include "convert/code/select_request.h"

struct select_requests {
	struct run_pipe pipe;
	char *directory;
	struct select *select;
	const char *patch;
	int patched;
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
	struct pollfd p = {.fd = r->pipe.fd, .events = POLLIN};
	ssize_t n;

	do {
		poll(&p, 1, -1);
		n = read(r->pipe.fd, r->bytes + r->n, sizeof(r->bytes) - r->n);
		r->n += n > 0 ? (size_t)n : 0;
	} while (requests_read(r));
	return NULL;
}

static void release(struct select_requests *r)
{
	select_free(r->select);
	free(r->directory);
	free(r);
}

struct select_requests *select_requests_begin(const char *directory, struct select *s,
					      const char *patch)
{
	struct select_requests *r = mem_alloc(sizeof(*r));
	int error;

	r->directory = mem_string(directory);
	r->select = s;
	r->patch = patch;
	r->patched = select_patched(s) > 0;
	if (run_pipe_begin(&r->pipe, directory, "selects", "TAU_RECORD_SELECT_ASK", serve, r) == 0)
		return r;
	error = errno;
	release(r);
	errno = error;
	return NULL;
}

void select_requests_end(struct select_requests *r, const struct target *t)
{
	char last[64];

	if (!r)
		return;
	run_pipe_end(&r->pipe, last, select_request_last(last));
	if (r->patch && !r->patched && job_speaks())
		text_printf(
			stderr,
			"tau-record: --patch: %s, its libraries and the programs that it started "
			"have no patchable function named '%s'. Build with "
			"-fpatchable-function-entry=5, -pg -mfentry or -fxray-instrument, and do "
			"not strip it\n",
			t->path, r->patch);
	release(r);
}
