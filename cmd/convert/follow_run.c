/* follow_run.c: looks at a run until it ends, and writes what is new in each look. */
#include "cmd/convert/follow_run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd/convert/follow_anomalies.h"
#include "cmd/shared/notes.h"
#include "cmd/shared/option.h"
#include "cmd/shared/plugin.h"
#include "cmd/shared/stop.h"
#include "convert/formats.h"
#include "convert/native/native.h"
#include "convert/native/run_files.h"
#include "convert/native/run_processes.h"
#include "convert/text/follow.h"

#define LOOK_NS 200000000 /* between two looks at least */
#define LOOK_SHARE 4	  /* and this many times the duration of a look */

/* The contents of the table of processes. */
struct table {
	int runs; /* some process of this host runs */
	int job;  /* the job has several processes */
};

static struct table table_of(const char *run)
{
	int at = run_directory(run);
	struct run_processes p;
	struct table t = {0};

	if (at < 0)
		return t;
	if (!run_processes_open(at, 0, 0, &p)) {
		t.job = p.head.size > 1;
		for (size_t i = 0; i < p.row_n; i++)
			t.runs |= run_process_life(&p.row[i]) == RUN_PROCESS_RUNS;
		run_processes_close(&p);
	}
	close(at);
	return t;
}

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Waits for the next look. 0: the reader has closed the pipe, or the user ends this. */
static int wait_look(int64_t took, int out, int stop)
{
	int64_t ns = took * LOOK_SHARE > LOOK_NS ? took * LOOK_SHARE : LOOK_NS;
	struct pollfd p[] = {{.fd = out}, {.fd = stop, .events = POLLIN}};

	return poll(p, 2, (int)(ns / 1000000)) <= 0 || !(p[0].revents & POLLERR || p[1].revents);
}

static FILE *out_open(const char *out, struct error *e)
{
	int fd = strcmp(out, "-") ? open(out, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)
				  : dup(STDOUT_FILENO);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

	if (!f)
		error_set(e, ERROR_SYSTEM, "%s: %s", out, strerror(errno));
	return f;
}

/* 1: the lines are out, 0: the reader of the output has gone, or an error. */
static int flush(FILE *f, const char *out, struct error *e)
{
	if (!fflush(f) && !ferror(f))
		return 1;
	return errno == EPIPE ? 0 : error_set(e, ERROR_SYSTEM, "%s: %s", out, strerror(errno));
}

/* One look. *more: some process runs, or there were new events. 1, 0 at the reader's end, or an error. */
static int look(struct follow *w, const char *run, const char *out, int *more, struct error *e)
{
	struct table table = table_of(run);
	uint64_t grown = w->grown;
	struct trace *t = NULL;
	int code;

	if (!native_is(run) && table.runs)
		return 1;
	code = trace_open(run, &t, e);
	if (code)
		return code;
	for (size_t i = 0; i < t->process_n; i++)
		table.runs |= t->process[i].running;
	code = filter_check(w->options.only, t, e);
	if (code && *more)
		code = 0;
	if (!code)
		code = follow_look(w, t, (struct follow_going){*more, *more && table.job}, e);
	*more = table.runs || w->grown > grown;
	trace_free(t);
	return code ? code : flush(w->f, out, e);
}

/* What the last look has to report. */
static int report(const struct program *program, const struct follow *w, const char *run,
		  struct error *e)
{
	char *lost = write_losses(&w->options);
	struct trace *t;
	int code = trace_open(run, &t, e);

	if (!code) {
		trace_settle(t);
		notes_print(program->name, t->note, t->note_n);
		trace_free(t);
	}
	if (lost)
		fprintf(stderr, "%s: %s does not contain: %s\n", program->name,
			w->json ? "json" : "csv", lost);
	free(lost);
	return code;
}

static int follow(struct follow *w, const char *run, const char *out, int stop, struct error *e)
{
	int more = 1, code;

	do {
		int64_t begin = now_ns();

		more = 1;
		code = look(w, run, out, &more, e);
		if (code == 1 && more && !wait_look(now_ns() - begin, fileno(w->f), stop))
			code = 0;
	} while (code == 1 && more);
	return code == 1 ? look(w, run, out, &more, e) : code;
}

/* A plug-in gets events as they are followed. */
static void give(void *to, const struct follow_event *ev)
{
	plugin_event(to, &(struct tau_plugin_event){ev->time, ev->node, ev->thread, ev->kind,
						    ev->name, ev->open, ev->value});
}

int follow_run(const struct program *program, const char *run, const char *out,
	       const struct follow_wish *wish, struct error *e)
{
	struct plugin plugin = {0};
	struct follow_anomalies *anomalies = NULL;
	struct follow w = {.json = wish->json, .options.only = wish->only, .last = wish->last};
	int code, stop = -1;

	if (!native_is(run) && !table_of(run).runs)
		return error_set(e, ERROR_INPUT, "%s: --follow: this is not a run of tau-record",
				 run);
	if (wish->plugin && plugin_open(&plugin, wish->plugin, e))
		return e->code;
	if (wish->plugin) {
		w.take = give;
		w.to = &plugin;
		stop = stop_open();	/* it has to end, which may print what it has found */
	}
	w.f = out_open(out, e);
	if (w.f && wish->anomalies) {
		anomalies = follow_anomalies_new(w.f, wish->least);
		w.take = follow_anomalies_take;
		w.to = anomalies;
	}
	if (w.f) {
		signal(SIGPIPE, SIG_IGN);
		code = follow(&w, run, out, stop, e);
		if (code == 1)
			code = report(program, &w, run, e);
		if (anomalies && code >= 0)
			follow_anomalies_report(anomalies, program->name);
		follow_anomalies_free(anomalies);
		fclose(w.f);
	} else {
		code = e->code;
	}
	follow_release(&w);
	close(stop);
	if (code < 0) {
		plugin_close(&plugin);
		return code;
	}
	return plugin_close(&plugin);
}
