/*
 * http.h: serves pages of this program to other programs of this machine, over HTTP (libmicrohttpd): on a port of the loopback
 * interface, or on a Unix socket that only the user may open.
 *
 * Only GET is answered. Each request has a deadline, from its first byte or none on; the oldest connections without a whole request give
 * way to new ones; on a port, the header Host must name this machine, so that a page of another origin, whose name leads here, gets
 * nothing.
 */
#ifndef HTTP_H
#define HTTP_H

#include "analyze/base/base.h"

struct http_answer {
	unsigned status;	/* 200, 404, 503 ... */
	const char *type;	/* Content-Type */
	char *body;		/* for free() by the server */
	size_t n;
};

/* Answers a GET of path, which begins with '/' and has no '?' and what follows it. */
typedef void http_page(void *to, const char *path, struct http_answer *out);

/* Text as an answer, with a newline at its end. */
void http_text(struct http_answer *out, unsigned status, const char *text);

/*
 * Listens on a port (where: digits) or a Unix socket (where: a path that does not exist), and answers until there is something to read
 * from the descriptor `stop`. Then it returns 0, with the socket removed if it is still its own. ERROR_SYSTEM: it cannot listen, or the
 * library was not there when this program was built; ERROR_USAGE: no such port or path.
 */
int http_serve(const char *where, http_page *page, void *to, int stop, struct error *e);

#endif
