/* http.c: an HTTP server for programs of this machine, in one thread. */
#include "cmd/shared/http.h"

#include <string.h>

void http_text(struct http_answer *out, unsigned status, const char *text)
{
	out->status = status;
	out->type = "text/plain; charset=utf-8";
	free(out->body);
	out->body = mem_printf("%s\n", text);
	out->n = strlen(out->body);
}

#ifdef HAVE_MICROHTTPD
#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum {
	DEADLINE_MS = 5000,	/* of a connection: one request and its answer */
	OPEN_MOST = 128,	/* connections; then the oldest are closed */
	OPEN_LIMIT = 512,	/* at which the library accepts none */
	MEMORY_EACH = 16384,	/* for the head of a request */
	SWEEP_MS = 250,
};

struct connection {
	int fd;
	int64_t since_ms;
	int requested;	/* its request is whole */
	struct connection *next, *before;
};

struct server {
	http_page *page;
	void *to;
	int local;			/* on a port */
	struct connection *oldest, *newest;
	size_t open;
};

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- connections ---- */

/* The library closes it when it finds that nothing more can be read or written. */
static void connection_end(struct connection *c)
{
	shutdown(c->fd, SHUT_RDWR);
}

static void connection_began(struct server *s, struct MHD_Connection *of, void **context)
{
	const union MHD_ConnectionInfo *i =
		MHD_get_connection_info(of, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct connection *c = mem_alloc(sizeof(*c));

	c->fd = i ? i->connect_fd : -1;
	c->since_ms = now_ms();
	c->before = s->newest;
	if (s->newest)
		s->newest->next = c;
	else
		s->oldest = c;
	s->newest = c;
	*context = c;
	if (++s->open <= OPEN_MOST)
		return;
	for (struct connection *o = s->oldest; o; o = o->next)
		if (!o->requested && o != c) {
			o->requested = 1; /* not chosen again */
			connection_end(o);
			return;
		}
}

static void connection_ended(struct server *s, void **context)
{
	struct connection *c = *context;

	*(c->before ? &c->before->next : &s->oldest) = c->next;
	*(c->next ? &c->next->before : &s->newest) = c->before;
	s->open--;
	free(c);
	*context = NULL;
}

static void notified(void *to, struct MHD_Connection *of, void **context,
		     enum MHD_ConnectionNotificationCode what)
{
	if (what == MHD_CONNECTION_NOTIFY_STARTED)
		connection_began(to, of, context);
	else if (*context)
		connection_ended(to, context);
}

/* Ends the connections that are late, whatever they still send or read. Milliseconds until the next one may be. */
static int sweep(struct server *s)
{
	int64_t late = now_ms() - DEADLINE_MS;

	for (struct connection *c = s->oldest; c && c->since_ms <= late; c = c->next)
		connection_end(c);
	return s->oldest ? SWEEP_MS : -1;
}

/* ---- requests ---- */

/* Is it a name of this machine, with any port? Without a name it comes from no browser. */
static int host_is_local(const char *host)
{
	static const char *const known[] = {"localhost", "127.0.0.1", "[::1]"};

	if (!host)
		return 1;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		size_t n = strlen(known[i]);

		if (!strncasecmp(host, known[i], n) &&
		    (!host[n] || (host[n] == ':' && host[n + 1] &&
				  !host[n + 1 + strspn(host + n + 1, "0123456789")])))
			return 1;
	}
	return 0;
}

static enum MHD_Result send_answer(struct MHD_Connection *c, struct http_answer *a)
{
	struct MHD_Response *r =
		MHD_create_response_from_buffer(a->n, a->body, MHD_RESPMEM_MUST_FREE);
	enum MHD_Result code;

	if (!r) {
		free(a->body);
		return MHD_NO;
	}
	MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, a->type);
	MHD_add_response_header(r, MHD_HTTP_HEADER_CONNECTION, "close");
	MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
	if (a->status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(r, MHD_HTTP_HEADER_ALLOW, "GET");
	code = MHD_queue_response(c, a->status, r);
	MHD_destroy_response(r);
	return code;
}

