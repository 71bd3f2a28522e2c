/* serve.c: the state of a run as pages of an HTTP server. */
#include "cmd/monitor/serve.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analyze/base/mem_stream.h"
#include "cmd/monitor/look.h"
#include "cmd/monitor/look_print.h"
#include "cmd/shared/http.h"
#include "cmd/shared/stop.h"

static void metrics(struct look_run *r, struct http_answer *out)
{
	struct error e = {0};
	struct look l;
	FILE *f;

	if (look_read(r, LOOK_MEMORY, &l, &e)) {
		http_text(out, 503, e.text);
		return;
	}
	f = mem_stream(&out->body, &out->n);
	look_openmetrics(&l, r->path, f);
	fclose(f);
	look_release(&l);
	out->status = 200;
	out->type = "application/openmetrics-text; version=1.0.0; charset=utf-8";
}

static void page(void *to, const char *path, struct http_answer *out)
{
	if (strcmp(path, "/metrics") != 0)
		http_text(out, 404, "the only page is /metrics");
	else
		metrics(to, out);
}

int serve(struct look_run *r, const char *where, struct error *e)
{
	struct look first;
	int stop, code = look_read(r, LOOK_MEMORY, &first, e);

	if (code)
		return code;
	look_release(&first);
	stop = stop_open();
	code = http_serve(where, page, r, stop, e);
	close(stop);
	return code;
}
