/* remote.c: starts a helper, and moves bytes to and from it. */
#include "cmd/monitor/remote.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_MS 300 /* for a helper whose streams are closed to end by itself */
#define READS_MOST  64	/* at a time, of a helper that writes without end */

extern char **environ;

static void pause_ms(long ms)
{
	nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

static void descriptor_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int spawn(struct remote *r, char *const argv[], const int child[3])
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t how;
	sigset_t none;
	int code;

	sigemptyset(&none);
	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&how);
	for (int i = 0; i < 3; i++)
		posix_spawn_file_actions_adddup2(&files, child[i], i);
	posix_spawnattr_setsigmask(&how, &none);
	posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK);
	code = posix_spawnp(&r->pid, argv[0], &files, &how, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&how);
	if (code)
		r->pid = 0;
	return code;
}

/* Its input is a socket, because writing to one that is closed needs no signal. */
int remote_start(struct remote *r, char *const argv[], struct error *e)
{
	int in[2] = {-1, -1}, out[2] = {-1, -1}, err[2] = {-1, -1}, code;

	*r = (struct remote){.to = -1, .from = -1, .err = -1};
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) < 0 ||
	    pipe2(out, O_CLOEXEC) < 0 || pipe2(err, O_CLOEXEC) < 0)
		code = errno;
	else
		code = spawn(r, argv, (int[]){in[1], out[1], err[1]});
	descriptor_close(&in[1]);
	descriptor_close(&out[1]);
	descriptor_close(&err[1]);
	r->to = in[0];
	r->from = out[0];
	r->err = err[0];
	if (code) {
		remote_end(r);
		return error_set(e, ERROR_SYSTEM, "%s cannot be started: %s", argv[0],
				 strerror(code));
	}
	fcntl(r->to, F_SETFL, O_NONBLOCK);
	fcntl(r->from, F_SETFL, O_NONBLOCK);
	fcntl(r->err, F_SETFL, O_NONBLOCK);
	return 0;
}

static void write_some(struct remote *r)
{
	while (r->out.v_n && r->to >= 0) {
		ssize_t n = send(r->to, r->out.v, r->out.v_n, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN)
			descriptor_close(&r->to);
		if (n <= 0)
			return;
		frame_drop(&r->out, (size_t)n);
	}
}

void remote_send(struct remote *r, enum frame_kind kind, const struct buffer *payload)
{
	frame_put(&r->out, kind, payload ? payload->v : NULL, payload ? payload->v_n : 0);
	write_some(r);
}

void remote_polls(const struct remote *r, struct pollfd p[REMOTE_POLLS])
{
	p[0] = (struct pollfd){.fd = r->from, .events = POLLIN};
	p[1] = (struct pollfd){.fd = r->err, .events = POLLIN};
	p[2] = (struct pollfd){.fd = r->out.v_n ? r->to : -1, .events = POLLOUT};
}

static void read_some(int *fd, struct buffer *to)
{
	for (int i = 0; i < READS_MOST && *fd >= 0; i++) {
		ssize_t n;

		put_reserve(to, 65536);
		n = read(*fd, to->v + to->v_n, to->v_cap - to->v_n);
		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0 || (n < 0 && errno != EAGAIN))
			descriptor_close(fd);
		if (n <= 0)
			return;
		to->v_n += (size_t)n;
	}
}

/* A line for people, of printable characters. */
static void line_copy(char *to, size_t size, const unsigned char *v, size_t n)
{
	size_t k = 0;

	for (; k < n && k + 1 < size; k++)
		to[k] = v[k] < ' ' || v[k] > '~' ? ' ' : (char)v[k];
	while (k && to[k - 1] == ' ')
		k--;
	to[k] = 0;
}

/* Keeps the last line that is not empty. */
static void errors_receive(struct remote *r)
{
	unsigned char v[4096];
	ssize_t n = -1;

	for (int i = 0; i < READS_MOST && r->err >= 0; i++) {
		size_t end, begin;

		n = read(r->err, v, sizeof(v));
		if (n <= 0)
			break;
		end = (size_t)n;
		while (end && (v[end - 1] == '\n' || v[end - 1] == '\r'))
			end--;
		for (begin = end; begin && v[begin - 1] != '\n'; begin--)
			;
		if (end > begin)
			line_copy(r->said, sizeof(r->said), v + begin, end - begin);
	}
	if (r->err >= 0 && n == 0)
		descriptor_close(&r->err);
}

