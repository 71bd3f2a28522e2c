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
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	DEADLINE_MS = 5000,	/* of a connection: one request and its answer */
	OPEN_MOST = 128,	/* connections; then the oldest are closed */
	OPEN_LIMIT = 512,	/* at which the library accepts none */
	MEMORY_EACH = 16384,	/* for the head of a request */
	SWEEP_MS = 250,
	PIECE = 65536,		/* read from a child at once */
	ANSWER_MOST = 64 << 20, /* bytes of its output */
};

/* The output of a child, which a connection waits for. */
struct http_work {
	pid_t pid; /* 0: none, or it has ended */
	int from, errors;
	const char *type;
	char *body;
	size_t n, cap;
	int ended; /* all of it is there */
	int status;
};

struct connection {
	int fd;
	int64_t since_ms;
	int requested;	/* its request is whole */
	struct MHD_Connection *of;
	struct http_work work;
	struct connection *next, *before;
};

struct server {
	const struct http_place *place;
	int local;			/* on a port */
	size_t children;
	struct connection *oldest, *newest;
	size_t open;
};

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- children ---- */

static void close_once(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Ends the child, if it has not ended. */
static void work_end(struct server *s, struct http_work *w)
{
	if (w->pid) {
		kill(-w->pid, SIGKILL);
		while (waitpid(w->pid, &w->status, 0) < 0 && errno == EINTR)
			;
		s->children--;
	}
	w->pid = 0;
	close_once(&w->from);
	close_once(&w->errors);
}

/* What a child printed to its standard error is the answer. */
static void errors_read(struct http_work *w)
{
	char text[4096];
	ssize_t n = pread(w->errors, text, sizeof(text), 0);

	free(w->body);
	w->body = mem_printf("%.*s", n > 0 ? (int)n : 0, text);
	w->n = strlen(w->body);
}

/* There is something to read from the child, or its end. */
static void work_read(struct server *s, struct connection *c)
{
	struct http_work *w = &c->work;
	ssize_t n;

	if (w->n + PIECE > w->cap) {
		w->cap = 2 * w->cap + PIECE;
		w->body = mem_resize(w->body, w->cap, 1);
	}
	n = read(w->from, w->body + w->n, w->cap - w->n);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n > 0 && w->n + (size_t)n <= ANSWER_MOST) {
		w->n += (size_t)n;
		return;
	}
	w->ended = 1;
	if (n > 0) {
		work_end(s, w);
		w->status = 1;
		free(w->body);
		w->body = mem_string("the answer is too long\n");
		w->n = strlen(w->body);
	} else {
		while (waitpid(w->pid, &w->status, 0) < 0 && errno == EINTR)
			;
		w->pid = 0;
		s->children--;
		if (w->status)
			errors_read(w);
		work_end(s, w);
	}
	c->since_ms = now_ms();
	MHD_resume_connection(c->of);
}

