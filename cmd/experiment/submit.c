/* submit.c: submits runs to Slurm, and collects their results. */
#include "cmd/experiment/submit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/experiment/placeholders.h"
#include "cmd/experiment/run_child.h"
#include "cmd/experiment/run_plan.h"
#include "cmd/shared/message.h"
#include "cmd/shared/progress.h"
#include "cmd/shared/shell_word.h"
#include "convert/io/paths.h"
#include "convert/io/text_file.h"
#include "convert/io/whole_file.h"

#define STATUS ".status"
#define SCRIPT ".sh"

#define LOOK_NS 1000000000 /* between two looks for results */

enum {
	QUEUE_EVERY = 5,
	GONE_AFTER = 2
}; /* looks between two looks at the queue; of these, without the job */

/* Names of the jobs in the queue. */
struct job_queue {
	struct names names;
	int known; /* 0: squeue failed */
};

static char *job_name(const struct experiment *x, const struct planned_run *r)
{
	return mem_printf("%s.%s.%s", x->name, r->name, x->id);
}

static char *part_path(const struct experiment *x, const struct planned_run *r)
{
	char *directory = path_absolute(x->output);
	char *path = mem_printf("%s/" RUN_PART "%s" RUN_PART_JOB, directory, r->name);

	free(directory);
	return path;
}

static int queue_read(struct run_all *a, struct job_queue *q, struct error *e)
{
	char *path = mem_printf("%s/.queue.%ld", a->p->x->output, (long)getpid()), *line = NULL;
	char user[32];
	char *const argv[] = {"squeue", "-h", "-u", user, "-o", "%j", NULL};
	int status = -1, code;
	const struct run_child c = {.argv = argv, .output = path, .status = &status};
	size_t cap = 0;
	FILE *f;

	snprintf(user, sizeof(user), "%ld", (long)getuid());
	*q = (struct job_queue){0};
	code = run_child(&a->signals, &c, e);
	q->known = code == 0 && !status;
	f = q->known ? text_fopen(path, NULL) : NULL;
	while (f && getline(&line, &cap, f) > 0) {
		const char *name = text_trim(line);

		names_add(&q->names, name, strlen(name));
	}
	if (f)
		fclose(f);
	unlink(path);
	free(line);
	free(path);
	return code;
}

static int is_queued(const struct experiment *x, const struct planned_run *r,
		     const struct job_queue *q)
{
	char *name = job_name(x, r);
	int is = names_find(&q->names, name, strlen(name)) >= 0;

	free(name);
	return is;
}

/* ---- the end of a job ---- */

/* 1: it has ended, and the run is taken over. */
static int job_end(struct run_all *a, struct planned_run *r, struct error *e)
{
	char *path = run_path(a->p->x, r, STATUS), *line = run_line_of(path, RUN_LINE_FIRST), *part;
	double begin, end;
	int status, code = 0;

	if (line && sscanf(line, "%d %lf %lf", &status, &begin, &end) == 3) {
		part = part_path(a->p->x, r);
		r->state = RUN_TO_DO;
		code = run_end(a, r, part, (status & 255) << 8, end - begin, e);
		unlink(path);
		free(part);
		code = code < 0 ? code : 1;
	}
	free(line);
	free(path);
	return code;
}

static int job_lost(struct run_all *a, struct planned_run *r, struct error *e)
{
	char *part = part_path(a->p->x, r);
	int code;

	r->why = mem_string(
		"its job ended without a result: it was cancelled, or reached its time limit");
	r->state = RUN_FAILED;
	code = run_rename(a, r, part, e);
	free(part);
	return code;
}

/* ---- the begin of a job ---- */

static void script_put(FILE *f, const struct experiment *x, const struct planned_run *r,
		       const char *command, const char *part)
{
	char *status = run_path(x, r, STATUS), *own = path_absolute(status);
	char *to = shell_word(own), *directory = shell_word(part),
	     *input = shell_word(x->input ? x->input : "/dev/null");

	fprintf(f, "#!/bin/sh\n# %s: run %s\nrm -rf %s\nbegin=$(date +%%s.%%N)\n", x->name, r->name,
		directory);
	fprintf(f, "%s <%s\n", command, input);
	fprintf(f, "echo $? $begin $(date +%%s.%%N) >%s.new && mv %s.new %s\n", to, to, to);
	free(status);
	free(own);
	free(to);
	free(directory);
	free(input);
}

static int script_write(struct run_all *a, const struct planned_run *r, const char *path,
			struct error *e)
{
	struct shell_words words = {0};
	struct whole w;
	char *part = part_path(a->p->x, r), *command = NULL;
	int code = run_command(a, r, part, &words, e);

