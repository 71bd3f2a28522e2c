/* run_one.c: records one run of an experiment. */
#include "cmd/experiment/run_one.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/experiment/experiment.h"
#include "cmd/experiment/place.h"
#include "cmd/experiment/placeholders.h"
#include "cmd/experiment/run_plan.h"
#include "cmd/experiment/run_reason.h"
#include "cmd/shared/installed.h"
#include "cmd/shared/progress.h"
#include "cmd/shared/shell_word.h"
#include "convert/io/listing.h"
#include "convert/io/now.h"
#include "convert/io/paths.h"
#include "convert/io/whole_file.h"

#define NAMED "tau-record: "

/* tau-record refuses wrong options before anything is run. */
static int options_try(struct run_all *a, struct error *e)
{
	char *why;
	struct shell_words words = {0};
	int status = -1, code = 0;
	struct run_child c = {.status = &status};

	shell_words_add(&words, a->recorder);
	for (size_t i = 0; i + 1 < a->record.v_n; i++)
		shell_words_add(&words, a->record.v[i]);
	shell_words_add(&words, "--dry-run");
	shell_words_add(&words, "--");
	shell_words_add(&words, "true");
	c.argv = words.v;
	code = run_capture(&a->signals, &c, RUN_LINE_LAST, &why, e);
	if (code == 0 && status && !a->signals.stopped)
		code = error_set(
			e, ERROR_USAGE, "--record: %s",
			why ? why + (strncmp(why, NAMED, strlen(NAMED)) ? 0 : strlen(NAMED))
			    : "tau-record refuses these options");
	free(why);
	shell_words_release(&words);
	return code;
}

static int options_read(struct run_all *a, struct error *e)
{
	const char *text = a->p->x->record;

	if (text && shell_words_split(&a->record, "--record", text, e))
		return e->code;
	for (size_t i = 0; i + 1 < a->record.v_n; i++) {
		const char *word = a->record.v[i];

		if (!strncmp(word, "-o", 2) || !strncmp(word, "--output", 8) || !strcmp(word, "--"))
			return error_set(e, ERROR_USAGE,
					 "--record: remove %s: tau-experiment names the directory "
					 "of each run",
					 word);
	}
	return a->record.v_n ? options_try(a, e) : 0;
}

int run_all_begin(struct run_all *a, struct run_plan *p, struct error *e)
{
	char path[PATH_MAX];

	*a = (struct run_all){.p = p};
	run_signals_begin(&a->signals);
	a->facts = mem_alloc((p->x->variant_n + 1) * sizeof(*a->facts));
	if (!installed_find("tau-record", path))
		return error_set(e, ERROR_SYSTEM, "tau-record was not found beside tau-experiment");
	a->recorder = mem_string(path);
	return options_read(a, e);
}

void run_all_end(struct run_all *a)
{
	for (size_t i = 0; i < a->p->x->variant_n + 1; i++)
		program_facts_release(&a->facts[i]);
	free(a->facts);
	free(a->recorder);
	shell_words_release(&a->record);
}

static int has_mark(const struct experiment *x)
{
	for (size_t i = 0; i < experiment_words(x); i++)
		if (strstr(x->command.v[i], "{record}"))
			return 1;
	return 0;
}

int run_command(const struct run_all *a, const struct planned_run *r, const char *directory,
		struct shell_words *out, struct error *e)
{
	struct shell_words recorder = {0}, plain = {0};
	int code;

	shell_words_add(&recorder, a->recorder);
	for (size_t i = 0; i + 1 < a->record.v_n; i++)
		shell_words_add(&recorder, a->record.v[i]);
	shell_words_add(&recorder, "-o");
	shell_words_add(&recorder, directory);
	shell_words_add(&recorder, "--");
	code = placeholders_fill(a->p, r, &recorder, &plain, e);
	if (code == 0 && has_mark(a->p->x)) {
		*out = plain;
		plain = (struct shell_words){0};
	} else if (code == 0) {
		code = place_recorder(&plain, &recorder, out, e);
	}
	shell_words_release(&recorder);
	shell_words_release(&plain);
	return code;
}

/* What the run is without tau-record, and what is known of its program. */
static int facts_write(struct run_all *a, const struct planned_run *r, double seconds,
		       struct error *e)
{
	const struct experiment_variant *v = a->p->cell[r->cell].variant;
	struct program_facts *f = &a->facts[v ? v - a->p->x->variant : 0];
	struct shell_words plain = {0};
	char *command;
	size_t at;
	int code = placeholders_fill(a->p, r, NULL, &plain, e);

