/* view_serve.c: answers the requests of the page, and prints where it is. */
#include "cmd/view/view_serve.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/shared/http.h"
#include "cmd/shared/message.h"
#include "cmd/shared/stop.h"
#include "cmd/view/view_child.h"

#define CHILDREN 4 /* reports at the same time */
#define RELOAD	 5 /* s that a page which is read again may take to come back */

/* clang-format off: files as they are */
static const char page_html[] =
#include "view_html.inc"
;
static const char page_css[] =
#include "view_css.inc"
;
static const char page_js[] =
#include "view_js.inc"
;
static const char base_js[] =
#include "view_base_js.inc"
;
static const char beside_js[] =
#include "view_beside_js.inc"
;
static const char curves_js[] =
#include "view_curves_js.inc"
;
static const char instances_js[] =
#include "view_instances_js.inc"
;
static const char legend_js[] =
#include "view_legend_js.inc"
;
static const char lines_js[] =
#include "view_lines_js.inc"
;
static const char moments_js[] =
#include "view_moments_js.inc"
;
static const char order_js[] =
#include "view_order_js.inc"
;
static const char rows_js[] =
#include "view_rows_js.inc"
;
static const char reports_js[] =
#include "view_reports_js.inc"
;
static const char store_js[] =
#include "view_store_js.inc"
;
/* clang-format on */

/* ---- requests ---- */

static const struct {
	const char *path, *type, *body;
	size_t n;
} files[] = {
	{"/", "text/html; charset=utf-8", page_html, sizeof(page_html) - 1},
	{"/view.css", "text/css; charset=utf-8", page_css, sizeof(page_css) - 1},
	{"/view.js", "text/javascript; charset=utf-8", page_js, sizeof(page_js) - 1},
	{"/view_base.js", "text/javascript; charset=utf-8", base_js, sizeof(base_js) - 1},
	{"/view_beside.js", "text/javascript; charset=utf-8", beside_js, sizeof(beside_js) - 1},
	{"/view_curves.js", "text/javascript; charset=utf-8", curves_js, sizeof(curves_js) - 1},
	{"/view_instances.js", "text/javascript; charset=utf-8", instances_js,
	 sizeof(instances_js) - 1},
	{"/view_legend.js", "text/javascript; charset=utf-8", legend_js, sizeof(legend_js) - 1},
	{"/view_lines.js", "text/javascript; charset=utf-8", lines_js, sizeof(lines_js) - 1},
	{"/view_moments.js", "text/javascript; charset=utf-8", moments_js, sizeof(moments_js) - 1},
	{"/view_order.js", "text/javascript; charset=utf-8", order_js, sizeof(order_js) - 1},
	{"/view_rows.js", "text/javascript; charset=utf-8", rows_js, sizeof(rows_js) - 1},
	{"/view_reports.js", "text/javascript; charset=utf-8", reports_js,
	 sizeof(reports_js) - 1},
	{"/view_store.js", "text/javascript; charset=utf-8", store_js, sizeof(store_js) - 1},
};

static int answer_file(const char *path, struct http_answer *out)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (!strcmp(path, files[i].path)) {
			out->status = 200;
			out->type = files[i].type;
			out->body = mem_string(files[i].body);
			out->n = files[i].n;
			return 1;
		}
	return 0;
}

/* Takes as long for a wrong token as for the right one. */
static int token_is_right(const struct view_page *v, const struct http_request *q)
{
	const char *given = http_header(q, "X-Tau-Token");
	unsigned char differs = 0;

	if (!given || strlen(given) != sizeof(v->token) - 1)
		return 0;
	for (size_t i = 0; i < sizeof(v->token) - 1; i++)
		differs |= (unsigned char)(given[i] ^ v->token[i]);
	return !differs;
}

static void answer_report(const struct view_page *v, const struct http_request *q,
			  struct http_answer *out)
{
	const struct view_ask ask = {
		.kind = http_argument(q, "kind"),
		.run = http_argument(q, "run"),
		.window = http_argument(q, "w"),
		.by = http_argument(q, "by"),
		.rank = http_argument(q, "rank"),
		.thread = http_argument(q, "thread"),
		.squares = http_argument(q, "squares"),
		.cells = http_argument(q, "cells"),
		.rows = http_argument(q, "rows"),
		.top = http_argument(q, "top"),
		.word = http_argument(q, "word"),
		.sort = http_argument(q, "sort"),
		.trials = http_argument(q, "trials"),
		.where = http_argument(q, "where"),
		.format = http_argument(q, "f"),
		.is_run = !strcmp(q->path, "/report"),
	};
	struct view_command c;
	struct error e = {0};

