/* dump_requests.c: the pipe for requests of profiles, and the process that serves it. */
#include "cmd/record/requests/dump_requests.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmd/record/requests/dump_writer.h"
#include "cmd/record/requests/run_pipe.h"
#include "cmd/shared/message.h"
#include "convert/native/live/dump_request.h"

#define PIPE_SIZE (1 << 20)

struct dump_requests {
	struct run_pipe pipe;
	struct dump_writer writer;
	uint64_t every_ns, next_ns;	/* by CLOCK_MONOTONIC; 0: no snapshots at an interval */
	unsigned long long ticks;	/* intervals that are over */
	int over;			/* there are no more requests */
	char *bytes;			/* received, not read yet */
	size_t bytes_n, bytes_cap;
	struct dump_request *dump;		/* that wait */
	size_t dump_n, dump_cap;
	struct dump_request *process;		/* the first request of each process */
	size_t process_n, process_cap;
};

/* ---- messages ---- */

static void process_add(struct dump_requests *r, const struct dump_request *d)
{
	for (size_t i = 0; i < r->process_n; i++)
		if (r->process[i].head.process_id == d->head.process_id)
			return;
	*array_add(r, process) = dump_request_copy(d);
}

static void request_receive(struct dump_requests *r, const struct dump_request *d)
{
	if (d->head.kind == TAU_DUMP_END) {
		r->over = 1;
		return;
	}
	process_add(r, d);
	if (d->head.kind != TAU_DUMP_BEGIN)
		*array_add(r, dump) = dump_request_copy(d);
}

/* All messages that are complete. A damaged one takes those after it along. */
static void messages_read(struct dump_requests *r)
{
	struct dump_request d;
	size_t at = 0;
	int size;

	while ((size = dump_request_read(r->bytes + at, r->bytes_n - at, &d)) > 0) {
		request_receive(r, &d);
		dump_request_release(&d);
		at += (size_t)size;
	}
	if (size < 0) {
		message_print("tau-record", "%s: a request is damaged and ignored", r->pipe.path);
		at = r->bytes_n;
	}
	r->bytes_n -= at;
	memmove(r->bytes, r->bytes + at, r->bytes_n);
}

/* Takes what is there. */
static void receive(struct dump_requests *r)
{
	char part[4096];
	ssize_t n;

	while ((n = read(r->pipe.fd, part, sizeof(part))) > 0) {
		for (ssize_t i = 0; i < n; i++)
			*array_add(r, bytes) = part[i];
		messages_read(r);
	}
}

/* ---- the process that writes ---- */

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* A snapshot of a process up to now that it did not request. */
static char all_regions[] = "";

static struct dump_request own_snapshot(const struct dump_request *process, char *name, int series)
{
	struct dump_request d = {.head = process->head,
			 .files = process->files,
			 .directory = process->directory,
			 .name = name,
			 .regions = all_regions,
			 .series = series};

	d.head.kind = TAU_DUMP_SNAPSHOT;
	d.head.thread = TAU_DUMP_ALL;
	d.head.tick = DUMP_NOW;
	d.head.real_ns = now_ns(CLOCK_REALTIME);
	return d;
}

/* Requests that wait, those of one process at a time. */
static void write_waiting(struct dump_requests *r)
{
	for (size_t p = 0; p < r->process_n && r->dump_n; p++) {
		struct dump_request *some = mem_resize(NULL, r->dump_n, sizeof(*some));
		size_t n = 0;

		for (size_t i = 0; i < r->dump_n; i++)
			if (r->dump[i].head.process_id == r->process[p].head.process_id)
				some[n++] = r->dump[i];
		if (n)
			dump_write(&r->writer, some, n);
		free(some);
	}
	for (size_t i = 0; i < r->dump_n; i++)
		dump_request_release(&r->dump[i]);
	r->dump_n = 0;
}