	if (code == 0)
		code = run_log_begin(a->p->x, r, &words, e);
	if (code == 0)
		code = whole_open(&w, path, e);
	if (code == 0) {
		command = shell_words_text(&words);
		script_put(w.file, a->p->x, r, command, part);
		code = whole_close(&w, path, 0, e);
	}
	shell_words_release(&words);
	free(command);
	free(part);
	return code;
}

static int script_submit(struct run_all *a, struct planned_run *r, const char *script,
			 struct error *e)
{
	const struct experiment *x = a->p->x;
	char *name = job_name(x, r), *log = run_path(x, r, RUN_LOG), *line = NULL;
	char *options = placeholders_text(a->p, r, x->sbatch);
	struct shell_words words = {0};
	int status = -1, code;
	struct run_child c = {.status = &status};

	for (const char *const *s = (const char *const[]){"sbatch", "--parsable", "--no-requeue",
							  "--open-mode=append", "--job-name", name,
							  "--output", log, NULL};
	     *s; s++)
		shell_words_add(&words, *s);
	code = shell_words_split(&words, "--sbatch", options, e);
	shell_words_add(&words, script);
	c.argv = words.v;
	if (code == 0)
		code = run_capture(&a->signals, &c, RUN_LINE_LAST, &line, e);
	if (code == 0 && status)
		code = error_set(e, ERROR_SYSTEM, "%s", line ? line : "sbatch failed");
	if (code == 0) {
		r->state = RUN_SUBMITTED;
		message_print("tau-experiment", "job %s: %s", line ? line : "?", r->name);
	}
	free(line);
	free(name);
	free(log);
	free(options);
	shell_words_release(&words);
	return code;
}

static int job_begin(struct run_all *a, struct planned_run *r, struct error *e)
{
	char *script = run_path(a->p->x, r, SCRIPT), *status = run_path(a->p->x, r, STATUS);
	int code;

	unlink(status);
	code = script_write(a, r, script, e);
	if (code == 0)
		code = script_submit(a, r, script, e);
	free(script);
	free(status);
	return code;
}

int submit_runs(struct run_all *a, struct error *e)
{
	struct job_queue q;
	int code = queue_read(a, &q, e);

	if (code == 0 && !q.known)
		code = error_set(e, ERROR_SYSTEM,
				 "squeue failed: the queue of Slurm cannot be read");
	for (size_t i = 0; i < a->p->run_n && code == 0 && !a->signals.stopped; i++) {
		struct planned_run *r = &a->p->run[i];

		if (r->state != RUN_TO_DO)
			continue;
		if (is_queued(a->p->x, r, &q))
			r->state = RUN_SUBMITTED;
		else
			code = job_end(a, r, e);
		if (code == 0 && r->state == RUN_TO_DO)
			code = job_begin(a, r, e);
		code = code > 0 ? 0 : code;
		run_signals_check(&a->signals, 0);
	}
	names_release(&q.names);
	return code;
}

size_t submit_count(const struct run_plan *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->run_n; i++)
		n += p->run[i].state == RUN_SUBMITTED;
	return n;
}

static void show(struct run_all *a)
{
	char *words =
		mem_printf("%zu of %zu runs are in the queue", submit_count(a->p), a->p->run_n);

	progress_words(&a->progress, words);
	free(words);
}

/* 1: *at is a run whose job has ended. The queue is read before the results: a job that is not in
 * it has left its result. */
static int look(struct run_all *a, long looks, size_t *at, struct error *e)
{
	struct job_queue q = {0};
	int code = looks % QUEUE_EVERY ? 0 : queue_read(a, &q, e);

	for (*at = 0; *at < a->p->run_n && code == 0; ++*at) {
		struct planned_run *r = &a->p->run[*at];

		if (r->state != RUN_SUBMITTED)
			continue;
		code = job_end(a, r, e);
		if (code == 0 && q.known && !is_queued(a->p->x, r, &q) &&
		    ++r->missing > GONE_AFTER) {
			code = job_lost(a, r, e);
			code = code < 0 ? code : 1;
		}
		if (code)
			break;
	}
	names_release(&q.names);
	return code;
}

int submit_wait(struct run_all *a, size_t *at, struct error *e)
{
	int code = 0;

	progress_begin(&a->progress, "the queue");
	for (long looks = 1; code == 0 && submit_count(a->p) && !a->signals.stopped; looks++) {
		code = look(a, looks, at, e);
		if (code == 0) {
			show(a);
			run_signals_check(&a->signals, LOOK_NS);
		}
	}
	progress_end(&a->progress);
	return code;
}