/* The library calls this when the head of a request is whole; *context: NULL the first time. */
static enum MHD_Result request(void *to, struct MHD_Connection *c, const char *path,
			       const char *method, const char *version, const char *data,
			       size_t *data_n, void **context)
{
	const union MHD_ConnectionInfo *i =
		MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	const char *host = MHD_lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
	struct http_answer a = {0};
	struct server *s = to;

	(void)version;
	(void)data;
	(void)data_n;
	(void)context;
	if (i && i->socket_context)
		((struct connection *)i->socket_context)->requested = 1;
	if (s->local && !host_is_local(host))
		http_text(&a, MHD_HTTP_FORBIDDEN, "the header Host does not name this machine");
	else if (strcmp(method, MHD_HTTP_METHOD_GET) != 0)
		http_text(&a, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET is answered");
	else
		s->page(s->to, path, &a);
	return send_answer(c, &a);
}

/* ---- listening ---- */

static int listen_local(const char *where, struct error *e)
{
	unsigned long port = strtoul(where, NULL, 10);
	struct sockaddr_in a = {.sin_family = AF_INET,
				.sin_port = htons((uint16_t)port),
				.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd, on = 1;

	if (!port || port > 65535)
		return error_set(e, ERROR_USAGE, "--serve: a port is a number from 1 to 65535");
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (fd >= 0 && bind(fd, (struct sockaddr *)&a, sizeof(a)) == 0 &&
	    listen(fd, SOMAXCONN) == 0)
		return fd;
	error_set(e, ERROR_SYSTEM, "port %lu of localhost: %s", port, strerror(errno));
	if (fd >= 0)
		close(fd);
	return e->code;
}

/* *own: the socket's file, to recognise it later. */
static int listen_path(const char *where, struct stat *own, struct error *e)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	mode_t mask;
	int fd, bound;

	if (strlen(where) >= sizeof(a.sun_path))
		return error_set(e, ERROR_USAGE, "%s: the path of a socket has at most %zu bytes",
				 where, sizeof(a.sun_path) - 1);
	strcpy(a.sun_path, where);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	mask = umask(0177);
	bound = fd >= 0 && bind(fd, (struct sockaddr *)&a, sizeof(a)) == 0;
	umask(mask);
	if (bound && lstat(where, own) == 0 && listen(fd, SOMAXCONN) == 0)
		return fd;
	error_set(e, ERROR_SYSTEM, "%s: %s", where, strerror(errno));
	if (fd >= 0)
		close(fd);
	return e->code;
}

/* Another program may have put its own there. */
static void socket_remove(const char *where, const struct stat *own)
{
	struct stat s;

	if (lstat(where, &s) == 0 && s.st_dev == own->st_dev && s.st_ino == own->st_ino)
		unlink(where);
}

static void serve_until(struct MHD_Daemon *d, struct server *s, int stop)
{
	const union MHD_DaemonInfo *i = MHD_get_daemon_info(d, MHD_DAEMON_INFO_EPOLL_FD);
	struct pollfd p[] = {{.fd = i ? i->epoll_fd : -1, .events = POLLIN},
			     {.fd = stop, .events = POLLIN}};
	MHD_UNSIGNED_LONG_LONG wait;

	for (;;) {
		int limit = sweep(s);

		if (MHD_get_timeout(d, &wait) == MHD_YES &&
		    (limit < 0 || wait < (MHD_UNSIGNED_LONG_LONG)limit))
			limit = (int)wait;
		if (poll(p, 2, limit) < 0 && errno != EINTR)
			return;
		if (p[1].revents)
			return;
		MHD_run(d);
	}
}

int http_serve(const char *where, http_page *page, void *to, int stop, struct error *e)
{
	struct server s = {.page = page, .to = to, .local = !where[strspn(where, "0123456789")]};
	struct stat own;
	struct MHD_Daemon *d;
	int fd = s.local ? listen_local(where, e) : listen_path(where, &own, e);

	if (fd < 0)
		return e->code;
	d = MHD_start_daemon(MHD_USE_EPOLL, 0, NULL, NULL, request, &s,
			     MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
			     (unsigned)OPEN_LIMIT, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
			     (size_t)MEMORY_EACH, MHD_OPTION_NOTIFY_CONNECTION, notified, &s,
			     MHD_OPTION_END);
	if (d) {
		serve_until(d, &s, stop);
		MHD_stop_daemon(d);
	} else {
		error_set(e, ERROR_SYSTEM, "%s: no server can be started: %s", where,
			  strerror(errno));
		close(fd);
	}
	if (!s.local)
		socket_remove(where, &own);
	return e->code;
}
#else
int http_serve(const char *where, http_page *page, void *to, int stop, struct error *e)
{
	(void)page;
	(void)to;
	(void)stop;
	return error_set(e, ERROR_SYSTEM,
			 "%s: serving needs libmicrohttpd, which was not there when this program "
			 "was built (package libmicrohttpd-dev)",
			 where);
}
#endif