	if (code)
		return code;
	at = place_program(&plain, 0);
	if (!f->known && at + 1 < plain.v_n)
		program_facts_find(f, &a->signals, plain.v[at]);
	command = shell_words_text(&plain);
	code = run_facts_write(a->p, r, f, command, seconds, e);
	free(command);
	shell_words_release(&plain);
	return code;
}

static int is_empty(const char *directory)
{
	struct listing l = {0};
	int empty = listing_read(directory, &l) || !l.entry_n;

	listing_release(&l);
	return empty;
}

static void fail(const struct run_all *a, struct planned_run *r, char *why)
{
	char *log = run_path(a->p->x, r, RUN_LOG), *line = run_reason(log);

	free(r->why);
	r->why = line ? mem_printf("%s: %s", why, line) : mem_string(why);
	r->state = RUN_FAILED;
	free(log);
	free(line);
	free(why);
}

/* Gives the directory of a run that has ended its name. A recording of a run that failed is kept
 * until it is run again. */
int run_rename(const struct run_all *a, const struct planned_run *r, const char *part,
	       struct error *e)
{
	char *failed = run_path(a->p->x, r, RUN_KEPT), *path = run_path(a->p->x, r, "");
	const char *to = r->state == RUN_FAILED ? failed : path;
	int code = 0;

	whole_folder_remove(failed);
	if (rename(part, to) && (r->state != RUN_FAILED || errno != ENOENT))
		code = error_set(e, ERROR_SYSTEM, "%s: %s", to, strerror(errno));
	free(failed);
	free(path);
	return code;
}

int run_log_begin(const struct experiment *x, const struct planned_run *r,
		  const struct shell_words *command, struct error *e)
{
	char *log = run_path(x, r, RUN_LOG), *text;
	struct whole w;
	int code = whole_open(&w, log, e);

	if (code == 0) {
		text = shell_words_text(command);
		fprintf(w.file, "$ %s\n", text);
		free(text);
		code = whole_close(&w, log, 0, e);
	}
	free(log);
	return code;
}

int run_end(struct run_all *a, struct planned_run *r, const char *part, int status, double seconds,
	    struct error *e)
{
	int code = 0;

	if (status)
		fail(a, r, run_status_text(status));
	else if (is_empty(part))
		fail(a, r, mem_string("nothing was recorded"));
	else
		code = facts_write(a, r, seconds, e);
	if (code == 0 && r->state != RUN_FAILED && a->signals.stopped)
		return 0;
	if (code == 0 && r->state != RUN_FAILED)
		r->state = RUN_RECORDED;
	return code == 0 ? run_rename(a, r, part, e) : code;
}

int run_one(struct run_all *a, struct planned_run *r, const char *words, struct error *e)
{
	char *log = run_path(a->p->x, r, RUN_LOG), *directory = path_absolute(a->p->x->output);
	char *part = mem_printf("%s/" RUN_PART "%s.%ld", directory, r->name, (long)getpid());
	struct shell_words command = {0};
	int status = 0, code = run_command(a, r, part, &command, e);
	const struct run_child c = {.argv = command.v,
				    .input = a->p->x->input,
				    .output = log,
				    .words = words,
				    .progress = &a->progress,
				    .status = &status};
	int64_t begin;

	progress_begin(&a->progress, r->name);
	if (code == 0)
		code = run_log_begin(a->p->x, r, &command, e);
	begin = now_ns();
	if (code == 0 && run_child(&a->signals, &c, e)) {
		fail(a, r, mem_string(e->text));
		*e = (struct error){0};
	} else if (code == 0 && !a->signals.stopped) {
		code = run_end(a, r, part, status, (double)(now_ns() - begin) / 1e9, e);
	}
	whole_folder_remove(part);
	shell_words_release(&command);
	free(part);
	free(directory);
	free(log);
	return code;
}

void run_sweep(const struct run_all *a)
{
	struct listing l = {0};

	listing_read(a->p->x->output, &l);
	for (size_t i = 0; i < l.entry_n; i++)
		if (!strncmp(l.entry[i].name, RUN_PART, strlen(RUN_PART)) &&
		    !path_ends_in(l.entry[i].name, RUN_PART_JOB)) {
			char *path = mem_join(a->p->x->output, "/", l.entry[i].name, NULL);

			whole_folder_remove(path);
			free(path);
		}
	listing_release(&l);
}