/* The client is gone, or the server ends. */
static void work_drop(struct server *s, struct connection *c)
{
	work_end(s, &c->work);
	c->work.ended = 1;
	c->work.status = 1;
	MHD_resume_connection(c->of);
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
	c->of = of;
	c->work.from = c->work.errors = -1;
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

	work_end(s, &c->work);
	free(c->work.body);
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

	for (struct connection *c = s->oldest; c; c = c->next)
		if (c->since_ms <= late && !c->work.pid)
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

/* Browsers send which page a request comes from: only our own may. */
static int origin_is_own(struct MHD_Connection *c, const char *host)
{
	const char *site = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Sec-Fetch-Site");
	const char *origin = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Origin");

	if (site && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0)
		return 0;
	return !origin || (host && !strncmp(origin, "http://", 7) && !strcasecmp(origin + 7, host));
}

const char *http_argument(const struct http_request *r, const char *name)
{
	return MHD_lookup_connection_value(r->of, MHD_GET_ARGUMENT_KIND, name);
}

const char *http_header(const struct http_request *r, const char *name)
{
	return MHD_lookup_connection_value(r->of, MHD_HEADER_KIND, name);
}

static const char *const headers[][2] = {
	{"Connection", "close"},
	{"X-Content-Type-Options", "nosniff"},
	{"Content-Security-Policy",
	 "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
	 "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
	{"Referrer-Policy", "no-referrer"},
	{"Cross-Origin-Resource-Policy", "same-origin"},
	{"Cache-Control", "no-store"},
};

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
	for (size_t i = 0; i < sizeof(headers) / sizeof(*headers); i++)
		MHD_add_response_header(r, headers[i][0], headers[i][1]);
	if (a->status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(r, MHD_HTTP_HEADER_ALLOW, "GET");
	code = MHD_queue_response(c, a->status, r);
	MHD_destroy_response(r);
	return code;
}

/* The answer is the output of a child: until it is there, the connection waits. */
static enum MHD_Result work_begin(struct server *s, struct connection *c, struct http_answer *a)
{
	struct connection *oldest = s->oldest;

	while (oldest && !oldest->work.pid)
		oldest = oldest->next;
	if (oldest && s->place->children && s->children >= s->place->children)
		work_drop(s, oldest);
	c->work = (struct http_work){
		.pid = a->child, .from = a->from, .errors = a->errors, .type = a->type};
	s->children++;
	MHD_suspend_connection(c->of);
	return MHD_YES;
}

static enum MHD_Result work_answer(struct connection *c)
{
	struct http_work *w = &c->work;
	struct http_answer a = {.status = w->status ? 422 : MHD_HTTP_OK,
				.type = w->status ? "text/plain; charset=utf-8" : w->type,
				.body = w->body ? w->body : mem_string(""),
				.n = w->n};

	w->body = NULL;
	w->ended = 0;
	return send_answer(c->of, &a);
}

/* The library calls this when the head of a request is whole, and again after a child has ended. */
static enum MHD_Result request(void *to, struct MHD_Connection *c, const char *path,
			       const char *method, const char *version, const char *data,
			       size_t *data_n, void **context)
{
	const union MHD_ConnectionInfo *i =
		MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	const char *host = MHD_lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
	struct connection *of = i ? i->socket_context : NULL;
	struct http_answer a = {0};
	struct server *s = to;

	(void)version;
	(void)data;
	(void)data_n;
	(void)context;
	if (!of)
		return MHD_NO;
	of->requested = 1;
	if (of->work.ended)
		return work_answer(of);
	if (s->local && !host_is_local(host))
		http_text(&a, MHD_HTTP_FORBIDDEN, "the header Host does not name this machine");
	else if (!origin_is_own(c, host))
		http_text(&a, MHD_HTTP_FORBIDDEN,
			  "the request comes from a page of another origin");
	else if (strcmp(method, MHD_HTTP_METHOD_GET) != 0)
		http_text(&a, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET is answered");
	else
		s->place->page(s->place->to, &(struct http_request){path, c}, &a);
	return a.child ? work_begin(s, of, &a) : send_answer(c, &a);
}

/* ---- listening ---- */

static int listen_local(const struct http_place *p, struct error *e)
{
	unsigned long port = strtoul(p->where, NULL, 10);
	struct sockaddr_in a = {.sin_family = AF_INET,
				.sin_port = htons((uint16_t)port),
				.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd, on = 1;

	if ((!port && !p->ready) || port > 65535)
		return error_set(e, ERROR_USAGE, "%s: a port is a number from 1 to 65535",
				 p->option);
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

/* Connections that wait for a child: its output, and whether somebody still waits. Returns their number. */
static size_t works_poll(struct server *s, struct pollfd *p, struct connection **of)
{
	size_t n = 0;

	for (struct connection *c = s->oldest; c; c = c->next)
		if (c->work.pid) {
			of[n] = c;
			p[2 * n] = (struct pollfd){.fd = c->work.from, .events = POLLIN};
			p[2 * n + 1] = (struct pollfd){.fd = c->fd, .events = POLLRDHUP};
			n++;
		}
	return n;
}

static void works_go_on(struct server *s, const struct pollfd *p, struct connection **of, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[2 * i + 1].revents & (POLLRDHUP | POLLHUP | POLLERR))
			work_drop(s, of[i]);
		else if (p[2 * i].revents)
			work_read(s, of[i]);
}

static void serve_until(struct MHD_Daemon *d, struct server *s, int stop)
{
	const union MHD_DaemonInfo *i = MHD_get_daemon_info(d, MHD_DAEMON_INFO_EPOLL_FD);
	struct pollfd p[2 + 2 * OPEN_LIMIT];
	struct connection *of[OPEN_LIMIT];
	MHD_UNSIGNED_LONG_LONG wait;

	p[0] = (struct pollfd){.fd = i ? i->epoll_fd : -1, .events = POLLIN};
	p[1] = (struct pollfd){.fd = stop, .events = POLLIN};
	for (;;) {
		int limit = sweep(s);
		size_t n = works_poll(s, p + 2, of);

		if (MHD_get_timeout(d, &wait) == MHD_YES &&
		    (limit < 0 || wait < (MHD_UNSIGNED_LONG_LONG)limit))
			limit = (int)wait;
		if (poll(p, (nfds_t)(2 + 2 * n), limit) < 0) {
			if (errno != EINTR)
				return;
			continue;
		}
		if (p[1].revents)
			return;
		works_go_on(s, p + 2, of, n);
		MHD_run(d);
	}
}

/* Children are ended before the library closes their connections. */
static void works_end(struct server *s)
{
	for (struct connection *c = s->oldest; c; c = c->next)
		if (c->work.pid)
			work_drop(s, c);
}

static unsigned port_of(int fd)
{
	struct sockaddr_in a;
	socklen_t n = sizeof(a);

	return getsockname(fd, (struct sockaddr *)&a, &n) == 0 ? ntohs(a.sin_port) : 0;
}

int http_serve(const struct http_place *place, int stop, struct error *e)
{
	const char *where = place->where;
	struct server s = {.place = place, .local = !where[strspn(where, "0123456789")]};
	struct stat own;
	struct MHD_Daemon *d;
	int fd = s.local ? listen_local(place, e) : listen_path(where, &own, e);

	if (fd < 0)
		return e->code;
	d = MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, request, &s,
			     MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
			     (unsigned)OPEN_LIMIT, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
			     (size_t)MEMORY_EACH, MHD_OPTION_NOTIFY_CONNECTION, notified, &s,
			     MHD_OPTION_END);
	if (d) {
		if (place->ready)
			place->ready(place->to, s.local ? port_of(fd) : 0);
		serve_until(d, &s, stop);
		works_end(&s);
		MHD_run(d);
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
const char *http_argument(const struct http_request *r, const char *name)
{
	(void)r;
	(void)name;
	return NULL;
}

const char *http_header(const struct http_request *r, const char *name)
{
	(void)r;
	(void)name;
	return NULL;
}

int http_serve(const struct http_place *p, int stop, struct error *e)
{
	(void)stop;
	return error_set(e, ERROR_SYSTEM,
			 "%s: serving needs libmicrohttpd, which was not there when this program "
			 "was built (package libmicrohttpd-dev)",
			 p->where);
}
#endif
