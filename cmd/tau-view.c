/* tau-view.c: shows runs in a browser: a timeline to zoom, and the reports of what is selected there. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analyze/base/base.h"
#include "analyze/base/quantity.h"
#include "cmd/shared/installed.h"
#include "cmd/shared/option.h"
#include "cmd/shared/option_use.h"
#include "cmd/shared/trace_options.h"
#include "cmd/view/view_converted.h"
#include "cmd/view/view_serve.h"

#define THREADS_MOST 8 /* of a report, if no number is named: several reports are made at once */

struct view_options {
	struct view_page view;
	long port, threads;
	const char *socket, *memory;
	int no_browser;
	char program[PATH_MAX], store[PATH_MAX], port_text[24];
	char **run;
	struct option_list given;
};

static int check(struct view_options *o, struct error *e)
{
	const struct quantity_option memory = {"--memory-limit", QUANTITY_SIZE, "B",
					       .least = "16MiB", .example = "512MiB"};
	const struct trace_options reading = {.threads = o->threads};
	int64_t bytes = 0;

	if (o->socket && option_present(&o->given, "port"))
		return error_set(e, ERROR_USAGE, "--port and --socket exclude each other");
	if (o->port < 0 || o->port > 65535)
		return error_set(e, ERROR_USAGE, "--port: a port is a number from 1 to 65535");
	if (o->socket && !strchr(o->socket, '/'))
		return error_set(e, ERROR_USAGE, "--socket: name a path, as ./%s", o->socket);
	if (quantity_option(&memory, o->memory, &bytes, e))
		return e->code;
	o->view.runs.memory = (uint64_t)bytes;
	if (trace_options_threads(&reading, &o->view.runs.threads, e))
		return e->code;
	if (!option_present(&o->given, "threads") && o->view.runs.threads > THREADS_MOST)
		o->view.runs.threads = THREADS_MOST;
	o->view.browser = !o->no_browser;
	snprintf(o->port_text, sizeof(o->port_text), "%ld", o->port);
	o->view.where = o->socket ? o->socket : o->port ? o->port_text : NULL;
	return 0;
}

static int check_runs(struct view_options *o, char *const *run, int n, struct error *e)
{
	struct view_runs *r = &o->view.runs;
	char converter[PATH_MAX];
	const char *with = installed_find("tau-convert", converter) ? converter : NULL;

	if (n < 1 && !r->db)
		return error_set(e, ERROR_USAGE, "name a run (see tau-view --help)");
	if (r->db && access(r->db, R_OK) != 0)
		return error_set(e, ERROR_INPUT, "%s: there is no such database", r->db);
	for (int i = 0; i < n && !r->db; i++)
		if (access(run[i], R_OK) != 0)
			return error_set(e, ERROR_INPUT, "%s: there is no such run", run[i]);
	o->run = mem_alloc(((size_t)n + 1) * sizeof(*o->run));
	for (int i = 0; i < n; i++) {
		char *kept = r->db ? NULL : view_converted(run[i], with);

		o->run[i] = kept ? kept : mem_string(run[i]);
	}
	r->name = run;
	r->run = o->run;
	r->run_n = (size_t)n;
	if (!installed_find("tau-report", o->program))
		return error_set(e, ERROR_SYSTEM, "tau-report is not beside this program");
	r->program = o->program;
	if (!n && !installed_find("tau-db", o->store))
		return error_set(e, ERROR_SYSTEM, "tau-db is not beside this program");
	r->store = o->store;
	return 0;
}

int main(int argc, char **argv)
{
	struct view_options o = {.memory = "512MiB"};
	struct error e = {0};
	const struct option options[] = {
		OPTION_HEADING("What is shown"),
		{0, "db", OPTION_TEXT, "FILE",
		 "the operands are trials of this database; without operands the page chooses "
		 "among all",
		 &o.view.runs.db},
		OPTION_HEADING("Where"),
		{0, "port", OPTION_NUMBER, "PORT",
		 "listen on this port of the loopback interface (default: a free one)", &o.port},
		{0, "socket", OPTION_TEXT, "PATH", "listen on a Unix socket that only you can open",
		 &o.socket},
		{0, "no-browser", OPTION_FLAG, NULL,
		 "open no browser, even where there is a display", &o.no_browser},
		{0, "once", OPTION_FLAG, NULL, "end when the page is closed", &o.view.once},
		OPTION_HEADING("Limits"),
		{'j', "threads", OPTION_NUMBER, "N",
		 "read streams on N threads; 0: one per processor (default: 0, at most 8)",
		 &o.threads},
		{0, "memory-limit", OPTION_TEXT, "SIZE",
		 "memory that each report may allocate (default: 512MiB)", &o.memory},
		{0}};
	const struct program program = {
		.name = "tau-view",
		.usage = "[options] RUN... | --db FILE [TRIAL...]",
		.about = "Shows runs in a browser: what each thread does over time, to zoom and "
			 "select, and the reports of tau-report about what is selected.",
		.options = options,
		.given = &o.given,
	};
	int first = options_parse(&program, argc, argv), code;

	/* The reports that it starts have the form that its pages read. */
	setenv("TAU_TOOLS_CONFIG", "", 1);
	code = check(&o, &e);
	if (!code)
		code = check_runs(&o, argv + first, argc - first, &e);
	if (!code)
		code = view_serve(&o.view, &e);
	for (size_t i = 0; i < o.view.runs.run_n; i++)
		free(o.run[i]);
	free(o.run);
	free(o.given.v);
	return program_end(&program, code ? program_fail(&program, &e) : 0);
}
