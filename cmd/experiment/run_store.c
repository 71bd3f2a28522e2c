/* run_store.c: the runs of an experiment as trials of a database. */
#include "cmd/experiment/run_store.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "cmd/experiment/run_child.h"
#include "cmd/experiment/run_plan.h"
#include "cmd/shared/installed.h"
#include "cmd/shared/progress.h"
#include "db/db.h"
#include "db/meta.h"
#include "record/metadata.h"

/* The trials of this experiment, by number. */
struct own_trials {
	const char *id;
	int64_t *trial;
	size_t trial_n, trial_cap;
};

static void trial_found(void *to, int64_t trial, const char *value)
{
	struct own_trials *own = to;

	if (!strcmp(value, own->id))
		*array_add(own, trial) = trial;
}

struct run_taking {
	struct run_plan *p;
	const struct own_trials *own;
	size_t at;
};

/* A run is stored once; of several trials, which only other programs make, the first counts. */
static void run_found(void *to, int64_t trial, const char *name)
{
	struct run_taking *t = to;

	while (t->at < t->own->trial_n && t->own->trial[t->at] < trial)
		t->at++;
	if (t->at == t->own->trial_n || t->own->trial[t->at] != trial)
		return;
	for (size_t i = 0; i < t->p->run_n; i++) {
		struct planned_run *r = &t->p->run[i];

		if (!strcmp(r->name, name) && r->state != RUN_STORED) {
			r->state = RUN_STORED;
			r->trial = trial;
		}
	}
}

static int span_read(struct db *db, struct planned_run *r, struct error *e)
{
	struct db_trial *t;
	size_t n;
	int code = db_list(db, r->trial, &t, &n, e);

	if (code)
		return code;
	if (n && t->window_n && t->window[0].end_us >= t->window[0].begin_us)
		r->span_ns = 1000 * (t->window[0].end_us - t->window[0].begin_us);
	db_trials_free(t, n);
	return 0;
}

int run_store_find(struct run_plan *p, enum db_mode mode, struct error *e)
{
	struct own_trials own = {.id = p->x->id};
	struct run_taking taking = {.p = p, .own = &own};
	struct stat file;
	struct db *db = NULL;
	int code;

	/* An import that was killed at its begin leaves an empty file, which the next one fills. */
	if (!stat(p->x->db, &file) ? !file.st_size && S_ISREG(file.st_mode) : errno == ENOENT)
		return 0;
	code = db_open(p->x->db, mode, &db, e);
	if (code)
		return code;
	code = db_meta_values(db, TAU_META_EXPERIMENT_ID, trial_found, &own, e);
	if (code == 0)
		code = db_meta_values(db, TAU_META_EXPERIMENT_RUN, run_found, &taking, e);
	for (size_t i = 0; i < p->run_n && code == 0; i++)
		if (p->run[i].state == RUN_STORED && isnan(p->run[i].span_ns))
			code = span_read(db, &p->run[i], e);
	free(own.trial);
	db_close(db);
	return code;
}

static int import_failed(struct planned_run *r, int status, const char *message, struct error *e)
{
	char *why = message ? mem_string(message) : run_status_text(status);

	if (WIFEXITED(status) && WEXITSTATUS(status) == -ERROR_SYSTEM) {
		error_set(e, ERROR_SYSTEM, "%s: %s", r->name, why);
		free(why);
		return e->code;
	}
	free(r->why);
	r->why = mem_printf("it cannot be imported: %s", why);
	r->state = RUN_FAILED;
	free(why);
	return 0;
}

int run_store_import(struct run_all *a, struct planned_run *r, const char *words, struct error *e)
{
	const struct experiment *x = a->p->x;
	char program[PATH_MAX], *run = run_path(x, r, ""), *facts = run_path(x, r, ".json");
	char *name = mem_printf("%s %s", x->name, r->name), *message = NULL;
	char *const argv[] = {
		program,        "import", "--db",       x->db, "--alone", "--name", name,
		"--experiment", x->name,  "--metadata", facts, "--",      run,      NULL};
	int status = 0, code = 0;
	const struct run_child c = {
		.argv = argv, .words = words, .progress = &a->progress, .status = &status};

	progress_begin(&a->progress, r->name);
	if (!installed_find("tau-db", program))
		code = error_set(e, ERROR_SYSTEM, "tau-db was not found beside tau-experiment");
	if (code == 0)
		code = run_capture(&a->signals, &c, RUN_LINE_LAST, &message, e);
	if (code == 0 && !a->signals.stopped)
		code = status ? import_failed(r, status, message, e)
			      : run_store_find(a->p, DB_WRITE, e);
	free(run);
	free(facts);
	free(name);
	free(message);
	return code;
}