	if (view_command_make(&c, &v->runs, &ask, &e)) {
		http_text(out, 400, e.text);
	} else if (!strcmp(q->path, "/command")) {
		char *text = view_command_text(&c);

		http_text(out, 200, text);
		free(text);
	} else if (view_child_start(c.program, c.v, v->runs.memory, out, &e)) {
		http_text(out, 503, e.text);
	} else {
		out->type = ask.format && !strcmp(ask.format, "json") ? "application/json"
			    : ask.format && !strcmp(ask.format, "svg")
				    ? "image/svg+xml"
				    : "text/plain; charset=utf-8";
	}
	view_command_release(&c);
}

/* A page has come, or is gone. */
static void pages_count(struct view_page *v, int come)
{
	const struct itimerspec when = {.it_value.tv_sec = RELOAD}, never = {.it_value.tv_sec = 0};

	if (come)
		v->pages++;
	else if (v->pages)
		v->pages--;
	if (v->once)
		timer_settime(v->gone, 0, v->pages ? &never : &when, NULL);
}

static void page(void *to, const struct http_request *q, struct http_answer *out)
{
	struct view_page *v = to;

	if (answer_file(q->path, out))
		return;
	if (!token_is_right(v, q)) {
		http_text(out, 403,
			  "the token is missing or wrong: open the address that tau-view "
			  "printed");
	} else if (!strcmp(q->path, "/end")) {
		pages_count(v, 0);
		http_text(out, 200, "");
	} else if (!strcmp(q->path, "/runs")) {
		pages_count(v, 1);
		out->status = 200;
		out->type = "application/json";
		out->body = view_runs_json(&v->runs);
		out->n = strlen(out->body);
	} else if (!strcmp(q->path, "/report") || !strcmp(q->path, "/command")) {
		answer_report(v, q, out);
	} else {
		http_text(out, 404, "there is no such page");
	}
}

/* ---- where it is ---- */

/*
 * A command line can be read by all users, so the browser gets a file that leads to the address: only this user can read it. It is
 * removed when the browser has been started and had time to read it, at the end of this program.
 */
static void browser_open(struct view_page *v, unsigned port)
{
	pid_t pid;
	int fd;

	strcpy(v->redirect, "/tmp/tau-view.XXXXXX.html");
	fd = mkstemps(v->redirect, 5);
	if (fd < 0) {
		*v->redirect = 0;
		return;
	}
	dprintf(fd,
		"<!DOCTYPE html><meta http-equiv=\"refresh\" "
		"content=\"0;url=http://127.0.0.1:%u/#t=%s\">\n",
		port, v->token);
	close(fd);
	pid = fork();
	if (!pid) {
		/* The browser is a child of this one, which ends at once. */
		if (fork())
			_exit(0);
		if (freopen("/dev/null", "w", stderr))
			execlp("xdg-open", "xdg-open", v->redirect, (char *)NULL);
		_exit(0);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static int has_display(void)
{
	const char *x = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");

	return (x && *x) || (wayland && *wayland);
}

static void ready(void *to, unsigned port)
{
	struct view_page *v = to;
	char host[256] = "HOST";

	gethostname(host, sizeof(host) - 1);
	if (!port) {
		printf("http://localhost:8000/#t=%s\n", v->token);
		printf("after, where the browser is: ssh -L 8000:%s %s\n", v->where, host);
	} else {
		printf("http://127.0.0.1:%u/#t=%s\n", port, v->token);
		printf("For a browser on another machine, there: ssh -L %u:127.0.0.1:%u %s\n",
		       port, port, host);
	}
	puts(v->once ? "It ends when the page is closed, or with Ctrl-C." : "Ctrl-C ends it.");
	fflush(stdout);
	if (port && v->browser && has_display())
		browser_open(v, port);
}

static int token_make(struct view_page *v, struct error *e)
{
	unsigned char bytes[(sizeof(v->token) - 1) / 2];

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return error_set(e, ERROR_SYSTEM, "no random numbers: %s", strerror(errno));
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(v->token + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

int view_serve(struct view_page *v, struct error *e)
{
	const struct http_place place = {.where = v->where ? v->where : "0",
					 .option = "--port",
					 .page = page,
					 .to = v,
					 .ready = ready,
					 .children = CHILDREN};
	struct sigevent end = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGTERM};
	int stop;

	if (token_make(v, e))
		return e->code;
	if (v->once && timer_create(CLOCK_MONOTONIC, &end, &v->gone))
		return error_set(e, ERROR_SYSTEM, "no timer: %s", strerror(errno));
	stop = stop_open();
	http_serve(&place, stop, e);
	close(stop);
	if (v->once)
		timer_delete(v->gone);
	if (*v->redirect)
		unlink(v->redirect);
	return e->code;
}
