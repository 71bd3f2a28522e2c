/* serve.c: a small HTTP server for one client at a time. */
#include "cmd/monitor/serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "cmd/monitor/look.h"
#include "cmd/monitor/look_print.h"
#include "cmd/shared/stop.h"

#define PATIENCE_S 2 /* for a client that neither sends nor reads */

static int listen_local(const char *where, struct error *e)
{
	char *rest;
	unsigned long port = strtoul(where, &rest, 10);
	struct sockaddr_in a = {.sin_family = AF_INET,
				.sin_port = htons((uint16_t)port),
				.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd, on = 1;

	if (!port || port > 65535)
		return error_set(e, ERROR_USAGE, "--serve: a port is a number from 1 to 65535");
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (fd >= 0 && bind(fd, (struct sockaddr *)&a, sizeof(a)) == 0 && listen(fd, 8) == 0)
		return fd;
	error_set(e, ERROR_SYSTEM, "port %lu of localhost: %s", port, strerror(errno));
	if (fd >= 0)
		close(fd);
	return e->code;
}

static int listen_path(const char *where, struct error *e)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	mode_t mask;
	int fd, bound;

	if (strlen(where) >= sizeof(a.sun_path))
		return error_set(e, ERROR_USAGE, "%s: the path of a socket has at most %zu bytes",
				 where, sizeof(a.sun_path) - 1);
	strcpy(a.sun_path, where);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	mask = umask(0177);
	bound = fd >= 0 && bind(fd, (struct sockaddr *)&a, sizeof(a)) == 0;
	umask(mask);
	if (bound && listen(fd, 8) == 0)
		return fd;
	error_set(e, ERROR_SYSTEM, "%s: %s", where, strerror(errno));
	if (fd >= 0)
		close(fd);
	return e->code;
}

static void send_all(int fd, const char *s, size_t n)
{
	while (n) {
		ssize_t sent = send(fd, s, n, MSG_NOSIGNAL);

		if (sent <= 0)
			return;
		s += sent;
		n -= (size_t)sent;
	}
}

static void respond(int fd, const char *status, const char *type, const char *body, size_t n)
{
	char *head = mem_printf("HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
				"Connection: close\r\n\r\n",
				status, type, n);

	send_all(fd, head, strlen(head));
	send_all(fd, body, n);
	free(head);
}

static void respond_text(int fd, const char *status, const char *text)
{
	char *body = mem_printf("%s\n", text);

	respond(fd, status, "text/plain; charset=utf-8", body, strlen(body));
	free(body);
}

static void metrics(struct look_run *r, int fd)
{
	struct error e = {0};
	struct look l;
	char *body = NULL;
	size_t n = 0;
	FILE *f;

	if (look_take(r, LOOK_MEMORY, &l, &e)) {
		respond_text(fd, "503 Service Unavailable", e.text);
		return;
	}
	f = open_memstream(&body, &n);
	look_openmetrics(&l, r->path, f);
	fclose(f);
	look_release(&l);
	respond(fd, "200 OK", "application/openmetrics-text; version=1.0.0; charset=utf-8", body,
		n);
	free(body);
}

/* The request up to its empty line; 0: there is none. */
static int request_read(int fd, char *buf, size_t size)
{
	size_t n = 0;

	while (n + 1 < size) {
		ssize_t got = recv(fd, buf + n, size - 1 - n, 0);

		if (got <= 0)
			return 0;
		n += (size_t)got;
		buf[n] = 0;
		if (strstr(buf, "\r\n\r\n") || strstr(buf, "\n\n"))
			return 1;
	}
	return 0;
}

static void answer(struct look_run *r, int fd)
{
	struct timeval patience = {.tv_sec = PATIENCE_S};
	char request[8192];

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (!request_read(fd, request, sizeof(request)))
		respond_text(fd, "400 Bad Request", "this is no HTTP request");
	else if (strncmp(request, "GET ", 4) != 0)
		respond_text(fd, "405 Method Not Allowed", "only GET is answered");
	else if (strncmp(request, "GET /metrics ", 13) != 0)
		respond_text(fd, "404 Not Found", "the only page is /metrics");
	else
		metrics(r, fd);
}

/* Until there is something to read from `signals`. */
static void answer_all(struct look_run *r, int at, int signals)
{
	struct pollfd p[] = {{.fd = at, .events = POLLIN}, {.fd = signals, .events = POLLIN}};

	for (;;) {
		int n = poll(p, 2, -1), fd;

		if (n <= 0)
			continue;
		if (p[1].revents)
			return;
		fd = accept4(at, NULL, NULL, SOCK_CLOEXEC);
		if (fd < 0)
			continue;
		answer(r, fd);
		close(fd);
	}
}

int serve(struct look_run *r, const char *where, struct error *e)
{
	int port = where[strspn(where, "0123456789")] == 0;
	struct look first;
	int fd, signals, code = look_take(r, LOOK_MEMORY, &first, e);

	if (code)
		return code;
	look_release(&first);
	fd = port ? listen_local(where, e) : listen_path(where, e);
	if (fd < 0)
		return e->code;
	signals = stop_open();
	answer_all(r, fd, signals);
	close(signals);
	close(fd);
	if (!port)
		unlink(where);
	return 0;
}
