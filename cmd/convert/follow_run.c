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

#include "analyze/trace/trace.h"
#include "cmd/convert/follow_anomalies.h"
#include "cmd/convert/follow_chunks.h"
#include "cmd/shared/message.h"
#include "cmd/shared/notes.h"
#include "cmd/shared/option.h"
#include "cmd/shared/plugin.h"
#include "cmd/shared/stop.h"
#include "convert/formats.h"
#include "convert/io/input.h"
#include "convert/io/now.h"
#include "convert/native/native.h"
#include "convert/native/file/run_files.h"
#include "convert/native/live/run_processes.h"
#include "convert/text/follow.h"
#include "convert/trace_write.h"

#define LOOK_NS 200000000 /* between two looks at least */
#define LOOK_SHARE 4	  /* and this many times the duration of a look */

/* The contents of the table of processes. */
struct process_states {
	int runs; /* some process of this host runs */
	int job;  /* the job has several processes */
};

static struct process_states table_of(const char *run)
{
	int at = run_directory(run);
	struct run_processes p;
	struct process_states t = {0};

	if (at < 0)
		return t;
	if (!run_processes_open(at, 0, &p)) {
		t.job = p.head.size > 1;
		for (size_t i = 0; i < p.row_n; i++)
			t.runs |= run_process_life(&p.row[i]) == RUN_PROCESS_RUNS;
		run_processes_close(&p);
	}
	close(at);
	return t;
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

/* Lines, or archives. */
struct follower {
	const char *program;
	struct follow lines;
	struct follow_chunks *chunks; /* NULL: lines */
	int stop;		      /* a signal to end; -1: it is not waited for */
};

static int is_run(const char *path)
{
	struct input *in = input_new(path);
	int is = native_is(in);

	input_free(in);
	return is;
}

/* One look. *more: some process runs, or there were new events. 1, 0 at the reader's end, or an error. */
static int look(struct follower *f, const char *run, const char *out, int *more, struct error *e)
{
	struct follow *w = &f->lines;
	struct process_states table = table_of(run);
	struct follow_going going = {*more, *more && table.job};
	uint64_t grown = w->grown;
	struct trace *t = NULL;
	int code, new = 0;

	if (!is_run(run) && table.runs)
		return 1;
	code = trace_open(run, &t, e);
	if (code)
		return code;
	for (size_t i = 0; i < t->process_n; i++)
		table.runs |= t->process[i].running;
	code = filter_check(w->options.only, t, e);
	if (code && *more)
		code = 0;
	if (!code && f->chunks)
		code = follow_chunks_look(f->chunks, t, going, &new, e);
	else if (!code)
		code = follow_look(w, t, going, e);
	/* Of the last look, which has read what is damaged. */
	if (!code && !going.run) {
		trace_settle(t);
		notes_print(f->program, t->note, t->note_n);
	}
	*more = table.runs || w->grown > grown || new;
	trace_free(t);
	return code ? code : f->chunks ? 1 : flush(w->f, out, e);
}

/* What the result does not contain. */
static void report(const struct follower *f)
{
	char *lost = write_losses(&f->lines.options);

	if (f->chunks)
		follow_chunks_report(f->chunks, f->program);
	if (lost)
		message_print(f->program, "%s does not contain: %s",
			f->lines.json ? "json" : "csv", lost);
	free(lost);
}

/* A signal ends archives with what there is by then. */
static int follow(struct follower *f, const char *run, const char *out, struct error *e)
{
	int more = 1, code;

	do {
		int64_t begin = now_ns();

		more = 1;
		code = look(f, run, out, &more, e);
		if (code == 1 && more &&
		    !wait_look(now_ns() - begin, f->chunks ? -1 : fileno(f->lines.f), f->stop)) {
			more = 0;
			code = f->chunks != NULL;
		}
	} while (code == 1 && more);
	return code == 1 ? look(f, run, out, &more, e) : code;
}

/* A plug-in gets events as they are followed. */
static void event_pass(void *to, const struct follow_event *ev)
{
	plugin_event(to, &(struct tau_plugin_event){ev->time, ev->node, ev->thread, ev->kind,
						    ev->name, ev->open, ev->value});
}

/* Opens what the events go to. */
static int follower_open(struct follower *f, const char *out, const struct follow_wish *wish,
			 struct follow_anomalies **anomalies, struct error *e)
{
	if (wish->plugin || wish->every)
		f->stop = stop_open(); /* a plug-in may print at the end what it has found */
	if (wish->every)
		return follow_chunks_begin(&f->chunks, out, wish->every, wish->last, wish->only, e);
	f->lines.f = out_open(out, e);
	if (!f->lines.f)
		return e->code;
	if (wish->anomalies) {
		*anomalies = follow_anomalies_new(f->lines.f, wish->least);
		f->lines.receive = follow_anomalies_receive;
		f->lines.to = *anomalies;
	}
	return 0;
}

int follow_run(const struct program *program, const char *run, const char *out,
	       const struct follow_wish *wish, struct error *e)
{
	struct plugin plugin = {0};
	struct follow_anomalies *anomalies = NULL;
	struct follower f = {.program = program->name,
			     .lines = {.json = wish->json,
				       .options.only = wish->only,
				       .last = wish->last},
			     .stop = -1};
	int code;

	if (!is_run(run) && !table_of(run).runs)
		return error_set(e, ERROR_INPUT, "%s: --follow: this is not a run of tau-record",
				 run);
	if (wish->plugin && plugin_open(&plugin, wish->plugin, PLUGIN_EVENTS, e))
		return e->code;
	if (wish->plugin) {
		f.lines.receive = event_pass;
		f.lines.to = &plugin;
	}
	code = follower_open(&f, out, wish, &anomalies, e);
	if (!code) {
		signal(SIGPIPE, SIG_IGN);
		code = follow(&f, run, out, e);
		if (code == 1)
			report(&f);
		if (anomalies && code >= 0)
			follow_anomalies_report(anomalies, program->name);
	}
	follow_anomalies_free(anomalies);
	follow_chunks_end(f.chunks);
	if (f.lines.f)
		fclose(f.lines.f);
	follow_release(&f.lines);
	close(f.stop);
	if (code < 0) {
		plugin_close(&plugin);
		return code;
	}
	return plugin_close(&plugin);
}
