/*
 * http.h: serves pages of this program to other programs of this machine, over HTTP (libmicrohttpd): on a port of the loopback
 * interface, or on a Unix socket that only the user may open.
 *
 * Only GET is answered. Each request has a deadline, from its first byte or none on; the oldest connections without a whole request give
 * way to new ones; on a port, the header Host must name this machine, and Origin and Sec-Fetch-Site, where a browser sends them, this
 * server, so that a page of another origin gets nothing. Answers may not be kept, framed or sniffed, and their scripts and styles come
 * from this server alone.
 */
#ifndef HTTP_H
#define HTTP_H

#include <sys/types.h>

#include "analyze/base/base.h"

struct http_request {
	const char *path;	/* begins with '/', without '?' and what follows it */
	void *of;		/* private */
};
/* The value of an argument after '?', or of a header; NULL: the request has none. Valid until the page returns. */
const char *http_argument(const struct http_request *r, const char *name);
const char *http_header(const struct http_request *r, const char *name);

struct http_answer {
	unsigned status;	/* 200, 404, 503 ... */
	const char *type;	/* Content-Type */
	char *body;		/* for free() by the server */
	size_t n;
	/* Instead, with a status of 0: the output of a program. The server reads it, and ends the program if the client is gone. */
	pid_t child;		/* leads a process group of its own */
	int from, errors;	/* its standard output, a pipe; a file with its standard error */
};

/*
 * Answers a GET. It returns at once: what takes long is work for a child, whose exit status 0 becomes the status 200, with its output
 * of the type; any other one 422, with its messages.
 */
typedef void http_page(void *to, const struct http_request *r, struct http_answer *out);

/* Text as an answer, with a newline at its end. */
void http_text(struct http_answer *out, unsigned status, const char *text);

struct http_place {
	const char *where;	/* digits: a port, "0" a free one; otherwise the path of a Unix socket, which does not exist */
	const char *option;	/* that it comes from, for messages: "--serve" */
	http_page *page;
	void *to;
	void (*ready)(void *to, unsigned port);	/* NULL; it listens now: port 0 on a socket */
	size_t children;	/* at most at the same time; the oldest is ended for another one */
};

/*
 * Listens at the place, and answers until there is something to read from the descriptor `stop`. Then it returns 0, with the socket
 * removed if it is still its own. ERROR_SYSTEM: it cannot listen, or the library was not there when this program was built;
 * ERROR_USAGE: no such port or path.
 */
int http_serve(const struct http_place *p, int stop, struct error *e);

#endif