/* The interval is over. What took longer than it is not made up for. */
static void write_regular(struct dump_requests *r)
{
	uint64_t now = now_ns(CLOCK_MONOTONIC);
	char *name;

	if (!r->every_ns || r->over || now < r->next_ns)
		return;
	name = mem_printf("interval %llu", ++r->ticks);
	for (size_t i = 0; i < r->process_n; i++) {
		struct dump_request d = own_snapshot(&r->process[i], name, 0);

		if (kill((pid_t)d.head.pid, 0) == 0)
			dump_write(&r->writer, &d, 1);
	}
	free(name);
	r->next_ns += (now_ns(CLOCK_MONOTONIC) - r->next_ns) / r->every_ns * r->every_ns +
		      r->every_ns;
}

static void write_final(struct dump_requests *r)
{
	static char name[] = "final";

	for (size_t i = 0; i < r->process_n; i++) {
		struct dump_request d = own_snapshot(&r->process[i], name, 1);

		for (size_t k = 0; k < r->writer.series_n; k++)
			if (r->writer.series[k]->process_id == d.head.process_id) {
				dump_write(&r->writer, &d, 1);
				break;
			}
	}
}

static int poll_ms(const struct dump_requests *r)
{
	uint64_t now = now_ns(CLOCK_MONOTONIC), left;

	if (!r->every_ns)
		return -1;
	left = r->next_ns > now ? (r->next_ns - now) / 1000000 + 1 : 0;
	return left < 1000000 ? (int)left : 1000000;
}

static void serve(struct dump_requests *r)
{
	struct pollfd p = {.fd = r->pipe.fd, .events = POLLIN};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	r->next_ns = now_ns(CLOCK_MONOTONIC) + r->every_ns;
	for (;;) {
		write_waiting(r);
		write_regular(r);
		if (r->over)
			break;
		poll(&p, 1, poll_ms(r));
		receive(r);
	}
	write_final(r);
	fflush(NULL);
}

/* ---- in tau-record itself ---- */

/* Waits for the first request, and then for the process that serves it: that one ends when the thread that made it does. */
static void *wait_for_first(void *of)
{
	struct dump_requests *r = of;
	struct pollfd p = {.fd = r->pipe.fd, .events = POLLIN};
	int status = 0;
	pid_t pid;

	while (!r->over && !r->process_n) {
		poll(&p, 1, -1);
		receive(r);
	}
	if (!r->process_n)
		return NULL;
	pid = fork();
	if (pid == 0) {
		serve(r);
		_exit(0);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid < 0 || status)
		message_print("tau-record", "%s: profiles and snapshots were not written: %s",
			      r->pipe.path, pid < 0 ? "no process" : "their writer ended early");
	return NULL;
}

static void release(struct dump_requests *r)
{
	for (size_t i = 0; i < r->process_n; i++)
		dump_request_release(&r->process[i]);
	for (size_t i = 0; i < r->dump_n; i++)
		dump_request_release(&r->dump[i]);
	free(r->process);
	free(r->dump);
	free(r->bytes);
	dump_writer_release(&r->writer);
	free(r);
}

struct dump_requests *dump_requests_begin(const char *run, const struct job *job, uint64_t every_ns,
					  int verbose)
{
	struct dump_requests *r = mem_alloc(sizeof(*r));

	r->writer.run = mem_string(run);
	r->writer.node = job->rank > 0 ? (int32_t)job->rank : 0;
	r->every_ns = every_ns;
	r->writer.verbose = verbose;
	if (run_pipe_begin(&r->pipe, run, "requests", "TAU_RECORD_REQUESTS", wait_for_first,
			   r) < 0) {
		release(r);
		return NULL;
	}
	fcntl(r->pipe.fd, F_SETPIPE_SZ, PIPE_SIZE);
	return r;
}

void dump_requests_end(struct dump_requests *r)
{
	const struct tau_dump_request end = {.size = sizeof(end), .kind = TAU_DUMP_END};

	if (!r)
		return;
	run_pipe_end(&r->pipe, &end, sizeof(end));
	release(r);
}
