/* serve.c: the state of a run as pages of an HTTP server. */
#include "cmd/monitor/serve.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analyze/base/mem_stream.h"
#include "analyze/profile/profile.h"
#include "cmd/monitor/look.h"
#include "cmd/monitor/look_cells.h"
#include "cmd/monitor/look_json.h"
#include "cmd/monitor/look_print.h"
#include "cmd/shared/http.h"
#include "cmd/shared/stop.h"

/* What the path has after its begin is the name of a thread or function. */
struct page_of {
	const char *path, *type;
	unsigned wants;
	void (*print)(struct look_run *r, struct look *l, const char *name,
		      struct http_answer *out);
};

static void answer_begin(struct http_answer *out, FILE **f)
{
	out->status = 200;
	*f = mem_stream(&out->body, &out->n);
}

static void metrics(struct look_run *r, struct look *l, const char *name, struct http_answer *out)
{
	FILE *f;

	(void)name;
	answer_begin(out, &f);
	look_openmetrics(l, r->path, f);
	fclose(f);
}

static void whole(struct look_run *r, struct look *l, const char *name,
		       struct http_answer *out)
{
	FILE *f;

	(void)name;
	answer_begin(out, &f);
	look_json(l, r->path, f);
	fclose(f);
}

static void cells(struct look_run *r, const struct look *l, const struct look_chosen *c,
		  struct http_answer *out)
{
	struct error e = {0};
	struct profile *p = NULL;
	struct look_cells x;
	FILE *f;

	if (look_profile(r, l, &p, &e)) {
		http_text(out, 503, e.text);
		return;
	}
	if (look_cells_make(&x, p, c, LOOK_BY_NEW, &e)) {
		http_text(out, 404, e.text);
	} else {
		answer_begin(out, &f);
		look_cells_json(l, &x, c, r->path, f);
		fclose(f);
		look_cells_release(&x);
	}
	profile_free(p);
}

static void thread(struct look_run *r, struct look *l, const char *name, struct http_answer *out)
{
	struct error e = {0};
	struct look_chosen c = {0};

	if (look_chosen_thread(&c, name, &e))
		http_text(out, 404, e.text);
	else
		cells(r, l, &c, out);
}

static void function(struct look_run *r, struct look *l, const char *name, struct http_answer *out)
{
	struct look_chosen c = {.of = CELLS_FUNCTION, .function = (char *)name};

	cells(r, l, &c, out);
}

#define TYPE_JSON "application/json; charset=utf-8"
static const struct page_of pages[] = {
	{"/metrics", "application/openmetrics-text; version=1.0.0; charset=utf-8",
	 LOOK_MEMORY | LOOK_RANKS | LOOK_HANG, metrics},
	{"/look", TYPE_JSON, LOOK_THREADS | LOOK_MEMORY | LOOK_RANKS | LOOK_HANG | LOOK_WAITS,
	 whole},
	{"/thread/", TYPE_JSON, LOOK_CELLS, thread},
	{"/function/", TYPE_JSON, LOOK_CELLS, function},
};

/* NULL: there is none. *name: what follows. */
static const struct page_of *page_find(const char *path, const char **name)
{
	for (size_t i = 0; i < sizeof(pages) / sizeof(*pages); i++) {
		size_t n = strlen(pages[i].path);

		if (strncmp(path, pages[i].path, n) != 0)
			continue;
		*name = path + n;
		if (pages[i].path[n - 1] == '/' ? path[n] != 0 : path[n] == 0)
			return &pages[i];
	}
	return NULL;
}

static void page(void *to, const struct http_request *q, struct http_answer *out)
{
	struct look_run *r = to;
	const char *name;
	const struct page_of *p = page_find(q->path, &name);
	struct error e = {0};
	struct look l;

	if (!p) {
		http_text(out, 404, "the pages are /metrics, /look, /thread/NODE.THREAD and "
				    "/function/NAME");
		return;
	}
	if (look_read(r, p->wants, &l, &e)) {
		http_text(out, 503, e.text);
		return;
	}
	p->print(r, &l, name, out);
	if (out->status == 200)
		out->type = p->type;
	look_release(&l);
}

int serve(struct look_run *r, const char *where, struct error *e)
{
	struct look first;
	int stop, code = look_read(r, LOOK_MEMORY, &first, e);

	if (code)
		return code;
	look_release(&first);
	stop = stop_open();
	code = http_serve(
		&(struct http_place){
			.where = where, .option = "--serve", .page = page, .to = r},
		stop, e);
	close(stop);
	return code;
}
