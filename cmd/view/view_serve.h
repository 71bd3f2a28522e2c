/*
 * view_serve.h: the page of tau-view and its reports, over HTTP. The page itself holds no data and anybody may read it; what it asks for
 * needs the token, in a header that pages of other origins cannot send.
 */
#ifndef VIEW_SERVE_H
#define VIEW_SERVE_H

#include <time.h>

#include "cmd/view/view_runs.h"

struct view_page {
	struct view_runs runs;
	const char *where;	/* a port, or the path of a socket; NULL: a free port */
	int browser;		/* open one where there is a display */
	int once;		/* end when the last page is closed */
	size_t pages;		/* that are open */
	timer_t gone;		/* of `once`: SIGTERM a while after */
	char token[33];		/* 128 bits in hexadecimal digits */
	char redirect[32];	/* the file that leads a browser to the address; "": there is none */
};

/* Serves until SIGINT or SIGTERM, or until no page is open any more. The address is printed to stdout. ERROR_SYSTEM or ERROR_USAGE: http.h. */
int view_serve(struct view_page *v, struct error *e);

#endif