void remote_move(struct remote *r)
{
	write_some(r);
	read_some(&r->from, &r->in);
	errors_receive(r);
}

/* "status 1", "signal 9", after a short wait; "": it still runs. buf has 32 bytes. */
static const char *fate(struct remote *r, char *buf)
{
	int status = 0;
	pid_t got = 0;

	for (int i = 0; r->pid && i < PATIENCE_MS / 10; i++) {
		got = waitpid(r->pid, &status, WNOHANG);
		if (got)
			break;
		pause_ms(10);
	}
	buf[0] = 0;
	if (got <= 0)
		return buf;
	r->pid = 0;
	if (WIFSIGNALED(status))
		snprintf(buf, 32, "signal %d", WTERMSIG(status));
	else
		snprintf(buf, 32, "status %d", WEXITSTATUS(status));
	return buf;
}

static int ended(struct remote *r, struct error *e)
{
	char buf[32];
	const char *how = fate(r, buf);

	errors_receive(r);
	if (!*how && !*r->said)
		return error_set(e, ERROR_SYSTEM, "the connection has ended");
	return error_set(e, ERROR_SYSTEM, "%s%s%s%s%s",
			 r->greeted ? "the helper has ended" : "no helper can be started there",
			 *how ? ", " : "", how, *r->said ? ": " : "", r->said);
}

/* Takes the first line. As remote_frame(). */
static int greeting_receive(struct remote *r, struct error *e)
{
	const char *line = (const char *)r->in.v, *end;
	const size_t n = sizeof(FRAME_GREETING) - 1;
	size_t have = r->in.v_n;
	char text[64], *rest;
	long version;

	if (have && memcmp(line, FRAME_GREETING, have < n ? have : n) != 0) {
		end = memchr(line, '\n', have);
		line_copy(text, sizeof(text), r->in.v, end ? (size_t)(end - line) : have);
		return error_set(e, ERROR_INPUT,
				 "it sent '%s' where looks were expected: a shell must print "
				 "nothing when it starts a command", text);
	}
	end = have ? memchr(line, '\n', have) : NULL;
	if (!end)
		return have > sizeof(text)
			       ? error_set(e, ERROR_INPUT, "it sent something other than looks")
			       : 0;
	line_copy(text, sizeof(text), r->in.v + n, (size_t)(end - line) - n);
	version = strtol(text, &rest, 10);
	if (version != FRAME_VERSION || *rest)
		return error_set(e, ERROR_INPUT,
				 "its tau-monitor sends looks of version %s, this one reads "
				 "version %d: install the same release on all hosts",
				 text, FRAME_VERSION);
	frame_drop(&r->in, (size_t)(end - line) + 1);
	r->greeted = 1;
	return 1;
}

int remote_frame(struct remote *r, struct monitor_frame *out, struct error *e)
{
	int got;

	if (r->taken)
		frame_drop(&r->in, r->taken);
	r->taken = 0;
	got = r->greeted ? 1 : greeting_receive(r, e);
	if (got > 0)
		got = frame_get(r->in.v, r->in.v_n, out);
	else if (got < 0)
		return got;
	if (got < 0)
		return error_set(e, ERROR_INPUT, "what it sends is damaged");
	if (!got && r->from < 0)
		return ended(r, e);
	if (got)
		r->taken = frame_size(out);
	return got;
}

void remote_hang_up(struct remote *r)
{
	descriptor_close(&r->to);
}

void remote_end(struct remote *r)
{
	char buf[32];

	descriptor_close(&r->to);
	descriptor_close(&r->from);
	descriptor_close(&r->err);
	if (r->pid) {
		fate(r, buf);
		if (r->pid)
			kill(r->pid, SIGTERM);
		fate(r, buf);
		if (r->pid) {
			kill(r->pid, SIGKILL);
			waitpid(r->pid, NULL, 0);
		}
	}
	free(r->out.v);
	free(r->in.v);
	*r = (struct remote){.to = -1, .from = -1, .err = -1};
}
